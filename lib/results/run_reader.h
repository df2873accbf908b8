#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lib/common/result.h"
#include "lib/postgres/target.h"
#include "lib/results/job_reader.h"
#include "lib/results/overlaps.h"
#include "lib/results/read_connection.h"
#include "lib/results/records.h"
#include "lib/results/store.h"
#include "lib/results/store_address.h"
#include "lib/results/store_files.h"
#include "twofold/v1/runs.pb.h"

namespace twofold::results {

/// Reads runs from a file that a SqliteStore has written, or is writing: the frontend's, or one on
/// its own; or from a database of a PostgresStore. What it gives are the messages that the service
/// Results answers with.
///
/// What ran of a local run waits if nobody has the file: its frontend and workers have ended with
/// the process of the run, which was killed, and did not come to write that.
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

  /// Of a PostgreSQL database that a PostgresStore writes. Connects with the first call.
  static std::unique_ptr<RunReader> Open(const postgres::Target& target);

  /// Of either. Looks whether the tables of a database are there and of this version.
  /// Errors   also kNotFound, kFailedPrecondition: they are not.
  static Result<std::unique_ptr<RunReader>> Open(const StoreAddress& address);

  /// Of what it reads, for people.
  [[nodiscard]] const std::string& name() const { return connection_->name(); }

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

  /// Of all jobs of a run that have begun.
  Result<Overlaps> FindOverlaps(std::int64_t run) const;

  /// As PermutationResults. Empty: there are no more.
  ///
  /// Cost     Reads the jobs of those it returns.
  Result<std::vector<v1::PermutationResult>> Results(std::int64_t run, std::uint64_t from,
                                                     const Overlaps& overlaps = {},
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
  explicit RunReader(std::unique_ptr<ReadConnection> connection)
      : connection_(std::move(connection)) {}
  void ReadCounts(std::int64_t number, v1::Run& run) const;
  void ReadState(std::int64_t number, v1::Run& run) const;
  [[nodiscard]] bool IsLeft(const v1::Run& run) const;
  [[nodiscard]] bool IsLeft(std::int64_t number) const;

  const std::unique_ptr<ReadConnection> connection_;
  // Used within connection_->Run.
  Statements& sql_ = connection_->sql();
  mutable JobReader jobs_{sql_};
};

}  // namespace twofold::results
