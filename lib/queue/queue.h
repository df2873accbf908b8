#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <unordered_map>

#include "lib/queue/effects.h"
#include "lib/queue/job_table.h"
#include "lib/queue/process_table.h"
#include "lib/queue/types.h"
#include "lib/queue/waiting_line.h"

namespace twofold::queue {

struct QueueOptions {
  std::uint64_t limit = 0;  ///< most waiting jobs; 0 = no limit. Requeued jobs may exceed it.
  Duration lease = std::chrono::seconds(15);  ///< a process unheard for this long loses its jobs
  Duration grace = std::chrono::seconds(10);  ///< so long may a process with a broken stream return
  Duration ageing = std::chrono::minutes(1);  ///< waiting so long is worth one level; 0 = never
  std::uint8_t number = 0;  ///< of the queue: makes its job ids differ from other queues'
  std::uint32_t first_generation = 1;  ///< of job ids; make it differ between runs of the frontend
};

enum class Admission : std::uint8_t { kAccepted, kFull, kDraining };

struct Submitted {
  Admission admission;
  JobId job;  ///< JobId{0} unless accepted
};

/// How a worker ends an attempt.
struct Completion {
  JobId job;
  Attempt attempt;
  bool handed_back = false;  ///< not run to its end: give it to somebody else, `outcome` is unused
  Outcome outcome = Outcome::kSucceeded;  ///< or failed, timed_out, cancelled; others = failed
  Duration run_time{0};
  std::string_view device = {};  ///< what it ran on; passed through
  std::string_view report = {};  ///< passed through
};

/// A job as people ask for it.
struct JobView {
  JobId job;
  bool running;
  Attempt attempt;    ///< tries started so far
  ProcessId process;  ///< meaningful while running
  Duration wait;      ///< so far, or until it was handed out
  Duration run_time;  ///< since it was handed out, by the frontend's clock
  const JobOptions* options;
  std::size_t spec_size;
};

/// Counts since the queue was made, and what is there now.
struct QueueStats {
  std::uint64_t waiting = 0;
  std::uint64_t running = 0;
  std::array<std::uint64_t, kOutcomes> finished{};  ///< by Outcome
  std::uint64_t requeued = 0;  ///< attempts given up and put back: worker lost or handed back
  std::uint64_t refused_results = 0;  ///< late, doubled or invented; an answer to a cancel is none
  std::uint64_t workers_idle = 0;     ///< free slots; as the next two: of processes in their lease
  std::uint64_t workers_busy = 0;
  std::uint64_t workers_draining = 0;     ///< busy or not, of draining processes
  std::uint64_t processes = 0;            ///< connected
  std::optional<Instant> oldest_waiting;  ///< when the job that waits longest was accepted
  bool paused = false;
  bool draining = false;
};

/// The state machine of one queue: which job is where, who runs it, and how it ends.
///
/// A job waits in a line until a worker has a free slot, runs there under a lease, and ends exactly
/// once. Attempts are numbered; what an old attempt says no longer counts. The rules are those of
/// docs/architecture.md ("queue core"), each with a test named after it.
///
/// A slot is taken by an Assign and freed by the answer to it (Completed), also when the job was
/// lost or cancelled meanwhile, or by a process that comes back without the attempt. So a worker
/// never has more attempts than slots.
/// Outside a call there is never both a waiting job and a slot that may take it, unless paused.
///
/// Time     Callers pass `now`, never going back. The class reads no clock.
/// Threads  Not thread-safe: one lock or strand a queue.
/// Errors   Calls about unknown jobs or processes are no-ops that say so in what they return.
/// Cost     O(1) a call, plus O(log r) with r requeued jobs waiting; Tick, WorkerJoined, WorkerGone
///          and SubmitterGone O(log) for each attempt or job concerned; List is linear in the most
///          jobs there ever were at one time. A waiting job takes under 150 bytes beside its spec.
/// Order    Same calls, same effects, byte for byte: no hashing order, no randomness.
class Queue {
 public:
  explicit Queue(const QueueOptions& options);
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  // ---- Submitters

  /// Accepts a job, or says why not (counted as rejected, no Reply). `spec` is copied. The limit is
  /// for jobs that wait: one that a free slot takes at once passes. A submitter other than
  /// kDetached takes some memory until SubmitterGone.
  Submitted Submit(Instant now, SubmitterId submitter, std::uint64_t tag,
                   const std::shared_ptr<const JobOptions>& options, std::string_view spec,
                   Effects& effects);

  /// Ends a job as cancelled; a running one is stopped on its worker. False: no such job.
  bool Cancel(Instant now, JobId job, Effects& effects);

  /// Ends all jobs of the submitter as abandoned, without replies; running ones are stopped.
  void SubmitterGone(Instant now, SubmitterId submitter, Effects& effects);

  // ---- Workers

  /// A process connects with `slots` (at least 1) and the attempts it still has. A key that is
  /// known takes over: attempts that match are kept, those it no longer has are lost, and those
  /// it should not have are cancelled and occupy slots until answered. If the process was thought
  /// connected, its new stream overtook the broken one: do not report the old one as gone.
  /// `draining`: it comes only to deliver what it holds and gets no jobs.
  ProcessId WorkerJoined(Instant now, ProcessKey key, std::uint32_t slots,
                         std::span<const Held> held, Effects& effects, bool draining = false);

  /// The id that WorkerJoined gives to this key now: the caller needs it before, as jobs are handed
  /// out at once.
  [[nodiscard]] ProcessId IdFor(ProcessKey key) const;

  /// Its stream broke or closed. What it runs stays its own for the grace period; with nothing
  /// running it is removed at once.
  void WorkerGone(Instant now, ProcessId process, Effects& effects);

  /// It has left in order and will not come back: what it still had, it never started or gave up.
  /// That goes to the front of the line, without using up an attempt.
  void WorkerLeft(Instant now, ProcessId process, Effects& effects);

  /// A sign of life: all leases of the process run from `now` again. If its lease had run out, it
  /// may take jobs again. WorkerDraining and Completed are signs of life, too.
  void Renewed(Instant now, ProcessId process, Effects& effects);

  /// The process takes no more jobs; it keeps what it has.
  void WorkerDraining(Instant now, ProcessId process);

  /// The answer to an Assign. Frees the slot if this attempt had one, whether it still counts or
  /// not. False: it does not count. What is handed back goes to the front of the line, does not use
  /// up an attempt, and may come back to the same process if no other is idle.
  bool Completed(Instant now, ProcessId process, const Completion& completion, Effects& effects);

  /// A batch of calls is over: the process that got jobs last gives way to the next one. What came
  /// in one message so goes out in one, as far as turns allow; cutting it up would make every
  /// message on the way smaller. Calling it never or after each job is as right, only slower.
  void EndTurn();

  // ---- Admin

  void Pause();                                ///< hands out no more jobs; accepts them
  void Drain();                                ///< accepts no more jobs; runs what it has
  void Resume(Instant now, Effects& effects);  ///< ends both

  // ---- Time

  /// Does what is due: leases and grace periods that ran out.
  void Tick(Instant now, Effects& effects);

  /// When Tick has to be called next; nullopt: nothing is due ever.
  [[nodiscard]] std::optional<Instant> NextDeadline() const;

  // ---- Questions

  [[nodiscard]] QueueStats Stats() const;
  [[nodiscard]] std::uint64_t waiting() const;
  [[nodiscard]] std::optional<JobView> Find(Instant now, JobId job) const;

  /// Up to `limit` jobs in table order, starting after `after` (JobId{0}: from the start).
  void List(Instant now, JobId after, std::size_t limit,
            const std::function<void(const JobView&)>& visit) const;

 private:
  /// How a job ends; what its Reply needs beside what the job knows.
  struct Ending {
    Outcome outcome;
    std::string_view reason = {};
    Duration run_time{0};
    std::string_view device = {};
    std::string_view report = {};
  };

  // Jobs, by slot
  [[nodiscard]] bool IsRunning(Slot slot) const;
  [[nodiscard]] Slot FindAttempt(ProcessId process, const Held& held) const;
  void Dispatch(Instant now, Effects& effects);
  void HandOut(Instant now, Slot slot, ProcessId process, Effects& effects);
  void Stop(Slot slot, Effects& effects);
  void Requeue(Slot slot);
  void End(Instant now, Slot slot, const Ending& ending, Effects& effects);
  void Forget(Slot slot);
  [[nodiscard]] JobView View(Instant now, Slot slot) const;

  // Attempts that come to nothing
  void Lose(Instant now, Slot slot, std::string_view why, Effects& effects);
  void LeaseOver(Instant now, ProcessId process, Effects& effects);
  void GraceOver(Instant now, ProcessId process, Effects& effects);
  void Remove(ProcessId process, Effects& effects);
  std::set<Held> Reconcile(Instant now, ProcessId process, std::span<const Held> held,
                           Effects& effects);
  void Refuse(ProcessId process, const Completion& completion);

  [[nodiscard]] Admission Admit() const;
  Submitter* SubmitterFor(SubmitterId id);

  const QueueOptions options_;
  JobTable jobs_;
  WaitingLine line_;
  ProcessTable processes_;
  std::unordered_map<SubmitterId, Submitter> submitters_;  // nodes: jobs point to them
  std::uint64_t next_sequence_ = 0;
  std::uint64_t running_ = 0;
  std::uint64_t requeued_ = 0;
  std::uint64_t refused_results_ = 0;
  std::array<std::uint64_t, kOutcomes> finished_{};
  bool paused_ = false;
  bool draining_ = false;
};

}  // namespace twofold::queue
