#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "kubernetes/api/connection.h"
#include "lib/common/result.h"

/// What is asked of an API server about itself.
namespace twofold::lifecycle {

/// Its version: "v1.36.1". Whoever is let in may ask.
/// Errors   Those of the connection; kDataLoss: it answers something else.
Result<std::string> ServerVersion(kube::Connection& connection);

/// Whether the server takes us for one of system:masters, whom its limits on the rate of requests
/// leave out. False also if it does not say.
bool IsExempt(kube::Connection& connection);

/// "605 by priority level workload-low (flow schema service-accounts)": whose limits were met, most
/// often met first. The server is asked for the names; what it does not tell stays a uid.
std::string DescribeFlows(kube::Connection& connection,
                          const std::map<kube::Flow, std::uint64_t>& flows);

}  // namespace twofold::lifecycle
