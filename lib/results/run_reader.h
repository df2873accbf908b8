#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/common/result.h"
#include "lib/queue/types.h"
#include "lib/results/benchmark_reader.h"
#include "lib/results/permutation_gatherer.h"
#include "lib/results/records.h"
#include "lib/results/store.h"
#include "lib/results/store_files.h"

namespace twofold::results {

/// Jobs of a run by how they are. One that was submitted again counts only there: a requeued one,
/// and a withdrawn one (queue::IsWithdrawn) in whose place of the run another was submitted.
struct RunCounts {
  std::uint64_t waiting = 0;
  std::uint64_t running = 0;
  std::map<queue::Outcome, std::uint64_t> ended = {};
  std::uint64_t submitted_again = 0;
  std::int64_t last_end_unix_ns = 0;  ///< 0: none has ended

  bool operator==(const RunCounts&) const = default;
};

struct StoredRun {
  RunCreated created = {};  ///< without its permutations
  std::int64_t cancelled_unix_ns = 0;
  RunCounts counts = {};
  std::int64_t number = 0;  ///< the order of their beginnings

  bool operator==(const StoredRun&) const = default;
};

/// One job of a run with its measurements.
struct RunJob {
  JobId id = 0;
  RunPlace place = {};
  bool running = false;
  std::optional<queue::Outcome> outcome = {};  ///< nullopt: it has not ended
  Duration run_time{0};
  JobId requeued_as = 0;
  std::vector<Measurement> measurements = {};
};

struct RunStatements;

/// Reads runs from a file that a SqliteStore has written, or is writing: the frontend's, or one on
/// its own.
///
/// Threads  Safe; one call at a time, which sees what was committed when it began. Never waits for
///          the writer.
/// Errors   of every call, those of Store.
/// Cost     Pages, so that neither memory nor the time of a call grows with the run.
class RunReader {
 public:
  /// A file that an older version has written is read as it is now, and is not changed.
  /// Errors   also kNotFound: there is no such file; kInvalidArgument: it is none of ours;
  ///          kFailedPrecondition: a newer version has written it.
  /// `damage` takes note of what reading shows; nullptr: nobody wants to know.
  /// Cost     Of an older file a copy, on disk where temporary files go, as long as the reader.
  static Result<std::unique_ptr<RunReader>> Open(const std::string& path,
                                                 std::shared_ptr<Damage> damage = nullptr);
  ~RunReader();

  [[nodiscard]] const std::string& path() const { return path_; }

  /// Up to `limit` runs, the newest first, from the one before number `before` on; 0: from the
  /// newest.
  Result<std::vector<StoredRun>> List(std::int64_t before, std::size_t limit) const;

  /// Errors   kNotFound
  Result<StoredRun> Find(const std::string& id) const;

  /// The permutations of a run that have jobs, by number, starting with `from`: some hundreds,
  /// fewer if they have many jobs. Empty: there are no more. Cost     Reads the jobs of those it
  /// returns.
  Result<std::vector<PermutationResults>> Results(std::int64_t run, std::uint64_t from) const;

  /// Up to `limit` jobs of one permutation whose ids come after `after` (as signed numbers;
  /// nullopt: from the first).
  Result<std::vector<RunJob>> Jobs(std::int64_t run, std::uint64_t permutation,
                                   std::optional<JobId> after, std::size_t limit) const;

  /// The first `limit` permutations of a run, also those without jobs.
  Result<std::vector<Permutation>> Permutations(std::int64_t run, std::size_t limit) const;

  /// A place in the order of FinishedJobs.
  struct JobCursor {
    std::uint64_t permutation = 0;
    JobId job = JobId{1} << 63;  ///< the lowest as a signed number
  };

  /// Up to `limit` finished jobs of a run, whole, by permutation and id, that come after `after`.
  Result<std::vector<StoredJob>> FinishedJobs(std::int64_t run, const JobCursor& after,
                                              std::size_t limit) const;

  /// Errors   kNotFound: no such job, or none of its outputs fits.
  Result<Artifact> FindArtifact(JobId job, const BenchmarkReader::ArtifactPlace& place) const;

 private:
  RunReader(const std::string& path, SQLite::Database database, std::shared_ptr<Damage> damage);
  std::optional<StoredRun> FindRun(const std::string& id) const;
  RunCounts CountsOf(std::int64_t run) const;
  std::vector<RunJob> ReadJobs(std::int64_t run, std::uint64_t permutation,
                               std::optional<JobId> after, std::size_t limit) const;

  template <typename Read>
  auto Reading(const Read& read) const;

  const std::string path_;
  const std::shared_ptr<Damage> damage_;
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  mutable SQLite::Database database_;
  mutable std::unique_ptr<RunStatements> statements_;
};

}  // namespace twofold::results
