#include "lib/results/benchmark_reader.h"

#include "lib/results/json_text.h"

namespace twofold::results {
namespace {

/// Columns name, bytes, left_out, zstd.
Artifact ArtifactOf(const Prepared::Rows& row) {
  return {.name = row[0].getString(),
          .zstd = row[3].getString(),
          .bytes = Unsigned(row[1]),
          .left_out = Unsigned(row[2])};
}

}  // namespace

BenchmarkReader::BenchmarkReader(SQLite::Database& database)
    : metrics_(database),
      benchmark_(database, "SELECT * FROM benchmark WHERE job = ?"),
      measurements_(database,
                    "SELECT metric, value, at FROM measured WHERE job = ? ORDER BY number"),
      headlines_(database,
                 "SELECT metric, value, at FROM measured WHERE job = ? AND number < 0"
                 " ORDER BY number"),
      series_(database,
              "SELECT points, name, dimensions, columns FROM series"
              " JOIN shape ON shape.number = series.shape WHERE job = ? ORDER BY series.number"),
      failures_(database, "SELECT stage, reason FROM part_failure WHERE job = ? ORDER BY number"),
      ranks_(database,
             "SELECT rank, node, pod, address, kernel, cpu, cpus, image FROM rank"
             " JOIN host ON host.number = rank.host WHERE job = ? ORDER BY rank"),
      stages_(database,
              "SELECT number, name, argv, tool_version, started_ns, wall_ns, exit_code, signal,"
              " error FROM stage WHERE job = ? AND rank = ? ORDER BY number"),
      artifacts_(database,
                 "SELECT name, bytes, left_out, zstd FROM artifact"
                 " WHERE job = ? AND rank = ? AND stage = ? ORDER BY number"),
      artifact_(database,
                "SELECT artifact.name, bytes, left_out, zstd FROM stage"
                " JOIN artifact ON artifact.job = stage.job AND artifact.rank = stage.rank"
                " AND artifact.stage = stage.number WHERE stage.job = ?1 AND stage.rank = ?2"
                " AND (?3 = '' OR stage.name = ?3) AND artifact.name <> ''"
                " AND (?4 = '' OR artifact.name = ?4)"
                " ORDER BY stage.number, artifact.number LIMIT 1"),
      refusal_(database, "SELECT reason FROM refused WHERE job = ?") {}

std::optional<Benchmark> BenchmarkReader::Find(JobId job) {
  Benchmark found;
  {
    Prepared::Rows row(benchmark_, job);
    if (!row.Next()) return std::nullopt;
    found.suite = row[1].getString();
    found.tool = row[2].getString();
    found.failed_stage = row[3].getString();
    found.left_out = FromColumn(row[4], WordsOf);
    found.timeline = {.prepared_ns = Unsigned(row[5]),
                      .started_ns = Unsigned(row[6]),
                      .ended_ns = Unsigned(row[7]),
                      .collected_ns = Unsigned(row[8]),
                      .parsed_ns = Unsigned(row[9])};
  }
  found.measurements = Measurements(job);
  found.series = SeriesOf(job);
  found.failures = FailuresOf(job);
  found.ranks = RanksOf(job);
  return found;
}

std::vector<Measurement> BenchmarkReader::Measurements(JobId job) {
  return MeasurementsOf(measurements_, job);
}

std::optional<Benchmark> BenchmarkReader::Headlines(JobId job) {
  Benchmark found;
  {
    Prepared::Rows row(benchmark_, job);
    if (!row.Next()) return std::nullopt;
    found.suite = row[1].getString();
  }
  found.measurements = MeasurementsOf(headlines_, job);
  return found;
}

std::vector<Measurement> BenchmarkReader::MeasurementsOf(Prepared& select, JobId job) {
  std::vector<Measurement> measurements;
  for (Prepared::Rows row(select, job); row.Next();) {
    measurements.push_back({.metric = metrics_.At(row[0].getInt64()),
                            .value = row[1].getDouble(),
                            .at = PlaceOf(row[2])});
  }
  return measurements;
}

std::vector<Series> BenchmarkReader::SeriesOf(JobId job) {
  std::vector<Series> all;
  for (Prepared::Rows row(series_, job); row.Next();) {
    all.push_back({.name = row[1].getString(),
                   .dimensions = FromColumn(row[2], DimensionsOf),
                   .columns = FromColumn(row[3], ColumnsOf),
                   .values = FromColumn(row[0], PointsOf)});
  }
  return all;
}

std::vector<PartFailure> BenchmarkReader::FailuresOf(JobId job) {
  std::vector<PartFailure> failures;
  for (Prepared::Rows row(failures_, job); row.Next();) {
    failures.push_back({row[0].getString(), row[1].getString()});
  }
  return failures;
}

std::vector<Rank> BenchmarkReader::RanksOf(JobId job) {
  std::vector<Rank> ranks;
  for (Prepared::Rows row(ranks_, job); row.Next();) {
    ranks.push_back({.host = {.node = row[1].getString(),
                              .pod = row[2].getString(),
                              .address = row[3].getString(),
                              .kernel = row[4].getString(),
                              .cpu = row[5].getString(),
                              .cpus = row[6].getUInt(),
                              .image = row[7].getString()},
                     .stages = StagesOf(job, row[0].getInt64())});
  }
  return ranks;
}

std::vector<Stage> BenchmarkReader::StagesOf(JobId job, std::int64_t rank) {
  std::vector<Stage> stages;
  for (Prepared::Rows row(stages_, job, rank); row.Next();) {
    stages.push_back({.name = row[1].getString(),
                      .argv = FromColumn(row[2], WordsOf),
                      .tool_version = row[3].getString(),
                      .started_ns = Unsigned(row[4]),
                      .wall_ns = Unsigned(row[5]),
                      .exit_code = row[6].getInt(),
                      .signal = row[7].getInt(),
                      .error = row[8].getString(),
                      .artifacts = ArtifactsOf(job, rank, row[0].getInt64())});
  }
  return stages;
}

std::vector<Artifact> BenchmarkReader::ArtifactsOf(JobId job, std::int64_t rank,
                                                   std::int64_t stage) {
  std::vector<Artifact> artifacts;
  for (Prepared::Rows row(artifacts_, job, rank, stage); row.Next();) {
    artifacts.push_back(ArtifactOf(row));
  }
  return artifacts;
}

std::string BenchmarkReader::Refusal(JobId job) {
  Prepared::Rows row(refusal_, job);
  return row.Next() ? row[0].getString() : std::string();
}

std::optional<Artifact> BenchmarkReader::FindArtifact(JobId job, const ArtifactPlace& place) {
  Prepared::Rows row(artifact_, job, place.rank, place.stage, place.name);
  if (!row.Next()) return std::nullopt;
  return ArtifactOf(row);
}

}  // namespace twofold::results
