#pragma once

#include <span>
#include <string>

#include "lib/common/result.h"

namespace twofold::stages {

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

}  // namespace twofold::stages
