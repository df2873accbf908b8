#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "frontend/queues/endpoints.h"
#include "frontend/queues/owned_reply.h"
#include "lib/common/mutex.h"
#include "twofold/v1/queue.pb.h"

namespace twofold::frontend {

/// Ends of jobs that no stream owns (SubmitJob), kept for whoever asks later: the newest 10 000.
/// Those of durable jobs only pass through: the store has them, and they may be large.
///
/// Threads  Safe. A waiter is called by Flush, outside of all locks. Messages are made for those
///          who ask, not when jobs end.
class FinishedJobs final : public Submitter {
 public:
  static constexpr std::size_t kKept = 10'000;

  using Waiter = std::function<void(const v1::Job&)>;

  /// Calls `waiter` once when the job ends. Call it in the turn that submits the job. Returns a
  /// number to stop waiting by.
  std::uint64_t WhenFinished(queue::JobId job, Waiter waiter);

  /// Forgets the waiter: nobody is interested any more. It may be called right now all the same.
  void StopWaiting(queue::JobId job, std::uint64_t number);

  std::optional<v1::Job> Find(queue::JobId job) const;

  void OnAccepted(std::uint64_t, queue::JobId) override {}  // who submitted has been told otherwise
  void OnGivenBack(const std::string&, std::uint64_t) override {}  // nobody takes them back
  void OnDurableMoved(std::uint8_t, const std::vector<TaggedJob>&) override {}
  void OnEndElsewhere(std::uint64_t, const v1::Job&) override {}  // EndWaiter follows
  void OnLostElsewhere(const std::string&, std::uint64_t) override {}
  void OnReply(const queue::Reply& reply, const WorkerIdentity* worker) override;
  void Flush() override;

 private:
  void Keep(queue::JobId id, std::shared_ptr<const OwnedReply> ended)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  mutable Mutex mutex_;
  absl::flat_hash_map<queue::JobId, std::shared_ptr<const OwnedReply>> jobs_
      ABSL_GUARDED_BY(mutex_);
  std::deque<queue::JobId> by_age_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<queue::JobId, std::map<std::uint64_t, Waiter>> waiters_
      ABSL_GUARDED_BY(mutex_);
  std::uint64_t last_waiter_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<std::pair<Waiter, std::shared_ptr<const OwnedReply>>> due_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace twofold::frontend
