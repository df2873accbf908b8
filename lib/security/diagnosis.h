#pragma once

#include <string>

#include "lib/security/client.h"

namespace twofold::security {

/// Why a connection to `address` (host:port) fails, if TLS is the reason: only one side uses TLS, or
/// a certificate is missing or not trusted. Empty: there is another reason. gRPC itself says only
/// that the connection was closed.
///
/// Threads  Blocks for at most about a second, plus the time to look up a name.
std::string DiagnoseTls(const std::string& address, const Client& client);

}  // namespace twofold::security
