#include "kubernetes/commands/run_store.h"

#include <absl/strings/str_cat.h>
#include <google/protobuf/util/json_util.h>

#include <utility>
#include <vector>

#include "lib/common/host_name.h"
#include "lib/common/printable.h"
#include "lib/results/run_copy.h"
#include "lib/results/run_reader.h"
#include "lib/suite/json.h"
#include "lib/suite/measurements.h"

namespace twofold::lifecycle {
namespace {

constexpr std::size_t kMostReason = 1000;

Status AboutStore(const Status& status) {
  if (status.ok()) return status;
  return {status.code(), absl::StrCat("--store: ", std::string(status.message()))};
}

suite::Json SpecJson(const suite::lifecycle::Spec& spec) {
  std::string text;
  (void)google::protobuf::util::MessageToJsonString(spec, &text);  // of ours: it always can
  return suite::Json::parse(text);
}

v1::BenchmarkResult ResultOf(const Report& report, const Status& ended) {
  v1::BenchmarkResult result;
  // Those of a job and of a run by hand are the same; a report of ours is whole.
  AddTo(suite::lifecycle::NumbersOf(ToJson(report)).value(), result);
  result.set_suite(std::string(suite::lifecycle::kName));
  result.add_ranks()->set_node(HostName());
  if (!ended.ok()) {
    result.set_failed_stage(std::string(suite::lifecycle::kStage));
    v1::PartFailure& failure = *result.add_failures();
    failure.set_stage(result.failed_stage());
    failure.set_reason(Printable(std::string(ended.message()), kMostReason));
  }
  return result;
}

results::RunCreated CreatedOf(const RunFacts& facts) {
  results::RunCreated created;
  v1::Run& run = created.run;
  run.set_id(facts.name);
  run.set_name(facts.name);
  run.set_kind(std::string(suite::lifecycle::kKind));
  run.set_definition(DefinitionOf(facts));
  run.set_jobs(1);
  run.set_created_unix_ns(std::chrono::nanoseconds(facts.created.time_since_epoch()).count());
  auto& labels = *run.mutable_labels();
  labels["host"] = HostName();
  if (!facts.server.empty()) labels[std::string(suite::lifecycle::kServerLabel)] = facts.server;
  v1::Permutation& all = created.permutations.emplace_back();
  all.set_number(1);
  all.set_varied("{}");
  return created;
}

}  // namespace

std::string DefinitionOf(const RunFacts& facts) {
  std::string text;
  if (!facts.template_file.empty()) {
    absl::StrAppend(&text, "# With --template, which a benchmark file does not have.\n");
  }
  absl::StrAppend(
      &text, "apiVersion: twofold/v1\nkind: BenchmarkSet\nmetadata:\n  name: ", facts.name,
      "\nspec:\n  template:\n    kind: ", std::string(suite::lifecycle::kKind), "\n    spec:\n");
  const suite::Json spec = SpecJson(facts.spec);
  // A value in JSON is the same value in YAML.
  for (const auto& [field, value] : spec.items()) {
    absl::StrAppend(&text, "      ", field, ": ", value.dump(), "\n");
  }
  return text;
}

Result<RunStore> RunStore::Open(const std::string& store, const std::string& run) {
  const auto path = results::ParseStoreFile(store, "--store");
  if (!path.ok()) return path.status();
  auto opened = results::SqliteStore::Open(*path);
  if (!opened.ok()) return AboutStore(opened.status());
  const auto reader = results::RunReader::Open(*path);
  if (!reader.ok()) return AboutStore(reader.status());
  if (!(*reader)->NumberOf(run).ok()) return RunStore(*std::move(opened));
  return AboutStore(absl::FailedPreconditionError(
      absl::StrCat(*path, " has a run ", run, " already: choose another --name")));
}

Status RunStore::Keep(const RunFacts& facts, const Report& report, const Status& ended) {
  results::OutsideJob job;
  job.place.set_number(1);
  job.place.set_permutation(1);
  job.place.set_repetition(1);
  job.place.set_name(facts.name);
  job.outcome = ended.ok() ? queue::Outcome::kSucceeded : queue::Outcome::kFailed;
  job.reason = std::string(ended.message());
  job.result = ResultOf(report, ended);
  return AboutStore(results::AddRun(CreatedOf(facts), {job}, *store_));
}

}  // namespace twofold::lifecycle
