#include <absl/strings/str_cat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "cli/command/command.h"
#include "cli/local/launch.h"
#include "cli/local/remote.h"
#include "cli/local/show.h"
#include "lib/common/instant.h"
#include "lib/common/options.h"
#include "lib/process/environment.h"
#include "lib/process/spawn.h"
#include "lib/show/table.h"
#include "suites/table/workload.h"

namespace twofold::cli {
namespace {

using local::Remote;
using local::StateFolder;

Status ShowAll(const Globals& globals) {
  const Result<Remote> remote = Remote::Find(Folder(globals));
  return remote.ok() ? Show(remote->Deployments(), globals) : remote.status();
}

// ---- up

struct UpOptions {
  local::ClusterOptions cluster;
  bool runs_workload = false;  ///< --workload
  std::string shell;           ///< --shell
  bool foreground = false;
  double timeout_seconds = 60;
};

// Stays until the supervisor ends; Ctrl-C and SIGTERM end it.
Status Attend(pid_t supervisor, const sigset_t& signals) {
  std::optional<process::Exit> exit;
  for (int number = 0; !(exit = process::Poll(supervisor));) {
    sigwait(&signals, &number);
    if (number != SIGCHLD) kill(supervisor, SIGTERM);
  }
  return exit->ok() ? absl::OkStatus() : absl::InternalError("the supervisor ended with an error");
}

Status Up(const UpOptions& options, const Globals& globals) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGCHLD, SIGTERM, SIGINT}) sigaddset(&signals, number);
  if (options.foreground) pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  const Result<pid_t> supervisor =
      local::Launch(Folder(globals), options.cluster,
                    options.foreground ? local::Life::kForeground : local::Life::kOwn,
                    FromSeconds(options.timeout_seconds));
  if (!supervisor.ok()) return supervisor.status();
  const Status status = ShowAll(globals);
  std::cout.flush();
  return status.ok() && options.foreground ? Attend(*supervisor, signals) : status;
}

// The queue of `local up -- /path/of/program`, or of a line for the shell.
std::string QueueFor(const UpOptions& options) {
  const std::string name = std::filesystem::path(options.cluster.workload[0]).filename();
  return options.shell.empty() && CheckQueueName(name).empty() ? name : "work";
}

// What each worker runs, and for which queue if none was named.
Status FindWorkload(UpOptions& options, bool names_queues) {
  auto workload =
      suite::FindWorkload(suite::WithShell(options.shell, std::move(options.cluster.workload)));
  if (!workload.ok()) return workload.status();
  options.cluster.workload = *std::move(workload);
  if (options.runs_workload && options.cluster.workload.empty()) {
    return absl::InvalidArgumentError(
        "--workload: say what each worker runs, after --: --workload -- ./my-program ARGS");
  }
  if (!names_queues && !options.cluster.workload.empty()) {
    options.cluster.queues = QueueFor(options);
  }
  return absl::OkStatus();
}

void DeclareFrontends(CLI::App& app, local::ClusterOptions& cluster) {
  auto* const frontends =
      AddOption(app, "--frontends", cluster.frontends, WholeNumber(1, 9),
                "How many frontends share the queues, by a PostgreSQL database: frontend-1, which "
                "has the usual ports, frontend-2, ...");
  app.add_flag(
      "--postgres", cluster.postgres,
      "Bring a PostgreSQL server for the frontends, whose data end with the cluster; needs "
      "Debian's package postgresql");
  app.add_option("--store", cluster.store, "Store of the frontends")
      ->type_name("sqlite:PATH|postgresql://...");
  app.add_option("--store-file", cluster.store_file,
                 "File with the address of the store, which may have a password in it")
      ->type_name("PATH");
  app.add_option("--ttl", cluster.ttl_seconds,
                 "Silence of a frontend after which another one takes over its queues; else theirs")
      ->transform(Seconds(1, 600))
      ->needs(frontends);
  app.add_option("--shards", cluster.shards,
                 "This queue has so many shards, which the frontends share; repeatable")
      ->type_name("QUEUE=N")
      ->needs(frontends);
}

Action BindUp(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<UpOptions>();
  local::ClusterOptions& cluster = options->cluster;
  cluster.programs = process::OwnFolder();
  const CLI::Option* queues =
      app.add_option(
             "--queues", cluster.queues,
             "Queues and how long their workers sleep for each job, NAME=TIME,... (0.2, "
             "uniform:0.1-0.3, exponential:0.2, lognormal:0.2,0.5, bimodal:0.1,1,10%); workers "
             "of a NAME without a time run the WORKLOAD. Left out: a queue with the "
             "name of the WORKLOAD")
          ->capture_default_str();
  app.add_flag("--workload", options->runs_workload,
               "What stands after -- is the workload of each worker; may be left out");
  AddWords(app, "WORKLOAD", cluster.workload,
           "After --: a suite and a spec, or a program and its arguments");
  app.add_option("--shell", options->shell, suite::kShellHelp)->type_name("LINE");
  AddOption(app, "--replicas", cluster.replicas, WholeNumber(0, 10'000),
            "Workers of each queue to start with");
  app.add_flag("--free-ports", cluster.free_ports,
               "Any free ports, instead of 9997 (clients), 9999 (workers), 9998 (HTTP) of the "
               "frontend and 9996, 9995, ... of the load clients");
  AddOption(app, "--grace", cluster.grace_seconds, Seconds(0, 3600),
            "Seconds from asking a worker to end to its kill");
  DeclareFrontends(app, cluster);
  DeclareAllowances(app, cluster.allow);
  app.add_option("--programs", cluster.programs, "Folder of twofold-frontend and the others")
      ->default_str("that of twofold");
  app.add_flag("--foreground", options->foreground, "Stay until Ctrl-C, log to this terminal");
  AddOption(app, "--timeout", options->timeout_seconds, Seconds(0, 3600),
            "Longest wait for all to be ready");
  return [options, queues, &globals]() -> Status {
    const Status status = FindWorkload(*options, !queues->empty());
    return status.ok() ? Up(*options, globals) : status;
  };
}

// ---- status, down

// A command without options.
template <Status (*kRun)(const Globals&)>
Action BindPlain(CLI::App& /*app*/, const Globals& globals) {
  return [&globals] { return kRun(globals); };
}

Status Down(const Globals& globals) {
  const StateFolder folder = Folder(globals);
  const Result<bool> ended = local::TakeDown(folder);
  if (!ended.ok()) return ended.status();
  if (globals.json()) {
    std::cout << show::Line({{"dir", folder.dir()}, {"was_running", *ended}});
  } else {
    std::cout << (*ended ? "ended the local cluster in " : "no local cluster runs in ")
              << folder.dir() << "\n";
  }
  return absl::OkStatus();
}

const std::vector<int> kExitsOfLooking = {kExitNotFound, kExitNoAnswer};
const std::vector<int> kExitsOfEnding = {kExitNoAnswer};

}  // namespace

std::vector<Command> LocalCommands() {
  return {
      {"local up", "Start frontend, workers and load clients; returns when all are ready",
       "twofold local up --queues sleep=0.2,work -- ./my-program --fast\n"
       "twofold local up --queues sleep=0.2 --frontends 3 --postgres",
       BindUp, Prints::kText, false},
      {"local scale", "Set the number of workers of a queue",
       "twofold local scale backend-sleep 16 --wait", BindScale, Prints::kText, false},
      {"local kill", "Kill a frontend, or another deployment; it stays away until start",
       "twofold local kill frontend-2 --signal KILL", BindKill, Prints::kText, false},
      {"local start", "Start again what was killed; returns when it is ready",
       "twofold local start frontend-2", BindStart, Prints::kText, false},
      {"local status", "What runs where, and how often it was restarted", "twofold local status",
       BindPlain<ShowAll>, Prints::kText, false, kExitsOfLooking},
      {"local logs", "The end of the logs, and what is added to them",
       "twofold local logs backend-sleep -f", BindLocalLogs, Prints::kText, false, kExitsOfLooking},
      {"local down", "End all, also what a crashed supervisor has left", "twofold local down",
       BindPlain<Down>, Prints::kText, false, kExitsOfEnding},
  };
}

}  // namespace twofold::cli
