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

/// What a program that serves was given, loaded again when its files change.
struct Server {
  std::shared_ptr<Reloaded<TlsMaterial>> tls;  ///< null: plain text
  bool asks_certificate = false;               ///< peers must show one
  std::shared_ptr<Reloaded<Tokens>> tokens;    ///< null: no token is asked for
};

/// Errors   kInvalidArgument: one line that names the flag, the file and what is wrong.
Result<Server> Open(const ServerOptions& options);

/// Why it is unwise to serve so at `address` (host:port); empty: it is not. Tokens without TLS can
/// be read by everybody on the way, but in the machine itself there is none.
std::string Warning(const Server& server, const std::string& address);

}  // namespace twofold::security
