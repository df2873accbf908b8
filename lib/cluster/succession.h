#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lib/cluster/view.h"

namespace twofold::cluster {

/// Says who takes over partitions that have no owner, so that ownership spreads evenly: each goes
/// to the member with the fewest. The same view gives the same heirs on every frontend, if they are
/// asked for in the same order.
///
/// Threads  Not thread-safe.
/// Cost     O(n) for n able members.
class Succession {
 public:
  Succession() = default;

  /// `able`: the members that may take partitions.
  Succession(const std::set<std::string>& able, const std::vector<Partition>& partitions);

  /// Who takes this partition: the next owner that it names, if able, else the member with the
  /// fewest partitions, of several the first by name. Counts as one of the heir's from now on.
  /// Empty: nobody is able.
  std::string Take(const Partition& partition);

  /// The member takes no partitions from now on.
  void Exclude(const std::string& name) { loads_.erase(name); }

  [[nodiscard]] bool IsAble(const std::string& name) const { return loads_.contains(name); }

 private:
  std::map<std::string, std::size_t> loads_;  // able member -> partitions
};

}  // namespace twofold::cluster
