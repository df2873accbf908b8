#include "lib/process/pipes.h"

#include <absl/status/status.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <utility>

namespace twofold::process {

Result<Pipe> OpenPipe() {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "pipe");
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

void PipeReader::Start(int descriptor, OnBytes on_bytes, OnClosed on_closed) {
  if (descriptor < 0) return;
  on_bytes_ = std::move(on_bytes);
  on_closed_ = std::move(on_closed);
  pipe_.assign(descriptor);
  Await();
}

void PipeReader::Await() {
  pipe_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                   [self = shared_from_this()](const boost::system::error_code& error) {
                     if (!error && self->pipe_.is_open()) self->Read();
                   });
}

void PipeReader::Read() {
  if (ReadOnce() != 0) {
    if (pipe_.is_open()) Await();  // who heard of the bytes may have closed it
    return;
  }
  Close();
  if (on_closed_) on_closed_();
}

void PipeReader::Finish() {
  if (!pipe_.is_open()) return;
  ReadOnce();
  Close();
}

ssize_t PipeReader::ReadOnce() {
  std::array<char, kChunkBytes> bytes;
  const ssize_t got = ::read(pipe_.native_handle(), bytes.data(), bytes.size());
  if (got > 0) on_bytes_({bytes.data(), static_cast<std::size_t>(got)});
  return got;
}

OutputPipe::OutputPipe(boost::asio::io_context& io, int descriptor) : pipe_(io, descriptor) {
  pipe_.native_non_blocking(true);
}

void OutputPipe::Next(OnChunk on_chunk) {
  on_chunk_ = std::move(on_chunk);
  Await();
}

void OutputPipe::Await() {
  if (finishing_) {
    return boost::asio::post(pipe_.get_executor(), [self = shared_from_this()] { self->Read(); });
  }
  pipe_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                   [self = shared_from_this()](const boost::system::error_code&) { self->Read(); });
}

// A wait that was cancelled comes here, too: to Finish or, when it is closed, to nothing.
void OutputPipe::Read() {
  if (!pipe_.is_open() || !on_chunk_) return;
  std::string chunk(kChunkBytes, '\0');
  const ssize_t got = ::read(pipe_.native_handle(), chunk.data(), chunk.size());
  if (got < 0 && (errno == EAGAIN || errno == EINTR) && !finishing_) return Await();
  chunk.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  if (chunk.empty()) pipe_.close();
  std::exchange(on_chunk_, nullptr)(std::move(chunk));
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

}  // namespace twofold::process
