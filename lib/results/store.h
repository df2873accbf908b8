#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "lib/common/result.h"
#include "lib/results/records.h"

namespace twofold::results {

/// In the line: never handed out, or again after an attempt that came to nothing.
struct Waiting {
  std::uint32_t attempts = 0;  ///< started so far
  std::uint32_t lost_attempts = 0;

  bool operator==(const Waiting&) const = default;
};

/// A job as a Store has it: as it was accepted, and how far it has come.
struct StoredJob {
  JobAccepted accepted = {};
  std::variant<Waiting, AttemptStarted, JobEnded> state = {};
  JobId requeued_as = 0;        ///< the newest job that was made of it; 0: none
  std::uint32_t spec_left = 0;  ///< bytes of a spec that Load has left in the store; 0: none

  bool operator==(const StoredJob&) const = default;
};

/// Longer specs of durable jobs need not be in memory while the job waits.
inline constexpr std::size_t kLongSpec = 1024;

/// A spec that is wanted from the store, and what has come.
struct WantedSpec {
  JobId job = 0;
  std::string spec = {};
  bool found = false;
};
using WantedSpecs = std::vector<std::shared_ptr<WantedSpec>>;

/// Which jobs to list.
struct JobQuery {
  std::optional<std::string> queue = {};  ///< with its shards (shard_name.h); nullopt: all queues
  std::optional<std::string> run = {};    ///< nullopt: of all runs and of none
  /// Finished jobs that ended so. Empty: all jobs, unfinished ones too.
  std::vector<queue::Outcome> outcomes = {};
  bool headlines = false;  ///< with the headlines of the benchmarks that have ended
  JobId after = 0;         ///< the last id of the page before; 0: from the start
  std::size_t limit = 100;
};

inline constexpr std::uint64_t kKeepAll = std::numeric_limits<std::uint64_t>::max();

/// Which finished jobs need not be kept any more. Unfinished ones are never forgotten.
struct Retention {
  /// Those that ended before this time, nanoseconds since 1970.
  std::int64_t older_than_unix_ns = std::numeric_limits<std::int64_t>::min();
  /// All but so many that ended last.
  std::uint64_t keep_at_most = kKeepAll;
  /// Also runs that were begun before this time, and to which no job has come.
  std::int64_t drafts_older_than_unix_ns = std::numeric_limits<std::int64_t>::min();

  [[nodiscard]] bool HasDrafts() const {
    return drafts_older_than_unix_ns != std::numeric_limits<std::int64_t>::min();
  }
};

/// Keeps durable jobs.
///
/// Threads  Commit, Load and Forget from one thread at a time. Find and List from any thread, also
///          while one of those runs: they see what was committed when they began, and neither side
///          waits for the other.
/// Errors   of every call, with one line for a person that names the file or database:
///            kResourceExhausted   the disk is full
///            kUnavailable         input or output failed, another program holds the file, or it
///                                 was deleted; the server is away, or a commit is in doubt
///            kDataLoss            what is stored is damaged
///            kDeadlineExceeded    of reads: it took too long, and kept the file from shrinking
///            kFailedPrecondition  another frontend has taken the database over
///          After the first two the same call can be tried again and succeeds when the cause is
///          gone.
class Store {
 public:
  virtual ~Store() = default;

  /// Takes the records in, all or none, and returns when they are safe from a loss of power. Those
  /// of one job are in the order in which they happened.
  ///
  /// Committing the same records again right after changes nothing, so what failed is tried again
  /// even if it did reach the disk. Records of a job that is not in the store change nothing.
  /// Errors   kAlreadyExists: another job has the id of a JobAccepted; nothing was taken in.
  virtual Status Commit(std::span<const Record> records) = 0;

  /// Whether what was committed is still where the next start will look for it. Commit says so,
  /// too; this is for times without one. From the thread that commits.
  virtual Status Check() { return absl::OkStatus(); }

  /// Fills these in; those of jobs that are not there any more are not found. From the thread that
  /// commits.
  virtual Status ReadSpecs(const WantedSpecs& wanted);

  /// Calls `visit` for every unfinished job, lowest SequenceOf first. Returns the highest sequence
  /// used in each queue (see SequenceUsed), by name. May leave out long specs of durable jobs.
  using Visit = std::function<void(StoredJob)>;
  virtual Result<std::map<std::string, std::uint64_t>> Load(const Visit& visit) = 0;

  /// With what it has measured, if it is a benchmark that has ended.
  /// Errors   kNotFound
  virtual Result<StoredJob> Find(JobId job) const = 0;

  /// By id, without what they have measured beside the headlines. The order is that of ids as
  /// signed numbers: queues numbered 128 and up come first.
  ///
  /// Cost     A page of one run is found by index; otherwise jobs that do not match are read, too.
  virtual Result<std::vector<StoredJob>> List(const JobQuery& query) const = 0;

  /// Deletes finished jobs that need not be kept, `at_most` of them, those that ended first.
  /// Returns how many; fewer than `at_most` means that no more are left to delete.
  virtual Result<std::size_t> Forget(const Retention& retention, std::size_t at_most) = 0;

  /// How much room what is stored takes. What was deleted counts no longer as soon as its room can
  /// be used again. From the thread that commits.
  virtual Result<std::uint64_t> Bytes() { return 0; }
};

}  // namespace twofold::results
