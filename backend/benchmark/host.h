#pragma once

#include <cstdint>
#include <string_view>

#include "lib/process/machine_use.h"
#include "twofold/v1/results.pb.h"

namespace twofold::backend {

/// Fills in what this machine is: kernel, cpu, cpus.
void DescribeHost(v1::RankRecord& record);

/// Adds what the machine did beside the job to its numbers: of each condition that is known a
/// measurement in % (lib/words/machine.h).
void AddShares(const process::MachineShares& shares, v1::BenchmarkResult& result);

/// The model of the first processor in the text of /proc/cpuinfo; empty: it does not say.
std::string_view CpuModel(std::string_view cpuinfo);

/// Whether a socket of `table` (the text of /proc/net/tcp or tcp6) listens on `port`.
bool ListensIn(std::string_view table, std::uint16_t port);

/// Whether something listens on this TCP port in the network namespace of this process. It is
/// looked at, not connected to: a server that serves once would take that for its client.
///
/// Cost     Reads the kernel's tables of TCP sockets.
bool Listens(std::uint16_t port);

}  // namespace twofold::backend
