#include "cli/results/parsed_run.h"

#include <chrono>
#include <cstdint>
#include <utility>

#include "lib/results/run_copy.h"

namespace twofold::cli {
namespace {

results::Better BetterOf(suite::Better better) {
  switch (better) {
    case suite::Better::kHigher:
      return results::Better::kHigher;
    case suite::Better::kLower:
      return results::Better::kLower;
    case suite::Better::kNone:
      break;
  }
  return results::Better::kNone;
}

results::Measurement ToStored(const suite::Measurement& one) {
  return {.metric = {.name = one.name,
                     .unit = one.unit,
                     .better = BetterOf(one.better),
                     .headline = one.headline,
                     .dimensions = {one.dimensions.begin(), one.dimensions.end()}},
          .value = one.value,
          .at = one.at};
}

results::Series ToStored(const suite::Series& series) {
  results::Series stored{.name = series.name,
                         .dimensions = {series.dimensions.begin(), series.dimensions.end()}};
  for (const suite::Column& column : series.columns) {
    stored.columns.push_back({column.name, column.unit, BetterOf(column.better)});
  }
  for (const auto& row : series.rows) {
    stored.values.insert(stored.values.end(), row.begin(), row.end());
  }
  return stored;
}

results::Benchmark ToStored(const std::string& suite, const suite::Measurements& parsed) {
  results::Benchmark benchmark{.suite = suite, .tool = parsed.tool};
  for (const auto& one : parsed.measurements) benchmark.measurements.push_back(ToStored(one));
  for (const auto& series : parsed.series) benchmark.series.push_back(ToStored(series));
  for (const auto& failure : parsed.failures) {
    benchmark.failures.push_back({failure.stage, failure.reason});
  }
  return benchmark;
}

results::OutsideJob JobOf(const std::string& suite, const Parsed& parsed, std::uint32_t number) {
  results::OutsideJob job{
      .place = {.number = number, .permutation = 1, .repetition = number, .name = parsed.source}};
  if (parsed.result.ok()) {
    job.benchmark = ToStored(suite, *parsed.result);
  } else {
    job.benchmark = {.suite = suite, .failed_stage = "parse"};
    job.reason = std::string(parsed.result.status().message());
  }
  const bool good = parsed.result.ok() && parsed.result->failures.empty();
  job.outcome = good ? queue::Outcome::kSucceeded : queue::Outcome::kFailed;
  return job;
}

std::int64_t UnixNow() {
  return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

Status KeepAsRun(const std::string& store, const std::string& run, const std::string& suite,
                 const std::vector<Parsed>& all) {
  std::vector<results::OutsideJob> jobs;
  for (const Parsed& parsed : all) {
    if (absl::IsNotFound(parsed.result.status())) return parsed.result.status();
    jobs.push_back(JobOf(suite, parsed, static_cast<std::uint32_t>(jobs.size() + 1)));
  }
  const auto to = results::SqliteStore::Open(store);
  if (!to.ok()) return to.status();
  const results::RunCreated created{.id = run,
                                    .name = run,
                                    .kind = suite,
                                    .jobs = jobs.size(),
                                    .created_unix_ns = UnixNow(),
                                    .permutations = {{1, "{}"}}};
  return results::AddRun(created, jobs, **to);
}

}  // namespace twofold::cli
