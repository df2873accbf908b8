#pragma once

#include <string>
#include <vector>

#include "twofold/v1/load.pb.h"

namespace twofold::cli {

/// Where the numbers of this process come from: program, command line, machine, and the moment by
/// the wall clock. What the system does not say is left empty.
v1::Origin OriginHere(const std::string& frontend);

/// The arguments in the text of /proc/PID/cmdline, at most 1000.
std::vector<std::string> ArgumentsIn(const std::string& cmdline);

/// "model name" in the text of /proc/cpuinfo; empty: it has none.
std::string CpuIn(const std::string& cpuinfo);

}  // namespace twofold::cli
