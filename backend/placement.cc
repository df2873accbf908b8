#include "backend/placement.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>

namespace twofold::backend {
namespace {

bool Has(const Labels& labels, const std::string& label) {
  const std::size_t equals = std::min(label.find('='), label.size());
  const auto found = labels.find(label.substr(0, equals));
  return found != labels.end() && label.compare(equals, label.npos, "=" + found->second) == 0;
}

}  // namespace

std::string WrongPlace(const v1::Placement& placement, const Labels& labels,
                       const std::string& node) {
  for (const std::string& label : placement.labels()) {
    if (!Has(labels, label)) return absl::StrCat("this worker has no label ", label);
  }
  const auto& nodes = placement.nodes();
  if (nodes.empty() || std::find(nodes.begin(), nodes.end(), node) != nodes.end()) return {};
  return absl::StrCat("this worker is on node ", node, ", not on ", absl::StrJoin(nodes, " or "));
}

}  // namespace twofold::backend
