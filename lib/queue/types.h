#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/common/instant.h"

/// Words of the queue core. Plain values: no I/O, no clock, no threads, no proto.
namespace twofold::queue {

/// Names a job. The top 8 bits are the number of its queue; 0 is no job.
///
/// A volatile job is named for as long as its frontend lives: bit 55 is 0, then follow the
/// generation (23 bits) and the slot of the job table that took it in (32 bits), so a stale id is
/// recognised without a search. It keeps this id when its queue goes to another frontend. A durable
/// job is named for ever: bit 55 is 1, then follows its number in order of arrival, which is never
/// given out twice.
enum class JobId : std::uint64_t {};
inline constexpr std::uint64_t kDurableBit = std::uint64_t{1} << 55;

inline bool IsDurable(JobId job) { return (static_cast<std::uint64_t>(job) & kDurableBit) != 0; }

/// The number of a durable job in order of arrival.
inline std::uint64_t Sequence(JobId durable) {
  return static_cast<std::uint64_t>(durable) & (kDurableBit - 1);
}

/// QueueOptions::number of the queue that gave out the id.
inline std::uint8_t QueueNumber(JobId job) {
  return static_cast<std::uint8_t>(static_cast<std::uint64_t>(job) >> 56);
}

/// Below all ids that the queue with this number gives out.
constexpr JobId LowestId(std::uint8_t queue_number) {
  return JobId{std::uint64_t{queue_number} << 56};
}

/// A connected backend process. Dense (an index that is used again after ProcessRemoved).
enum class ProcessId : std::uint32_t {};

/// What a backend process calls itself over all its connections: random, made once at its start.
enum class ProcessKey : std::uint64_t {};

/// One submitter: a client's stream. Chosen by the caller, never used twice; kDetached for jobs
/// that no stream owns.
enum class SubmitterId : std::uint64_t {};
inline constexpr SubmitterId kDetached{0};

/// One try at a job, from 1. It is the fencing token: only the newest attempt may end the job.
using Attempt = std::uint32_t;

/// An attempt as its worker names it: running there, or its result could not be delivered.
struct Held {
  JobId job;
  Attempt attempt;

  friend auto operator<=>(const Held&, const Held&) = default;
};

/// How a job ended. A job ends once.
enum class Outcome : std::uint8_t {
  kSucceeded,
  kFailed,     ///< the workload says so (exit code, signal, wrong output)
  kTimedOut,   ///< ran past its limit
  kCancelled,  ///< somebody asked for it
  kLost,       ///< its worker vanished and no attempts are left
  kRejected,   ///< never accepted (queue full or draining), or handed to nobody by its deadline
  kAbandoned,  ///< its submitter is gone
};
inline constexpr int kOutcomes = 7;

/// "succeeded", "timed_out", ...; the words of metrics, JSON and the command line.
inline std::string_view Name(Outcome outcome) {
  static constexpr std::array<std::string_view, kOutcomes> kNames = {
      "succeeded", "failed", "timed_out", "cancelled", "lost", "rejected", "abandoned"};
  return kNames.at(static_cast<std::size_t>(outcome));
}

/// It ended without having been tried to its end, as somebody wanted or nobody could take it: not a
/// failure, and of a run not an answer.
constexpr bool IsWithdrawn(Outcome outcome) {
  return outcome == Outcome::kCancelled || outcome == Outcome::kRejected ||
         outcome == Outcome::kAbandoned;
}

/// Where the members of a gang may be.
enum class Spread : std::uint8_t {
  kAny,   ///< any free slots, several of one process too
  kNode,  ///< each on a node of its own
};

struct GangOptions {
  std::uint32_t size = 1;  ///< workers that run the job together; 1 = no gang
  Spread spread = Spread::kAny;
  Duration timeout = std::chrono::seconds(30);  ///< how long its first try may hold free slots
};

/// What many jobs have in common. Shared and immutable: a job costs a pointer to it.
struct JobOptions {
  std::string suite = {};          ///< which workload; the core only passes it on
  Duration limit{0};               ///< longest run time, 0 = none; the worker enforces it
  int priority = 0;                ///< kLowestPriority..kHighestPriority, higher first
  std::uint32_t max_attempts = 1;  ///< tries at most when workers vanish; at least 1
  GangOptions gang = {};
  bool durable = false;         ///< has an id for ever, outlives its submitter; the shell stores it
  std::string run = {};         ///< the core only passes it on
  std::string dedup_key = {};   ///< of jobs with the same one, one waits or runs; empty: none
  Duration delay{0};            ///< not handed out before; wait and deadline start there
  Duration deadline{0};         ///< first handed out within, or rejected; 0 = no hurry
  std::string fair_key = {};    ///< jobs of one priority take turns by it
  std::uint32_t weight = 1;     ///< share of the fair key, 1..kHighestWeight
  std::string limit_key = {};   ///< at most `key_limit` jobs with it run at once; empty: no limit
  std::uint32_t key_limit = 1;  ///< at least 1; the least of a key counts, see key_limits.h
  std::string placement = {};   ///< where it may run, see placement.h; empty: anywhere
};
inline constexpr int kLowestPriority = -10;
inline constexpr int kHighestPriority = 10;
inline constexpr std::uint32_t kHighestWeight = 1000;
inline constexpr std::uint32_t kLargestGang = 4096;

/// A member of a gang. It is an attempt with a job id of its own, so that a process may have
/// several; leases, cancels and results are about it as about any other attempt.
struct Member {
  ProcessId process;
  JobId job;
};

/// What makes an attempt a member of a gang.
struct Seat {
  JobId gang;  ///< the job that all of them run
  std::uint32_t rank;
  std::span<const Member> members;  ///< by rank
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

/// A job that an earlier life of the frontend has left behind, or another frontend.
struct Restored {
  struct Member {
    ProcessKey process;
    JobId job;  ///< of a job that is no gang: its own id
  };

  JobId job;
  std::shared_ptr<const JobOptions> options;
  std::string spec;
  std::uint32_t spec_elsewhere = 0;  ///< see input::Submit
  Instant accepted;                  ///< or, if it was delayed, when its delay is over
  Instant handed_out{};
  Attempt attempts = 0;
  std::uint32_t lost_attempts = 0;
  std::vector<Member> members;  ///< who runs it, by rank; empty: it waits
};

// ---- Effects: what the shell has to carry out (see effects.h).

/// Send the job to the worker. The members of a gang are assigned one after the other, by rank.
struct Assign {
  ProcessId process;
  JobId job;
  Attempt attempt;  ///< of a gang's member: that of its gang
  const std::shared_ptr<const JobOptions>& options;
  std::string_view spec;
  const Seat* seat = nullptr;         ///< of a gang's member
  std::uint32_t lost_attempts = 0;    ///< of those before; for the shell's records
  SubmitterId submitter = kDetached;  ///< whose job it is; of a member: whose its gang is
  std::uint32_t spec_elsewhere = 0;   ///< see input::Submit
  bool ask_sent = false;              ///< input::Sent is due, once it is true
};

/// Tell the member of a gang that all members are ready.
struct Go {
  ProcessId process;
  JobId job;
  Attempt attempt;
};

/// The attempt came to nothing and the job waits again. For the shell's records.
struct Requeued {
  JobId job;
  const std::shared_ptr<const JobOptions>& options;
  Attempt attempts;
  std::uint32_t lost_attempts;
};

/// Tell the worker to stop this attempt, or to forget its result: it no longer counts. The worker
/// answers all the same, and until then the attempt keeps its slot. Given for connected processes
/// only; one that is away learns it when it comes back.
struct CancelOnWorker {
  ProcessId process;
  JobId job;
  Attempt attempt;
};

/// How a submitter's jobs stand.
struct Standing {
  std::uint64_t jobs = 0;          ///< that have not ended
  std::uint64_t running = 0;       ///< of these
  Duration waited{0};              ///< by those that run, added up
  std::uint64_t most_running = 0;  ///< at once, so far
};

/// Tell the submitter how its job ended. Not given for abandoned jobs of a submitter that is gone.
struct Reply {
  SubmitterId submitter;
  std::uint64_t tag;  ///< the submitter's own number for the job
  JobId job;
  const std::shared_ptr<const JobOptions>& options;
  Outcome outcome;
  Attempt attempts;         ///< tries that were started
  bool has_process;         ///< false: it ended while it waited, `process` means nothing
  ProcessId process;        ///< who ran the last attempt
  Duration wait;            ///< accepted to handed to that worker, or to the end if it waited then
  Duration run_time;        ///< as the worker measured it; if the core ended a job that ran (lost,
                            ///< cancelled): handed out to ended
  Duration total;           ///< submitted to ended, with its delay
  std::uint32_t rank;       ///< of the gang's member that ended it; 0 for others
  std::string_view device;  ///< what it ran on, passed through
  std::string_view report;  ///< what the worker reported, passed through
  std::string_view reason;  ///< why, for ends that the core decided (lost, cancelled); else empty
};

/// The core has forgotten the process; its id may be used again by the next one that joins.
struct ProcessRemoved {
  ProcessId process;
};

}  // namespace twofold::queue
