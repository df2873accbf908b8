#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/inlined_vector.h>

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/links.h"
#include "lib/common/instant.h"
#include "lib/queue/queue.h"
#include "lib/stats/histogram.h"

namespace twofold::frontend {

/// Where finished jobs spent their time, since the frontend started.
struct QueueTimes {
  stats::Histogram wait;
  stats::Histogram run;
  stats::Histogram total;
};

/// One queue in real life: the core, its lock, and the streams that its effects go to.
///
/// All work happens in turns. A turn holds the lock for one batch of messages, puts what the core
/// decides into the outboxes of the streams concerned, releases the lock, then flushes them:
///
///     QueueHost::Turn turn(host, Now());
///     for (...) turn.Submit(...);
///
/// Threads  Safe; dispatch happens in the thread that has read the message.
/// Cost     One lock a turn; a hash look-up a submitted job's end, an array access an assignment.
class QueueHost final : private queue::Effects {
 public:
  /// `detached` gets the ends of jobs that were submitted with kDetached.
  QueueHost(std::string name, const queue::QueueOptions& options,
            std::shared_ptr<Submitter> detached);
  QueueHost(const QueueHost&) = delete;
  QueueHost& operator=(const QueueHost&) = delete;

  const std::string& name() const { return name_; }
  std::uint64_t limit() const { return options_.limit; }
  Duration lease() const { return options_.lease; }

  class Turn;

  /// What people and metrics see; taken in one go.
  struct Snapshot {
    queue::QueueStats stats;
    Duration oldest_waiting{0};  ///< age of the job that waits longest; 0 if none waits
  };
  Snapshot Look(Instant now);
  QueueTimes Times();

 private:
  struct Worker {
    WorkerIdentity identity;
    std::shared_ptr<WorkerLink> link;  ///< nullptr while away
    bool leave_when_empty = false;
  };

  void Do(const queue::Assign& assign) override;
  void Do(const queue::CancelOnWorker& cancel) override;
  void Do(const queue::Reply& reply) override;
  void Do(const queue::ProcessRemoved& removed) override;

  Worker& WorkerAt(queue::ProcessId process);

  // A batch concerns few links, mostly the same one again: looking back is cheaper than a set.
  template <typename AnyLink>
  void Touch(const std::shared_ptr<AnyLink>& link) {
    for (auto touched = touched_.rbegin(); touched != touched_.rend(); ++touched) {
      if (touched->get() == link.get()) return;
    }
    touched_.push_back(link);
  }

  void Count(const queue::Reply& reply);

  // Constant after construction.
  const std::string name_;
  const queue::QueueOptions options_;
  const std::shared_ptr<Submitter> detached_;

  std::mutex mutex_;
  // Guarded by mutex_.
  queue::Queue core_;
  std::vector<Worker> workers_;  ///< by ProcessId
  absl::flat_hash_map<queue::SubmitterId, std::shared_ptr<Submitter>> submitters_;
  QueueTimes times_;
  absl::InlinedVector<std::shared_ptr<Link>, 8> touched_;
};

/// One batch of calls on the queue; see QueueHost. Do not block while it lives.
class QueueHost::Turn {
 public:
  Turn(QueueHost& host, Instant now);
  ~Turn();
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  // ---- Submitters

  /// Makes `submitter` known under `id` (no-op if it is); ends of its jobs go there.
  void AddSubmitter(queue::SubmitterId id, const std::shared_ptr<Submitter>& submitter);
  void RemoveSubmitter(queue::SubmitterId id);
  queue::Submitted Submit(queue::SubmitterId submitter, std::uint64_t tag,
                          const std::shared_ptr<const queue::JobOptions>& options,
                          std::string_view spec);
  bool Cancel(queue::JobId job);

  // ---- Workers

  struct Joining {
    bool draining = false;          ///< takes no jobs, comes to deliver what it holds
    bool leave_when_empty = false;  ///< is sent home as soon as no job waits
  };
  queue::ProcessId Join(queue::ProcessKey key, std::uint32_t slots,
                        std::span<const queue::Held> held, WorkerIdentity identity,
                        const std::shared_ptr<WorkerLink>& link, Joining how);
  /// `link` has ended; no-op if the process has joined with another one meanwhile.
  void Leave(queue::ProcessId process, const WorkerLink* link);
  void Renew(queue::ProcessId process);
  void Draining(queue::ProcessId process);
  bool Completed(queue::ProcessId process, const queue::Completion& completion);
  /// After a batch of results: sends the process home if it wants to leave and nothing waits.
  void LeaveIfEmpty(queue::ProcessId process);

  // ---- Admin and time

  void Pause();
  void Drain();
  void Resume();
  void Tick();

  const queue::Queue& core() const { return host_.core_; }
  /// Of the process that runs or ran a job just looked up; nullptr if it is gone.
  const WorkerIdentity* Identity(queue::ProcessId process) const;

 private:
  QueueHost& host_;
  std::unique_lock<std::mutex> lock_;
  const Instant now_;
};

}  // namespace twofold::frontend
