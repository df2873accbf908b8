#include "frontend/queues/queue_plans.h"

#include <algorithm>
#include <bitset>

namespace twofold::frontend {

Result<std::vector<QueuePlan>> PlanQueues(const std::vector<std::string>& names,
                                          const std::vector<std::string>& durable,
                                          const LastIds& last_ids) {
  std::bitset<256> taken;
  for (const auto& [name, last] : last_ids) taken.set(queue::QueueNumber(queue::JobId{last}));
  std::vector<QueuePlan> plans;
  for (const std::string& name : names) {
    QueuePlan plan{.name = name,
                   .durable = std::find(durable.begin(), durable.end(), name) != durable.end()};
    if (const auto known = last_ids.find(name); known != last_ids.end()) {
      const queue::JobId last{known->second};
      plan.number = queue::QueueNumber(last);
      plan.first_sequence = queue::Sequence(last) + 1;
    } else {
      if (taken.all()) {
        return absl::FailedPreconditionError(
            "the store knows 256 queues, and one more is named; use another store");
      }
      while (taken.test(plan.number)) ++plan.number;
      taken.set(plan.number);
    }
    plans.push_back(plan);
  }
  return plans;
}

}  // namespace twofold::frontend
