#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <memory>
#include <string>
#include <utility>

#include "lib/security/reloaded.h"
#include "lib/security/tls_material.h"

namespace twofold::http {

/// For `co_await`: errors are returned, not thrown.
inline constexpr auto kTuple = boost::asio::as_tuple(boost::asio::use_awaitable);

/// A context of OpenSSL made of checked PEM texts: TLS 1.2 or newer.
using TlsContext = std::shared_ptr<boost::asio::ssl::context>;

/// Shows the certificate in `material` and checks peers with its CAs. A client's server must have a
/// certificate signed by one of them; a server asks its peers for one, but accepts peers without,
/// as health checks have none. Throws system_error if OpenSSL cannot use `material`.
TlsContext MakeContext(const security::TlsMaterial& material);

/// For a server, the context of the files as they are now.
///
/// Threads  Not thread-safe. Used on the server's thread only.
class TlsContexts {
 public:
  /// `source` null: there is no TLS, and Get returns null.
  explicit TlsContexts(std::shared_ptr<security::Reloaded<security::TlsMaterial>> source)
      : source_(std::move(source)) {}

  TlsContext Get();

 private:
  const std::shared_ptr<security::Reloaded<security::TlsMaterial>> source_;
  std::shared_ptr<const security::TlsMaterial> material_;
  TlsContext context_;
};

/// A connection's bytes, through TLS if there is a context for it. An AsyncStream of Asio's, with
/// the deadlines of Beast's tcp_stream. Private to lib/http.
class PeerStream {
 public:
  using executor_type = boost::beast::tcp_stream::executor_type;

  /// `context` null: plain text.
  PeerStream(boost::beast::tcp_stream tcp, TlsContext context);

  executor_type get_executor() { return tcp_.get_executor(); }
  boost::beast::tcp_stream& tcp() { return tcp_; }
  [[nodiscard]] bool has_tls() const { return tls_ != nullptr; }

  /// Both sides use plain text from now on.
  void DropTls() { tls_.reset(); }

  /// The server's side of the handshake; `received` has its first bytes.
  boost::asio::awaitable<boost::system::error_code> Accept(boost::beast::flat_buffer& received);

  /// The client's side of the handshake. The peer's certificate must be for `server_name`, unless
  /// nobody `checks` that.
  boost::asio::awaitable<boost::system::error_code> Handshake(std::string server_name,
                                                              bool checks = true);

  /// Whether the peer has shown a certificate (which has then passed the context's check).
  [[nodiscard]] bool has_certificate();

  /// Tells the peer that no more comes; with TLS, waits for the peer to do the same.
  boost::asio::awaitable<boost::system::error_code> FinishSending();

  template <typename Buffers, typename Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code, std::size_t)>(
        [this](auto&& handler, const Buffers& to) {
          if (tls_) return tls_->async_read_some(to, std::forward<decltype(handler)>(handler));
          tcp_.async_read_some(to, std::forward<decltype(handler)>(handler));
        },
        token, buffers);
  }

  template <typename Buffers, typename Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code, std::size_t)>(
        [this](auto&& handler, const Buffers& from) {
          if (tls_) return tls_->async_write_some(from, std::forward<decltype(handler)>(handler));
          tcp_.async_write_some(from, std::forward<decltype(handler)>(handler));
        },
        token, buffers);
  }

 private:
  using Tls = boost::asio::ssl::stream<boost::beast::tcp_stream&>;

  boost::beast::tcp_stream tcp_;
  TlsContext context_;  // outlives tls_
  std::unique_ptr<Tls> tls_;
};

}  // namespace twofold::http
