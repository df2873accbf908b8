#include "lib/rpc/listen.h"

#include <absl/strings/str_cat.h>
#include <grpcpp/server_posix.h>

#include <utility>

#include "lib/common/address.h"
#include "lib/rpc/channel.h"
#include "lib/rpc/server_credentials.h"

namespace twofold::rpc {
namespace {

using FromFd = grpc::ServerBuilder::experimental_type::ExternalConnectionType;
using GrpcAcceptor = grpc::experimental::ExternalConnectionAcceptor;

void Give(GrpcAcceptor& acceptor, int listener, int connection) {
  GrpcAcceptor::NewConnectionParameters parameters;
  parameters.listener_fd = listener;
  parameters.fd = connection;
  acceptor.HandleNewConnection(&parameters);
}

}  // namespace

Result<Listening> Listen(const std::string& address, const std::vector<Service*>& services,
                         const Door& door, const ConnectionLimits& limits) {
  const Result<HostPort> parsed = ParseAddress(address);
  if (!parsed.ok()) return parsed.status();
  Result<Listeners> listeners = OpenListeners(*parsed);
  if (!listeners.ok()) {
    return absl::UnavailableError(absl::StrCat("cannot listen on ", address, ": ",
                                               std::string(listeners.status().message())));
  }
  grpc::ServerBuilder builder;
  Configure(builder);
  for (Service* service : services) {
    service->Guard(door.gate, door.roles);
    builder.RegisterService(service);
  }
  std::shared_ptr<GrpcAcceptor> hands = builder.experimental().AddExternalConnectionAcceptor(
      FromFd::FROM_FD, MakeCredentials(door.security));
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr) return absl::InternalError("gRPC does not start");
  const std::string in_use = ToString({parsed->host, listeners->port});
  auto acceptor = std::make_unique<Acceptor>(
      *std::move(listeners), limits, door.gate,
      [hands](int listener, int connection) { Give(*hands, listener, connection); });
  return Listening{std::make_unique<Server>(std::move(server), std::move(acceptor)), in_use};
}

}  // namespace twofold::rpc
