#include "lib/http/server.h"

#include <spdlog/spdlog.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <exception>
#include <future>
#include <utility>

#include "lib/http/connection_table.h"
#include "lib/http/listen.h"
#include "lib/http/origin.h"
#include "lib/http/peer_stream.h"
#include "lib/http/tls.h"

namespace twofold::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr auto kAcceptPause = std::chrono::milliseconds(100);

}  // namespace

/// The thread of the server and all that lives on it.
class Server::Loop {
 public:
  Loop(Handler handler, ServerOptions options)
      : handler_(std::move(handler)), options_(std::move(options)), tls_(options_.tls) {}

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
  if (local.address().is_loopback() && options_.tls == nullptr) {
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
