#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>
#include <string_view>

namespace twofold::backend {

/// Reads what comes through a pipe, as it comes.
///
/// Threads  On the thread of the io_context.
/// Cost     A call for each 64 KiB, or for each time that something is there.
class PipeReader : public std::enable_shared_from_this<PipeReader> {
 public:
  using OnBytes = std::function<void(std::string_view)>;
  using OnClosed = std::function<void()>;

  explicit PipeReader(boost::asio::io_context& io) : pipe_(io) {}

  /// Takes over `descriptor`, which does not block; -1: there is nothing to read. `on_closed` comes
  /// when nobody can write any more. Neither comes after Close.
  void Start(int descriptor, OnBytes on_bytes, OnClosed on_closed = nullptr);

  /// Reads what is there now, and no more: who knows who holds the other end and writes on. Closes.
  void Finish();

  void Close() { pipe_.close(); }

 private:
  void Await();
  void Read();

  boost::asio::posix::stream_descriptor pipe_;
  OnBytes on_bytes_;
  OnClosed on_closed_;
};

}  // namespace twofold::backend
