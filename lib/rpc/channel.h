#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "lib/common/result.h"

namespace twofold::rpc {

/// A channel to `address` (host:port) with a connection of its own, keepalive pings (a peer that
/// vanished without a word is noticed within half a minute) and our message limits.
std::shared_ptr<grpc::Channel> Connect(const std::string& address);

/// The server's side of the same settings.
void Configure(grpc::ServerBuilder& builder);

grpc::Status ToGrpc(const Status& status);
Status FromGrpc(const grpc::Status& status);

}  // namespace twofold::rpc
