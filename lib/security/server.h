#pragma once

#include <memory>
#include <string>

#include "lib/common/result.h"
#include "lib/security/gate.h"
#include "lib/security/options.h"
#include "lib/security/reloaded.h"
#include "lib/security/tls_material.h"
#include "lib/security/tokens.h"

namespace twofold::security {

/// The certificate and tokens of a program that serves; reloaded when their files change.
struct Server {
  std::shared_ptr<Reloaded<TlsMaterial>> tls;  ///< null: plain text
  bool asks_certificate = false;               ///< peers must show a certificate
  std::shared_ptr<Reloaded<Tokens>> tokens;    ///< null: no token is required
};

/// Errors   kInvalidArgument: one line that names the flag, the file and what is wrong.
Result<Server> Open(const ServerOptions& options);

/// Whether only this machine reaches `address` (host:port).
bool IsLoopback(const std::string& address);

/// Why it is unwise to serve so at `address` (host:port); empty if it is not. Without TLS anybody
/// on the way can read tokens; on loopback nobody is on the way.
std::string Warning(const Server& server, const std::string& address);

}  // namespace twofold::security
