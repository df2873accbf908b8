#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <optional>
#include <string>

#include "lib/results/metric_rows.h"
#include "lib/results/prepared.h"
#include "lib/results/records.h"

namespace twofold::results {

/// Reads what BenchmarkWriter has written. Within a transaction of the caller's.
///
/// Errors   throws SQLite::Exception, also for JSON in the tables that cannot be read.
class BenchmarkReader {
 public:
  using Measurements = google::protobuf::RepeatedPtrField<v1::Measurement>;

  explicit BenchmarkReader(SQLite::Database& database);

  /// nullopt: the job has none.
  std::optional<v1::BenchmarkResult> Find(JobId job);

  /// Adds only its measurements, headlines first.
  void ReadMeasurements(JobId job, Measurements& to) { Read(measurements_, job, to); }

  /// Only its suite and headlines. nullopt: the job has none.
  std::optional<v1::BenchmarkResult> Headlines(JobId job);

  /// Why its result is not in the tables; empty: it is, or there is none.
  std::string Refusal(JobId job);

  /// The first output that fits, in the order of the stages; an empty stage or name is any.
  std::optional<v1::Artifact> FindArtifact(const v1::GetArtifactRequest& request);

 private:
  void Read(Prepared& select, JobId job, Measurements& to);
  void ReadSeries(JobId job, v1::BenchmarkResult& result);
  void ReadRanks(JobId job, v1::BenchmarkResult& result);
  void ReadStages(JobId job, std::int64_t rank, v1::RankRecord& record);
  void ReadArtifacts(JobId job, std::int64_t rank, std::int64_t number, v1::StageRecord& stage);

  const Tables& tables_ = AllTables();
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
