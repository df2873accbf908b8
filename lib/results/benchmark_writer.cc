#include "lib/results/benchmark_writer.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstdint>

#include "lib/results/json_text.h"

namespace twofold::results {
namespace {

// No name has it (see Check), so keys made with it are those of one thing only.
constexpr const char* kBetween = "\x1f";

void AppendTo(std::string& key, const Dimensions& dimensions) {
  for (const auto& [name, value] : dimensions) {
    key += kBetween;
    key += name;
    key += kBetween;
    key += value;
  }
}

template <typename... Values>
std::int64_t FindOrAdd(Prepared& add, Prepared& find, const Values&... values) {
  add.Run(values...);
  Prepared::Rows rows(find, values...);
  rows.Next();
  return rows[0].getInt64();
}

}  // namespace

BenchmarkWriter::BenchmarkWriter(SQLite::Database& database)
    : insert_benchmark_(database, "INSERT INTO benchmark VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      insert_measured_(database, "INSERT INTO measured VALUES (?, ?, ?, ?, ?)"),
      insert_series_(database, "INSERT INTO series VALUES (?, ?, ?, ?)"),
      insert_failure_(database, "INSERT INTO part_failure VALUES (?, ?, ?, ?)"),
      insert_rank_(database, "INSERT INTO rank VALUES (?, ?, ?)"),
      insert_stage_(database, "INSERT INTO stage VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      insert_artifact_(database, "INSERT INTO artifact VALUES (?, ?, ?, ?, ?, ?, ?, ?)"),
      insert_refused_(database, "INSERT INTO refused VALUES (?, ?)"),
      add_metric_(database,
                  "INSERT INTO metric (name, unit, better, headline, dimensions)"
                  " VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"),
      find_metric_(database,
                   "SELECT number FROM metric WHERE name = ? AND unit = ? AND better = ?"
                   " AND headline = ? AND dimensions = ?"),
      add_shape_(database,
                 "INSERT INTO shape (name, dimensions, columns) VALUES (?, ?, ?)"
                 " ON CONFLICT DO NOTHING"),
      find_shape_(database,
                  "SELECT number FROM shape WHERE name = ? AND dimensions = ? AND columns = ?"),
      add_host_(database,
                "INSERT INTO host (node, pod, address, kernel, cpu, cpus, image)"
                " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"),
      find_host_(database,
                 "SELECT number FROM host WHERE node = ? AND pod = ? AND address = ?"
                 " AND kernel = ? AND cpu = ? AND cpus = ? AND image = ?"),
      delete_benchmark_(database, "DELETE FROM benchmark WHERE job = ?"),
      delete_refused_(database, "DELETE FROM refused WHERE job = ?"),
      delete_measured_(database, "DELETE FROM measured WHERE job = ?"),
      delete_series_(database, "DELETE FROM series WHERE job = ?"),
      delete_failures_(database, "DELETE FROM part_failure WHERE job = ?"),
      delete_ranks_(database, "DELETE FROM rank WHERE job = ?"),
      delete_stages_(database, "DELETE FROM stage WHERE job = ?"),
      delete_artifacts_(database, "DELETE FROM artifact WHERE job = ?") {}

void BenchmarkWriter::Write(JobId job, const Benchmark& benchmark) {
  const Timeline& timeline = benchmark.timeline;
  insert_benchmark_.Run(job, benchmark.suite, benchmark.tool, benchmark.failed_stage,
                        ToJson(benchmark.left_out), timeline.prepared_ns, timeline.started_ns,
                        timeline.ended_ns, timeline.collected_ns, timeline.parsed_ns);
  WriteNumbers(job, benchmark);
  for (std::size_t i = 0; i < benchmark.ranks.size(); ++i) WriteRank(job, i, benchmark.ranks[i]);
}

void BenchmarkWriter::WriteNumbers(JobId job, const Benchmark& benchmark) {
  // Headlines have negative numbers: they are read without the others, which are many more.
  std::int64_t headline =
      -std::count_if(benchmark.measurements.begin(), benchmark.measurements.end(),
                     [](const Measurement& one) { return one.metric.headline; });
  std::int64_t other = 0;
  for (const Measurement& one : benchmark.measurements) {
    insert_measured_.Run(job, one.metric.headline ? headline++ : other++, NumberOf(one.metric),
                         one.value, one.at.empty() ? std::string() : ToJson(one.at));
  }
  std::size_t number = 0;
  for (const Series& series : benchmark.series) {
    insert_series_.Run(job, number++, NumberOf(series),
                       PointsJson(series.values, series.columns.size()));
  }
  number = 0;
  for (const PartFailure& failure : benchmark.failures) {
    insert_failure_.Run(job, number++, failure.stage, failure.reason);
  }
}

void BenchmarkWriter::WriteRank(JobId job, std::size_t number, const Rank& rank) {
  insert_rank_.Run(job, number, NumberOf(rank.host));
  for (std::size_t i = 0; i < rank.stages.size(); ++i) WriteStage(job, number, i, rank.stages[i]);
}

void BenchmarkWriter::WriteStage(JobId job, std::size_t rank, std::size_t number,
                                 const Stage& stage) {
  insert_stage_.Run(job, rank, number, stage.name, ToJson(stage.argv), stage.tool_version,
                    stage.started_ns, stage.wall_ns, stage.exit_code, stage.signal, stage.error);
  for (std::size_t i = 0; i < stage.artifacts.size(); ++i) {
    const Artifact& artifact = stage.artifacts[i];
    insert_artifact_.Run(job, rank, number, i, artifact.name, artifact.bytes, artifact.left_out,
                         Blob{artifact.zstd});
  }
}

void BenchmarkWriter::WriteRefusal(JobId job, const std::string& reason) {
  insert_refused_.Run(job, reason);
}

void BenchmarkWriter::Delete(JobId job) {
  delete_refused_.Run(job);
  if (delete_benchmark_.Run(job) == 0) return;
  for (Prepared* each : {&delete_measured_, &delete_series_, &delete_failures_, &delete_ranks_,
                         &delete_stages_, &delete_artifacts_}) {
    each->Run(job);
  }
}

void BenchmarkWriter::Forget() {
  for (Interned* each : {&metrics_, &shapes_, &hosts_}) each->Forget();
}

std::int64_t BenchmarkWriter::NumberOf(const Metric& metric) {
  std::string key = absl::StrCat(metric.name, kBetween, metric.unit, kBetween, Word(metric.better),
                                 metric.headline ? " headline" : "");
  AppendTo(key, metric.dimensions);
  return metrics_.Number(key, [&] {
    return FindOrAdd(add_metric_, find_metric_, metric.name, metric.unit,
                     std::string(Word(metric.better)), metric.headline, ToJson(metric.dimensions));
  });
}

std::int64_t BenchmarkWriter::NumberOf(const Series& series) {
  const std::string columns = ToJson(series.columns);
  std::string key = absl::StrCat(series.name, kBetween, columns);
  AppendTo(key, series.dimensions);
  return shapes_.Number(key, [&] {
    return FindOrAdd(add_shape_, find_shape_, series.name, ToJson(series.dimensions), columns);
  });
}

std::int64_t BenchmarkWriter::NumberOf(const Host& host) {
  const std::string key =
      absl::StrCat(host.node, kBetween, host.pod, kBetween, host.address, kBetween, host.kernel,
                   kBetween, absl::StrCat(host.cpu, kBetween, host.cpus, kBetween, host.image));
  return hosts_.Number(key, [&] {
    return FindOrAdd(add_host_, find_host_, host.node, host.pod, host.address, host.kernel,
                     host.cpu, host.cpus, host.image);
  });
}

}  // namespace twofold::results
