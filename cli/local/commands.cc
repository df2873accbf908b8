#include <absl/strings/str_cat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>

#include "cli/command/command.h"
#include "cli/local/cluster.h"
#include "cli/local/launch.h"
#include "cli/local/logs.h"
#include "cli/local/remote.h"
#include "lib/common/instant.h"
#include "lib/common/options.h"
#include "lib/process/environment.h"
#include "lib/process/spawn.h"
#include "lib/show/table.h"

namespace twofold::cli {
namespace {

using Json = nlohmann::ordered_json;
using local::Remote;
using local::StateFolder;

StateFolder Folder(const Globals& globals) { return StateFolder(StateFolder::Locate(globals.dir)); }

const show::Columns kColumns = {{"NAME", "name"},
                                {"READY", "ready"},
                                {"RESTARTS", "restarts"},
                                {"LAST EXIT", "last_exit"},
                                {"ADDRESSES", "addresses"}};

Json ForPeople(Json deployment) {
  Json addresses = Json::array();
  for (const auto& [name, address] : deployment.at("addresses").items()) {
    addresses.push_back((name == "http" ? "http://" : name + " ") + address.get<std::string>());
  }
  deployment["addresses"] = addresses;
  deployment["ready"] =
      absl::StrCat(deployment.at("ready").get<int>(), "/", deployment.at("replicas").get<int>());
  return deployment;
}

// One deployment, or a list of them.
Status Show(const Result<Json>& shown, const Globals& globals) {
  if (!shown.ok()) return shown.status();
  if (globals.json()) {
    std::cout << show::Line(*shown);
    return absl::OkStatus();
  }
  Json rows = Json::array();
  for (const Json& each : shown->is_array() ? *shown : Json::array({*shown})) {
    rows.push_back(ForPeople(each));
  }
  std::cout << show::Print(show::Form::kText, kColumns, rows);
  return absl::OkStatus();
}

Status ShowAll(const Globals& globals) {
  const Result<Remote> remote = Remote::Find(Folder(globals));
  return remote.ok() ? Show(remote->Deployments(), globals) : remote.status();
}

// ---- up

struct UpOptions {
  local::ClusterOptions cluster;
  bool runs_workload = false;  ///< --workload
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

// The queue of `local up -- /path/of/program`.
std::string QueueFor(const std::string& workload) {
  const std::string name = std::filesystem::path(workload).filename();
  return CheckQueueName(name).empty() ? name : "work";
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
  app.add_option("WORKLOAD", cluster.workload,
                 "After --: a suite and a spec, or a program and its arguments");
  AddOption(app, "--replicas", cluster.replicas, WholeNumber(0, 10'000),
            "Workers of each queue to start with");
  app.add_flag("--free-ports", cluster.free_ports,
               "Any free ports, instead of 9997 (clients), 9999 (workers), 9998 (HTTP) of the "
               "frontend and 9996, 9995, ... of the load clients");
  AddOption(app, "--grace", cluster.grace_seconds, Seconds(0, 3600),
            "Seconds from asking a worker to end to its kill");
  app.add_option("--programs", cluster.programs, "Folder of twofold-frontend and the others")
      ->default_str("that of twofold");
  app.add_flag("--foreground", options->foreground, "Stay until Ctrl-C, log to this terminal");
  AddOption(app, "--timeout", options->timeout_seconds, Seconds(0, 3600),
            "Longest wait for all to be ready");
  return [options, queues, &globals]() -> Status {
    const std::vector<std::string>& workload = options->cluster.workload;
    if (options->runs_workload && workload.empty()) {
      return absl::InvalidArgumentError(
          "--workload: say what each worker runs, after --: --workload -- ./my-program ARGS");
    }
    if (queues->empty() && !workload.empty()) options->cluster.queues = QueueFor(workload[0]);
    return Up(*options, globals);
  };
}

// ---- scale

struct ScaleOptions {
  std::string name;
  int replicas = 0;
  bool wait = false;
  double timeout_seconds = 60;
};

Result<Json> WaitSettled(const Remote& remote, const ScaleOptions& options) {
  const Instant deadline = Now() + FromSeconds(options.timeout_seconds);
  for (;; std::this_thread::sleep_for(std::chrono::milliseconds(50))) {
    Result<Json> deployment = remote.Deployment(options.name);
    if (!deployment.ok() || local::IsSettled(*deployment)) return deployment;
    if (Now() < deadline) continue;
    return absl::DeadlineExceededError(absl::StrCat(
        options.name, " has ", deployment->at("ready").dump(), " of ", options.replicas, " ready (",
        deployment->at("terminating").dump(), " are ending) after ", options.timeout_seconds,
        " seconds; see `twofold local logs ", options.name, "`"));
  }
}

Action BindScale(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<ScaleOptions>();
  app.add_option("NAME", options->name, "A backend deployment; scalability-tester- may be left out")
      ->required();
  app.add_option("N", options->replicas, "Replicas")->required()->check(WholeNumber(0, 10'000));
  app.add_flag("--wait", options->wait, "Return when exactly N are ready");
  AddOption(app, "--timeout", options->timeout_seconds, Seconds(0, 86400), "Longest --wait");
  return [options, &globals]() -> Status {
    const Result<Remote> remote = Remote::Find(Folder(globals));
    if (!remote.ok()) return remote.status();
    Result<Json> deployment = remote->Scale(options->name, options->replicas);
    if (deployment.ok() && options->wait) deployment = WaitSettled(*remote, *options);
    return Show(deployment, globals);
  };
}

// ---- status, logs, down

// A command without options.
template <Status (*kRun)(const Globals&)>
Action BindPlain(CLI::App& /*app*/, const Globals& globals) {
  return [&globals] { return kRun(globals); };
}

Action BindLogs(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<local::LogOptions>();
  app.add_option("NAME", options->name,
                 "A deployment, one of its processes, or 'supervisor'; scalability-tester- may be "
                 "left out")
      ->required();
  AddOption(app, "-n,--lines", options->lines, WholeNumber(0, 1'000'000),
            "Lines of each log, from its end");
  app.add_flag("-f,--follow", options->follow,
               "Go on with what is logged from now, until Ctrl-C or the end of the cluster");
  return [options, &globals] {
    options->json = globals.json();
    return local::ShowLogs(Folder(globals), *options);
  };
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

}  // namespace

std::vector<Command> LocalCommands() {
  return {
      {"local up", "Start frontend, workers and load clients; returns when all are ready",
       "twofold local up --queues sleep=0.2,work -- ./my-program --fast", BindUp, Prints::kText,
       false},
      {"local scale", "Set the number of workers of a queue",
       "twofold local scale backend-sleep 16 --wait", BindScale, Prints::kText, false},
      {"local status", "What runs where, and how often it was restarted", "twofold local status",
       BindPlain<ShowAll>, Prints::kText, false},
      {"local logs", "The end of the logs, and what is added to them",
       "twofold local logs backend-sleep -f", BindLogs, Prints::kText, false},
      {"local down", "End all, also what a crashed supervisor has left", "twofold local down",
       BindPlain<Down>, Prints::kText, false},
  };
}

}  // namespace twofold::cli
