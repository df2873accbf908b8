#pragma once

#include <string>
#include <vector>

namespace twofold::backend {

/// The variables of this process that programs get: those that programs are run with everywhere
/// (PATH, HOME, LANG, ...) and those that tune what they measure (OMPI_*, UCX_*, ...); the table is
/// in inherited.cc. Everything else may be a secret, and stays here.

/// Lets those of these names through as well; NAME, or a name with one '*' for any text.
/// TWOFOLD_TOKEN never gets through.
/// Threads  Before any program is started.
void AllowVariables(std::vector<std::string> names);

/// Those of `environment` (NAME=VALUE, a null pointer at the end) that programs get.
/// Threads  Any.
std::vector<const char*> Inherited(const char* const* environment);

/// What is wrong with a name for AllowVariables; empty: nothing.
std::string CheckVariableName(const std::string& name);

}  // namespace twofold::backend
