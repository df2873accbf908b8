#include "backend/peers/exec_request.h"

#include <absl/strings/str_cat.h>

#include "lib/process/environment.h"
#include "lib/process/pipes.h"

namespace twofold::backend {
namespace {

Status Refusal(const std::string& what) { return absl::InvalidArgumentError(what); }

}  // namespace

Status CheckStart(const v1::ExecStart& start) {
  if (start.argv().empty() || start.argv(0).empty()) return Refusal("start.argv names no program");
  if (start.argv_size() + start.environment_size() > kMaxExecWords) {
    return Refusal(absl::StrCat("start.argv and start.environment have more than ", kMaxExecWords,
                                " entries"));
  }
  std::size_t bytes = 0;
  for (const std::string& argument : start.argv()) {
    if (argument.find('\0') != std::string::npos) return Refusal("start.argv has a zero byte");
    bytes += argument.size();
  }
  for (const std::string& variable : start.environment()) {
    const std::size_t equals = variable.find('=');
    if (equals == 0 || equals == std::string::npos || variable.find('\0') != std::string::npos) {
      return Refusal("start.environment has an entry that is not NAME=VALUE");
    }
    bytes += variable.size();
  }
  if (bytes <= kMaxExecBytes) return absl::OkStatus();
  return Refusal(absl::StrCat("start.argv and start.environment have ", bytes, " bytes; at most ",
                              kMaxExecBytes, " are allowed"));
}

Status CheckFirst(const v1::ExecInput& input) {
  if (input.has_start() && input.data().empty() && !input.close()) return absl::OkStatus();
  return Refusal("start: the first message must have it, and only it");
}

Status CheckNext(const v1::ExecInput& input) {
  if (input.has_start()) return Refusal("start: only the first message may have it");
  if (input.data().size() <= process::kChunkBytes) return absl::OkStatus();
  return Refusal(absl::StrCat("data has ", input.data().size(), " bytes; at most ",
                              process::kChunkBytes, " are allowed"));
}

Result<std::string> FindOnPath(const std::string& name, const std::string& path) {
  if (name.starts_with('/')) return name;
  if (name.find('/') != std::string::npos) {
    return Refusal(absl::StrCat(name, ": neither an absolute path nor a name to look for"));
  }
  auto found = process::FindProgram(name, {{}, path});
  if (found.ok()) return found;
  return absl::NotFoundError(absl::StrCat(name, ": not found in PATH (", path, ")"));
}

}  // namespace twofold::backend
