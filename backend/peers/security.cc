#include "backend/peers/security.h"

#include <absl/strings/str_cat.h>

#include <filesystem>
#include <utility>

#include "lib/security/tls_material.h"

namespace twofold::backend {

Result<PeersSecurity> OpenPeersSecurity(const security::ClientOptions& options) {
  PeersSecurity security;
  if (options.cert.empty()) return security;
  security::ServerOptions serves;
  serves.cert = options.cert;
  serves.key = options.key;
  serves.ca = options.ca;
  Result<security::Server> server = security::Open(serves);
  if (!server.ok()) return server.status();
  security.server = *std::move(server);

  security::ClientOptions towards = options;
  towards.token_file.clear();  // those are for the frontend
  towards.server_name = security::CertificateName(security.server.tls->Get()->cert);
  if (towards.server_name.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--tls-cert: ", options.cert, " has no name by which other members could know it"));
  }
  Result<security::Client> client = security::Client::Open(towards);
  if (!client.ok()) return client.status();
  security.client = *std::move(client);

  using std::filesystem::absolute;
  security.files = gang::Tls{absolute(options.ca), absolute(options.cert), absolute(options.key),
                             towards.server_name};
  return security;
}

}  // namespace twofold::backend
