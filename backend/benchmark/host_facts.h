#pragma once

#include <string_view>

#include "twofold/v1/results.pb.h"

namespace twofold::backend {

/// Fills in what this machine is: kernel, cpu, cpus.
void DescribeHost(v1::RankRecord& record);

/// The model of the first processor in the text of /proc/cpuinfo; empty: it does not say.
std::string_view CpuModel(std::string_view cpuinfo);

}  // namespace twofold::backend
