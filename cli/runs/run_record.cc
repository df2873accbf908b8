#include "cli/runs/run_record.h"

#include <absl/strings/str_cat.h>

#include <algorithm>

#include "cli/queues/call.h"
#include "lib/show/table.h"
#include "lib/words/run_state.h"
#include "twofold/v1/runs.grpc.pb.h"

namespace twofold::cli {
namespace {

using show::Json;

constexpr std::chrono::minutes kCreateWithin{2};
constexpr std::size_t kMessageBytes = 1 << 20;

std::string PlanOf(const RunRecord& record) {
  return Json{{"file", record.file},         {"queue", record.queue},
              {"nodes", record.nodes},       {"spread", record.spread},
              {"local", record.local},       {"own_workers", record.own_workers},
              {"workload", record.workload}, {"interleaved", record.interleaved}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

RunRecord ByPlan(const v1::Run& run, const Json& plan) {
  return {.id = run.id(),
          .file = plan.at("file"),
          .text = run.definition(),
          .queue = plan.at("queue"),
          .nodes = plan.at("nodes"),
          .spread = plan.at("spread"),
          .local = plan.value("local", false),
          .own_workers = plan.value("own_workers", false),
          .workload = plan.value("workload", std::vector<std::string>()),
          .interleaved = plan.value("interleaved", std::vector<std::string>())};
}

v1::Run RunOf(const RunRecord& record, const Benchmark& benchmark) {
  v1::Run run;
  run.set_id(record.id);
  run.set_name(benchmark.sweep.name);
  run.set_kind(std::string(benchmark.sweep.kind->name));
  run.set_definition(record.text);
  run.set_jobs(benchmark.expansion.jobs.size());
  run.set_plan(PlanOf(record));
  run.mutable_labels()->insert(record.labels.begin(), record.labels.end());
  if (const auto& until = benchmark.sweep.until) {
    (*run.mutable_labels())[kUntilLabel] = absl::StrCat(100.0 * until->relative_interval, " %");
  }
  return run;
}

v1::Permutation MessageOf(const spec::Permutation& permutation) {
  Json varied = Json::object();
  for (const spec::VariedValue& one : permutation.values) varied[one.path] = one.value;
  v1::Permutation message;
  message.set_number(permutation.number);
  message.set_varied(varied.dump(-1, ' ', false, Json::error_handler_t::replace));
  return message;
}

std::uint64_t Nanoseconds(double seconds) {
  return static_cast<std::uint64_t>(FromSeconds(seconds).count());
}

/// The permutations by number, in messages of about kMessageBytes.
bool WritePermutations(grpc::ClientWriter<v1::CreateRunRequest>& writer,
                       v1::CreateRunRequest request, std::vector<spec::Permutation> all) {
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a.number < b.number; });
  std::size_t bytes = 0;
  for (const spec::Permutation& one : all) {
    *request.add_permutations() = MessageOf(one);
    bytes += request.permutations().rbegin()->varied().size();
    if (bytes < kMessageBytes) continue;
    if (!writer.Write(request)) return false;
    request.Clear();
    bytes = 0;
  }
  request.set_last(true);
  return writer.Write(request);
}

}  // namespace

const std::string& KeyOf(const RunRecord& record) {
  return record.interleaved.empty() ? record.id : record.interleaved.front();
}

std::string LabelOfRun(const std::string& key) { return absl::StrCat(kRunLabel, "=", key); }

v1::JobOptions CommonOptions(const RunRecord& record, const spec::Sweep& sweep) {
  v1::JobOptions options;
  options.set_queue(record.queue);
  if (record.workload.empty()) options.set_suite(std::string(sweep.kind->suite));
  options.set_durable(true);
  options.set_run(record.id);
  options.set_limit_ns(Nanoseconds(sweep.job_limit_seconds));
  options.set_deadline_ns(Nanoseconds(sweep.run_limit_seconds));
  options.set_limit_key(KeyOf(record));
  options.set_key_limit(sweep.max_parallel);
  if (record.local) options.mutable_placement()->add_labels(LabelOfRun(KeyOf(record)));
  options.mutable_gang()->set_spread(record.spread ? v1::SPREAD_NODE : v1::SPREAD_ANY);
  return options;
}

Status CreateRun(const Frontend& frontend, const RunRecord& record, const Benchmark& benchmark) {
  v1::CreateRunRequest first;
  *first.mutable_run() = RunOf(record, benchmark);
  v1::CreateRunReply reply;
  const Status status = frontend.With<v1::Results>(kCreateWithin, [&](auto& stub, auto& context) {
    const auto writer = stub.CreateRun(&context, &reply);
    if (WritePermutations(*writer, first, benchmark.expansion.permutations)) writer->WritesDone();
    return writer->Finish();
  });
  if (!status.ok() || !reply.existed()) return status;
  return absl::AlreadyExistsError(absl::StrCat("there is a run ", record.id, " already"));
}

Result<RunRecord> RecordOf(const v1::Run& run) {
  const Json plan = Json::parse(run.plan(), nullptr, false);
  try {
    return ByPlan(run, plan);
  } catch (const Json::exception&) {
    return absl::FailedPreconditionError(absl::StrCat(
        "run ", run.id(), " was not begun by `twofold run`: it has no file to go on with"));
  }
}

Result<RunRecord> FindRun(RunSource& source, const std::string& id) {
  v1::GetRunRequest request;
  request.set_id(id);
  const auto run = source.Get(request);
  if (!run.ok()) return run.status();
  return RecordOf(*run);
}

}  // namespace twofold::cli
