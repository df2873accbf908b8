#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <string>

#include "suites/table/table.h"

namespace twofold::suite {

const Suite* FindSuite(std::string_view name) {
  for (const Suite& row : Suites()) {
    if (row.name == name || row.kind == name) return &row;
  }
  return nullptr;
}

std::vector<const Suite*> FindSuites(std::string_view names) {
  std::vector<const Suite*> found;
  const std::vector<std::string> each = absl::StrSplit(std::string(names), ',');
  for (const std::string& name : each) {
    found.push_back(FindSuite(name));
    if (found.back() == nullptr) return {};
  }
  return found;
}

std::string SuiteNames() {
  std::vector<std::string> names;
  for (const Suite& row : Suites()) names.emplace_back(row.name);
  std::sort(names.begin(), names.end());
  return absl::StrJoin(names, ", ");
}

const char* VersionArgument(std::string_view path) {
  const std::string_view program = path.substr(path.rfind('/') + 1);
  for (const Suite& row : Suites()) {
    for (const ToolVersion& version : row.versions) {
      if (!program.empty() && version.program == program) return version.argument;
    }
  }
  return nullptr;
}

}  // namespace twofold::suite
