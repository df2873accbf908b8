#pragma once

#include <optional>

#include "backend/rsh/gang_file.h"
#include "lib/common/result.h"
#include "lib/security/client.h"
#include "lib/security/options.h"
#include "lib/security/server.h"

namespace twofold::backend {

/// How the members of a gang talk to each other: with mutual TLS if the worker shows a certificate
/// to the frontend, the same one at both ends; else plain text.
struct PeersSecurity {
  security::Server server;
  security::Client client;
  std::optional<gang::Tls> files;  ///< for programs of rank 0; absolute paths
};

/// `options` are those towards the frontend.
/// Errors   Those of security::Open, or: the certificate has no name.
Result<PeersSecurity> OpenPeersSecurity(const security::ClientOptions& options);

}  // namespace twofold::backend
