#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>
#include <string>

/// Pipes to and from a program, a chunk at a time: who asks for the next one only when the last one
/// has been passed on makes a slow reader slow down the writer, at whatever distance.
///
/// Threads  On the thread of the io_context.
namespace twofold::backend {

inline constexpr std::size_t kChunkBytes = 64 << 10;

/// What a program prints.
class OutputPipe : public std::enable_shared_from_this<OutputPipe> {
 public:
  /// Gets a chunk that is not empty, or, once, an empty one: the end.
  using OnChunk = std::function<void(std::string)>;

  /// Takes over `descriptor`, the reading end.
  OutputPipe(boost::asio::io_context& io, int descriptor, OnChunk on_chunk);

  /// Asks for one chunk. REQUIRES: the one asked for before has come, and was not the end.
  void Next();

  /// Nobody writes any more who should: what is there counts, then comes the end.
  void Finish();

  /// Nothing comes any more.
  void Close();

 private:
  void Read();

  boost::asio::posix::stream_descriptor pipe_;
  OnChunk on_chunk_;
  bool asked_ = false;
  bool finishing_ = false;
};

/// What a program reads.
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

}  // namespace twofold::backend
