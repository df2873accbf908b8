#pragma once

#include <optional>
#include <string>

#include "lib/results/interned.h"
#include "lib/results/records.h"
#include "lib/results/statements.h"
#include "lib/results/tables.h"

namespace twofold::results {

/// Reads what BenchmarkWriter has written. Within a transaction of the caller's.
///
/// Errors   throws what the engine throws, and Damaged, also for JSON that cannot be read.
class BenchmarkReader {
 public:
  using Measurements = google::protobuf::RepeatedPtrField<v1::Measurement>;

  explicit BenchmarkReader(Statements& sql) : sql_(sql) {}

  /// nullopt: the job has none.
  std::optional<v1::BenchmarkResult> Find(JobId job);

  /// Adds only its measurements, headlines first.
  void ReadMeasurements(JobId job, Measurements& to, bool only_headlines = false);

  /// Only its suite and headlines. nullopt: the job has none.
  std::optional<v1::BenchmarkResult> Headlines(JobId job);

  /// Why its result is not in the tables; empty: it is, or there is none.
  std::string Refusal(JobId job);

  /// The first output that fits, in the order of the stages; an empty stage or name is any.
  std::optional<v1::Artifact> FindArtifact(const v1::GetArtifactRequest& request);

  /// A measurement of this row of table `metric`, without its value. Valid until the next call.
  const v1::Measurement& Metric(std::int64_t number) { return metrics_.At(number); }

  /// A series of this row of table `shape`, without its points. Valid until the next call.
  const v1::Series& Shape(std::int64_t number) { return shapes_.At(number); }

 private:
  void ReadSeries(JobId job, v1::BenchmarkResult& result);
  void ReadRanks(JobId job, v1::BenchmarkResult& result);
  void ReadStages(JobId job, std::int64_t rank, v1::RankRecord& record);
  void ReadArtifacts(JobId job, std::int64_t rank, std::int64_t number, v1::StageRecord& stage);

  Statements& sql_;
  InternedTable<v1::Measurement, kMetricColumns> metrics_{sql_, "metric"};
  InternedTable<v1::Series, kShapeColumns> shapes_{sql_, "shape"};
};

}  // namespace twofold::results
