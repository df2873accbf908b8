#include "cli/results/parsed_run.h"

#include <chrono>
#include <cstdint>
#include <utility>

#include "lib/results/run_copy.h"

namespace twofold::cli {
namespace {

v1::Better ToProto(suite::Better better) {
  switch (better) {
    case suite::Better::kHigher:
      return v1::BETTER_HIGHER;
    case suite::Better::kLower:
      return v1::BETTER_LOWER;
    case suite::Better::kNone:
      break;
  }
  return v1::BETTER_NONE;
}

void Set(const suite::Dimensions& dimensions,
         google::protobuf::RepeatedPtrField<v1::Dimension>& messages) {
  for (const auto& [name, value] : dimensions) {
    v1::Dimension& dimension = *messages.Add();
    dimension.set_name(name);
    dimension.set_value(value);
  }
}

template <typename From, typename To>
void SetWhat(const From& from, To& to) {
  to.set_name(from.name);
  to.set_unit(from.unit);
  to.set_better(ToProto(from.better));
}

void Set(const suite::Measurement& from, v1::Measurement& to) {
  SetWhat(from, to);
  to.set_value(from.value);
  to.set_headline(from.headline);
  Set(from.dimensions, *to.mutable_dimensions());
  Set(from.at, *to.mutable_at());
}

void Set(const suite::Series& from, v1::Series& to) {
  to.set_name(from.name);
  Set(from.dimensions, *to.mutable_dimensions());
  for (const suite::Column& column : from.columns) SetWhat(column, *to.add_columns());
  for (const auto& row : from.rows) to.mutable_values()->Add(row.begin(), row.end());
}

void Set(const suite::Measurements& parsed, v1::BenchmarkResult& result) {
  result.set_tool(parsed.tool);
  for (const auto& one : parsed.measurements) Set(one, *result.add_measurements());
  for (const auto& series : parsed.series) Set(series, *result.add_series());
  for (const auto& failure : parsed.failures) {
    v1::PartFailure& part = *result.add_failures();
    part.set_stage(failure.stage);
    part.set_reason(failure.reason);
  }
}

results::OutsideJob JobOf(const std::string& suite, const Parsed& parsed, std::uint32_t number) {
  results::OutsideJob job;
  job.place.set_number(number);
  job.place.set_permutation(1);
  job.place.set_repetition(number);
  job.place.set_name(parsed.source);
  job.result.set_suite(suite);
  if (parsed.result.ok()) {
    Set(*parsed.result, job.result);
  } else {
    job.result.set_failed_stage("parse");
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
  results::RunCreated created;
  created.run.set_id(run);
  created.run.set_name(run);
  created.run.set_kind(suite);
  created.run.set_jobs(jobs.size());
  created.run.set_created_unix_ns(UnixNow());
  v1::Permutation& all_jobs = created.permutations.emplace_back();
  all_jobs.set_number(1);
  all_jobs.set_varied("{}");
  return results::AddRun(created, jobs, **to);
}

}  // namespace twofold::cli
