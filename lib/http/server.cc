#include "lib/http/server.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <exception>
#include <future>
#include <utility>
#include <vector>

#include "lib/http/connection_table.h"
#include "lib/http/guard.h"
#include "lib/http/peer_stream.h"

namespace twofold::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr auto kAcceptPause = std::chrono::milliseconds(100);

/// Keeps the socket out of child processes, which would hold the port after this process has ended.
void CloseOnExec(int socket) { ::fcntl(socket, F_SETFD, FD_CLOEXEC); }

std::vector<tcp::endpoint> Endpoints(asio::io_context& io, const HostPort& address,
                                     error_code& error) {
  if (address.host.empty()) return {{tcp::v6(), address.port}, {tcp::v4(), address.port}};
  if (const auto ip = asio::ip::make_address(address.host, error); !error) {
    return {{ip, address.port}};
  }
  tcp::resolver resolver(io);
  std::vector<tcp::endpoint> endpoints;
  for (const auto& found : resolver.resolve(address.host, std::to_string(address.port), error)) {
    endpoints.push_back(found.endpoint());
  }
  return endpoints;
}

error_code Open(const tcp::endpoint& endpoint, tcp::acceptor& acceptor) {
  error_code error;
  acceptor.open(endpoint.protocol(), error);
  if (error) return error;
  CloseOnExec(acceptor.native_handle());
  acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  const bool all = endpoint.address() == asio::ip::address_v6::any();
  if (all) acceptor.set_option(asio::ip::v6_only(false), error);
  acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  return error;
}

/// Whether the machine lacks this kind of address, so that the next one is worth a try.
bool IsMissingFamily(const error_code& error) {
  return error == asio::error::address_family_not_supported ||
         error == boost::system::errc::address_not_available;
}

/// A listening socket at `address`. All interfaces means IPv6 and IPv4, or IPv4 where there is
/// no IPv6. Looking up a name may block.
Result<tcp::acceptor> Listen(asio::io_context& io, const HostPort& address) {
  error_code error;
  for (const tcp::endpoint& endpoint : Endpoints(io, address, error)) {
    tcp::acceptor acceptor(io);
    error = Open(endpoint, acceptor);
    if (!error) return acceptor;
    if (!IsMissingFamily(error)) break;
  }
  return absl::UnavailableError(
      fmt::format("cannot listen on {}: {}", ToString(address), error.message()));
}

/// Null: there is no TLS.
TlsContexts::Source SourceOf(const ServerOptions& options) {
  if (options.material || options.tls == nullptr) return options.material;
  return [tls = options.tls] { return tls->Get(); };
}

}  // namespace

/// The thread of the server and all that lives on it.
class Server::Loop {
 public:
  Loop(Handler handler, ServerOptions options)
      : handler_(std::move(handler)),
        options_(std::move(options)),
        tls_(SourceOf(options_), options_.vouches != nullptr) {}

  Status Start(const HostPort& address);
  void Stop();
  [[nodiscard]] std::uint16_t port() const { return port_; }

 private:
  asio::awaitable<void> Accept();
  void Serve(tcp::socket socket);
  void FinishAll();

  // Constant while the thread runs.
  Handler handler_;
  const ServerOptions options_;
  std::uint16_t port_ = 0;

  // Used on the thread only.
  asio::io_context io_{1};
  tcp::acceptor acceptor_{io_};
  TlsContexts tls_;
  ConnectionTable connections_{handler_, options_};

  std::future<void> thread_;  // used by Start and Stop
};

Status Server::Loop::Start(const HostPort& address) {
  Result<tcp::acceptor> acceptor = Listen(io_, address);
  if (!acceptor.ok()) return acceptor.status();
  acceptor_ = *std::move(acceptor);
  const tcp::endpoint local = acceptor_.local_endpoint();
  port_ = local.port();
  // With TLS, the certificate is only for names that are ours.
  if (local.address().is_loopback() && SourceOf(options_) == nullptr) {
    handler_ = ForLocalHosts(address.host, std::move(handler_));
  }
  asio::co_spawn(io_, Accept(), asio::detached);
  thread_ = std::async(std::launch::async, [this] { io_.run(); });
  return absl::OkStatus();
}

void Server::Loop::Stop() {
  if (!thread_.valid()) return;
  asio::post(io_, [this] { FinishAll(); });
  if (thread_.wait_for(options_.stop_grace) != std::future_status::ready) {
    asio::post(io_, [this] { connections_.Abort(); });
  }
  thread_.get();
}

asio::awaitable<void> Server::Loop::Accept() {
  while (acceptor_.is_open()) {
    auto [error, socket] = co_await acceptor_.async_accept(kTuple);
    if (!error && acceptor_.is_open()) {  // else it came while we stopped
      Serve(std::move(socket));
    } else if (acceptor_.is_open()) {
      // Out of descriptors or memory: trying again at once would only burn CPU.
      spdlog::warn("cannot accept HTTP connections on port {}: {}", port_, error.message());
      asio::steady_timer pause(io_, kAcceptPause);
      co_await pause.async_wait(kTuple);
    }
  }
}

void Server::Loop::Serve(tcp::socket socket) {
  CloseOnExec(socket.native_handle());
  const auto place = connections_.Add(std::move(socket), tls_.Get());
  asio::co_spawn(io_, place->connection.Serve(),
                 [this, place](const std::exception_ptr&) { connections_.Remove(place); });
}

void Server::Loop::FinishAll() {
  error_code ignored;
  acceptor_.close(ignored);
  connections_.Finish();
}

Server::Server(std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}

Server::~Server() { Stop(); }

Result<std::unique_ptr<Server>> Server::Start(const HostPort& address, Handler handler,
                                              ServerOptions options) {
  auto loop = std::make_unique<Loop>(std::move(handler), std::move(options));
  if (Status started = loop->Start(address); !started.ok()) return started;
  return std::unique_ptr<Server>(new Server(std::move(loop)));
}

std::uint16_t Server::port() const { return loop_->port(); }

void Server::Stop() { loop_->Stop(); }

}  // namespace twofold::http
