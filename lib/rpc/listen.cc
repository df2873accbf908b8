#include "lib/rpc/listen.h"

#include <absl/strings/str_cat.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "lib/common/address.h"
#include "lib/rpc/channel.h"
#include "lib/rpc/tcp_keepalive.h"

namespace twofold::rpc {
namespace {

// gRPC says only that it failed; the system says why.
std::string WhyNot(const HostPort& address) {
  addrinfo hints{};
  hints.ai_flags = AI_PASSIVE;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const char* host = address.host.empty() ? nullptr : address.host.c_str();
  const int failed = getaddrinfo(host, std::to_string(address.port).c_str(), &hints, &found);
  if (failed != 0) return gai_strerror(failed);
  std::string reason = "no reason given";
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    const int fd = socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC, one->ai_protocol);
    if (fd < 0 || bind(fd, one->ai_addr, one->ai_addrlen) != 0) reason = std::strerror(errno);
    if (fd >= 0) close(fd);
  }
  freeaddrinfo(found);
  return reason;
}

}  // namespace

Result<Listening> Listen(const std::string& address, const std::vector<grpc::Service*>& services,
                         const Door& door) {
  Result<HostPort> parsed = ParseAddress(address);
  if (!parsed.ok()) return parsed.status();
  HostPort bind = *parsed;
  if (bind.host.empty()) bind.host = "::";  // gRPC falls back to IPv4 where that is all there is
  int port = 0;
  grpc::ServerBuilder builder;
  Configure(builder);
  builder.AddListeningPort(ToString(bind), MakeCredentials(door), &port);
  for (grpc::Service* service : services) builder.RegisterService(service);
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (!server || port <= 0) {
    return absl::UnavailableError(
        absl::StrCat("cannot listen on ", address, ": ", WhyNot(*parsed)));
  }
  KeepTcpAlive();
  return Listening{std::move(server), ToString({parsed->host, static_cast<std::uint16_t>(port)})};
}

}  // namespace twofold::rpc
