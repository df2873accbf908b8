#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/common/result.h"

/// Where programs are found, and the variables they start with. A list of changes has NAME=VALUE
/// for what is added or replaced, and NAME alone for what is removed.
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

/// Where programs are looked for.
struct SearchPath {
  std::span<const std::string> folders;  ///< first; absolute
  std::string path;                      ///< then the absolute ones of this, as PATH has them
};

/// The path of the program `name`; itself if there is a slash in it.
/// Errors   kNotFound "NAME is not installed: looked in FOLDER, ...".
Result<std::string> FindProgram(const std::string& name, const SearchPath& where);

/// The absolute path of the program that a shell in this folder would start for `word`: that file
/// if there is a slash in it, else the first executable of that name in the folders of our PATH.
/// For a word of the person who has called us; what others name is for FindProgram.
///
/// Errors   kInvalidArgument: what was looked for and where, or why that file cannot be started.
Result<std::string> ProgramAsTyped(const std::string& word);

/// A PATH with `folders` before `path`.
std::string JoinPath(const SearchPath& where);

/// Why `path` cannot be started; OK if it is an executable file.
Status CheckExecutable(const std::string& path);

/// The folder of the program that calls this, where those are that belong to it.
std::string OwnFolder();

/// Has programs that are started from here find those in `folder`, after all others.
/// REQUIRES: there is one thread.
void AppendToPath(const std::string& folder);

}  // namespace twofold::process
