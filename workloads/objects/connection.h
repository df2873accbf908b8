#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <optional>
#include <string>

#include "lib/common/instant.h"

namespace twofold::objects {

/// For `co_await`: errors are returned, not thrown.
inline constexpr auto kTuple = boost::asio::as_tuple(boost::asio::use_awaitable);

/// What to connect to.
struct Peer {
  boost::asio::ip::tcp::endpoint address;
  std::string host;                          ///< which its certificate must have
  boost::asio::ssl::context* tls = nullptr;  ///< null: plain text
};

/// A connection to a server, kept from one request to the next.
///
/// Threads  That of its io_context.
class Connection {
 public:
  using Error = boost::system::error_code;
  template <typename T>
  using Task = boost::asio::awaitable<T>;

  Connection(boost::asio::io_context& io, std::string authority)
      : authority_(std::move(authority)), socket_(io) {}

  [[nodiscard]] const std::string& authority() const { return authority_; }
  [[nodiscard]] bool is_open() const { return socket_.is_open(); }
  [[nodiscard]] Duration connect_time() const { return connect_time_; }
  [[nodiscard]] std::optional<Duration> tls_time() const { return tls_time_; }

  Task<Error> Open(const Peer& peer);
  /// All operations on it end.
  void Close();

  template <typename Buffers>
  Task<std::tuple<Error, std::size_t>> Write(const Buffers& buffers) {
    if (tls_) co_return co_await boost::asio::async_write(*tls_, buffers, kTuple);
    co_return co_await boost::asio::async_write(socket_, buffers, kTuple);
  }
  Task<std::tuple<Error, std::size_t>> ReadSome(boost::asio::mutable_buffer buffer) {
    if (tls_) co_return co_await tls_->async_read_some(buffer, kTuple);
    co_return co_await socket_.async_read_some(buffer, kTuple);
  }

 private:
  std::string authority_;
  boost::asio::ip::tcp::socket socket_;
  std::optional<boost::asio::ssl::stream<boost::asio::ip::tcp::socket&>> tls_;
  Duration connect_time_{};
  std::optional<Duration> tls_time_;
};

}  // namespace twofold::objects
