#include "lib/rpc/listen.h"

#include <absl/strings/str_cat.h>
#include <grpcpp/server_posix.h>

#include <utility>

#include "lib/rpc/channel.h"

namespace twofold::rpc {
namespace {

using FromFd = grpc::ServerBuilder::experimental_type::ExternalConnectionType;
using GrpcAcceptor = grpc::experimental::ExternalConnectionAcceptor;

constexpr int kReadAhead = 256 << 10;

void Give(GrpcAcceptor& acceptor, int connection) {
  GrpcAcceptor::NewConnectionParameters parameters;
  parameters.fd = connection;
  acceptor.HandleNewConnection(&parameters);
}

}  // namespace

Result<std::unique_ptr<Server>> Listen(const std::string& address,
                                       const std::vector<Service*>& services, const Door& door,
                                       const ConnectionLimits& limits) {
  const Result<HostPort> parsed = ParseAddress(address);
  if (!parsed.ok()) return parsed.status();
  Result<Listeners> listeners = OpenListeners(*parsed);
  if (!listeners.ok()) {
    return absl::UnavailableError(absl::StrCat("cannot listen on ", address, ": ",
                                               std::string(listeners.status().message())));
  }
  grpc::ServerBuilder builder;
  Configure(builder);
  if (door.for_quiet_ones) {
    builder.AddChannelArgument(GRPC_ARG_HTTP2_BDP_PROBE, 0);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, kReadAhead);
  }
  for (Service* service : services) {
    service->Guard(door.gate, door.roles);
    builder.RegisterService(service);
  }
  std::shared_ptr<GrpcAcceptor> hands = builder.experimental().AddExternalConnectionAcceptor(
      FromFd::FROM_FD, MakeCredentials(door.security));
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr) return absl::InternalError("gRPC does not start");
  const HostPort in_use{parsed->host, listeners->port};
  auto acceptor = std::make_unique<Acceptor>(*std::move(listeners), limits, door.gate,
                                             [hands](int connection) { Give(*hands, connection); });
  return std::make_unique<Server>(in_use, std::move(server), std::move(acceptor));
}

}  // namespace twofold::rpc
