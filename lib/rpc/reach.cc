#include "lib/rpc/reach.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/common/address.h"
#include "lib/common/contacts.h"
#include "lib/common/printable.h"
#include "lib/rpc/lookup.h"
#include "lib/rpc/tcp_keepalive.h"

namespace twofold::rpc {
namespace {

constexpr Duration kHeadStart = std::chrono::milliseconds(250);  // of an address before the next
constexpr std::size_t kMostReplyBytes = 8 << 10;                 // of a proxy
constexpr std::size_t kMostSaidBytes = 200;                      // of it, in an error
constexpr std::string_view kScheme = "http://";

struct Connected {
  Descriptor socket;
  HostPort contact;
};

Status Trouble(const HostPort& contact, const std::string& why) {
  return absl::UnavailableError(absl::StrCat("cannot connect to ", ToString(contact), ": ", why));
}

/// Of each contact. An error only if there is no address at all.
Result<std::vector<ResolvedAddress>> LookUpAll(const std::string& contacts, Instant until) {
  std::vector<ResolvedAddress> addresses;
  Status trouble;
  for (const auto text : absl::StrSplit(contacts, ',')) {
    const auto contact = ParseAddress({text.data(), text.size()});
    if (!contact.ok()) return absl::UnavailableError(contact.status().message());
    const auto found = LookUp(*contact, until);
    if (found.ok()) {
      addresses.insert(addresses.end(), found->begin(), found->end());
    } else {
      trouble = Trouble(*contact, std::string(found.status().message()));
    }
  }
  if (addresses.empty()) return trouble;
  return addresses;
}

/// Milliseconds, as poll wants them, and rounded up; 0: `until` has passed.
int UntilMs(Instant until) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Now()).count();
  return static_cast<int>(std::clamp<decltype(left)>(left, 0, 60'000));
}

/// Connects to several addresses, each with a head start before the next.
class Race {
 public:
  Race(std::vector<ResolvedAddress> addresses, Instant until)
      : addresses_(std::move(addresses)), until_(until) {}

  Result<Connected> Run() {
    while (Now() < until_) {
      if (next_ < addresses_.size() && (running_.empty() || Now() >= next_at_)) StartNext();
      if (running_.empty() && next_ == addresses_.size()) return why_;
      if (auto winner = Await()) return *std::move(winner);
    }
    if (!running_.empty()) why_ = Trouble(running_.front().contact, "it does not answer");
    return why_;
  }

 private:
  void StartNext() {
    const ResolvedAddress& address = addresses_[next_++];
    next_at_ = Now() + kHeadStart;
    Descriptor made(
        socket(address.bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP));
    const auto* const bytes = reinterpret_cast<const sockaddr*>(&address.bytes);
    if (made.get() < 0 || (connect(made.get(), bytes, address.size) != 0 && errno != EINPROGRESS)) {
      why_ = Trouble(address.contact, std::strerror(errno));
      return;
    }
    running_.push_back({std::move(made), address.contact});
  }

  /// The first one that is connected; nullopt: none yet.
  std::optional<Connected> Await() {
    std::vector<pollfd> polled;
    for (const Connected& each : running_) {
      polled.push_back({.fd = each.socket.get(), .events = POLLOUT, .revents = 0});
    }
    const bool has_next = next_ < addresses_.size();
    poll(polled.data(), polled.size(), UntilMs(has_next ? std::min(next_at_, until_) : until_));
    for (std::size_t i = polled.size(); i-- > 0;) {
      if (polled[i].revents == 0) continue;
      int error = 0;
      socklen_t size = sizeof(error);
      getsockopt(polled[i].fd, SOL_SOCKET, SO_ERROR, &error, &size);
      if (error == 0) return std::move(running_[i]);
      why_ = Trouble(running_[i].contact, std::strerror(error));
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return std::nullopt;
  }

  const std::vector<ResolvedAddress> addresses_;
  const Instant until_;
  std::size_t next_ = 0;  // of addresses_
  Instant next_at_{};
  std::vector<Connected> running_;
  Status why_ = absl::UnavailableError("no time is left to connect");  // of the last one
};

Result<Connected> ConnectToAny(const std::string& contacts, Instant until) {
  auto addresses = LookUpAll(contacts, until);
  if (!addresses.ok()) return addresses.status();
  return Race(*std::move(addresses), until).Run();
}

/// Waits for `events`. False: not until `until`.
bool AwaitSocket(int socket, short events, Instant until) {
  pollfd polled{.fd = socket, .events = events, .revents = 0};
  while (Now() < until) {
    if (poll(&polled, 1, UntilMs(until)) > 0) return true;
  }
  return false;
}

bool SendAll(int socket, std::string_view bytes, Instant until) {
  while (!bytes.empty()) {
    if (!AwaitSocket(socket, POLLOUT, until)) return false;
    const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return false;
    if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

/// What a proxy answers, to its empty line and no further: what follows is the server's. Empty: it
/// has not, or at too great length.
std::string ReadReply(int socket, Instant until) {
  std::string reply;
  while (!reply.ends_with("\r\n\r\n")) {
    char byte = 0;
    if (reply.size() == kMostReplyBytes || !AwaitSocket(socket, POLLIN, until)) return "";
    const ssize_t came = recv(socket, &byte, 1, 0);
    if (came == 0 || (came < 0 && errno != EAGAIN && errno != EINTR)) return "";
    if (came == 1) reply.push_back(byte);
  }
  return reply;
}

/// Has a proxy lead the connection on to `server`.
/// Source   RFC 9110, 9.3.6 (CONNECT).
Status Tunnel(int socket, const std::string& server, const std::string& proxy, Instant until) {
  const std::string request =
      absl::StrCat("CONNECT ", server, " HTTP/1.1\r\nHost: ", server, "\r\n\r\n");
  const std::string reply = SendAll(socket, request, until) ? ReadReply(socket, until) : "";
  if (reply.starts_with("HTTP/1.1 2") || reply.starts_with("HTTP/1.0 2")) return absl::OkStatus();
  const std::string said =
      reply.empty() ? "nothing"
                    : "\"" + Printable(reply.substr(0, reply.find('\r')), kMostSaidBytes) + "\"";
  return absl::UnavailableError(
      absl::StrCat("the proxy ", proxy, " was asked for ", server, " and said ", said));
}

Result<Connected> ConnectThrough(const std::string& proxy, const std::string& server,
                                 Instant until) {
  auto connected = ConnectToAny(proxy.substr(kScheme.size()), until);
  if (!connected.ok()) return connected;
  const Status led = Tunnel(connected->socket.get(), server, proxy, until);
  if (!led.ok()) return led;
  connected->contact = *ParseAddress(server);
  return connected;
}

Result<std::shared_ptr<const h2::Tls>> TlsFor(const std::string& host,
                                              const security::Client& security) {
  const auto material = security.Tls();
  if (material == nullptr) return nullptr;
  return h2::CallersTls(*material, host);
}

}  // namespace

Result<Reached> Reach(const std::string& contacts, const security::Client& security,
                      Instant until) {
  const std::string first = FirstContact(contacts);
  const std::string proxy = security.ProxyTo(first);
  auto connected =
      proxy.empty() ? ConnectToAny(contacts, until) : ConnectThrough(proxy, first, until);
  if (!connected.ok()) return connected.status();
  HostPort name = connected->contact;
  if (!security.server_name().empty()) name.host = security.server_name();
  auto tls = TlsFor(name.host, security);
  if (!tls.ok()) return Trouble(connected->contact, std::string(tls.status().message()));
  KeepTcpAlive(connected->socket.get());
  return Reached{.socket = std::move(connected->socket),
                 .host = connected->contact.host,
                 .authority = ToString(name),
                 .tls = *std::move(tls)};
}

}  // namespace twofold::rpc
