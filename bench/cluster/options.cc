#include "bench/cluster/options.h"

#include <absl/strings/str_cat.h>

#include <algorithm>

#include "lib/common/options.h"

namespace twofold::scale {
namespace {

std::string Description() {
  std::string text =
      "Runs the ownership of many frontends, the queues and the ways of workers in virtual time, "
      "and\n"
      "prints what came of it. The same options print the same bytes.\n\nScenarios:\n";
  for (const Scenario& each : kAllScenarios) {
    std::string name(each.name);
    name.resize(12, ' ');
    absl::StrAppend(&text, "  ", name, std::string(each.what), "\n");
  }
  return text;
}

constexpr const char* kFooter = R"(Examples:
  cluster_simulation
  cluster_simulation --scenario lose-one,lose-three --tls
  cluster_simulation --scenario lose-one --queues-each 1 --json
  cluster_simulation --frontends 4 --workers 1000 --seed 7
Exit codes: 0 all is as wanted; 1 a bound or an invariant does not hold; 2 wrong usage.)";

CLI::Validator ScenarioName() {
  return {[](const std::string& name) {
            return FindScenario(name) != nullptr
                       ? ""
                       : absl::StrCat("no scenario '", name, "'; --help has a list");
          },
          "NAME"};
}

}  // namespace

void Declare(CLI::App& app, Options& options) {
  app.description(Description());
  app.footer(kFooter);
  AddOption(app, "--seed", options.world.seed, WholeNumber(0), "of all that is random");
  AddOption(app, "--frontends", options.world.frontends, WholeNumber(1, 200), "frontends");
  AddOption(app, "--queues-each", options.queues_each, WholeNumber(1, 200),
            "queues for each frontend; 256 in all at most");
  AddOption(app, "--workers", options.world.workers, WholeNumber(1, 4'000'000),
            "workers, each a process with one slot");
  AddOption(app, "--run-time", options.run_seconds, Seconds(1, 86400), "mean of a job");
  AddOption(app, "--grace", options.grace_seconds, Seconds(0.1, 86400),
            "grace period, as the frontend's option");
  AddOption(app, "--backoff", options.backoff_seconds, Seconds(0.001, 86400),
            "longest first pause of a worker that looks for its queue; later ones are up to 5 s");
  app.add_flag("--tls", options.world.tls, "connections cost what they do with TLS");
  app.add_option("--scenario", options.scenarios, "only these")
      ->delimiter(',')
      ->check(ScenarioName())
      ->default_str("all");
  app.add_flag("--json", options.json, "JSON instead of a table");
}

bool IsChosen(const Options& options, const Scenario& scenario) {
  const std::vector<std::string>& chosen = options.scenarios;
  if (chosen.empty()) return options.world.frontends >= scenario.fewest_frontends;
  return std::find(chosen.begin(), chosen.end(), scenario.name) != chosen.end();
}

std::string Complete(Options& options) {
  options.world.queues = options.queues_each * options.world.frontends;
  options.world.run_time = FromSeconds(options.run_seconds);
  options.world.grace = FromSeconds(options.grace_seconds);
  rpc::RoutePauses& pauses = options.world.pauses;
  pauses.first = FromSeconds(options.backoff_seconds);
  pauses.most = std::max(pauses.most, pauses.first);
  const std::size_t queues = options.world.queues;
  if (queues > cluster::kMostPartitions) {
    return absl::StrCat("--queues-each: ", queues, " queues in all, at most ",
                        cluster::kMostPartitions, " are possible");
  }
  if (queues > options.world.workers) return "--workers: fewer than queues";
  for (const std::string& name : options.scenarios) {
    const std::size_t fewest = FindScenario(name)->fewest_frontends;
    if (options.world.frontends < fewest) {
      return absl::StrCat("--frontends: ", name, " needs at least ", fewest);
    }
  }
  return {};
}

}  // namespace twofold::scale
