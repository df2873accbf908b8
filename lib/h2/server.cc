#include "lib/h2/server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace twofold::h2 {
namespace {

/// The peer tried to connect, and gave up or failed: that says nothing about us.
bool IsOfPeer(int error) {
  return error == EINTR || error == EAGAIN || error == ECONNABORTED || error == EPROTO;
}

}  // namespace

Duration SpreadAge(Duration age, std::minstd_rand& random) {
  std::uniform_real_distribution<double> spread(0.9, 1.1);
  return std::chrono::duration_cast<Duration>(age * spread(random));
}

std::string HostOf(const sockaddr_storage& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
    return text.data();
  }
  if (address.ss_family != AF_INET6) return "";
  in6_addr v6 = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
  if (IN6_IS_ADDR_V4MAPPED(&v6)) {
    inet_ntop(AF_INET, &v6.s6_addr[12], text.data(), text.size());
    return text.data();
  }
  std::memset(&v6.s6_addr[8], 0, 8);
  inet_ntop(AF_INET6, &v6, text.data(), text.size());
  return text.data();
}

/// A listening socket.
class Server::Listener final : public Loop::Source {
 public:
  Listener(Server& server, Descriptor socket) : server_(server), socket_(std::move(socket)) {}
  ~Listener() override { Unlisten(); }

  void Listen() {
    listens_ = server_.loop_.Add(*this, socket_.get(), EPOLLIN);
    if (!listens_) server_.SetTrouble(errno);
  }
  void Unlisten() {
    if (std::exchange(listens_, false)) server_.loop_.Remove(*this, socket_.get());
  }

 private:
  void OnReady(std::uint32_t) override { server_.Accept(socket_.get()); }

  Server& server_;
  const Descriptor socket_;
  bool listens_ = false;
};

Server::Server(Loop& loop, std::vector<Descriptor> listeners, Options options)
    : loop_(loop),
      options_(std::move(options)),
      count_(options_.count != nullptr ? options_.count
                                       : std::make_shared<ConnectionCount>(
                                             options_.limits.connections, options_.limits.of_host)),
      pause_(loop, [this] { Listen(); }),
      patience_(loop, [this] {
        while (!connections_.empty()) {
          connections_.begin()->second->Close(Cause::kShutdown, "the server ends");
        }
      }) {
  for (Descriptor& socket : listeners) {
    listeners_.push_back(std::make_unique<Listener>(*this, std::move(socket)));
  }
  Listen();
}

Server::~Server() {
  done_ = nullptr;
  StopListening();
  // Not retired: what they use goes with the server.
  const auto connections = std::exchange(connections_, {});
}

void Server::Listen() {
  SetTrouble(0);
  for (const auto& listener : listeners_) listener->Listen();
}

void Server::StopListening() {
  pause_.Clear();
  listeners_.clear();
}

void Server::Pause(int error) {
  for (const auto& listener : listeners_) listener->Unlisten();
  SetTrouble(error);
  pause_.Set(loop_.now() + options_.limits.pause);
}

void Server::SetTrouble(int error) {
  if (trouble_.exchange(error) != error && options_.on_trouble) options_.on_trouble(error);
}

void Server::Accept(int listener) {
  for (int i = 0; i < options_.limits.accepts_a_turn; ++i) {
    sockaddr_storage address{};
    socklen_t size = sizeof(address);
    Descriptor socket(accept4(listener, reinterpret_cast<sockaddr*>(&address), &size,
                              SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket.get() >= 0) {
      Admit(std::move(socket), HostOf(address));
    } else if (IsOfPeer(errno)) {
      if (errno == EAGAIN) return;
    } else {
      const int error = errno;
      if (!count_->MakeRoom()) Pause(error);
      return;  // with room it goes on in the next turn
    }
  }
}

/// Counted here: what is on its way to another server counts.
void Server::Admit(Descriptor socket, const std::string& host) {
  auto added = count_->Add(host);
  if (const auto* const full = std::get_if<Closing>(&added)) return TurnAway(host, *full);
  auto ticket = std::get<Ticket>(std::move(added));
  options_.hand_on ? options_.hand_on(std::move(socket), host, std::move(ticket))
                   : Take(std::move(socket), host, std::move(ticket));
}

void Server::Take(Descriptor socket, const std::string& host, Ticket ticket) {
  if (drains_) return;
  Connection::Options options{
      .limits = options_.limits.connection,
      .age = SpreadAge(options_.limits.connection.age, random_),
      .ledger = options_.ledger,
      .peer = host,
      .serve = [this, host](Stream& stream) { return options_.serve(stream, host); },
      .tls = options_.tls ? options_.tls() : nullptr};
  options.keep_frames = options_.keeps_frames && options_.keeps_frames();
  options.may_shake = [this] { return MayShake(); };
  options.on_ready = [this](Connection& ready) { EndHandshake(ready); };
  // The connection keeps its ticket.
  options.on_news = [ticket](PeerNews news) {
    if (news == PeerNews::kOfUse) ticket->SetOfUse();
  };
  options.on_closed = [this](Connection& closed, const Closing& closing) {
    OnClosed(closed, closing);
  };
  auto made = Connection::Make(loop_, std::move(socket), std::move(options));
  if (!made.ok()) {
    const auto why = made.status().message();
    return TurnAway(host, {Cause::kNoRoom, {why.data(), why.size()}});
  }
  ++counts_.accepted;
  Connection* const connection = made->get();
  connections_.emplace(connection, *std::move(made));
  ticket->SetClose([&loop = loop_, connection, kept = std::weak_ptr(ticket)] {
    loop.Post([connection, kept] {
      if (kept.expired()) return;  // and so is the connection
      connection->Close(Cause::kMadeRoom, "it made room for another one, and had been of no use");
    });
  });
  if (options_.tls) BeginHandshake(*connection);
}

void Server::TurnAway(const std::string& host, const Closing& closing) {
  ++counts_.turned_away;
  if (options_.on_turned_away) options_.on_turned_away(host, closing);
}

/// The host that has begun most makes room: one that ends none keeps no other out.
void Server::BeginHandshake(Connection& connection) {
  shaking_[connection.peer()].push_back(&connection);
  if (++shakes_ <= options_.limits.handshakes) return;
  const auto most = std::max_element(
      shaking_.begin(), shaking_.end(),
      [](const auto& one, const auto& other) { return one.second.size() < other.second.size(); });
  most->second.front()->Close(Cause::kTooManyHandshakes, "too many handshakes at once");
}

void Server::EndHandshake(Connection& connection) {
  const auto host = shaking_.find(connection.peer());
  if (host == shaking_.end()) return;
  shakes_ -= host->second.remove(&connection);
  if (host->second.empty()) shaking_.erase(host);
}

bool Server::MayShake() {
  if (std::exchange(shaken_turn_, loop_.now()) != loop_.now()) shaken_ = 0;
  return !options_.tls || ++shaken_ <= options_.limits.handshakes_a_turn;
}

void Server::OnClosed(Connection& connection, const Closing& closing) {
  if (closing.cause != Cause::kInOrder) ++counts_.broken_off;
  if (!closing.why.empty() && options_.on_broken_off) {
    options_.on_broken_off(connection.peer(), closing);
  }
  EndHandshake(connection);
  const auto found = connections_.find(&connection);
  loop_.Retire(std::move(found->second));
  connections_.erase(found);
  if (!drains_ || !connections_.empty()) return;
  patience_.Clear();
  if (done_) std::exchange(done_, nullptr)();
}

void Server::Drain(Duration patience, std::function<void()> done) {
  StopListening();
  drains_ = true;
  if (connections_.empty()) return done();
  done_ = std::move(done);
  patience_.Set(loop_.now() + patience);
  for (const auto& [connection, owned] : connections_) connection->session().Drain(loop_.now());
}

}  // namespace twofold::h2
