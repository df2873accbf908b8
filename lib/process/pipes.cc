#include "lib/process/pipes.h"

#include <unistd.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <utility>

namespace twofold::backend {

OutputPipe::OutputPipe(boost::asio::io_context& io, int descriptor, OnChunk on_chunk)
    : pipe_(io, descriptor), on_chunk_(std::move(on_chunk)) {
  pipe_.native_non_blocking(true);
}

void OutputPipe::Next() {
  asked_ = true;
  if (finishing_) {
    return boost::asio::post(pipe_.get_executor(), [self = shared_from_this()] { self->Read(); });
  }
  pipe_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                   [self = shared_from_this()](const boost::system::error_code&) { self->Read(); });
}

// A wait that was cancelled comes here, too: to Finish or, when it is closed, to nothing.
void OutputPipe::Read() {
  if (!pipe_.is_open() || !std::exchange(asked_, false)) return;
  std::string chunk(kChunkBytes, '\0');
  const ssize_t got = read(pipe_.native_handle(), chunk.data(), chunk.size());
  if (got < 0 && (errno == EAGAIN || errno == EINTR) && !finishing_) return Next();
  chunk.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  if (chunk.empty()) pipe_.close();
  on_chunk_(std::move(chunk));
}

void OutputPipe::Finish() {
  finishing_ = true;
  if (pipe_.is_open()) pipe_.cancel();
}

void OutputPipe::Close() { pipe_.close(); }

InputPipe::InputPipe(boost::asio::io_context& io, int descriptor) : pipe_(io, descriptor) {}

void InputPipe::Write(std::string chunk, std::function<void()> on_written) {
  chunk_ = std::move(chunk);
  boost::asio::async_write(pipe_, boost::asio::buffer(chunk_),
                           [self = shared_from_this(), on_written = std::move(on_written)](
                               const boost::system::error_code&, std::size_t) { on_written(); });
}

void InputPipe::Close() { pipe_.close(); }

}  // namespace twofold::backend
