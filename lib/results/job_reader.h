#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/results/benchmark_reader.h"
#include "lib/results/prepared.h"
#include "lib/results/store.h"

namespace twofold::results {

/// Reads jobs from the tables of docs/store.md. Within a transaction of the caller's, so that the
/// parts of a job belong together.
///
/// Errors   throws SQLite::Exception.
class JobReader {
 public:
  explicit JobReader(SQLite::Database& database);

  /// With its benchmark.
  std::optional<StoredJob> Find(JobId job);
  std::vector<StoredJob> List(const JobQuery& query);

  /// Ids of the unfinished jobs, by SequenceOf.
  std::vector<JobId> Unfinished();

  /// Up to `limit` finished jobs with when they ended, those that ended first.
  struct Finished {
    JobId job;
    std::int64_t ended_unix_ns;
  };
  std::vector<Finished> FirstFinished(std::size_t limit);

  std::map<std::string, std::uint64_t> Sequences();

 private:
  StoredJob JobOf(const SQLite::Statement& row);
  void AddHeadlines(StoredJob& job);
  AttemptStarted AttemptOf(const SQLite::Statement& row, JobId job);
  std::vector<Member> MembersOf(JobId job);

  SQLite::Database& database_;
  Prepared find_;
  Prepared members_;
  BenchmarkReader benchmarks_;
};

}  // namespace twofold::results
