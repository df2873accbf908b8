#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>

#include "lib/security/server.h"

namespace twofold::rpc {

/// Credentials for Listen: plain text or TLS, 1.2 at least. A connection gets the certificate that
/// is in the files when it comes, and keeps it. They know nothing of calls, see Service.
std::shared_ptr<grpc::ServerCredentials> MakeCredentials(const security::Server& security);

}  // namespace twofold::rpc
