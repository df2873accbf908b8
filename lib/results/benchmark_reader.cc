#include "lib/results/benchmark_reader.h"

#include <absl/strings/str_cat.h>

namespace twofold::results {

BenchmarkReader::BenchmarkReader(SQLite::Database& database)
    : metrics_(database),
      benchmark_(database, absl::StrCat("SELECT ", tables_.benchmark.List(),
                                        " FROM benchmark WHERE job = ?")),
      measurements_(database, absl::StrCat("SELECT metric, ", tables_.measured.List(),
                                           " FROM measured WHERE job = ? ORDER BY number")),
      headlines_(database,
                 absl::StrCat("SELECT metric, ", tables_.measured.List(),
                              " FROM measured WHERE job = ? AND number < 0 ORDER BY number")),
      series_(database,
              absl::StrCat("SELECT points, ", tables_.shape.List(),
                           " FROM series JOIN shape ON shape.number = series.shape WHERE job = ?"
                           " ORDER BY series.number")),
      failures_(database, absl::StrCat("SELECT ", tables_.part_failure.List(),
                                       " FROM part_failure WHERE job = ? ORDER BY number")),
      ranks_(database, absl::StrCat("SELECT rank, ", tables_.host.List(),
                                    " FROM rank JOIN host ON host.number = rank.host WHERE job = ?"
                                    " ORDER BY rank")),
      stages_(database, absl::StrCat("SELECT number, ", tables_.stage.List(),
                                     " FROM stage WHERE job = ? AND rank = ? ORDER BY number")),
      artifacts_(database, absl::StrCat("SELECT number, ", tables_.artifact.List(),
                                        " FROM artifact WHERE job = ? AND rank = ? AND stage = ?"
                                        " ORDER BY number")),
      artifact_(database,
                absl::StrCat("SELECT ", tables_.artifact.List("artifact.$0"),
                             " FROM stage JOIN artifact ON artifact.job = stage.job"
                             " AND artifact.rank = stage.rank AND artifact.stage = stage.number"
                             " WHERE stage.job = ?1 AND stage.rank = ?2"
                             " AND (?3 = '' OR stage.name = ?3) AND artifact.name <> ''"
                             " AND (?4 = '' OR artifact.name = ?4)"
                             " ORDER BY stage.number, artifact.number LIMIT 1")),
      refusal_(database, "SELECT reason FROM refused WHERE job = ?") {}

std::optional<v1::BenchmarkResult> BenchmarkReader::Find(JobId job) {
  v1::BenchmarkResult found;
  {
    Prepared::Rows row(benchmark_, job);
    if (!row.Next()) return std::nullopt;
    row.Read(tables_.benchmark, 0, found);
  }
  ReadMeasurements(job, *found.mutable_measurements());
  ReadSeries(job, found);
  for (Prepared::Rows row(failures_, job); row.Next();) {
    row.Read(tables_.part_failure, 0, *found.add_failures());
  }
  ReadRanks(job, found);
  return found;
}

std::optional<v1::BenchmarkResult> BenchmarkReader::Headlines(JobId job) {
  v1::BenchmarkResult found;
  {
    v1::BenchmarkResult whole;
    Prepared::Rows row(benchmark_, job);
    if (!row.Next()) return std::nullopt;
    row.Read(tables_.benchmark, 0, whole);
    found.set_suite(whole.suite());
  }
  Read(headlines_, job, *found.mutable_measurements());
  return found;
}

void BenchmarkReader::Read(Prepared& select, JobId job, Measurements& to) {
  for (Prepared::Rows row(select, job); row.Next();) {
    v1::Measurement& one = *to.Add();
    one = metrics_.At(row[0].getInt64());
    row.Read(tables_.measured, 1, one);
  }
}

void BenchmarkReader::ReadSeries(JobId job, v1::BenchmarkResult& result) {
  for (Prepared::Rows row(series_, job); row.Next();) {
    v1::Series& series = *result.add_series();
    ReadPoints(row[0].getString(), series);
    row.Read(tables_.shape, 1, series);
  }
}

void BenchmarkReader::ReadRanks(JobId job, v1::BenchmarkResult& result) {
  for (Prepared::Rows row(ranks_, job); row.Next();) {
    v1::RankRecord& record = *result.add_ranks();
    row.Read(tables_.host, 1, record);
    ReadStages(job, row[0].getInt64(), record);
  }
}

void BenchmarkReader::ReadStages(JobId job, std::int64_t rank, v1::RankRecord& record) {
  for (Prepared::Rows row(stages_, job, rank); row.Next();) {
    v1::StageRecord& stage = *record.add_stages();
    row.Read(tables_.stage, 1, stage);
    ReadArtifacts(job, rank, row[0].getInt64(), stage);
  }
}

// The first two are stdout and stderr, and empty if those were not there.
void BenchmarkReader::ReadArtifacts(JobId job, std::int64_t rank, std::int64_t number,
                                    v1::StageRecord& stage) {
  for (Prepared::Rows row(artifacts_, job, rank, number); row.Next();) {
    v1::Artifact artifact;
    row.Read(tables_.artifact, 1, artifact);
    const std::int64_t place = row[0].getInt64();
    if (place > 1) {
      *stage.add_files() = std::move(artifact);
    } else if (artifact.ByteSizeLong() > 0) {
      *(place == 0 ? stage.mutable_out() : stage.mutable_err()) = std::move(artifact);
    }
  }
}

std::string BenchmarkReader::Refusal(JobId job) {
  Prepared::Rows row(refusal_, job);
  return row.Next() ? row[0].getString() : std::string();
}

std::optional<v1::Artifact> BenchmarkReader::FindArtifact(const v1::GetArtifactRequest& request) {
  Prepared::Rows row(artifact_, request.job(), request.rank(), request.stage(), request.name());
  if (!row.Next()) return std::nullopt;
  v1::Artifact found;
  row.Read(tables_.artifact, 0, found);
  return found;
}

}  // namespace twofold::results
