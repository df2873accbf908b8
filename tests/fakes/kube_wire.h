#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "lib/common/instant.h"

namespace twofold::fakes {

/// A peer's bytes, through TLS or not: a SyncReadStream and SyncWriteStream.
///
/// Threads  Not thread-safe, but for handle().
class Wire {
 public:
  using tcp = boost::asio::ip::tcp;
  using error_code = boost::system::error_code;

  Wire(tcp::socket socket, boost::asio::ssl::context* context) : socket_(std::move(socket)) {
    if (context != nullptr) tls_.emplace(socket_, *context);
  }

  error_code Handshake();

  template <typename Buffers>
  std::size_t read_some(const Buffers& buffers, error_code& error) {
    return tls_ ? tls_->read_some(buffers, error) : socket_.read_some(buffers, error);
  }
  template <typename Buffers>
  std::size_t read_some(const Buffers& buffers) {
    error_code error;
    const std::size_t size = read_some(buffers, error);
    if (error) throw boost::system::system_error(error);
    return size;
  }
  template <typename Buffers>
  std::size_t write_some(const Buffers& buffers, error_code& error) {
    return tls_ ? tls_->write_some(buffers, error) : socket_.write_some(buffers, error);
  }
  template <typename Buffers>
  std::size_t write_some(const Buffers& buffers) {
    error_code error;
    const std::size_t size = write_some(buffers, error);
    if (error) throw boost::system::system_error(error);
    return size;
  }

  /// False: the peer is gone, or takes nothing for `patience`.
  bool Write(std::string_view text, Duration patience);

  /// The common name of the certificate that the peer has shown; empty: none.
  std::string user();

  int handle() { return socket_.native_handle(); }

 private:
  tcp::socket socket_;
  std::optional<boost::asio::ssl::stream<tcp::socket&>> tls_;
};

}  // namespace twofold::fakes
