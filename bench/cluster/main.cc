// Many frontends and very many workers in virtual time; docs/scale.md says what to make of it.

#include <cstdio>
#include <string>

#include "bench/cluster/findings.h"
#include "bench/cluster/options.h"
#include "lib/common/options.h"

namespace twofold::scale {
namespace {

constexpr int kExitNotAsWanted = 1;

int Main(int argc, const char* const* argv) {
  Options options;
  CLI::App app("", "cluster_simulation");
  Declare(app, options);
  if (const auto exit = ParseCommandLine(app, argc, argv)) return *exit;
  if (const std::string wrong = Complete(options); !wrong.empty()) return UsageError(app, wrong);
  Findings findings;
  for (const Scenario& each : kAllScenarios) {
    if (IsChosen(options, each)) each.run(each, options.world, findings);
  }
  std::fputs((options.json ? ToJson : ToText)(options.world, findings).c_str(), stdout);
  return findings.AllWanted() ? 0 : kExitNotAsWanted;
}

}  // namespace
}  // namespace twofold::scale

int main(int argc, char** argv) { return twofold::scale::Main(argc, argv); }
