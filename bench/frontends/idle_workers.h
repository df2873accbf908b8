#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/frontends/cluster.h"
#include "bench/peers/child.h"

namespace twofold::budgets {

/// Workers without a job, each with a connection of its own, made again as worker programs do it.
/// Some dozens share a process, which is this program again: a worker program looks after each of
/// its connections, so that a thousand in one would keep each other busy.
class IdleWorkers {
 public:
  /// `contacts`: where they look for their queue first.
  IdleWorkers(Place& place, int workers, const std::string& contacts);

 private:
  std::vector<bench::Child> processes_;
};

/// What such a process does, until SIGTERM. Their keys count from `first_key`.
void RunIdleWorkers(int workers, std::uint64_t first_key, const std::string& contacts);

}  // namespace twofold::budgets
