#pragma once

#include <string>

#include "lib/common/result.h"
#include "lib/kube/connection.h"

namespace twofold::lifecycle {

/// The version of the API server: "v1.36.1". Whoever is let in may ask.
/// Errors   Those of the connection; kDataLoss: it answers something else.
Result<std::string> ServerVersion(kube::Connection& connection);

}  // namespace twofold::lifecycle
