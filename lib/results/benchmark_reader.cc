#include "lib/results/benchmark_reader.h"

#include <absl/strings/str_cat.h>

#include <limits>
#include <vector>

namespace twofold::results {

std::optional<v1::BenchmarkResult> BenchmarkReader::Find(JobId job) {
  static const std::string kBenchmark =
      absl::StrCat("SELECT ", kBenchmarkColumns.List(), ", ", kTimelineColumns.List(),
                   " FROM benchmark WHERE job = ?");
  static const std::string kFailures = absl::StrCat(
      "SELECT ", kFailureColumns.List(), " FROM part_failure WHERE job = ? ORDER BY number");
  Prepared::Rows benchmark(sql_[kBenchmark], job);
  if (!benchmark.Next()) return std::nullopt;
  v1::BenchmarkResult found;
  v1::Timeline timeline;
  benchmark.Read(kBenchmarkColumns, 0, found);
  benchmark.Read(kTimelineColumns, kBenchmarkColumns.size(), timeline);
  if (timeline.ByteSizeLong() > 0) *found.mutable_timeline() = timeline;
  ReadMeasurements(job, *found.mutable_measurements());
  ReadSeries(job, found);
  for (Prepared::Rows row(sql_[kFailures], job); row.Next();) {
    row.Read(kFailureColumns, 0, *found.add_failures());
  }
  ReadRanks(job, found);
  return found;
}

std::optional<v1::BenchmarkResult> BenchmarkReader::Headlines(JobId job) {
  Prepared::Rows row(sql_["SELECT suite FROM benchmark WHERE job = ?"], job);
  if (!row.Next()) return std::nullopt;
  v1::BenchmarkResult found;
  found.set_suite(row[0].Text());
  ReadMeasurements(job, *found.mutable_measurements(), true);
  return found;
}

void BenchmarkReader::ReadMeasurements(JobId job, Measurements& to, bool only_headlines) {
  static const std::string kMeasurements =
      absl::StrCat("SELECT metric, ", kMeasuredColumns.List(),
                   " FROM measured WHERE job = ? AND number < ? ORDER BY number");
  const std::int64_t end = only_headlines ? 0 : std::numeric_limits<std::int64_t>::max();
  for (Prepared::Rows row(sql_[kMeasurements], job, end); row.Next();) {
    v1::Measurement& one = *to.Add();
    one = metrics_.At(row[0].Integer());
    row.Read(kMeasuredColumns, 1, one);
  }
}

void BenchmarkReader::ReadSeries(JobId job, v1::BenchmarkResult& result) {
  constexpr const char* kSeries = "SELECT shape, points FROM series WHERE job = ? ORDER BY number";
  for (Prepared::Rows row(sql_[kSeries], job); row.Next();) {
    v1::Series& series = *result.add_series();
    series = shapes_.At(row[0].Integer());
    const std::vector<double> values = PointsIn(row[1].Text());
    series.mutable_values()->Add(values.begin(), values.end());
  }
}

void BenchmarkReader::ReadRanks(JobId job, v1::BenchmarkResult& result) {
  static const std::string kRanks =
      absl::StrCat("SELECT rank, ", kHostColumns.List(),
                   " FROM rank JOIN host ON host.number = rank.host WHERE job = ? ORDER BY rank");
  for (Prepared::Rows row(sql_[kRanks], job); row.Next();) {
    v1::RankRecord& record = *result.add_ranks();
    row.Read(kHostColumns, 1, record);
    ReadStages(job, row[0].Integer(), record);
  }
}

void BenchmarkReader::ReadStages(JobId job, std::int64_t rank, v1::RankRecord& record) {
  static const std::string kStages =
      absl::StrCat("SELECT number, ", kStageColumns.List(),
                   " FROM stage WHERE job = ? AND rank = ? ORDER BY number");
  for (Prepared::Rows row(sql_[kStages], job, rank); row.Next();) {
    v1::StageRecord& stage = *record.add_stages();
    row.Read(kStageColumns, 1, stage);
    ReadArtifacts(job, rank, row[0].Integer(), stage);
  }
}

// The first two are stdout and stderr, and empty if those were not there.
void BenchmarkReader::ReadArtifacts(JobId job, std::int64_t rank, std::int64_t number,
                                    v1::StageRecord& stage) {
  static const std::string kArtifacts =
      absl::StrCat("SELECT number, ", kArtifactColumns.List(),
                   " FROM artifact WHERE job = ? AND rank = ? AND stage = ? ORDER BY number");
  for (Prepared::Rows row(sql_[kArtifacts], job, rank, number); row.Next();) {
    v1::Artifact artifact;
    row.Read(kArtifactColumns, 1, artifact);
    const std::int64_t place = row[0].Integer();
    if (place > 1) {
      *stage.add_files() = std::move(artifact);
    } else if (artifact.ByteSizeLong() > 0) {
      *(place == 0 ? stage.mutable_out() : stage.mutable_err()) = std::move(artifact);
    }
  }
}

std::string BenchmarkReader::Refusal(JobId job) {
  Prepared::Rows row(sql_["SELECT reason FROM refused WHERE job = ?"], job);
  return row.Next() ? row[0].Text() : std::string();
}

std::optional<v1::Artifact> BenchmarkReader::FindArtifact(const v1::GetArtifactRequest& request) {
  static const std::string kFind =
      absl::StrCat("SELECT ", kArtifactColumns.List("artifact.$0"),
                   " FROM stage JOIN artifact ON artifact.job = stage.job"
                   " AND artifact.rank = stage.rank AND artifact.stage = stage.number"
                   " WHERE stage.job = ?1 AND stage.rank = ?2"
                   " AND (?3 = '' OR stage.name = ?3) AND artifact.name <> ''"
                   " AND (?4 = '' OR artifact.name = ?4)"
                   " ORDER BY stage.number, artifact.number LIMIT 1");
  Prepared::Rows row(sql_[kFind], request.job(), request.rank(), request.stage(), request.name());
  if (!row.Next()) return std::nullopt;
  v1::Artifact found;
  row.Read(kArtifactColumns, 0, found);
  return found;
}

}  // namespace twofold::results
