#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/results/benchmark_reader.h"
#include "lib/results/statements.h"
#include "lib/results/store.h"

namespace twofold::results {

/// Reads jobs from the tables of docs/store.md. Within a transaction of the caller's, so that the
/// parts of a job belong together.
///
/// Errors   throws what the engine throws, and Damaged.
class JobReader {
 public:
  explicit JobReader(Statements& sql) : sql_(sql) {}

  /// With its benchmark.
  std::optional<StoredJob> Find(JobId job);
  std::vector<StoredJob> List(const JobQuery& query);

  /// Those of `jobs` that are there, in their order, without benchmarks; also without specs that
  /// are long (kLongSpec), if these are `left`.
  ///
  /// Cost     One statement for some hundred jobs, and one more if some of them run.
  enum class LongSpecs : std::uint8_t { kRead, kLeft };
  std::vector<StoredJob> FindAll(std::span<const JobId> jobs,
                                 LongSpecs long_specs = LongSpecs::kRead);

  /// See Store::ReadSpecs.
  void ReadSpecs(const WantedSpecs& wanted);

  /// Ids of the unfinished jobs, of one partition or of all, by SequenceOf.
  std::vector<JobId> Unfinished(std::optional<std::uint8_t> partition);

  /// Up to `limit` finished jobs with when they ended, those that ended first.
  struct Finished {
    JobId job;
    std::int64_t ended_unix_ns;
  };
  std::vector<Finished> FirstFinished(std::size_t limit);

  /// Cost     Reads all: a second for ten million.
  std::uint64_t CountFinished();

  std::map<std::string, std::uint64_t> Sequences();

  /// Of the same jobs.
  BenchmarkReader& benchmarks() { return benchmarks_; }

 private:
  static StoredJob JobOf(const Prepared::Rows& row);
  void AddHeadlines(StoredJob& job);
  void ReadMembers(std::vector<StoredJob>& jobs);

  Statements& sql_;
  BenchmarkReader benchmarks_{sql_};
};

}  // namespace twofold::results
