// What several frontends on PostgreSQL are to keep, measured with real programs;
// docs/performance.md has the results.

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "bench/frontends/findings.h"
#include "bench/frontends/idle_workers.h"
#include "bench/frontends/options.h"
#include "bench/frontends/scenarios.h"
#include "bench/frontends/trouble.h"
#include "bench/peers/child.h"
#include "lib/common/descriptors.h"
#include "lib/common/options.h"

namespace twofold::budgets {
namespace {

constexpr int kExitMissed = 1;
constexpr int kExitNotMeasured = 3;

bool IsChosen(const Options& options, const Scenario& scenario) {
  return options.only.empty() ||
         std::find(options.only.begin(), options.only.end(), scenario.name) != options.only.end();
}

void Measure(const Options& options, Place& place, const Scenario& scenario, Findings& findings) {
  std::fprintf(stderr, "%s ...\n", std::string(scenario.name).c_str());
  try {
    scenario.run(Bench(options, place, scenario.name, findings));
  } catch (const Trouble& trouble) {
    findings.troubles.push_back(std::string(scenario.name) + ": " + trouble.what());
  }
}

Findings MeasureAll(const Options& options) {
  Findings findings;
  try {
    Place place(options.folder, options.ttl);
    for (const Scenario& each : kAllScenarios) {
      if (IsChosen(options, each) && !bench::Interrupted()) Measure(options, place, each, findings);
    }
  } catch (const Trouble& trouble) {
    findings.troubles.push_back(std::string("all: ") + trouble.what());
  }
  return findings;
}

int ExitOf(const Findings& findings) {
  if (!findings.troubles.empty()) return kExitNotMeasured;
  const auto& numbers = findings.numbers;
  return std::all_of(numbers.begin(), numbers.end(), [](const auto& each) { return each.Kept(); })
             ? 0
             : kExitMissed;
}

int Main(int argc, const char* const* argv) {
  Options options;
  CLI::App app("", "frontends_benchmark");
  Declare(app, options);
  if (const auto exit = ParseCommandLine(app, argc, argv)) return *exit;
  options = Complete(options);
  spdlog::set_level(spdlog::level::off);  // loads and workers say when they reconnect
  if (options.links > 0) {
    RunIdleWorkers(options.links, options.first_key, options.contacts);
    return 0;
  }
  bench::CatchInterrupts();
  RaiseDescriptorLimit();
  const Findings findings = MeasureAll(options);
  const auto show = options.json ? ToJson : ToText;
  std::fputs(show(ThisMachine(), findings).c_str(), stdout);
  return ExitOf(findings);
}

}  // namespace
}  // namespace twofold::budgets

int main(int argc, char** argv) { return twofold::budgets::Main(argc, argv); }
