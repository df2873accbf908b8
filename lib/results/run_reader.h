#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/common/result.h"
#include "lib/results/connection.h"
#include "lib/results/job_reader.h"
#include "lib/results/records.h"
#include "lib/results/store.h"
#include "lib/results/store_files.h"
#include "twofold/v1/runs.pb.h"

namespace twofold::results {

/// Reads runs from a file that a SqliteStore has written, or is writing: the frontend's, or one on
/// its own. What it gives are the messages that the service Results answers with.
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
  /// `damage` takes note of the damage that reading shows; may be nullptr.
  /// Cost     Of an older file a copy, on disk where temporary files go, as long as the reader.
  static Result<std::unique_ptr<RunReader>> Open(const std::string& path,
                                                 std::shared_ptr<Damage> damage = nullptr);

  [[nodiscard]] const std::string& path() const { return connection_.path(); }

  /// One page of runs, the newest first.
  ///
  /// Errors   kInvalidArgument: the page token.
  Result<v1::ListRunsReply> List(const v1::ListRunsRequest& request) const;

  /// Errors   kNotFound
  Result<v1::Run> Find(const std::string& id) const;

  /// What the calls below know a run by.
  ///
  /// Errors   kNotFound
  Result<std::int64_t> NumberOf(const std::string& id) const;

  /// As PermutationResults. Empty: there are no more.
  ///
  /// Cost     Reads the jobs of those it returns.
  Result<std::vector<v1::PermutationResult>> Results(std::int64_t run, std::uint64_t from,
                                                     bool series = false) const;

  /// Up to `limit` jobs of one permutation, with their measurements, whose ids come after `after`
  /// (as signed numbers; nullopt: from the first).
  Result<std::vector<v1::JobResult>> Jobs(std::int64_t run, std::uint64_t permutation,
                                          std::optional<JobId> after, std::size_t limit) const;

  /// The first `limit` permutations of a run, also those without jobs.
  Result<std::vector<v1::Permutation>> Permutations(std::int64_t run, std::size_t limit) const;

  /// A place in the order of FinishedJobs.
  struct JobCursor {
    std::uint64_t permutation = 0;
    JobId job = kBeforeAllJobs;
  };

  /// Up to `limit` finished jobs of a run, whole, by permutation and id, that come after `after`.
  Result<std::vector<StoredJob>> FinishedJobs(std::int64_t run, const JobCursor& after,
                                              std::size_t limit) const;

  /// With its bytes.
  ///
  /// Errors   kNotFound: no such job, or none of its outputs fits.
  Result<v1::Artifact> FindArtifact(const v1::GetArtifactRequest& request) const;

 private:
  RunReader(const std::string& path, SQLite::Database database, std::shared_ptr<Damage> damage);
  void ReadCounts(std::int64_t number, v1::Run& run) const;
  void ReadState(std::int64_t number, v1::Run& run) const;

  ReadConnection connection_;
  // Used within connection_.Run.
  Statements& sql_ = connection_.sql();
  mutable JobReader jobs_{sql_};
};

}  // namespace twofold::results
