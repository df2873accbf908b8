#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <string>
#include <vector>

#include "lib/results/interned.h"
#include "lib/results/prepared.h"
#include "lib/results/records.h"
#include "lib/results/tables.h"

namespace twofold::results {

/// Writes what benchmarks have measured into the tables of docs/store.md. Within a transaction of
/// the caller's.
///
/// Errors   throws SQLite::Exception.
/// Cost     One row a measurement, series, stage and raw output; names, units and hosts are written
///          once for all jobs.
class BenchmarkWriter {
 public:
  explicit BenchmarkWriter(SQLite::Database& database);

  /// REQUIRES: the job has none yet, and Check(result).ok().
  void Write(JobId job, const v1::BenchmarkResult& result);

  void WriteRefusal(JobId job, const std::string& reason);

  /// No-op for a job that has none.
  void Delete(JobId job);

  /// The transaction was rolled back.
  void Forget();

 private:
  void WriteMeasurements(JobId job, const v1::BenchmarkResult& result);
  void WriteStage(JobId job, int rank, int number, const v1::StageRecord& stage);

  const Tables& tables_ = AllTables();
  Prepared insert_benchmark_;
  Prepared insert_measured_;
  Prepared insert_series_;
  Prepared insert_failure_;
  Prepared insert_rank_;
  Prepared insert_stage_;
  Prepared insert_artifact_;
  Prepared insert_refused_;
  Prepared delete_benchmark_;
  Prepared delete_refused_;
  std::vector<Prepared> delete_parts_;
  InternedTable metrics_;
  InternedTable shapes_;
  InternedTable hosts_;
};

}  // namespace twofold::results
