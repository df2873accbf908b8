#include <algorithm>

#include "lib/suite/document.h"
#include "lib/suite/json.h"
#include "lib/suite/text.h"
#include "suites/iperf/iperf.h"

namespace twofold::suite::iperf {
namespace {

bool IsJson(std::string_view text) {
  return AnyLine(text, [](std::string_view line) { return line.starts_with('{'); });
}

// Which form an output has tells the output itself.
struct Form {
  bool (*is)(std::string_view text);
  Parser* read;
};
constexpr Form kForms[] = {{IsJson, ParseIperf3},
                           {IsIperf3Text, ParseIperf3Text},
                           {IsServersIperf3Text, RefuseServersIperf3Text},
                           {IsIperf2Csv, ParseIperf2}};

// With an unknown host iperf 2 says nothing that only it would say.
Parser* ParserOf(const StageOutput& client) {
  for (const Form& form : kForms) {
    if (form.is(client.out) || form.is(client.err)) return form.read;
  }
  const bool is_iperf3 = !client.argv.empty() && client.argv[0].ends_with("iperf3");
  return is_iperf3 ? ParseIperf3 : ParseIperf2;
}

}  // namespace

std::vector<std::size_t> Runs(std::string_view output) {
  if (!IsJson(output)) {
    return LinesWhere(output, [](std::string_view line) {
      return line.starts_with("Connecting to host ") || line.starts_with("Client connecting to ");
    });
  }
  // With --json-stream a run has many objects, and with --json-stream-full-output one more after
  // its end.
  bool ended = false;
  auto starts = DocumentStarts(output);
  std::erase_if(starts, [&](std::size_t at) {
    const auto event = After(output.substr(at), R"({"event":)");
    const bool goes_on = event ? !event->starts_with(R"("start")") : ended;
    ended = event && event->starts_with(R"("end")");
    return goes_on;
  });
  return starts;
}

Result<Measurements> Parse(const Outputs& outputs) {
  const auto is_client = [](const StageOutput& stage) { return stage.stage != "server"; };
  const auto& stages = outputs.stages;
  const auto client = std::find_if(stages.begin(), stages.end(), is_client);
  if (client == stages.end()) return Unreadable("client", "no output");
  if (std::count_if(stages.begin(), stages.end(), is_client) > 1) {
    return Unreadable("client", "outputs of several clients: one of them is a run");
  }
  if (outputs.spec.empty()) return ParserOf(*client)(*client, nullptr);
  const auto spec = ReadSpec(outputs.spec);
  if (!spec.ok()) return spec.status();
  return ParserOf(*client)(*client, &*spec);
}

}  // namespace twofold::suite::iperf
