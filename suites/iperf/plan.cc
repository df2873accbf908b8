#include <absl/strings/str_cat.h>

#include <string>
#include <vector>

#include "lib/suite/spec.h"
#include "suites/iperf/iperf.h"

namespace twofold::suite::iperf {
namespace {

using Spec = v1::suites::IperfSpec;
using Arguments = std::vector<std::string>;

Status CheckTogether(const Spec& spec) {
  if (spec.reverse() && spec.bidirectional()) {
    return Wrong("reverse", "not together with bidirectional: leave out one");
  }
  if (spec.tool() == "iperf3") return absl::OkStatus();
  if (spec.reverse()) return Wrong("reverse", "needs tool iperf3");
  if (spec.bidirectional()) return Wrong("bidirectional", "needs tool iperf3");
  if (spec.omit() > 0) return Wrong("omit", "needs tool iperf3");
  return absl::OkStatus();
}

std::uint32_t Port(const Spec& spec) {
  if (spec.port() != 0) return spec.port();
  return spec.tool() == "iperf3" ? 5201 : 5001;
}

void AddIf(Arguments& argv, bool condition, const char* option) {
  if (condition) argv.emplace_back(option);
}

void AddNumber(Arguments& argv, const char* option, std::uint32_t value, const char* unit = "") {
  if (value == 0) return;
  argv.insert(argv.end(), {option, absl::StrCat(value, unit)});
}

// What both tools and both sides call the same.
void AddCommon(Arguments& argv, const Spec& spec, const std::string& server) {
  argv.insert(argv.end(),
              {"--client", server, "--port", absl::StrCat(Port(spec)), "--time",
               absl::StrCat(spec.duration()), "--parallel", absl::StrCat(spec.streams())});
  AddIf(argv, spec.protocol() == "UDP", "--udp");
  AddNumber(argv, "--bandwidth", spec.bitrate(), "M");
  AddNumber(argv, spec.tool() == "iperf3" ? "--length" : "--len", spec.length());
}

Arguments Client(const Spec& spec, const std::string& server) {
  Arguments argv = {spec.tool() == "iperf3" ? "iperf3" : "iperf"};
  AddCommon(argv, spec, server);
  if (spec.tool() == "iperf2") {
    argv.insert(argv.end(), {"--format", "k"});
    return argv;
  }
  argv.emplace_back("--json");
  AddNumber(argv, "--omit", spec.omit());
  AddIf(argv, spec.reverse(), "--reverse");
  AddIf(argv, spec.bidirectional(), "--bidir");
  return argv;
}

Stage Server(const Spec& spec) {
  Stage stage{.name = "server", .phase = Phase::kServe};
  const std::string port = absl::StrCat(Port(spec));
  if (spec.tool() == "iperf3") {
    stage.argv = {"iperf3", "--server", "--port", port};
  } else {
    stage.argv = {"iperf", "--server", "--port", port};
    AddIf(stage.argv, spec.protocol() == "UDP", "--udp");
  }
  // iperf3 takes orders over TCP whatever it measures with; iperf 2 does not.
  if (spec.tool() == "iperf2" && spec.protocol() == "UDP") {
    stage.ready.line = "Server listening on UDP port " + port;
  } else {
    stage.ready.port = static_cast<std::uint16_t>(Port(spec));
  }
  return stage;
}

}  // namespace

Result<Spec> ReadSpec(std::string_view json) { return ReadByRules<Spec>(json, CheckTogether); }

GangPlan Plan(const Spec& spec, const Gang& gang) {
  GangPlan plan;
  plan.ranks.resize(gang.members.size());  // rank 0 is the client, rank 1 the server
  plan.ranks[0].stages = {{.name = "client", .argv = Client(spec, gang.members[1].address)}};
  plan.ranks[1].stages = {Server(spec)};
  return plan;
}

}  // namespace twofold::suite::iperf
