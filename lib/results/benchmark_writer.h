#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <string>

#include "lib/results/benchmark.h"
#include "lib/results/interned.h"
#include "lib/results/prepared.h"
#include "lib/results/records.h"

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

  /// REQUIRES: the job has none yet, and Check(benchmark).ok().
  void Write(JobId job, const Benchmark& benchmark);

  void WriteRefusal(JobId job, const std::string& reason);

  /// No-op for a job that has none.
  void Delete(JobId job);

  /// The transaction was rolled back.
  void Forget();

 private:
  void WriteNumbers(JobId job, const Benchmark& benchmark);
  void WriteRank(JobId job, std::size_t number, const Rank& rank);
  void WriteStage(JobId job, std::size_t rank, std::size_t number, const Stage& stage);
  std::int64_t NumberOf(const Metric& metric);
  std::int64_t NumberOf(const Series& series);
  std::int64_t NumberOf(const Host& host);

  Prepared insert_benchmark_;
  Prepared insert_measured_;
  Prepared insert_series_;
  Prepared insert_failure_;
  Prepared insert_rank_;
  Prepared insert_stage_;
  Prepared insert_artifact_;
  Prepared insert_refused_;
  Prepared add_metric_;
  Prepared find_metric_;
  Prepared add_shape_;
  Prepared find_shape_;
  Prepared add_host_;
  Prepared find_host_;
  Prepared delete_benchmark_;
  Prepared delete_refused_;
  Prepared delete_measured_;
  Prepared delete_series_;
  Prepared delete_failures_;
  Prepared delete_ranks_;
  Prepared delete_stages_;
  Prepared delete_artifacts_;
  Interned metrics_;
  Interned shapes_;
  Interned hosts_;
};

}  // namespace twofold::results
