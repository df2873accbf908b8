#pragma once

#include <absl/base/attributes.h>
#include <absl/container/flat_hash_map.h>

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "frontend/queues/commit_batch.h"
#include "frontend/queues/endpoints.h"
#include "frontend/queues/flush_list.h"
#include "frontend/queues/owned_reply.h"
#include "frontend/queues/queue_host.h"
#include "frontend/queues/submitters.h"
#include "frontend/queues/usage_record.h"
#include "lib/queue/queue.h"
#include "lib/trace/queue_recorder.h"

namespace twofold::frontend {

/// What the lock of a QueueHost guards: the core, who is connected, and what the turn has decided.
/// Carries the core's effects from its decisions to outboxes, or to the journal.
class QueueHost::State final : public queue::Effects {
 public:
  struct PauseRule {
    WorkerPattern pattern;
    bool paused;
  };

  struct Worker {
    queue::ProcessKey key{0};
    WorkerIdentity identity;
    std::shared_ptr<WorkerEndpoint> endpoint;  ///< nullptr while away
    bool leave_when_empty = false;
    UsageRecord usage{};
    Instant joined{};
    Instant heard{};           ///< last
    bool beats_idle = false;   ///< see Turn::Joining
    std::string lent_to = {};  ///< the shard where it goes when it is free; empty: it stays
  };

  /// Whether others have been told of a decision, or it has been undone: who sets it first does it.
  using Settled = std::shared_ptr<std::atomic<bool>>;
  static Settled NotSettled() { return std::make_shared<std::atomic<bool>>(false); }

  /// A spec that is in the store alone, on its way to the workers of an attempt.
  struct LongSpec {
    results::WantedSpec wanted;         ///< of the journal's thread
    std::atomic<bool> missing = false;  ///< the store had none
  };

  /// An attempt of which its worker knows nothing before it is on disk.
  struct Unsent {
    queue::ProcessId process;
    std::uint64_t worker;  ///< WorkerIdentity::number: by then the process may be another one
    queue::Held attempt;
    std::shared_ptr<const LongSpec> spec = nullptr;  ///< null: it is here
    Settled settled = NotSettled();
  };

  struct Unstored {
    queue::JobId job;
    std::function<void(const Status& why)> refuse;
    Settled settled = NotSettled();
  };

  /// A volatile job of no stream that is left in the store, for whoever serves the queue next.
  /// Dropped before it is on disk, it ends here, abandoned.
  class Left {
   public:
    explicit Left(std::shared_ptr<Submitter> detached) : detached_(std::move(detached)) {}
    ~Left();
    Left(const Left&) = delete;
    Left& operator=(const Left&) = delete;

    void EndAs(const queue::Reply& abandoned) { abandoned_.emplace(abandoned, nullptr); }
    void SetStored() { abandoned_.reset(); }

   private:
    const std::shared_ptr<Submitter> detached_;
    std::optional<OwnedReply> abandoned_;
  };

  State(const QueueHost& host, const queue::QueueOptions& options);

  Worker& WorkerAt(queue::ProcessId process) {
    const auto index = static_cast<std::size_t>(process);
    if (index >= workers.size()) MakeRoom(index);
    return workers[index];
  }
  results::SequenceUsed LastId() const;
  template <typename Message>
  void Send(queue::JobId job, const std::shared_ptr<WorkerEndpoint>& endpoint,
            const Message& message);
  /// At once, also about durable jobs.
  template <typename Endpoint, typename Message>
  void Tell(const std::shared_ptr<Endpoint>& endpoint, const Message& message) {
    message(*endpoint);
    to_flush.Add(endpoint);
  }
  /// Hands to the journal what was decided. Without one it is dropped: who serves the queue now
  /// decides anew.
  void KeepDecisions();
  /// Durable jobs wait while they could not be written. What was decided before, and is not on disk
  /// yet, is undone as far as nobody has been told: attempts are taken back, and jobs refused.
  /// Returns whose attempts they were.
  std::vector<queue::ProcessId> FollowStore(Instant now);
  /// A job that nobody knows of before it is on disk.
  void AwaitStored(Unstored job) { Push(unstored, std::move(job)); }
  /// Records the job as one that waits, see Left. It stays in the core until it is given back.
  void Leave(const queue::Restored& job, Instant now);
  void Changed(queue::JobId job);
  void TellWatchers(Instant now);
  bool Detach(queue::ProcessId process, const WorkerEndpoint* endpoint);
  bool IsPaused(const WorkerIdentity& identity) const;
  void AddPauseRule(const WorkerPattern& pattern, bool paused);

  Tenure tenure;
  bool served = true;
  bool held = false;            ///< durable jobs are: they could not be written
  bool suspended = false;       ///< see Turn::Suspend
  results::QueueHalted halted;  ///< what people want, see Turn::Pause
  bool gives_back = false;      ///< jobs end because the queue is served elsewhere
  queue::trace::RecordedQueue core;
  std::vector<Worker> workers;         ///< by ProcessId
  std::string kept_placement;          ///< workers that suit it stay in this shard
  Instant kept_until{};                ///< until then
  std::vector<PauseRule> pause_rules;  ///< of those that match a worker the last one counts
  Submitters submitters;
  QueueTimes times;
  WorkerUsage usage;
  FlushList to_flush;
  CommitBatch commit;
  absl::flat_hash_map<const Resident*, std::shared_ptr<Resident>> residents;
  Watchers watchers;
  std::vector<queue::JobId> changed;  ///< watched jobs that the turn has changed
  /// After Close: volatile attempts that processes still run.
  std::set<std::pair<queue::ProcessId, queue::JobId>> leaving;
  /// In the order of the decisions. Those that are on disk leave when others come.
  std::deque<Unsent> unsent;
  std::deque<Unstored> unstored;
  [[nodiscard]] bool IsLeaving(queue::ProcessId process) const {
    const auto first = leaving.lower_bound({process, queue::JobId{0}});
    return first != leaving.end() && first->first == process;
  }
  /// Jobs of no stream that go on, though they are given back; nullptr: here, in the next tenure.
  std::map<queue::JobId, std::shared_ptr<Left>> going_on;
  /// Volatile jobs that wait again though the queue is not served; to be given back in this turn.
  std::vector<queue::JobId> returned;

 private:
  void Do(const queue::Assign& assign) override;
  void Do(const queue::Go& go) override;
  void Do(const queue::CancelOnWorker& cancel) override;
  void Do(const queue::Requeued& requeued) override;
  void Do(const queue::Reply& reply) override;
  void Do(const queue::ProcessRemoved& removed) override;

  // Apart, because it is rare and its code would stand wherever a worker is looked up.
  ABSL_ATTRIBUTE_NOINLINE void MakeRoom(std::size_t index) { workers.resize(index + 1); }
  void AskSent(queue::ProcessId process);
  void AskSentAgain();
  void PlanGang(const queue::Assign& assign);
  void RecordStart(queue::JobId job, const queue::Assign& assign);
  void GiveBack(const queue::Reply& reply);
  void GiveBackDetached(queue::Reply reply);
  void Store(const queue::Reply& reply, const std::shared_ptr<Submitter>& submitter,
             const WorkerIdentity* worker);
  void TellEnd(const queue::Reply& reply, const WorkerIdentity* worker);
  void Count(const queue::Reply& reply);
  bool IsThere(const Unsent& attempt);
  void TakeBackUnsent(Instant now, std::vector<queue::ProcessId>& freed);
  void FailMissing(Instant now, std::vector<queue::ProcessId>& freed);
  void RefuseUnstored(Instant now);
  template <typename Decision>
  static void Push(std::deque<Decision>& decisions, Decision decision) {
    while (!decisions.empty() && *decisions.front().settled) decisions.pop_front();
    decisions.push_back(std::move(decision));
  }

  const QueueHost& host_;
  std::shared_ptr<const GangPlan> gang_plan_;  ///< of the gang that is being assigned
  std::shared_ptr<LongSpec> long_spec_;        ///< of the job that is; null: it is here
  /// Of one of `unsent` the spec is missing.
  const std::shared_ptr<std::atomic<bool>> is_missing_ = std::make_shared<std::atomic<bool>>(false);
};

/// Now, or after all that was decided about the job before. A worker that is away learns on its
/// return what it needs to know.
template <typename Message>
void QueueHost::State::Send(queue::JobId job, const std::shared_ptr<WorkerEndpoint>& endpoint,
                            const Message& message) {
  if (!endpoint) return;
  if (IsDurable(job)) {
    return commit.Then([endpoint, message](FlushList& list) {
      message(*endpoint);
      list.Add(endpoint);
    });
  }
  message(*endpoint);
  to_flush.Add(endpoint);
}

}  // namespace twofold::frontend
