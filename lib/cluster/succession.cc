#include "lib/cluster/succession.h"

#include <algorithm>

namespace twofold::cluster {

Succession::Succession(const std::set<std::string>& able,
                       const std::vector<Partition>& partitions) {
  for (const std::string& name : able) loads_[name] = 0;
  for (const Partition& partition : partitions) {
    if (const auto owner = loads_.find(partition.owner); owner != loads_.end()) ++owner->second;
  }
}

std::string Succession::Take(const Partition& partition) {
  auto heir = partition.owner.empty() ? loads_.find(partition.next) : loads_.end();
  if (heir == loads_.end()) {
    heir = std::min_element(loads_.begin(), loads_.end(), [](const auto& one, const auto& other) {
      return one.second < other.second;
    });
  }
  if (heir == loads_.end()) return "";
  ++heir->second;
  return heir->first;
}

}  // namespace twofold::cluster
