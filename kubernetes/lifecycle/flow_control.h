#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "kubernetes/api/connection.h"

namespace twofold::lifecycle {

/// "605 by priority level workload-low (flow schema service-accounts)": whose limits were met, most
/// often met first. The server is asked for the names; what it does not tell stays a uid.
std::string DescribeFlows(kube::Connection& connection,
                          const std::map<kube::Flow, std::uint64_t>& flows);

}  // namespace twofold::lifecycle
