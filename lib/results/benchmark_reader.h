#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <optional>
#include <string>
#include <vector>

#include "lib/results/benchmark.h"
#include "lib/results/metric_rows.h"
#include "lib/results/prepared.h"
#include "lib/results/records.h"

namespace twofold::results {

/// Reads what BenchmarkWriter has written. Within a transaction of the caller's.
///
/// Errors   throws SQLite::Exception, also for JSON in the tables that cannot be read.
class BenchmarkReader {
 public:
  explicit BenchmarkReader(SQLite::Database& database);

  /// nullopt: the job has none.
  std::optional<Benchmark> Find(JobId job);

  /// Only its measurements, in their order.
  std::vector<Measurement> Measurements(JobId job);

  /// Only its suite and headlines. nullopt: the job has none.
  std::optional<Benchmark> Headlines(JobId job);

  /// Why its result is not in the tables; empty: it is, or there is none.
  std::string Refusal(JobId job);

  struct ArtifactPlace {
    std::uint32_t rank = 0;
    std::string stage = {};  ///< empty: any
    std::string name = {};   ///< empty: any
  };
  /// The first that fits, in the order of the stages.
  std::optional<Artifact> FindArtifact(JobId job, const ArtifactPlace& place);

 private:
  std::vector<Measurement> MeasurementsOf(Prepared& select, JobId job);
  std::vector<Series> SeriesOf(JobId job);
  std::vector<PartFailure> FailuresOf(JobId job);
  std::vector<Rank> RanksOf(JobId job);
  std::vector<Stage> StagesOf(JobId job, std::int64_t rank);
  std::vector<Artifact> ArtifactsOf(JobId job, std::int64_t rank, std::int64_t stage);

  MetricRows metrics_;
  Prepared benchmark_;
  Prepared measurements_;
  Prepared headlines_;
  Prepared series_;
  Prepared failures_;
  Prepared ranks_;
  Prepared stages_;
  Prepared artifacts_;
  Prepared artifact_;
  Prepared refusal_;
};

}  // namespace twofold::results
