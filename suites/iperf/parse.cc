#include <algorithm>
#include <utility>

#include "lib/suite/document.h"
#include "lib/suite/json.h"
#include "lib/suite/text.h"
#include "suites/iperf/iperf.h"

namespace twofold::suite::iperf {
namespace {

bool IsJson(std::string_view text) {
  return AnyLine(text, [](std::string_view line) { return line.starts_with('{'); });
}

// Of iperf3, whose own first line is missing.
bool IsEndOfIperf3Text(std::string_view text) {
  return AnyLine(text, [](std::string_view line) {
    const auto row = ToRow(line);
    const std::string_view last = row && !row->rest.empty() ? row->rest.back() : "";
    return line == kDone || last == "sender" || last == "receiver";
  });
}

Result<Measurements> RefuseEndOfIperf3Text(const StageOutput& client,
                                           const v1::suites::IperfSpec* /*spec*/) {
  return Unreadable(StageName(client, "client"),
                    "its first lines are missing, which say in which direction it went");
}

// Which form an output has tells the output itself.
struct Form {
  bool (*is)(std::string_view text);
  Parser* read;
};
constexpr Form kForms[] = {{IsJson, ParseIperf3},
                           {IsIperf3Text, ParseIperf3Text},
                           {IsServersIperf3Text, RefuseServersIperf3Text},
                           {IsEndOfIperf3Text, RefuseEndOfIperf3Text},
                           {IsEndOfJson, ParseIperf3},
                           {IsIperf2Csv, ParseIperf2}};

// With an unknown host iperf 2 says nothing that only it would say.
Parser* ParserOf(const StageOutput& client) {
  for (const Form& form : kForms) {
    if (form.is(client.out) || form.is(client.err)) return form.read;
  }
  const bool is_iperf3 = !client.argv.empty() && client.argv[0].ends_with("iperf3");
  return is_iperf3 ? ParseIperf3 : ParseIperf2;
}

// Text of iperf3 and iperf 2, and CSV, which says no beginning.
std::vector<SignAt> SignsOfText(std::string_view output) {
  bool is_csv = false;
  return SignsOfLines(output, [&](std::string_view line) {
    if (IsIperf2Csv(line)) return std::exchange(is_csv, true) ? Sign::kResult : Sign::kBegins;
    if (line.starts_with("Connecting to host ") || line.starts_with("Client connecting to ")) {
      is_csv = false;
      return Sign::kBegins;
    }
    if (ToRow(line)) return std::exchange(is_csv, false) ? Sign::kBegins : Sign::kResult;
    if (line == kDone) return Sign::kEnds;
    // Streams of iperf 2 may connect before it says to whom.
    const bool is_before = line.starts_with("iperf 3.") || line.starts_with("-----") ||
                           line.find(" connected with ") != line.npos;
    return is_before ? Sign::kBefore : Sign::kNone;
  });
}

// "start" of an object that begins as an event of --json-stream does; empty: it is no event.
std::string_view EventIn(std::string_view object) {
  for (const std::string_view word : {"{", "\"event\"", ":", "\""}) {
    object.remove_prefix(std::min(object.find_first_not_of(" \t\n"), object.size()));
    if (!object.starts_with(word)) return {};
    object.remove_prefix(word.size());
  }
  return object.substr(0, object.find('"'));
}

// With --json-stream a run has many objects, and with --json-stream-full-output one more after its
// end.
std::vector<SignAt> SignsOfJson(std::string_view output) {
  std::vector<SignAt> signs;
  bool ended = false;
  for (const std::size_t at : DocumentStarts(output)) {
    const std::string_view event = EventIn(output.substr(at));
    const bool is_again = std::exchange(ended, event == "end") && event.empty();
    if (is_again) continue;
    const bool is_whole = event.empty();
    if (is_whole || event == "start") signs.push_back({at, Sign::kBegins});
    if (is_whole || event == "interval" || ended) signs.push_back({at, Sign::kResult});
    if (is_whole || ended) signs.push_back({at, Sign::kEnds});
  }
  return signs;
}

}  // namespace

std::vector<std::size_t> Runs(std::string_view output) {
  std::vector<SignAt> signs = SignsOfText(output);
  const auto of_json = SignsOfJson(output);
  signs.insert(signs.end(), of_json.begin(), of_json.end());
  return RunsBy(std::move(signs));
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
