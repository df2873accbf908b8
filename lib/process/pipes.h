#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "lib/common/descriptors.h"
#include "lib/common/result.h"

/// Pipes to and from programs.
///
/// Threads  On the thread of the io_context.
namespace twofold::process {

/// What a pipe of Linux holds, and the longest piece that comes through here at once.
inline constexpr std::size_t kChunkBytes = 64 << 10;

/// Both ends of a pipe; neither is inherited by programs.
struct Pipe {
  Descriptor read;
  Descriptor write;
};

/// Errors   kResourceExhausted and others by errno.
Result<Pipe> OpenPipe();

/// Reads what a program prints, as it comes.
///
/// Cost     A call for each chunk, or for each time that something is there.
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
  ssize_t ReadOnce();

  boost::asio::posix::stream_descriptor pipe_;
  OnBytes on_bytes_;
  OnClosed on_closed_;
};

/// Reads what a program prints, a chunk at a time. Whoever asks for the next chunk only when the
/// last one has been passed on lets a slow reader slow down the program, at whatever distance.
class OutputPipe : public std::enable_shared_from_this<OutputPipe> {
 public:
  /// Gets a chunk that is not empty, or, once, an empty one: the end.
  using OnChunk = std::function<void(std::string)>;

  /// Takes over `descriptor`, the reading end.
  OutputPipe(boost::asio::io_context& io, int descriptor);

  /// Asks for one chunk. REQUIRES: the one asked for before has come, and was not the end.
  void Next(OnChunk on_chunk);

  /// Nobody writes any more who should: what is there counts, then comes the end.
  void Finish();

  /// Nothing comes any more.
  void Close();

 private:
  void Await();
  void Read();

  boost::asio::posix::stream_descriptor pipe_;
  OnChunk on_chunk_;  // null: nobody has asked
  bool finishing_ = false;
};

/// Writes what a program reads, a chunk at a time.
class InputPipe : public std::enable_shared_from_this<InputPipe> {
 public:
  /// Takes over `descriptor`, the writing end. SIGPIPE has to be ignored.
  InputPipe(boost::asio::io_context& io, int descriptor);

  /// `on_written` comes when the program has taken all of `chunk`, or takes nothing any more.
  /// REQUIRES: so it has the one before.
  void Write(std::string chunk, std::function<void()> on_written);

  /// The program sees the end of its input. After the last Write has ended.
  void Close();

 private:
  boost::asio::posix::stream_descriptor pipe_;
  std::string chunk_;
};

}  // namespace twofold::process
