#include "bench/frontends/options.h"

#include <absl/strings/str_cat.h>

#include "bench/frontends/scenarios.h"
#include "lib/common/options.h"

namespace twofold::budgets {
namespace {

std::string Description() {
  std::string text =
      "Measures what several frontends on PostgreSQL are to keep, with real programs: frontends, "
      "workers,\n"
      "a database server of its own. What is compared takes turns in one run.\n\nScenarios:\n";
  for (const Scenario& each : kAllScenarios) {
    std::string name(each.name);
    name.resize(10, ' ');
    absl::StrAppend(&text, "  ", name, std::string(each.what), "\n");
  }
  return text;
}

constexpr const char* kFooter = R"(Examples:
  frontends_benchmark
  frontends_benchmark --only redirect,outage --rounds 10
  frontends_benchmark --only durable --json
  frontends_benchmark --quick
Programs are those beside this one. Needs Debian's package postgresql.
Exit codes: 0 all budgets are kept; 1 one is missed; 2 wrong usage; 3 a scenario could not be measured.)";

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
  app.add_option("--only", options.only, "only these")
      ->delimiter(',')
      ->check(ScenarioName())
      ->default_str("all");
  AddOption(app, "--rounds", options.rounds, WholeNumber(1, 1000),
            "times that what is compared takes turns");
  AddOption(app, "--seconds", options.seconds, Seconds(0.1, 600), "how long a rate is measured");
  AddOption(app, "--idle", options.idle_seconds, Seconds(0.1, 3600),
            "how long idle frontends are watched");
  AddOption(app, "--outage", options.outage_seconds, Seconds(0.1, 3600),
            "how long the database is away");
  AddOption(app, "--jobs", options.jobs, WholeNumber(1, 10'000'000),
            "unfinished durable jobs of a takeover");
  AddOption(app, "--workers", options.workers, WholeNumber(1, 20'000),
            "workers that come back, each with a connection");
  AddOption(app, "--ttl", options.ttl, Seconds(1, 3600),
            "silence after which others take the queues of a frontend over");
  app.add_option("--dir", options.folder, "where the stores are: on a disk that counts")
      ->check(CLI::ExistingDirectory)
      ->envname("TWOFOLD_BENCH_DIR")
      ->capture_default_str();
  app.add_flag("--quick", options.quick,
               "a moment each, to see that all works: numbers mean nothing, no budget is checked");
  app.add_option("--links", options.links)->group("");  // not for people, as the next two
  app.add_option("--first-key", options.first_key)->group("");
  app.add_option("--contacts", options.contacts)->group("");
  app.add_flag("--json", options.json, "JSON instead of a table");
}

Options Complete(Options options) {
  if (!options.quick) return options;
  options.rounds = 1;
  options.seconds = options.idle_seconds = options.outage_seconds = 0.5;
  options.jobs = 1'000;
  options.workers = 20;
  options.ttl = 1;
  return options;
}

}  // namespace twofold::budgets
