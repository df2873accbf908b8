#include "backend/peers/exec_request.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <cstdlib>

#include "lib/process/spawn.h"

namespace twofold::backend {
namespace {

Status Refusal(const std::string& what) { return absl::InvalidArgumentError(what); }

std::string_view VariableName(std::string_view variable) {
  return variable.substr(0, variable.find('='));
}

bool HasVariable(const std::vector<std::string>& variables, std::string_view name) {
  return std::any_of(variables.begin(), variables.end(),
                     [&](const std::string& variable) { return VariableName(variable) == name; });
}

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

std::vector<std::string> Overlay(const std::vector<std::string>& base,
                                 const std::vector<std::string>& over) {
  std::vector<std::string> all = over;
  for (const std::string& variable : base) {
    if (!HasVariable(over, VariableName(variable))) all.push_back(variable);
  }
  return all;
}

std::string ValueOf(std::string_view name, const std::vector<std::string>& changes) {
  for (const std::string& change : changes) {
    if (VariableName(change) != name) continue;
    return change.size() == name.size() ? std::string() : change.substr(name.size() + 1);
  }
  const char* const inherited = std::getenv(std::string(name).c_str());
  return inherited == nullptr ? std::string() : inherited;
}

Result<std::string> FindOnPath(const std::string& name, const std::string& path) {
  if (name.starts_with('/')) return name;
  if (name.find('/') != std::string::npos) {
    return Refusal(absl::StrCat(name, ": neither an absolute path nor a name to look for"));
  }
  const std::vector<std::string> folders = absl::StrSplit(path, ':');
  for (const std::string& folder : folders) {
    const std::string found = absl::StrCat(folder, "/", name);
    if (folder.starts_with('/') && CheckExecutable(found).ok()) return found;
  }
  return absl::NotFoundError(absl::StrCat(name, ": not found in PATH (", path, ")"));
}

}  // namespace twofold::backend
