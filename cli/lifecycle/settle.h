#pragma once

#include <cstddef>
#include <vector>

#include "cli/lifecycle/follower.h"
#include "cli/lifecycle/moments/kind.h"

namespace twofold::lifecycle {

/// The workloads that have not come to their end. Each is asked until it has, and never again.
///
/// Threads  Not thread-safe.
class OpenLives {
 public:
  /// `until_ready`: a workload that is ready need not be waited for.
  OpenLives(Follower& follower, const Kind& kind, bool until_ready)
      : follower_(follower), kind_(kind), until_ready_(until_ready) {}

  std::size_t Count();

 private:
  Follower& follower_;
  const Kind& kind_;
  const bool until_ready_;
  std::vector<std::size_t> open_;  // as of the last look
  std::size_t looked_at_ = 0;      // lives that were open once
};

}  // namespace twofold::lifecycle
