#include "backend/agent/filename.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>
#include <glob.h>

namespace twofold::backend {

Result<std::string> FirstMatch(const std::string& pattern) {
  glob_t matches{};
  Result<std::string> first = absl::NotFoundError(absl::StrCat("nothing matches '", pattern, "'"));
  if (glob(pattern.c_str(), 0, nullptr, &matches) == 0) first = std::string(matches.gl_pathv[0]);
  globfree(&matches);
  return first;
}

std::string ReplaceFilename(std::string text, const std::string& filename) {
  return absl::StrReplaceAll(text, {{"FILENAME", filename}});
}

}  // namespace twofold::backend
