#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
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
  Duration grace =
      std::chrono::seconds(10);  ///< a process whose stream broke has this long to return
  Duration ageing =
      std::chrono::minutes(1);         ///< waiting this long is worth one priority level; 0 = never
  std::uint32_t first_generation = 1;  ///< of job ids; make it differ between runs of the frontend
};

enum class Admission : std::uint8_t { kAccepted, kFull, kDraining };

struct Submitted {
  Admission admission;
  JobId job;  ///< JobId{0} unless accepted
};

/// An attempt that a returning process says it still has (or whose result it could not deliver).
struct Held {
  JobId job;
  Attempt attempt;
};

/// How a worker ends an attempt.
struct Completion {
  JobId job;
  Attempt attempt;
  bool handed_back = false;  ///< not run to its end: give it to somebody else, `outcome` is unused
  Outcome outcome = Outcome::kSucceeded;  ///< succeeded, failed, timed_out or cancelled
  Duration run_time{0};
  std::string_view report;
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
  std::uint64_t refused_results = 0;  ///< late results with an old token
  std::uint64_t workers_idle = 0;
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
/// A slot is taken by an Assign and freed by the answer to it (Completed), by nothing else, also
/// when the job was lost or cancelled meanwhile: a worker never has more attempts than slots.
/// Outside a call there is never both a waiting job and a slot that may take it.
///
/// Time     Callers pass `now`, never going back. The class reads no clock.
/// Threads  Not thread-safe: one lock or strand a queue.
/// Errors   Calls about unknown jobs or processes are no-ops that say so in what they return.
/// Cost     O(1) a call, plus O(log r) with r requeued jobs waiting; Tick, WorkerGone and
///          SubmitterGone O(k) for k attempts or jobs concerned. A waiting job takes under 150
///          bytes beside its spec.
/// Order    Same calls, same effects, byte for byte: no hashing order, no randomness.
class Queue {
 public:
  explicit Queue(QueueOptions options);

  // ---- Submitters

  /// Accepts a job, or says why not (counted as rejected). `spec` is copied.
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
  /// it should not have are cancelled.
  ProcessId WorkerJoined(Instant now, ProcessKey key, std::uint32_t slots,
                         std::span<const Held> held, Effects& effects);

  /// Its stream broke or closed. What it runs stays its own for the grace period.
  void WorkerGone(Instant now, ProcessId process, Effects& effects);

  /// A sign of life: all leases of the process run from `now` again.
  void Renewed(Instant now, ProcessId process, Effects& effects);

  /// The process takes no more jobs; it keeps what it has.
  void WorkerDraining(Instant now, ProcessId process);

  /// The answer to an Assign. Frees the slot in any case. False: the attempt no longer counts.
  bool Completed(Instant now, ProcessId process, const Completion& completion, Effects& effects);

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
};

}  // namespace twofold::queue
