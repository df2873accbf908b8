#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "lib/common/result.h"
#include "lib/security/client.h"

namespace twofold::rpc {

/// A channel to `address` (host:port) with a connection of its own, keepalive pings (a peer that
/// vanished without a word is noticed within half a minute) and our message limits.
/// With the TLS that `security` says, as its files are now.
std::shared_ptr<grpc::Channel> Connect(const std::string& address,
                                       const security::Client& security = {});

/// Adds the token, if there is one, to a call that is about to begin.
void Authorize(grpc::ClientContext& context, const security::Client& security);

/// The server's side of the same settings.
void Configure(grpc::ServerBuilder& builder);

grpc::Status ToGrpc(const Status& status);
Status FromGrpc(const grpc::Status& status);

}  // namespace twofold::rpc
