#pragma once

#include <string>

#include "lib/results/interned.h"
#include "lib/results/records.h"
#include "lib/results/statements.h"
#include "lib/results/tables.h"

namespace twofold::results {

/// Writes what benchmarks have measured into the tables of docs/store.md. Within a transaction of
/// the caller's.
///
/// Errors   throws what the engine throws.
/// Cost     One row a measurement, series, stage and raw output; names, units and hosts are written
///          once for all jobs.
class BenchmarkWriter {
 public:
  explicit BenchmarkWriter(Statements& sql) : sql_(sql) {}

  /// REQUIRES: the job has none yet, and Check(result).ok().
  void Write(JobId job, const v1::BenchmarkResult& result);

  /// Notes which names of the result Write would have to add. True: there are some.
  bool FindNewNames(const v1::BenchmarkResult& result);
  /// Adds what was noted since the last time, sorted.
  void AddNewNames();

  void WriteRefusal(JobId job, const std::string& reason);

  /// No-op for a job that has none.
  void Delete(JobId job);

  /// The transaction was rolled back.
  void Forget();

 private:
  void WriteMeasurements(JobId job, const v1::BenchmarkResult& result);
  void WriteStage(JobId job, int rank, int number, const v1::StageRecord& stage);

  Statements& sql_;
  InternedTable<v1::Measurement, kMetricColumns> metrics_{sql_, "metric"};
  InternedTable<v1::Series, kShapeColumns> shapes_{sql_, "shape"};
  InternedTable<v1::RankRecord, kHostColumns> hosts_{sql_, "host"};
};

}  // namespace twofold::results
