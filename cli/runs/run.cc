#include <absl/strings/str_cat.h>

#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <thread>
#include <utility>

#include "cli/command/command.h"
#include "cli/local/launch.h"
#include "cli/local/show.h"
#include "cli/results/run_source.h"
#include "cli/runs/benchmark.h"
#include "cli/runs/interleaved_session.h"
#include "cli/runs/local_run.h"
#include "cli/runs/new_run.h"
#include "cli/runs/run_command.h"
#include "cli/runs/run_record.h"
#include "cli/runs/run_session.h"
#include "cli/runs/run_watcher.h"
#include "lib/common/host_name.h"
#include "lib/common/options.h"
#include "lib/process/environment.h"
#include "lib/words/run_state.h"
#include "lib/yaml/node.h"

// The way of a run through this room:
//
//   run.cc            what is asked for: a file, or a run that is there
//   new_run.h         the run that a file comes to
//   benchmark.h       all jobs that the file comes to
//   local_run.h       with --local: a cluster for it
//   run_session.h     begins it or goes on with it, and concludes: results, counts, what to do next
//   run_record.h        what the frontend keeps of it, so that any machine can go on
//   watch.h             submits, looks, and again, until it is over or somebody wishes to leave
//   driver.h              decides which jobs are due; pure
//   frontend_jobs.h       has them: submit, list, cancel; keeps others away
//   run_watcher.h         shows it (run_view.h), and takes Ctrl-C
//   interleaved_session.h  of two runs that take turns (interleave.h): the same for both as one
namespace twofold::cli {
namespace {

std::map<std::string, std::string> LocalLabels(const Benchmark& benchmark) {
  constexpr std::size_t kLongestLabel = 240;  // bytes of a value; 253 are allowed
  std::map<std::string, std::string> labels = {{kLocalLabel, HostName()}};
  const std::string not_applied = NotApplied(benchmark.expansion);
  if (!not_applied.empty()) labels[kNotAppliedLabel] = yaml::Shown(not_applied, kLongestLabel);
  return labels;
}

// ---- a run that is there

Result<KnownRun> FindKnownRun(const RunCommand& command, RunSource& source, const std::string& id) {
  if (Status status = run::CheckRunId(id); !status.ok()) return status;
  auto record = FindRun(source, id);
  if (!record.ok()) return record.status();
  if (record->local != command.local) {
    return absl::FailedPreconditionError(
        absl::StrCat("run ", id, " was begun ", record->local ? "with" : "without",
                     " --local, and goes on so only: its numbers would be of two places"));
  }
  return Expanded(*std::move(record));
}

// ---- the forms of the command

using Form = Status (*)(const RunSetting&, KnownRun);

// One of a run that is there.
template <Status (RunSession::*kForm)()>
Status GoOnBy(const RunSetting& setting, KnownRun run) {
  return (RunSession(setting, std::move(run)).*kForm)();
}

// The frontend of a local run is started first, and ends with it.
Status Within(const RunSetting& setting, const KnownRun& run,
              const std::function<Status(const RunSetting&)>& form) {
  if (!setting.local) return form(setting);
  const std::string too_few = TooFewCores(run.benchmark, std::thread::hardware_concurrency());
  if (!too_few.empty()) setting.watcher.Note(too_few);
  const auto frontend = StartCluster(*setting.local, setting.command, run.record, run.benchmark);
  if (!frontend.ok()) return frontend.status();
  Globals globals = setting.globals;
  globals.frontend = *frontend;
  const Status status = form({setting.command, globals, setting.watcher, setting.local});
  static_cast<void>(local::TakeDown(setting.local->Folder()));
  return status;
}

Status CarryOut(const RunSetting& setting, const KnownRun& run, Form form) {
  return Within(setting, run, [&](const RunSetting& within) { return form(within, run); });
}

// Starts the run, unless there is one with its id.
Status BeginOrShow(const RunSetting& setting, KnownRun run) {
  const auto source = OpenRuns(setting.globals);
  if (!source.ok()) return source.status();
  auto known = FindKnownRun(setting.command, **source, run.record.id);
  if (known.ok()) return RunSession(setting, *std::move(known)).Show();
  if (!absl::IsNotFound(known.status())) return known.status();
  return RunSession(setting, std::move(run)).Begin();
}

Status RunFile(const RunSetting& setting) {
  const RunCommand& command = setting.command;
  auto text = ReadBenchmarkText(command.file);
  if (!text.ok()) return text.status();
  auto run = NewRun(command, *std::move(text), setting.globals);
  if (!run.ok()) return run.status();
  if (command.dry_run) {
    std::cout << JobList(run->benchmark, setting.globals.form);
    return absl::OkStatus();
  }
  if (command.local) run->record.labels = LocalLabels(run->benchmark);
  return CarryOut(setting, *run, BeginOrShow);
}

// ---- two runs in turn

Result<KnownRun> NewRunOf(RunCommand command, const std::string& file, const char* suffix,
                          const Globals& globals) {
  command.file = file;
  if (!command.id.empty()) command.id += suffix;
  auto text = ReadBenchmarkText(file);
  if (!text.ok()) return text.status();
  auto run = NewRun(command, *std::move(text), globals);
  if (run.ok() && command.local) run->record.labels = LocalLabels(run->benchmark);
  return run;
}

using TurnsForm = Status (InterleavedSession::*)();

Status CarryOutInTurn(const RunSetting& setting, const KnownRun& base, const KnownRun& now,
                      TurnsForm form) {
  return Within(setting, base, [&](const RunSetting& within) {
    return (InterleavedSession(within, base, now).*form)();
  });
}

Status RunInTurn(const RunSetting& setting) {
  const RunCommand& command = setting.command;
  auto base = NewRunOf(command, command.file, "-a", setting.globals);
  if (!base.ok()) return base.status();
  auto now = NewRunOf(command, command.interleave, "-b", setting.globals);
  if (!now.ok()) return now.status();
  if (Status status = CheckTurns(*base, *now); !status.ok()) return status;
  if (command.dry_run) {
    auto turns = run::TakeTurns(base->benchmark.expansion, base->record.id,
                                now->benchmark.expansion, now->record.id);
    std::cout << JobList({base->benchmark.sweep, std::move(turns.expansion)}, setting.globals.form);
    return absl::OkStatus();
  }
  base->record.interleaved = now->record.interleaved = {base->record.id, now->record.id};
  return CarryOutInTurn(setting, *base, *now, &InterleavedSession::Begin);
}

Status GoOnInTurn(const RunSetting& setting, RunSource& source, const RunRecord& record) {
  if (setting.command.resume.empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "run ", record.id, " takes turns with another one; --resume goes on with both"));
  }
  auto base = FindKnownRun(setting.command, source, record.interleaved.front());
  if (!base.ok()) return base.status();
  auto now = FindKnownRun(setting.command, source, record.interleaved.back());
  if (!now.ok()) return now.status();
  return CarryOutInTurn(setting, *base, *now, &InterleavedSession::GoOn);
}

// ---- what is asked for

Status RunKnown(const RunSetting& setting, const std::string& id, Form form) {
  if (!setting.command.workload.empty()) {
    return absl::InvalidArgumentError("--workload: a run goes on with what it was begun with");
  }
  results::StoreOptions store;
  if (setting.local) store.store = "sqlite:" + setting.local->StoreFile();
  const auto source = OpenRuns(setting.globals, store);
  if (!source.ok()) return source.status();
  const auto run = FindKnownRun(setting.command, **source, id);
  if (!run.ok()) return run.status();
  if (!run->record.interleaved.empty()) return GoOnInTurn(setting, **source, run->record);
  return CarryOut(setting, *run, form);
}

Status RunWhatIsAsked(const RunCommand& command, const Globals& globals) {
  RunWatcher watcher(command.local);
  RunSetting setting{command, globals, watcher};
  if (command.local && !command.dry_run) {
    auto runs = LocalRuns::In(command.keep);
    if (!runs.ok()) return runs.status();
    setting.local = *std::move(runs);
  }
  const std::pair<const std::string&, Form> known[] = {
      {command.resume, GoOnBy<&RunSession::GoOn>},
      {command.pause, GoOnBy<&RunSession::Pause>},
      {command.retry_failed, GoOnBy<&RunSession::RetryFailed>}};
  for (const auto& [id, form] : known) {
    if (!id.empty()) return RunKnown(setting, id, form);
  }
  if (!command.interleave.empty()) return RunInTurn(setting);
  if (!command.file.empty()) return RunFile(setting);
  return absl::InvalidArgumentError("name a file, or a run with --resume, --retry-failed, --pause");
}

// ---- options

void AddForms(CLI::App& app, RunCommand& command) {
  CLI::Option_group* form = app.add_option_group("What to do, one of");
  form->add_option("FILE", command.file, "A benchmark or a BenchmarkSet to run, YAML or JSON");
  form->add_option("--resume", command.resume,
                   "Id of a run: attach to it, and submit what was withdrawn or is not there yet");
  form->add_option("--retry-failed", command.retry_failed,
                   "Id of a run: run its failed, timed out and lost jobs again, and attach to it");
  form->add_option("--pause", command.pause,
                   "Id of a run: withdraw what waits; what runs may end. --resume goes on");
  form->require_option(0, 1);  // RunWhatIsAsked says what is missing; `run delete` needs none
}

}  // namespace

void AddPlaces(CLI::App& app, RunCommand& command) {
  app.add_option(
         "--queue", command.queue,
         "Queue of the jobs, else the file's metadata.queue, else the one named like the suite")
      ->check(QueueName());
  app.add_option("--nodes", command.nodes,
                 "Nodes that nodes.select chooses from; else those of the queue's workers")
      ->delimiter(',');
  app.add_option(
         "--spread", command.spread,
         "Workers of a job: any, or node: each on a node of its own; else node if the queue "
         "has workers on enough nodes")
      ->check(CLI::IsMember({"any", "node"}));
  app.add_flag("--unchecked", command.unchecked,
               "Submit jobs that no connected worker can run: they wait for workers that can");
}

namespace {

void AddLocal(CLI::App& app, RunCommand& command) {
  CLI::Option* local =
      app.add_flag("--local", command.local,
                   "On this machine alone: start a cluster with enough workers, run, stop it");
  for (const char* other : {"--detach", "--pause", "--nodes", "--unchecked"}) {
    local->excludes(other);
  }
  app.add_option("--keep", command.keep,
                 "Folder for the store of local runs and the logs of the last one; else "
                 "$XDG_STATE_HOME/twofold or ~/.local/state/twofold")
      ->needs(local);
  command.programs = process::OwnFolder();
  app.add_option("--programs", command.programs, "Folder of twofold-frontend and twofold-backend")
      ->default_str("that of twofold")
      ->needs(local);
  for (CLI::Option* option : DeclareAllowances(app, command.allow)) option->needs(local);
  app.add_option("--workload", command.workload,
                 "What local workers run instead of the suite: a program, which gets the spec as "
                 "its last argument; repeatable for arguments before it")
      ->needs(local);
}

Action BindRun(CLI::App& app, const Globals& globals) {
  auto command = std::make_shared<RunCommand>();
  AddForms(app, *command);
  app.add_option(
      "--runid", command->id,
      "Id of the new run, else the file's metadata.runid, else made up; a run that has it "
      "already is shown, and nothing is run. With --interleave ID-a and ID-b");
  app.add_flag("--dry-run", command->dry_run, "List the jobs; nothing is run");
  app.add_flag("--detach", command->detach, "Submit the jobs and return; --resume attaches");
  CLI::Option* interleave = app.add_option(
      "--interleave", command->interleave,
      "A second file to run in turn with the first, job by job, so that what drifts meanwhile is "
      "in both, and to compare with it at the end: `twofold run before.yaml --interleave "
      "after.yaml`");
  interleave->type_name("FILE");
  for (const char* other : {"--resume", "--retry-failed", "--pause", "--detach"}) {
    interleave->excludes(other);
  }
  app.add_option("--html", command->html, "Write a report there at the end, as twofold report does")
      ->type_name("FILE");
  AddPlaces(app, *command);
  AddLocal(app, *command);
  return [command, &globals] { return RunWhatIsAsked(*command, globals); };
}

}  // namespace

std::vector<Command> RunCommands() {
  return {{"run",
           "Run a benchmark file: submit its jobs, watch them, show their results",
           "twofold run --local examples/fio-quick.yaml",
           BindRun,
           Prints::kText,
           true,
           {kExitNotFound, kExitNoAnswer, kExitRefused, kExitCutShort}}};
}

}  // namespace twofold::cli
