#include "lib/h2/client.h"

#include <netdb.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace twofold::h2 {
namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

/// A socket that connects.
Result<Descriptor> Begin(const HostPort& address) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int failed =
      getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
  if (failed != 0) return absl::InvalidArgumentError(gai_strerror(failed));
  const Addresses addresses(found, &freeaddrinfo);
  Descriptor made(socket(found->ai_family, found->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (made.get() < 0) return absl::UnavailableError(std::strerror(errno));
  if (connect(made.get(), found->ai_addr, found->ai_addrlen) != 0 && errno != EINPROGRESS) {
    return absl::UnavailableError(std::strerror(errno));
  }
  return made;
}

}  // namespace

Client::Client(Loop& loop, const Limits& limits,
               std::function<void(std::string_view why)> on_closed)
    : loop_(loop), limits_(limits), on_closed_(std::move(on_closed)), ledger_(Budgets{}) {}

Client::~Client() = default;

Status Client::Connect(const HostPort& address, std::shared_ptr<const Tls> tls) {
  Result<Descriptor> socket = Begin(address);
  if (!socket.ok()) return socket.status();
  const auto on_closed = [this](Connection&, std::string_view why) {
    loop_.Retire(std::move(connection_));
    const auto told = on_closed_;  // which may destroy this client
    if (told) told(why);
  };
  auto made = Connection::Make(loop_, *std::move(socket),
                               {.limits = limits_,
                                .ledger = ledger_,
                                .peer = address.host,
                                .serve = {},
                                .tls = std::move(tls),
                                .on_closed = on_closed});
  if (!made.ok()) return made.status();
  connection_ = *std::move(made);
  return absl::OkStatus();
}

Result<Stream*> Client::Call(const CallOptions& options, std::shared_ptr<End> end) {
  if (connection_ == nullptr) return absl::UnavailableError("there is no connection");
  return connection_->session().Call(options, std::move(end));
}

void Client::Drain() {
  if (connection_ != nullptr) connection_->session().Drain(loop_.now());
}

}  // namespace twofold::h2
