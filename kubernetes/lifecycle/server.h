#pragma once

#include <string>

#include "kubernetes/api/connection.h"
#include "lib/common/result.h"

namespace twofold::lifecycle {

/// The version of the API server: "v1.36.1". Whoever is let in may ask.
/// Errors   Those of the connection; kDataLoss: it answers something else.
Result<std::string> ServerVersion(kube::Connection& connection);

}  // namespace twofold::lifecycle
