#include "lib/results/benchmark_writer.h"

#include <absl/strings/str_cat.h>

#include <algorithm>

namespace twofold::results {
namespace {

/// `numbers` parameters, then one for each column: the order in which the tables have them.
std::string InsertSql(const std::string& table, int numbers, const Columns& columns) {
  std::string parameters;
  for (int i = 0; i < numbers; ++i) parameters += "?, ";
  return absl::StrCat("INSERT INTO ", table, " VALUES (", parameters, columns.List("?"), ")");
}

}  // namespace

BenchmarkWriter::BenchmarkWriter(SQLite::Database& database)
    : insert_benchmark_(database, InsertSql("benchmark", 1, tables_.benchmark)),
      insert_measured_(database, InsertSql("measured", 3, tables_.measured)),
      insert_series_(database, "INSERT INTO series VALUES (?, ?, ?, ?)"),
      insert_failure_(database, InsertSql("part_failure", 2, tables_.part_failure)),
      insert_rank_(database, "INSERT INTO rank VALUES (?, ?, ?)"),
      insert_stage_(database, InsertSql("stage", 3, tables_.stage)),
      insert_artifact_(database, InsertSql("artifact", 4, tables_.artifact)),
      insert_refused_(database, "INSERT INTO refused VALUES (?, ?)"),
      delete_benchmark_(database, "DELETE FROM benchmark WHERE job = ?"),
      delete_refused_(database, "DELETE FROM refused WHERE job = ?"),
      metrics_(database, "metric", tables_.metric),
      shapes_(database, "shape", tables_.shape),
      hosts_(database, "host", tables_.host) {
  for (const char* part : {"measured", "series", "part_failure", "rank", "stage", "artifact"}) {
    delete_parts_.emplace_back(database, absl::StrCat("DELETE FROM ", part, " WHERE job = ?"));
  }
}

void BenchmarkWriter::Write(JobId job, const v1::BenchmarkResult& result) {
  insert_benchmark_.Run(job, Fields{tables_.benchmark, result});
  WriteMeasurements(job, result);
  for (int i = 0; i < result.series_size(); ++i) {
    const v1::Series& series = result.series(i);
    insert_series_.Run(job, i, shapes_.NumberOf(series), PointsOf(series));
  }
  for (int i = 0; i < result.failures_size(); ++i) {
    insert_failure_.Run(job, i, Fields{tables_.part_failure, result.failures(i)});
  }
  for (int rank = 0; rank < result.ranks_size(); ++rank) {
    const v1::RankRecord& record = result.ranks(rank);
    insert_rank_.Run(job, rank, hosts_.NumberOf(record));
    for (int i = 0; i < record.stages_size(); ++i) WriteStage(job, rank, i, record.stages(i));
  }
}

void BenchmarkWriter::WriteMeasurements(JobId job, const v1::BenchmarkResult& result) {
  const auto& all = result.measurements();
  // Headlines have negative numbers: they are read without the others, which are many more.
  auto headline = -std::count_if(all.begin(), all.end(),
                                 [](const v1::Measurement& one) { return one.headline(); });
  std::ptrdiff_t other = 0;
  for (const v1::Measurement& one : all) {
    insert_measured_.Run(job, one.headline() ? headline++ : other++, metrics_.NumberOf(one),
                         Fields{tables_.measured, one});
  }
}

// Artifacts 0 and 1 of a stage are its stdout and stderr, even if only files are there.
void BenchmarkWriter::WriteStage(JobId job, int rank, int number, const v1::StageRecord& stage) {
  insert_stage_.Run(job, rank, number, Fields{tables_.stage, stage});
  if (!stage.has_out() && !stage.has_err() && stage.files().empty()) return;
  int artifact = 0;
  const auto write = [&](const v1::Artifact& each) {
    insert_artifact_.Run(job, rank, number, artifact++, Fields{tables_.artifact, each});
  };
  write(stage.out());
  write(stage.err());
  for (const v1::Artifact& file : stage.files()) write(file);
}

void BenchmarkWriter::WriteRefusal(JobId job, const std::string& reason) {
  insert_refused_.Run(job, reason);
}

void BenchmarkWriter::Delete(JobId job) {
  delete_refused_.Run(job);
  if (delete_benchmark_.Run(job) == 0) return;
  for (Prepared& each : delete_parts_) each.Run(job);
}

void BenchmarkWriter::Forget() {
  for (InternedTable* each : {&metrics_, &shapes_, &hosts_}) each->Forget();
}

}  // namespace twofold::results
