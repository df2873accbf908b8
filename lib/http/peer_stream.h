#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

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

/// For a server, the context of what `source` has now.
///
/// Threads  Not thread-safe. Used on the server's thread only.
class TlsContexts {
 public:
  using Source = std::function<std::shared_ptr<const security::TlsMaterial>()>;

  /// `source` null: there is no TLS, and Get returns null. `takes_any`: peers are asked for a
  /// certificate, and whatever they show is let in.
  TlsContexts(Source source, bool takes_any) : source_(std::move(source)), takes_any_(takes_any) {}

  TlsContext Get();

 private:
  const Source source_;
  const bool takes_any_;
  std::shared_ptr<const security::TlsMaterial> material_;
  TlsContext context_;
};

/// A connection's bytes: plain, and through TLS from the handshake on. Deadlines are those of
/// Beast's tcp_stream. Not a stream for Asio's and Beast's own operations, each of which would be
/// compiled once more with all of TLS under it. Private to lib/http.
class PeerStream {
 public:
  using Error = boost::asio::awaitable<boost::system::error_code>;

  /// `context` null: plain text to the end.
  PeerStream(boost::beast::tcp_stream tcp, TlsContext context);

  boost::beast::tcp_stream& tcp() { return tcp_; }
  [[nodiscard]] bool has_tls() const { return tls_ != nullptr; }

  /// The server's side of the handshake; `received` has its first bytes.
  Error Accept(boost::beast::flat_buffer& received);

  /// The client's side of the handshake. The peer's certificate must be for `server_name`, unless
  /// nobody `checks` that.
  Error Handshake(std::string server_name, bool checks = true);

  /// Whether the peer has shown a certificate (which has then passed the context's check).
  [[nodiscard]] bool has_certificate();

  /// What the peer has shown, as DER, its own first; empty: nothing.
  [[nodiscard]] std::vector<std::string> Certificates();

  /// Waits for the next bytes, up to `most` of them, and puts them behind those in `buffer`;
  /// http::error::buffer_overflow if it has no room.
  Error Read(boost::beast::flat_buffer& buffer, std::size_t most);

  /// Sends all of `bytes`, which stay where they are meanwhile.
  Error Write(std::vector<boost::asio::const_buffer> bytes);

  /// Tells the peer that no more comes; with TLS, waits for the peer to do the same.
  Error FinishSending();

 private:
  using Tls = boost::asio::ssl::stream<boost::beast::tcp_stream&>;

  boost::beast::tcp_stream tcp_;
  TlsContext context_;  // outlives tls_
  std::unique_ptr<Tls> tls_;
  bool is_secure_ = false;  // the handshake is done
};

}  // namespace twofold::http
