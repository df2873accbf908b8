#include "lib/results/benchmark_writer.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>

namespace twofold::results {

void BenchmarkWriter::Write(JobId job, const v1::BenchmarkResult& result) {
  static const RowWrite kBenchmark =
      InsertInto("benchmark", {"job"}, kBenchmarkColumns, kTimelineColumns);
  static const RowWrite kFailure = InsertInto("part_failure", {"job", "number"}, kFailureColumns);
  static const RowWrite kSeries = InsertInto("series", {"job", "number", "shape", "points"});
  static const RowWrite kRank = InsertInto("rank", {"job", "rank", "host"});
  sql_[kBenchmark].Run(job, Fields{kBenchmarkColumns, result},
                       Fields{kTimelineColumns, result.timeline()});
  WriteMeasurements(job, result);
  for (int i = 0; i < result.series_size(); ++i) {
    const v1::Series& series = result.series(i);
    sql_[kSeries].Run(job, i, shapes_.NumberOf(series), PointsOf(series));
  }
  for (int i = 0; i < result.failures_size(); ++i) {
    sql_[kFailure].Run(job, i, Fields{kFailureColumns, result.failures(i)});
  }
  for (int rank = 0; rank < result.ranks_size(); ++rank) {
    const v1::RankRecord& record = result.ranks(rank);
    sql_[kRank].Run(job, rank, hosts_.NumberOf(record));
    for (int i = 0; i < record.stages_size(); ++i) WriteStage(job, rank, i, record.stages(i));
  }
}

void BenchmarkWriter::WriteMeasurements(JobId job, const v1::BenchmarkResult& result) {
  static const RowWrite kMeasured =
      InsertInto("measured", {"job", "number", "metric"}, kMeasuredColumns);
  Prepared& insert = sql_[kMeasured];
  const auto& all = result.measurements();
  // Headlines have negative numbers: they are read without the others, which are many more.
  auto headline = -std::count_if(all.begin(), all.end(),
                                 [](const v1::Measurement& one) { return one.headline(); });
  std::ptrdiff_t other = 0;
  for (const v1::Measurement& one : all) {
    insert.Run(job, one.headline() ? headline++ : other++, metrics_.NumberOf(one),
               Fields{kMeasuredColumns, one});
  }
}

// Artifacts 0 and 1 of a stage are its stdout and stderr, even if only files are there.
void BenchmarkWriter::WriteStage(JobId job, int rank, int number, const v1::StageRecord& stage) {
  static const RowWrite kStage = InsertInto("stage", {"job", "rank", "number"}, kStageColumns);
  static const RowWrite kArtifact =
      InsertInto("artifact", {"job", "rank", "stage", "number"}, kArtifactColumns);
  sql_[kStage].Run(job, rank, number, Fields{kStageColumns, stage});
  if (!stage.has_out() && !stage.has_err() && stage.files().empty()) return;
  int artifact = 0;
  const auto write = [&](const v1::Artifact& each) {
    sql_[kArtifact].Run(job, rank, number, artifact++, Fields{kArtifactColumns, each});
  };
  write(stage.out());
  write(stage.err());
  for (const v1::Artifact& file : stage.files()) write(file);
}

bool BenchmarkWriter::FindNewNames(const v1::BenchmarkResult& result) {
  for (const v1::Measurement& each : result.measurements()) metrics_.NoteIfNew(each);
  for (const v1::Series& each : result.series()) shapes_.NoteIfNew(each);
  for (const v1::RankRecord& each : result.ranks()) hosts_.NoteIfNew(each);
  return metrics_.has_new() || shapes_.has_new() || hosts_.has_new();
}

void BenchmarkWriter::AddNewNames() {
  metrics_.AddNew();
  shapes_.AddNew();
  hosts_.AddNew();
}

void BenchmarkWriter::WriteRefusal(JobId job, const std::string& reason) {
  static const RowWrite kRefused = InsertInto("refused", {"job", "reason"});
  sql_[kRefused].Run(job, reason);
}

void BenchmarkWriter::Delete(JobId job) {
  static const RowWrite kRefused = DeleteFrom("refused", "job");
  static const RowWrite kBenchmark = DeleteFrom("benchmark", "job");
  static const auto kParts =
      std::to_array({DeleteFrom("measured", "job"), DeleteFrom("series", "job"),
                     DeleteFrom("part_failure", "job"), DeleteFrom("rank", "job"),
                     DeleteFrom("stage", "job"), DeleteFrom("artifact", "job")});
  sql_[kRefused].Run(job);
  if (sql_[kBenchmark].Run(job) == 0) return;
  for (const RowWrite& part : kParts) sql_[part].Run(job);
}

void BenchmarkWriter::Forget() {
  metrics_.Forget();
  shapes_.Forget();
  hosts_.Forget();
}

}  // namespace twofold::results
