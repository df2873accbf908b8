#include <absl/strings/str_cat.h>
#include <absl/time/clock.h>
#include <absl/time/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iostream>
#include <memory>
#include <random>
#include <utility>

#include "cli/command/command.h"
#include "cli/queues/frontend.h"
#include "cli/results/run_source.h"
#include "cli/runs/benchmark_file.h"
#include "cli/runs/expansion_view.h"
#include "cli/runs/frontend_jobs.h"
#include "cli/runs/job_key.h"
#include "cli/runs/local_conditions.h"
#include "cli/runs/placement.h"
#include "cli/runs/run_cluster.h"
#include "cli/runs/run_options.h"
#include "cli/runs/run_record.h"
#include "cli/runs/run_session.h"
#include "lib/words/run_state.h"
#include "lib/spec/shown.h"
#include "suites/table/table.h"

namespace twofold::cli {
namespace {

// ---- what is asked for

// "fio-quick-20261122-101530-3f2a": the time is for people, the rest tells two of one second apart.
std::string NewId(const std::string& name) {
  std::random_device random;
  const std::string time = absl::FormatTime("%Y%m%d-%H%M%S", absl::Now(), absl::UTCTimeZone());
  return absl::StrCat(name.substr(0, 70), "-", time, "-",
                      absl::Hex(random() & 0xffff, absl::kZeroPad4));
}

Status MissingSuite(const spec::Kind& kind) {
  return absl::FailedPreconditionError(absl::StrCat(
      "suite missing: ", std::string(kind.suite), " (kind ", std::string(kind.name),
      ") is not part of this version, so no worker can run it; --dry-run lists the jobs"));
}

// ---- on this machine

constexpr std::int64_t kMostLocalWorkers = 64;
// A worker hands back what it has in this time when a run is interrupted.
constexpr double kLocalGraceSeconds = 2;
constexpr std::size_t kLongestLabel = 240;  // bytes of a value; 253 are allowed

Result<int> LocalWorkers(const Benchmark& benchmark) {
  std::int64_t gang = 1;
  for (const spec::Permutation& one : benchmark.expansion.permutations) {
    gang = std::max(gang, one.gang);
  }
  const std::int64_t workers = gang * std::max<std::int64_t>(1, benchmark.sweep.max_parallel);
  if (workers <= kMostLocalWorkers) return static_cast<int>(workers);
  return absl::FailedPreconditionError(
      absl::StrCat("--local: the run takes ", workers, " workers at once, more than ",
                   kMostLocalWorkers, " are not started on one machine"));
}

Result<std::unique_ptr<EmbeddedCluster>> StartLocal(const RunCommand& command,
                                                    const LocalRuns& runs, const RunRecord& record,
                                                    const Benchmark& benchmark) {
  const auto workers = LocalWorkers(benchmark);
  if (!workers.ok()) return workers.status();
  local::ClusterOptions options;
  options.programs = command.programs;
  options.replicas = *workers;
  options.grace_seconds = kLocalGraceSeconds;
  options.run = local::RunCluster{.queue = record.queue,
                                  .workload = record.workload,
                                  .label = LabelOfLocalRun(record.id),
                                  .allow = command.allow};
  if (record.workload.empty()) options.run->workload = {std::string(benchmark.sweep.kind->suite)};
  return EmbeddedCluster::Start(runs, std::move(options));
}

// Of one machine nobody can ask for more than what it is.
Status CheckLocal(const RunCommand& command, const Benchmark& benchmark) {
  if (command.spread == "node") {
    return absl::FailedPreconditionError("--spread node: with --local there is one node");
  }
  return CheckLocalConditions(benchmark.sweep, benchmark.expansion);
}

std::string HostName() {
  std::array<char, 128> host{};
  gethostname(host.data(), host.size() - 1);
  return host.data();
}

// ---- the forms of the command

// The nodes of the queue's workers, where a file chooses from them.
Result<std::vector<std::string>> NodesToChooseFrom(const RunCommand& command,
                                                   const spec::Sweep& sweep,
                                                   const Globals& globals) {
  if (!sweep.nodes || !command.nodes.empty()) return command.nodes;
  const auto workers = WorkersOf(Frontend(globals), QueueOf(command, sweep));
  if (!workers.ok()) return workers.status();
  std::vector<std::string> nodes = run::NodesOf(*workers);
  if (!nodes.empty()) return nodes;
  return absl::FailedPreconditionError(
      absl::StrCat("spec.nodes: no worker of queue ", QueueOf(command, sweep),
                   " is connected; name the nodes ", "with --nodes"));
}

Result<Benchmark> ReadAndExpand(const RunCommand& command, const Globals& globals) {
  const auto text = ReadBenchmarkText(command.file);
  if (!text.ok()) return text.status();
  const auto sweep = spec::ReadSweep(command.file, *text, suite::Kinds());
  if (!sweep.ok()) return sweep.status();
  if (command.local && sweep->nodes) {
    return absl::FailedPreconditionError("--local: one machine has no nodes to choose from");
  }
  const auto nodes = NodesToChooseFrom(command, *sweep, globals);
  if (!nodes.ok()) return nodes.status();
  return ExpandBenchmark(command.file, *text, *nodes);
}

/// A run as it was when it began.
struct KnownRun {
  RunRecord record;
  Benchmark benchmark;
};

Result<KnownRun> FindKnownRun(const RunCommand& command, RunSource& source, const std::string& id) {
  if (Status status = run::CheckRunId(id); !status.ok()) return status;
  auto record = FindRun(source, id);
  if (!record.ok()) return record.status();
  if (record->local != command.local) {
    return absl::FailedPreconditionError(
        absl::StrCat("run ", id, " was begun ", record->local ? "with" : "without",
                     " --local, and goes on so only: its numbers would be of two places"));
  }
  auto benchmark = ExpandBenchmark(record->file, record->text, record->nodes);
  if (!benchmark.ok()) return benchmark.status();
  return KnownRun{*std::move(record), *std::move(benchmark)};
}

RunRecord NewRecord(const RunCommand& command, const Benchmark& benchmark) {
  RunRecord record = {.id = command.id.empty() ? NewId(benchmark.sweep.name) : command.id,
                      .file = command.file,
                      .text = benchmark.text};
  record.queue = QueueOf(command, benchmark.sweep);
  record.nodes = benchmark.nodes;
  if (!command.local) return record;
  record.local = true;
  record.workload = command.workload;
  record.labels[kLocalLabel] = HostName();
  const std::string not_applied = NotApplied(benchmark.expansion);
  if (!not_applied.empty()) {
    record.labels[kNotAppliedLabel] = spec::Shown(not_applied, kLongestLabel);
  }
  return record;
}

using Form = Status (RunSession::*)();

// Starts the run, unless there is one with its id.
Status BeginRun(const RunSetting& setting, KnownRun run) {
  const auto source = OpenRuns(setting.globals, "");
  if (!source.ok()) return source.status();
  auto known = FindKnownRun(setting.command, **source, run.record.id);
  if (!known.ok() && !absl::IsNotFound(known.status())) return known.status();
  const Form form = known.ok() ? &RunSession::Show : &RunSession::Begin;
  if (known.ok()) run = *std::move(known);
  return (RunSession(setting, std::move(run.record), std::move(run.benchmark)).*form)();
}

Status RunLocally(const RunSetting& setting, KnownRun run,
                  const std::function<Status(const RunSetting&, KnownRun)>& carry_out) {
  if (Status status = CheckLocal(setting.command, run.benchmark); !status.ok()) return status;
  const auto cluster = StartLocal(setting.command, *setting.local, run.record, run.benchmark);
  if (!cluster.ok()) return cluster.status();
  Globals globals = setting.globals;
  globals.frontend = (*cluster)->frontend();
  return carry_out({setting.command, globals, setting.watcher, setting.local}, std::move(run));
}

Status RunFile(const RunSetting& setting) {
  const RunCommand& command = setting.command;
  auto benchmark = ReadAndExpand(command, setting.globals);
  if (!benchmark.ok()) return benchmark.status();
  if (command.dry_run) {
    std::cout << (setting.globals.json()
                      ? show::Line(ExpansionJson(benchmark->sweep, benchmark->expansion))
                      : ExpansionText(benchmark->sweep, benchmark->expansion));
    return absl::OkStatus();
  }
  if (!benchmark->sweep.kind->has_suite) return MissingSuite(*benchmark->sweep.kind);
  RunRecord record = NewRecord(command, *benchmark);
  KnownRun run{std::move(record), *std::move(benchmark)};
  if (!setting.local) return BeginRun(setting, std::move(run));
  return RunLocally(setting, std::move(run), BeginRun);
}

Status RunKnown(const RunSetting& setting, const std::string& id, Form form) {
  if (!setting.command.workload.empty()) {
    return absl::InvalidArgumentError("--workload: a run goes on with what it was begun with");
  }
  const auto source =
      OpenRuns(setting.globals, setting.local ? setting.local->StoreFile() : std::string());
  if (!source.ok()) return source.status();
  auto run = FindKnownRun(setting.command, **source, id);
  if (!run.ok()) return run.status();
  const auto carry_out = [form](const RunSetting& at, KnownRun known) {
    return (RunSession(at, std::move(known.record), std::move(known.benchmark)).*form)();
  };
  return setting.local ? RunLocally(setting, *std::move(run), carry_out)
                       : carry_out(setting, *std::move(run));
}

Status RunWhatIsAsked(const RunCommand& command, const Globals& globals) {
  RunWatcher watcher(ChoicesOf(command.local));
  RunSetting setting{command, globals, watcher};
  if (command.local && !command.dry_run) {
    auto runs = LocalRuns::In(command.keep);
    if (!runs.ok()) return runs.status();
    setting.local = *std::move(runs);
  }
  if (!command.file.empty()) return RunFile(setting);
  const std::pair<const std::string&, Form> kForms[] = {
      {command.resume, &RunSession::GoOn},
      {command.retry_failed, &RunSession::RetryFailed},
      {command.pause, &RunSession::Pause}};
  for (const auto& [id, form] : kForms) {
    if (!id.empty()) return RunKnown(setting, id, form);
  }
  return absl::InvalidArgumentError("name a file, or a run with --resume, --retry-failed, --pause");
}

Action BindRun(CLI::App& app, const Globals& globals) {
  auto command = std::make_shared<RunCommand>();
  Declare(app, *command);
  return [command, &globals] { return RunWhatIsAsked(*command, globals); };
}

}  // namespace

std::vector<Command> RunCommands() {
  return {{"run", "Run a benchmark file: submit its jobs, watch them, show their results",
           "twofold run --local examples/fio-quick.yaml", BindRun}};
}

}  // namespace twofold::cli
