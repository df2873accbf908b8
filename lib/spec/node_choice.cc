#include "lib/spec/node_choice.h"

#include <fnmatch.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace twofold::spec {
namespace {

bool IsPattern(const std::string& text) { return text.find_first_of("*?[") != std::string::npos; }

void AddOnce(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

Status RefuseNodes(const NodeChoice& choice, const std::string& what) {
  return Fault(choice.place, "spec.nodes.select", what);
}

}  // namespace

Result<std::vector<std::string>> SelectNodes(const NodeChoice& choice,
                                             const std::vector<std::string>& known) {
  std::vector<std::string> selected;
  for (const std::string& pattern : choice.select) {
    if (known.empty()) {
      if (IsPattern(pattern)) {
        return RefuseNodes(choice,
                           fmt::format("'{}' is a pattern: say which nodes there are", pattern));
      }
      AddOnce(selected, pattern);
      continue;
    }
    const std::size_t before = selected.size();
    for (const std::string& name : known) {
      if (fnmatch(pattern.c_str(), name.c_str(), 0) == 0) AddOnce(selected, name);
    }
    if (selected.size() == before && !IsPattern(pattern)) {
      return RefuseNodes(choice, fmt::format("there is no node '{}'", pattern));
    }
  }
  if (selected.size() < choice.combinations) {
    return RefuseNodes(choice, fmt::format("selects {} nodes, but combinations takes {}",
                                           selected.size(), choice.combinations));
  }
  return selected;
}

}  // namespace twofold::spec
