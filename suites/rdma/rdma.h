#pragma once

#include <array>

#include "lib/suite/suite.h"
#include "suites/rdma/spec.pb.h"

/// Bandwidth and latency of RDMA, by perftest: two suites; see README.md.
namespace twofold::suite::rdma {

/// The specs, checked.
Result<v1::suites::RdmaBandwidthSpec> ReadBandwidthSpec(std::string_view json);
Result<v1::suites::RdmaLatencySpec> ReadLatencySpec(std::string_view json);

GangPlan PlanBandwidth(const v1::suites::RdmaBandwidthSpec& spec, const Gang& gang);
GangPlan PlanLatency(const v1::suites::RdmaLatencySpec& spec, const Gang& gang);

/// Suite::runs: a run begins with the title of its test.
std::vector<std::size_t> Runs(std::string_view output);

Result<Measurements> ParseBandwidth(const Outputs& outputs);
Result<Measurements> ParseLatency(const Outputs& outputs);

/// Lists the RDMA devices, and makes the labels "rdma.device" (the first one) and "rdma.devices"
/// (their number) of the list.
/// Errors   kNotFound: there is none. kAborted: they cannot be listed, in the tool's words.
inline constexpr std::array<const char*, 3> kProbe = {"ibv_devices", nullptr, nullptr};
Result<Labels> Offer(const StageOutput& probe);

}  // namespace twofold::suite::rdma
