#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "frontend/queues/queue_set.h"
#include "lib/common/result.h"

namespace twofold::frontend {

/// The highest job id that each queue of the store has given out.
using LastIds = std::map<std::string, std::uint64_t>;

/// The queues to make. One that the store knows keeps its number, which is part of its job ids, and
/// goes on counting where it was; the others get numbers that no queue of the store has.
/// Errors   kFailedPrecondition: the store knows so many queues that no number is left.
Result<std::vector<QueuePlan>> PlanQueues(const std::vector<std::string>& names,
                                          const std::vector<std::string>& durable,
                                          const LastIds& last_ids);

}  // namespace twofold::frontend
