#include "lib/http/client_connection.h"

#include <absl/strings/str_cat.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/sslerr.h>
#include <sys/socket.h>

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <cerrno>
#include <vector>

#include "lib/http/codec.h"
#include "lib/http/peer_stream.h"

namespace twofold::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
using boost::system::error_code;
using boost::system::system_error;

constexpr std::size_t kReadBytes = 64 << 10;

using ResponseParser = beast::http::response_parser<beast::http::string_body>;

std::string HeadOf(const Outgoing& request) {
  beast::http::request<beast::http::span_body<const char>> wire;
  wire.method_string(request.method);
  wire.target(request.target);
  wire.version(11);
  for (const auto& [name, value] : request.headers) wire.insert(name, value);
  wire.body() = {request.body.data(), request.body.size()};
  wire.prepare_payload();
  return ToText(wire.base());
}

TlsContext ContextFor(const Upstream& server) {
  if (server.tls == nullptr) return nullptr;
  TlsContext context = MakeContext(*server.tls);
  if (server.trust == Trust::kSystem) {
    context->set_default_verify_paths();
    context->set_verify_mode(asio::ssl::verify_peer);
  }
  if (server.trust == Trust::kAnybody) context->set_verify_mode(asio::ssl::verify_none);
  return context;
}

bool IsOfUnknownCa(const error_code& error) {
  return error.category() == asio::error::get_ssl_category() &&
         ERR_GET_REASON(static_cast<unsigned long>(error.value())) ==
             SSL_R_CERTIFICATE_VERIFY_FAILED;
}

/// No waiting for more bytes, and no waiting for a host that is gone, on which a connection without
/// traffic would hang. A kernel without one of these only makes us slower to notice.
void SetOptions(tcp::socket& socket) {
  using Milliseconds = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_USER_TIMEOUT>;
  using Idle = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPIDLE>;
  using Interval = asio::detail::socket_option::integer<IPPROTO_TCP, TCP_KEEPINTVL>;
  error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  socket.set_option(asio::socket_base::keep_alive(true), ignored);
  socket.set_option(Idle(15), ignored);
  socket.set_option(Interval(5), ignored);
  socket.set_option(Milliseconds(30'000), ignored);
}

}  // namespace

class ClientConnection::Impl {
 public:
  using Error = PeerStream::Error;

  Status Open(const Upstream& server, Instant deadline);
  [[nodiscard]] bool is_open() const { return stream_ && stream_->tcp().socket().is_open(); }
  [[nodiscard]] bool is_idle();
  void Close() {
    if (stream_) stream_->tcp().close();
  }
  Status Send(const Outgoing& request, Instant deadline);
  Result<Head> ReceiveHead(Instant deadline);
  Result<Piece> ReceiveBody(std::string& body, Instant deadline);
  void Interrupt();

 private:
  Status Run(Error task, Instant deadline);
  Status ToStatus(const error_code& error);
  Error Connect(const Upstream& server);
  Error AskProxy(const Upstream& server);
  Error Write(const Outgoing& request);
  Error ReadSome();
  Error ReadHead();
  Error ReadBody();

  asio::io_context io_{1};
  std::atomic<bool> interrupted_ = false;
  std::unique_ptr<PeerStream> stream_;
  beast::flat_buffer buffer_;
  std::unique_ptr<ResponseParser> parser_;  // of the answer in progress
  std::string refusal_;                     // why it was not opened, for people
  Instant arrived_{};                       // of the newest bytes
  Instant head_arrived_{};
};

Status ClientConnection::Impl::ToStatus(const error_code& error) {
  if (!error) return absl::OkStatus();
  Close();
  if (interrupted_) return absl::CancelledError("interrupted");
  if (error == beast::error::timeout) return absl::DeadlineExceededError("no answer in time");
  return absl::UnavailableError(refusal_.empty() ? error.message() : refusal_);
}

/// Runs `task`, which waits for nothing but the stream, to its end.
Status ClientConnection::Impl::Run(Error task, Instant deadline) {
  stream_->tcp().expires_at(deadline);
  // Here, with the stream in its place: an Interrupt from now on closes it.
  if (interrupted_) return ToStatus(asio::error::operation_aborted);
  auto result = asio::co_spawn(io_, std::move(task), asio::use_future);
  io_.restart();
  io_.run();
  return ToStatus(result.get());
}

/// A peer that has closed its side, says something unasked, or still answers, is no use.
bool ClientConnection::Impl::is_idle() {
  if (!is_open() || buffer_.size() > 0) return false;
  if (parser_ && !parser_->is_done()) return false;
  char byte = 0;
  const auto got =
      ::recv(stream_->tcp().socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

Status ClientConnection::Impl::Open(const Upstream& server, Instant deadline) {
  parser_.reset();
  buffer_.clear();
  refusal_.clear();
  try {
    stream_ = std::make_unique<PeerStream>(beast::tcp_stream(io_), ContextFor(server));
  } catch (const system_error& error) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot use the certificates: ", error.code().message()));
  }
  return Run(Connect(server), deadline);
}

ClientConnection::Impl::Error ClientConnection::Impl::Connect(const Upstream& server) {
  error_code error;
  const HostPort& next = server.proxy ? server.proxy->address : server.address;
  tcp::resolver resolver(io_);
  const auto endpoints = resolver.resolve(next.host, std::to_string(next.port), error);
  if (error) co_return error;
  const auto [failed, endpoint] = co_await stream_->tcp().async_connect(endpoints, kTuple);
  if (failed) co_return failed;
  SetOptions(stream_->tcp().socket());
  if (server.proxy) {
    const error_code refused = co_await AskProxy(server);
    if (refused) co_return refused;
  }
  if (!stream_->has_tls()) co_return error_code();
  const std::string& name = server.server_name.empty() ? server.address.host : server.server_name;
  const error_code unsafe = co_await stream_->Handshake(name, server.trust != Trust::kAnybody);
  if (unsafe && server.trust == Trust::kSystem && IsOfUnknownCa(unsafe)) {
    refusal_ = absl::StrCat("no CA of this system has signed the certificate of ",
                            ToString(server.address), " (--tls-ca)");
  }
  co_return unsafe;
}

ClientConnection::Impl::Error ClientConnection::Impl::AskProxy(const Upstream& server) {
  const std::string target = ToString(server.address);
  beast::http::request<beast::http::empty_body> request(beast::http::verb::connect, target, 11);
  request.set(beast::http::field::host, target);
  const std::string& authorization = server.proxy->authorization;
  if (!authorization.empty()) {
    request.set(beast::http::field::proxy_authorization, authorization);
  }
  const std::string head = ToText(request.base());
  std::vector<asio::const_buffer> bytes = {asio::buffer(head)};
  error_code error = co_await stream_->Write(std::move(bytes));
  beast::http::response_parser<beast::http::empty_body> answer;
  answer.skip(true);
  while (!error && !answer.is_header_done()) {
    const error_code failed = co_await stream_->Read(buffer_, kReadBytes);
    error = failed;
    if (!error) buffer_.consume(answer.put(buffer_.data(), error));
    if (error == beast::http::error::need_more) error = {};
  }
  if (error) co_return error;
  const unsigned status = answer.get().result_int();
  const bool connects = status / 100 == 2;
  // The server says nothing before it is asked, so what follows is the proxy's own: kept, it would
  // be read as the server's answer.
  if (connects && buffer_.size() == 0) co_return error_code();
  refusal_ =
      absl::StrCat("the proxy ", ToString(server.proxy->address),
                   connects ? " says more than its answer" : absl::StrCat(" answered ", status),
                   " to CONNECT ", target);
  co_return asio::error::connection_refused;
}

Status ClientConnection::Impl::Send(const Outgoing& request, Instant deadline) {
  if (!is_open()) return absl::UnavailableError("not connected");
  parser_ = std::make_unique<ResponseParser>();
  parser_->body_limit(boost::none);  // the caller counts
  parser_->eager(true);
  if (request.method == "HEAD") parser_->skip(true);
  return Run(Write(request), deadline);
}

ClientConnection::Impl::Error ClientConnection::Impl::Write(const Outgoing& request) {
  const std::string head = HeadOf(request);
  std::vector<asio::const_buffer> bytes = {asio::buffer(head), asio::buffer(request.body)};
  co_return co_await stream_->Write(std::move(bytes));
}

Result<Head> ClientConnection::Impl::ReceiveHead(Instant deadline) {
  if (!is_open()) return absl::UnavailableError("not connected");
  if (Status status = Run(ReadHead(), deadline); !status.ok()) return status;
  const auto& message = parser_->get();
  return Head{static_cast<int>(message.result_int()), DecodeHeaders(message.base()), head_arrived_};
}

/// Reads once from the socket, and parses that. Beast's own read goes on reading where a chunk has
/// ended, so that a line would wait for the next one.
ClientConnection::Impl::Error ClientConnection::Impl::ReadSome() {
  const error_code failed = co_await stream_->Read(buffer_, kReadBytes);
  arrived_ = Now();
  error_code error = failed;
  if (error == asio::error::eof) {
    error = beast::http::error::end_of_stream;
    if (parser_->got_some()) parser_->put_eof(error);
  }
  while (!error && buffer_.size() > 0 && !parser_->is_done()) {
    buffer_.consume(parser_->put(buffer_.data(), error));
  }
  if (error == beast::http::error::need_more) error = {};
  co_return error;
}

ClientConnection::Impl::Error ClientConnection::Impl::ReadHead() {
  error_code error;
  std::optional<Instant> first;
  while (!error && !parser_->is_header_done()) {
    const error_code failed = co_await ReadSome();
    error = failed;
    if (!first) first = arrived_;
  }
  head_arrived_ = first.value_or(arrived_);
  co_return error;
}

Result<Piece> ClientConnection::Impl::ReceiveBody(std::string& body, Instant deadline) {
  if (parser_ == nullptr) return absl::UnavailableError("not connected");
  std::string& got = parser_->get().body();
  // What came with the head is there already.
  if (got.empty() && !parser_->is_done()) {
    if (Status status = Run(ReadBody(), deadline); !status.ok()) return status;
  }
  body += got;
  got.clear();
  const bool last = parser_->is_done();
  if (last && !parser_->keep_alive()) Close();
  return Piece{last, arrived_};
}

ClientConnection::Impl::Error ClientConnection::Impl::ReadBody() {
  error_code error;
  while (!error && parser_->get().body().empty() && !parser_->is_done()) {
    const error_code failed = co_await ReadSome();
    error = failed;
  }
  co_return error;
}

void ClientConnection::Impl::Interrupt() {
  interrupted_ = true;
  asio::post(io_, [this] { Close(); });
}

ClientConnection::ClientConnection() : impl_(std::make_unique<Impl>()) {}
ClientConnection::~ClientConnection() = default;

Status ClientConnection::Open(const Upstream& server, Instant deadline) {
  return impl_->Open(server, deadline);
}

bool ClientConnection::is_open() const { return impl_->is_open(); }

bool ClientConnection::is_idle() const { return impl_->is_idle(); }

void ClientConnection::Close() { impl_->Close(); }

Status ClientConnection::Send(const Outgoing& request, Instant deadline) {
  return impl_->Send(request, deadline);
}

Result<Head> ClientConnection::ReceiveHead(Instant deadline) {
  return impl_->ReceiveHead(deadline);
}

Result<Piece> ClientConnection::ReceiveBody(std::string& body, Instant deadline) {
  return impl_->ReceiveBody(body, deadline);
}

void ClientConnection::Interrupt() { impl_->Interrupt(); }

}  // namespace twofold::http
