#pragma once

#include <string>

#include "lib/security/client.h"

namespace twofold::security {

/// Why a connection to `address` (host:port) cannot come about, if TLS is the reason: one side
/// speaks it and the other does not, or a certificate is missing or not trusted. Empty: there is
/// another reason. gRPC itself says no more than that the connection was closed.
///
/// Threads  Blocks, at most about a second and the time of looking up a name.
std::string DiagnoseTls(const std::string& address, const Client& client);

}  // namespace twofold::security
