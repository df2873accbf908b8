#pragma once

#include <span>
#include <string>

#include "lib/common/result.h"

namespace twofold::process {

/// Where programs are looked for.
struct SearchPath {
  std::span<const std::string> folders;  ///< first; absolute
  std::string path;                      ///< then the absolute ones of this, as PATH has them
};

/// The path of the program `name`; itself if there is a slash in it.
/// Errors   kNotFound "NAME is not installed: looked in FOLDER, ...".
Result<std::string> FindProgram(const std::string& name, const SearchPath& where);

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
