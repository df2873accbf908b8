#pragma once

#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <memory>
#include <string>

#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/security/client.h"

namespace twofold::rpc {

/// How the client notices that the frontend's host vanished without a word.
enum class Liveness : std::uint8_t {
  /// gRPC's pings, within half a minute: dear to a frontend that has thousands of connections, but
  /// a proxy between the two passes them on, and a process that hangs does not answer.
  kPings,
  kOfKernel  ///< within 11 s, if the caller has KeepTcpAlive when it is connected
};

/// A channel to `address` (host:port, or a list as Contacts() accepts, whose first that lets it is
/// taken) with a connection of its own and our message limits.
/// With the TLS that `security` says, as its files are now, and through its proxy, but through none
/// that only the environment names; of a list a proxy is asked for the first address. Whoever wants
/// the connection for longer than one try takes a Dialer, or makes a new channel for each try.
/// Pauses between the channel's own tries grow from `first_pause` to 5 s.
std::shared_ptr<grpc::Channel> Connect(const std::string& address,
                                       const security::Client& security = {},
                                       Liveness liveness = Liveness::kPings,
                                       Duration first_pause = std::chrono::milliseconds(100));

/// Adds the token, if there is one, to a call that is about to begin.
void Authorize(grpc::ClientContext& context, const security::Client& security);

/// Details go along, see ByteStream::Finish.
Status FromGrpc(const grpc::Status& status);

/// kResourceExhausted with google.rpc.RetryInfo in the details, as gRPC clients know it.
Status FullStatus(const std::string& message, Duration retry_after);

}  // namespace twofold::rpc
