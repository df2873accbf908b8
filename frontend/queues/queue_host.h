#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/queues/alarm.h"
#include "frontend/queues/endpoints.h"
#include "frontend/queues/secrets.h"
#include "frontend/queues/watchers.h"
#include "lib/common/instant.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"
#include "lib/queue/queue.h"
#include "lib/results/journal.h"
#include "lib/results/store.h"
#include "lib/stats/histogram.h"
#include "lib/trace/trace_writer.h"

namespace twofold::frontend {

/// Where finished jobs spent their time, since the frontend started.
struct QueueTimes {
  stats::Histogram wait;  ///< as the next one: of jobs that a worker had when they ended
  stats::Histogram run;
  stats::Histogram total;  ///< of all, from their submission
};

/// What the worker processes of a queue have used since the frontend started, those that have left
/// included.
struct WorkerUsage {
  Duration cpu{0};
  Duration throttled{0};
  Duration reported{0};  ///< how long they ran, until their last report: the time of the other two
};

/// A frontend's hold on a queue.
struct Tenure {
  std::uint64_t epoch = 0;                              ///< 0: the frontend has its queues for ever
  std::uint64_t first_sequence = 1;                     ///< of its durable jobs
  std::shared_ptr<results::Journal> journal = nullptr;  ///< nullptr: no store, no durable jobs
  /// While another frontend may have the queue, it stands still: keys must hold.
  bool strict = false;
  results::QueueHalted halted = {};  ///< by people, under the tenure before
};

/// What is called after the turn in which a job was accepted: one of them.
struct Stored {
  /// When it is on disk, by the journal's thread, or at once if it is not durable.
  std::function<void()> then = {};
  /// The store has failed before: the job is cancelled, as nobody knows of it. Not called for jobs
  /// with a dedup key, which others may have joined; these wait until the store is back.
  std::function<void(const Status& why)> refuse = {};
};

class MovedJobs;

/// What the queues of a frontend share.
struct Surroundings {
  std::shared_ptr<Submitter> detached;         ///< gets the ends of jobs submitted with kDetached
  queue::trace::TraceWriter* trace = nullptr;  ///< nullptr: inputs are not recorded
  MovedJobs* moved = nullptr;  ///< awaits the ends of durable jobs elsewhere; nullptr: nobody does
  Alarm* alarm = nullptr;      ///< rung when something is due; nullptr: nobody ticks
  Alarm* changes = nullptr;    ///< rung after each turn; nullptr: nobody waits for changes
  std::shared_ptr<const Secrets> secrets = std::make_shared<Secrets>();
};

/// One queue in real life: the core, its lock, and the streams that its effects go to.
///
/// All work happens in turns. A turn holds the lock for one batch of messages, puts what the core
/// decides into the outboxes of the streams concerned, releases the lock, then flushes them:
///
///     QueueHost::Turn turn(host, Now());
///     for (...) turn.Submit(...);
///
/// What it decides about durable jobs goes to the journal instead, with the records of it; the
/// journal puts it into the outboxes when the records are on disk.
///
/// Where several frontends share the queues, each serves some of them: a host takes jobs and
/// workers from Open to Close. Closed, it still carries what runs of volatile jobs to its end.
///
/// Threads  Safe; dispatch happens in the thread that has read the message.
/// Cost     One lock a turn; a hash look-up a submitted job's end, an array access an assignment.
class QueueHost {
 public:
  /// It is served from the start, without a journal, unless Close is called. `durable`: all its
  /// jobs are. `surroundings` outlive the host.
  QueueHost(std::string name, const queue::QueueOptions& options, bool durable,
            const Surroundings& surroundings);
  ~QueueHost();
  QueueHost(const QueueHost&) = delete;
  QueueHost& operator=(const QueueHost&) = delete;

  /// "sleep", of its second shard "sleep/1": whose partition it is, and what its jobs are stored
  /// as.
  const std::string& name() const { return name_; }
  /// The queue as people know it, and which of its shards this is.
  const std::string& queue() const { return queue_; }
  std::uint32_t shard() const { return shard_; }
  std::uint8_t number() const { return options_.number; }  ///< in its jobs' ids
  std::uint64_t limit() const { return options_.limit; }
  std::uint64_t limit_bytes() const { return options_.limit_bytes; }
  Duration lease() const { return options_.lease; }
  Duration grace() const { return options_.grace; }
  bool durable() const { return durable_; }

  /// See Turn::CanStore.
  Status CanStore();
  /// Errors   kUnavailable: the queue is not served here any more; its callers ask again.
  Status CheckServed();

  /// Begins a tenure, with an empty queue: what is left of the one before is given back. Restore
  /// then brings what the store has, and Serve lets clients and workers in.
  void Open(const Tenure& tenure, Instant now);

  /// The lowest epoch of a tenure, here or elsewhere, that is not known to be over: whoever is said
  /// to serve the queue with a lower one does so no longer.
  std::uint64_t NextEpoch();

  class Turn;

  /// What people and metrics see; taken in one go.
  struct Snapshot {
    queue::QueueStats stats;
    bool served = false;
    std::uint64_t epoch = 0;
    bool suspended = false;  ///< see Turn::Suspend
    std::shared_ptr<const results::Journal> journal;
    Duration oldest_waiting{0};  ///< age of the job that waits longest; 0 if none waits
  };
  Snapshot Look(Instant now);
  QueueTimes Times();
  WorkerUsage Usage();

 private:
  class State;
  struct Running {
    queue::Restored job;
    WorkerIdentity worker;
  };
  State& LockState();

  // Constant after construction.
  const std::string name_;
  const std::string queue_;
  const std::uint32_t shard_;
  const queue::QueueOptions options_;  // of the first tenure
  const bool durable_;
  const Surroundings& surroundings_;

  Mutex mutex_;
  std::uint64_t next_epoch_ ABSL_GUARDED_BY(mutex_) = 0;  // tenures before it are over
  std::unique_ptr<State> state_ ABSL_GUARDED_BY(mutex_) ABSL_PT_GUARDED_BY(mutex_);
};

/// Why durable jobs wait; empty: they do not.
std::string StoreTrouble(const QueueHost::Snapshot& snapshot);

/// Whether a journal can take in more. Errors: see Turn::CanStore.
Status CanStore(const results::Journal* journal);
/// Whether it can take in what adds nothing. Errors: kUnavailable, kFailedPrecondition, as there.
Status CanWrite(const results::Journal* journal);

/// One batch of calls on the queue; see QueueHost. Do not block while it lives.
class QueueHost::Turn {
 public:
  Turn(QueueHost& host, Instant now);
  ~Turn();
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  Instant now() const { return now_; }

  /// Calls `action` after this turn, without the lock.
  void Then(std::function<void()> action);

  // ---- Tenures

  /// Whether the queue is served here. If not, it takes no jobs and no workers.
  [[nodiscard]] bool served() const;
  /// Errors   see QueueHost::CheckServed.
  [[nodiscard]] Status CheckServed() const;
  /// Whether it is a job that nobody else has: of a queue that is served here, or a volatile one
  /// that still runs here.
  [[nodiscard]] bool EndsHere(queue::JobId job) const;
  [[nodiscard]] std::uint64_t epoch() const;
  /// Of a host that is served from the start.
  void SetJournal(std::shared_ptr<results::Journal> journal);
  /// After Open and Restore: lets clients and workers in.
  void Serve();
  /// Another frontend may have the queue soon, or not: durable jobs are not taken in meanwhile, and
  /// a strict queue stands still.
  void Suspend(bool suspended);
  /// Hands out no more until the tenure ends, as it soon will.
  void HandOutNoMore();
  /// Whether a job runs that ends with this program, as it is not durable. O(1) for each place of
  /// the job table.
  [[nodiscard]] bool RunsVolatile() const;
  /// Ends the tenure. Jobs that wait are given back, or left in the store if no stream owns them;
  /// workers and watchers are sent away: those who run volatile jobs when these have ended. Returns
  /// the journal, whose last records are in it.
  std::shared_ptr<results::Journal> Close();

  /// Whether durable jobs can be taken in now. Errors: kFailedPrecondition: there is no store;
  /// kUnavailable: it cannot be written, and why; kResourceExhausted: it lags behind, or has as
  /// much as it may.
  [[nodiscard]] Status CanStore() const;
  /// Whether such jobs can. Errors: as CanStore; kUnavailable: the queue is strict, and suspended.
  [[nodiscard]] Status CanTake(bool durable) const;

  // ---- Submitters

  /// Makes `submitter` known under `id` (no-op if it is); ends of its jobs go there. `load_key`:
  /// see SubmitRequest.
  void AddSubmitter(queue::SubmitterId id, const std::shared_ptr<Submitter>& submitter,
                    std::uint64_t load_key = 0);
  void RemoveSubmitter(queue::SubmitterId id);
  /// REQUIRES: CanTake.
  queue::Submitted Submit(queue::SubmitterId submitter, std::uint64_t tag,
                          const std::shared_ptr<const queue::JobOptions>& options,
                          std::string_view spec, Stored stored = {},
                          const v1::RunPlace& place = {});
  bool Cancel(queue::JobId job);
  /// Calls `then` after this turn, when all that was decided about the job so far is on disk, by
  /// the journal's thread; at once if it is not durable.
  void WhenStored(queue::JobId job, std::function<void()> then);
  /// For the records: `to` does again what `from` did.
  void RecordRequeue(queue::JobId from, queue::JobId to);

  // ---- Workers

  struct Joining {
    bool draining = false;          ///< takes no jobs, comes to deliver what it holds
    bool leave_when_empty = false;  ///< is sent home as soon as no job waits
    bool beats_idle = false;        ///< promises to be heard while it has nothing, see DropSilent
  };
  queue::ProcessId Join(queue::ProcessKey key, std::uint32_t slots,
                        std::span<const queue::Held> held, WorkerIdentity identity,
                        const std::shared_ptr<WorkerEndpoint>& endpoint, Joining how);
  /// Whether the process has joined with this endpoint, and with no other since.
  [[nodiscard]] bool HasJoined(queue::ProcessId process, const WorkerEndpoint* endpoint) const;
  /// `endpoint` has broken, or ended after the process has left. Both are no-ops if the process has
  /// joined with another endpoint meanwhile.
  void Gone(queue::ProcessId process, const WorkerEndpoint* endpoint);
  void Left(queue::ProcessId process, const WorkerEndpoint* endpoint);
  void Renew(queue::ProcessId process);
  /// Takes out the processes that have nothing, have promised to be heard, and were not for
  /// `idle_lease`. In parts, as ListWorkers.
  std::size_t DropSilent(Duration idle_lease, std::size_t from);
  /// What the process says of itself. What it used before it joined this frontend does not count.
  void Used(queue::ProcessId process, const v1::Usage& usage);
  void Draining(queue::ProcessId process);
  /// See WorkerEndpoint::OnAskSent.
  void Sent(queue::ProcessId process);

  /// What another shard of the queue lacks.
  struct Loan {
    std::string to;              ///< the shard
    std::string placement = {};  ///< whom it would take
    std::uint64_t slots = 0;
    bool pressing = false;  ///< its jobs would wait for ever: busy workers go, too, when they can
  };
  /// Sends workers there: those that have done nothing for this queue for kShortestStay are free to
  /// go, as far as this shard does not want them itself. Returns the slots that go, with those that
  /// an earlier call has sent and that are still busy. Linear in the processes.
  std::uint64_t Lend(const Loan& loan);
  static constexpr Duration kShortestStay = std::chrono::seconds(2);
  /// Until then no worker that suits the placement is lent: a gang gathers them here. The last call
  /// counts.
  void Keep(const std::string& placement, Instant until);
  void Ready(queue::ProcessId process, const queue::Held& member);
  /// LeaveIfFree follows.
  bool Completed(queue::ProcessId process, const queue::Completion& completion);
  /// After a batch of results: sends the process to the shard that has borrowed it, if it has
  /// nothing any more; home, if it wants to leave and nothing waits.
  void LeaveIfFree(queue::ProcessId process);
  void Progress(const queue::Held& attempt, JobProgress progress);
  void Output(const queue::Held& attempt, std::string_view data, std::uint64_t missed);

  // ---- Those who stay as long as the queue does

  /// Until Leave, or until the tenure ends, or the next one begins.
  void Stay(std::shared_ptr<Resident> resident);
  void Leave(const Resident* resident);

  // ---- Those who watch a job

  /// The watcher stays until Unwatch, also when the job has ended. REQUIRES: EndsHere.
  void Watch(queue::JobId job, const std::shared_ptr<Watcher>& watcher);
  void Unwatch(queue::JobId job, const Watcher* watcher);
  /// nullptr: it has told nothing.
  const JobProgress* ProgressOf(queue::JobId job) const;

  // ---- Admin and time

  /// What people want. The next owner of the queue goes on with it.
  void Pause();
  void Drain();
  void Resume();

  void Tick();
  /// A volatile job, which the last frontend has left, is taken out of the store by it.
  void Restore(const results::StoredJob& job);

  /// A process that is known, connected or not.
  struct WorkerView {
    const WorkerIdentity& identity;
    const queue::Process& process;
    const v1::Usage* usage;  ///< nullptr: it has said nothing
  };
  /// The next four, and DropSilent, deal with up to kWorkersATurn processes from place `from` on
  /// (0: the start), and return the place where the next turn has to go on; 0: there are no more.
  std::size_t ListWorkers(const WorkerPattern& pattern, std::size_t from,
                          const std::function<void(const WorkerView&)>& visit) const;
  /// For those that are there, and those that come; what was said last about a worker counts.
  std::size_t PauseWorkers(const WorkerPattern& pattern, std::size_t from = 0);
  std::size_t ResumeWorkers(const WorkerPattern& pattern, std::size_t from = 0);
  std::size_t DrainWorkers(const WorkerPattern& pattern, std::size_t from = 0);
  static constexpr std::size_t kWorkersATurn = 200;

  const queue::Queue& core() const;
  /// Of the process that runs or ran a job just looked up; nullptr if it is gone.
  const WorkerIdentity* Identity(queue::ProcessId process) const;

 private:
  void Follow(queue::JobId job, bool follow);
  void HaltAsAsked();
  void RecordHalt();
  void GiveBack(bool running);
  void GiveBack(std::span<const queue::JobId> jobs);
  void GiveBackReturned();
  template <typename Visit>
  void VisitDetached(bool running, const Visit& visit) const;
  void LeaveWaiting();
  std::vector<Running> KeepRunning();
  void GoOn(const Running& running);
  void SendWatchersAway();
  void SendAway();
  void AwaitElsewhere();
  void Dismiss(queue::ProcessId process);
  void AttemptOver(queue::ProcessId process, queue::JobId job);
  std::uint64_t LendTo(const Loan& loan, std::uint64_t spare, bool busy);
  [[nodiscard]] bool MayGo(queue::ProcessId process, const Loan& loan) const;
  void SendIfFree(queue::ProcessId process);

  friend class QueueHost;
  std::size_t SetPaused(const WorkerPattern& pattern, std::size_t from, bool paused);
  template <typename Visit>
  std::size_t VisitWorkers(const WorkerPattern& pattern, std::size_t from,
                           const Visit& visit) const;
  void SendHome(queue::ProcessId process);

  QueueHost& host_;
  State& state_;  ///< the turn holds the lock of `host_` as long as it lives
  const Instant now_;
};

}  // namespace twofold::frontend
