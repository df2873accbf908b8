#include <csignal>
#include <map>
#include <memory>
#include <string>

#include "cli/local/remote.h"
#include "cli/local/show.h"
#include "lib/common/instant.h"
#include "lib/common/options.h"

namespace twofold::cli {
namespace {

struct ScaleOptions {
  std::string name;
  int replicas = 0;
  bool wait = false;
  double timeout_seconds = 60;
};

struct KillOptions {
  std::string name;
  std::string signal = "KILL";
};

struct StartOptions {
  std::string name;
  double timeout_seconds = 60;
};

// Those that end a program, or hold it up.
const std::map<std::string, int>& Signals() {
  static const std::map<std::string, int> signals = {
      {"KILL", SIGKILL}, {"TERM", SIGTERM}, {"INT", SIGINT}, {"QUIT", SIGQUIT}, {"STOP", SIGSTOP}};
  return signals;
}

}  // namespace

Action BindScale(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<ScaleOptions>();
  app.add_option("NAME", options->name, "A backend deployment; scalability-tester- may be left out")
      ->required();
  app.add_option("N", options->replicas, "Replicas")->required()->check(WholeNumber(0, 10'000));
  app.add_flag("--wait", options->wait, "Return when exactly N are ready");
  AddOption(app, "--timeout", options->timeout_seconds, Seconds(0, 86400), "Longest --wait");
  return [options, &globals]() -> Status {
    const Result<local::Remote> remote = local::Remote::Find(Folder(globals));
    if (!remote.ok()) return remote.status();
    Result<Json> deployment = remote->Scale(options->name, options->replicas);
    if (deployment.ok() && options->wait) {
      deployment = remote->Settled(options->name, FromSeconds(options->timeout_seconds));
    }
    return Show(deployment, globals);
  };
}

Action BindKill(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<KillOptions>();
  app.add_option("NAME", options->name, "A deployment; scalability-tester- may be left out")
      ->required();
  app.add_option("--signal", options->signal,
                 "Sent to its processes. Those that end stay away until `twofold local start`, "
                 "which also lets go on what STOP holds up")
      ->check(CLI::IsMember(Signals()))
      ->capture_default_str();
  return [options, &globals]() -> Status {
    const Result<local::Remote> remote = local::Remote::Find(Folder(globals));
    if (!remote.ok()) return remote.status();
    const int signal = Signals().at(options->signal);
    Result<Json> deployment = remote->Kill(options->name, signal);
    // Other signals may be ignored, or answered later.
    if (deployment.ok() && signal == SIGKILL) deployment = remote->Ended(options->name);
    return Show(deployment, globals);
  };
}

Action BindStart(CLI::App& app, const Globals& globals) {
  auto options = std::make_shared<StartOptions>();
  app.add_option("NAME", options->name, "A deployment; scalability-tester- may be left out")
      ->required();
  AddOption(app, "--timeout", options->timeout_seconds, Seconds(0, 86400),
            "Longest wait until it is ready");
  return [options, &globals]() -> Status {
    const Result<local::Remote> remote = local::Remote::Find(Folder(globals));
    if (!remote.ok()) return remote.status();
    const Result<Json> started = remote->Start(options->name);
    if (!started.ok()) return started.status();
    return Show(remote->Settled(options->name, FromSeconds(options->timeout_seconds)), globals);
  };
}

}  // namespace twofold::cli
