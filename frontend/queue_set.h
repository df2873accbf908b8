#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/finished_jobs.h"
#include "frontend/queue_host.h"
#include "lib/common/result.h"

namespace twofold::frontend {

/// The queues of a frontend, in the order of its command line, and what outlives their jobs.
///
/// Threads  The set is constant after construction; its members are safe.
class QueueSet {
 public:
  /// Job ids of different queues and of different starts of the frontend never meet: each queue has
  /// a number of its own in them, and `first_generation` should be random.
  /// REQUIRES: 1 to 256 names, all different.
  QueueSet(const std::vector<std::string>& names, queue::QueueOptions options,
           std::uint32_t first_generation);

  /// kInvalidArgument for an empty name, kNotFound (with the names that there are) for an unknown.
  Result<QueueHost*> Find(std::string_view name) const;

  /// The queue that gave out this id; nullptr if none did.
  QueueHost* Owner(queue::JobId job) const;

  const std::vector<std::unique_ptr<QueueHost>>& all() const { return hosts_; }
  FinishedJobs& finished() const { return *finished_; }

 private:
  const std::shared_ptr<FinishedJobs> finished_;
  std::vector<std::unique_ptr<QueueHost>> hosts_;
};

}  // namespace twofold::frontend
