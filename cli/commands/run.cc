#include <absl/strings/str_cat.h>
#include <absl/time/clock.h>
#include <absl/time/time.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <random>
#include <utility>

#include "cli/benchmark_file.h"
#include "cli/command.h"
#include "cli/commands/expansion_view.h"
#include "cli/commands/frontend.h"
#include "cli/commands/queue_workers.h"
#include "cli/commands/run_cluster.h"
#include "cli/commands/run_options.h"
#include "cli/commands/run_record.h"
#include "cli/commands/run_session.h"
#include "cli/run/job_key.h"
#include "cli/run/placement.h"

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
                                                    const Benchmark& benchmark) {
  const auto workers = LocalWorkers(benchmark);
  if (!workers.ok()) return workers.status();
  local::ClusterOptions options;
  options.programs = command.programs;
  options.replicas = *workers;
  options.grace_seconds = 5;  // nothing runs any more when it ends
  options.run = local::RunCluster{QueueOf(command, benchmark.sweep), command.workload, ""};
  options.run->allow = command.allow;
  if (command.workload.empty()) options.run->workload = {std::string(benchmark.sweep.kind->suite)};
  return EmbeddedCluster::Start(command.keep, std::move(options));
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
  const auto sweep = spec::ReadSweep(command.file, *text);
  if (!sweep.ok()) return sweep.status();
  if (command.local && sweep->nodes) {
    return absl::FailedPreconditionError("--local: one machine has no nodes to choose from");
  }
  const auto nodes = NodesToChooseFrom(command, *sweep, globals);
  if (!nodes.ok()) return nodes.status();
  return ExpandBenchmark(command.file, *text, *nodes);
}

// A run as it was when it began.
Result<std::unique_ptr<RunSession>> OpenRun(const RunCommand& command, const std::string& id,
                                            const Globals& globals, RunWatcher& watcher) {
  if (Status status = run::CheckRunId(id); !status.ok()) return status;
  auto record = FindRun(Frontend(globals), id);
  if (!record.ok()) return record.status();
  auto benchmark = ExpandBenchmark(record->file, record->text, record->nodes);
  if (!benchmark.ok()) return benchmark.status();
  return std::make_unique<RunSession>(command, globals, watcher, *std::move(record),
                                      *std::move(benchmark));
}

Status BeginRun(const RunCommand& command, Benchmark benchmark, const Globals& globals,
                RunWatcher& watcher) {
  const std::string id = command.id.empty() ? NewId(benchmark.sweep.name) : command.id;
  const auto known = OpenRun(command, id, globals, watcher);
  if (known.ok()) return (*known)->Show();
  if (!absl::IsNotFound(known.status())) return known.status();
  RunRecord record = {.id = id, .file = command.file, .text = benchmark.text};
  record.queue = QueueOf(command, benchmark.sweep);
  record.nodes = benchmark.nodes;
  return RunSession(command, globals, watcher, std::move(record), std::move(benchmark)).Begin();
}

Status RunFile(const RunCommand& command, Globals globals, RunWatcher& watcher) {
  auto benchmark = ReadAndExpand(command, globals);
  if (!benchmark.ok()) return benchmark.status();
  if (command.dry_run) {
    std::cout << (globals.json ? JsonLine(ExpansionJson(benchmark->sweep, benchmark->expansion))
                               : ExpansionText(benchmark->sweep, benchmark->expansion));
    return absl::OkStatus();
  }
  if (!benchmark->sweep.kind->has_suite) return MissingSuite(*benchmark->sweep.kind);
  if (!command.local) return BeginRun(command, *std::move(benchmark), globals, watcher);
  const auto cluster = StartLocal(command, *benchmark);
  if (!cluster.ok()) return cluster.status();
  globals.frontend = (*cluster)->frontend();
  return BeginRun(command, *std::move(benchmark), globals, watcher);
}

Status RunWhatIsAsked(const RunCommand& command, const Globals& globals) {
  RunWatcher watcher;
  if (!command.file.empty()) return RunFile(command, globals, watcher);
  const struct {
    const std::string& id;
    Status (RunSession::*form)();
  } kForms[] = {{command.resume, &RunSession::GoOn},
                {command.retry_failed, &RunSession::RetryFailed},
                {command.pause, &RunSession::Pause}};
  for (const auto& [id, form] : kForms) {
    if (id.empty()) continue;
    const auto session = OpenRun(command, id, globals, watcher);
    return session.ok() ? ((**session).*form)() : session.status();
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
  return {{"run", "Run a benchmark file: submit its jobs, watch them, show what came of them",
           "twofold run --local examples/fio-quick.yaml", BindRun}};
}

}  // namespace twofold::cli
