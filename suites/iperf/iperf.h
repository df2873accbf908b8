#pragma once

#include <string_view>

#include "lib/suite/suite.h"
#include "suites/iperf/spec.pb.h"

/// Network throughput with iperf3 or iperf 2; see README.md. The three functions of a Suite.
namespace twofold::suite::iperf {

Result<std::uint32_t> Check(std::string_view spec);
Result<GangPlan> Plan(std::string_view spec, const Gang& gang);
Result<Measurements> Parse(const Outputs& outputs);

/// The spec, checked.
Result<v1::suites::IperfSpec> ReadSpec(std::string_view json);

/// What the spec asks for, to compare; 0: not known.
struct Expected {
  std::uint32_t streams = 0;
  std::uint32_t seconds = 0;
};

/// Whether the text is that of iperf3 without --json, or of iperf 2 with --reportstyle C.
bool IsIperf3Text(std::string_view text);
bool IsIperf2Csv(std::string_view text);

/// Of the client of either tool. Iperf 2 prints text or CSV. Iperf3 says itself whether it came to
/// its end, so what was expected is not looked at.
Result<Measurements> ParseIperf3(const StageOutput& client, const Expected& expected);
Result<Measurements> ParseIperf3Text(const StageOutput& client, const Expected& expected);
Result<Measurements> ParseIperf2(const StageOutput& client, const Expected& expected);

}  // namespace twofold::suite::iperf
