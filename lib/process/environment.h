#pragma once

#include <string>
#include <string_view>
#include <vector>

/// The variables that programs are started with. A list of changes has NAME=VALUE for what is added
/// or replaced, and NAME alone for what is removed.
namespace twofold::process {

/// Lets variables of these names through as well (see Inherited); NAME, or a name with one '*' for
/// any text. TWOFOLD_TOKEN never gets through.
///
/// Threads  Before any program is started.
void AllowVariables(std::vector<std::string> names);

/// What is wrong with a name for AllowVariables; empty: nothing.
std::string CheckVariableName(const std::string& name);

/// Those of `environment` (NAME=VALUE, a null pointer at the end) that programs of jobs get: what
/// programs are run with everywhere (PATH, HOME, LANG, ...) and what tunes the things they measure
/// (OMPI_*, UCX_*, ...). The table is in environment.cc. Everything else may be a secret.
///
/// Threads  Any.
std::vector<const char*> Inherited(const char* const* environment);

/// `inherited` with `changes`, and a null pointer at the end. The pointers point into both.
std::vector<char*> MergeEnvironment(const std::vector<const char*>& inherited,
                                    const std::vector<std::string>& changes);

/// The changes `base`, with those of `over` in their place.
std::vector<std::string> Overlay(const std::vector<std::string>& base,
                                 const std::vector<std::string>& over);

/// NAME of NAME=VALUE, or of NAME alone.
std::string_view VariableName(std::string_view variable);

/// The value of `name` in `changes`, else the one in our environment; empty: there is none.
std::string ValueOf(std::string_view name, const std::vector<std::string>& changes);

}  // namespace twofold::process
