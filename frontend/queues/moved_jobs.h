#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "frontend/queues/endpoints.h"
#include "lib/common/instant.h"
#include "lib/common/mutex.h"
#include "lib/results/store.h"

namespace twofold::frontend {

/// Ends of durable jobs whose queue is served elsewhere now, for the streams here that submitted
/// them. The store that all frontends share is asked for one job after the other until each has
/// ended; a third of one thread's time at most.
///
/// Threads  Safe. Submitters are called on a thread of its own, outside of all locks.
class MovedJobs {
 public:
  /// A commit that was under way when the queue moved is there by then, or never will be.
  static constexpr Duration kPatience = std::chrono::seconds(10);

  /// `store` outlives this.
  explicit MovedJobs(const results::Store& store, Duration patience = kPatience);
  ~MovedJobs();
  MovedJobs(const MovedJobs&) = delete;
  MovedJobs& operator=(const MovedJobs&) = delete;

  /// Calls `submitter` once for each of its jobs of `queue`: with the end, or, if the store does
  /// not have the job after `patience`, to give it back, as what was not acknowledged. Jobs of a
  /// submitter that is gone are forgotten.
  void Await(const std::weak_ptr<Submitter>& submitter, const std::string& queue,
             const std::vector<TaggedJob>& jobs);

 private:
  struct Awaited {
    std::weak_ptr<Submitter> submitter;
    std::string queue;
    TaggedJob job;
    Instant since;
  };

  void Run();
  bool LookAfter(const Awaited& awaited);
  bool PauseFor(Duration pause);

  const results::Store& store_;
  const Duration patience_;
  Mutex mutex_;
  Condition changed_;
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::deque<Awaited> awaited_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace twofold::frontend
