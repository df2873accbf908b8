#include <algorithm>

#include "backend/suites/iperf/iperf.h"
#include "lib/suite/text.h"

namespace twofold::suite::iperf {
namespace {

// Which of the tools has printed this. Both say what they do before they fail, but for iperf 2 with
// an unknown host, so iperf3 is told by its JSON.
bool IsIperf2(const StageOutput& client) {
  if (!client.argv.empty()) return client.argv[0].ends_with("iperf");
  const auto lines = Lines(client.out);
  return std::none_of(lines.begin(), lines.end(),
                      [](std::string_view line) { return line.starts_with('{'); });
}

}  // namespace

Result<Measurements> Parse(const Outputs& outputs) {
  const auto client =
      std::find_if(outputs.stages.begin(), outputs.stages.end(),
                   [](const StageOutput& stage) { return stage.stage != "server"; });
  if (client == outputs.stages.end()) return Unreadable("client", "no output");
  if (!IsIperf2(*client)) return ParseIperf3(*client);
  if (outputs.spec.empty()) return ParseIperf2(*client, {});
  const auto spec = ReadSpec(outputs.spec);
  if (!spec.ok()) return spec.status();
  return ParseIperf2(*client, {spec->streams(), spec->duration()});
}

}  // namespace twofold::suite::iperf
