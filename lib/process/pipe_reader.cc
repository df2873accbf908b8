#include "lib/process/pipe_reader.h"

#include <unistd.h>

#include <array>
#include <utility>

namespace twofold::backend {
namespace {

constexpr std::size_t kPipeBytes = 65'536;  // what a pipe of Linux holds

}  // namespace

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
  std::array<char, kPipeBytes> bytes;
  const ssize_t got = read(pipe_.native_handle(), bytes.data(), bytes.size());
  if (got == 0) {
    Close();
    if (on_closed_) on_closed_();
    return;
  }
  if (got > 0) on_bytes_({bytes.data(), static_cast<std::size_t>(got)});
  if (pipe_.is_open()) Await();  // who heard of the bytes may have closed it
}

void PipeReader::Finish() {
  if (!pipe_.is_open()) return;
  std::array<char, kPipeBytes> bytes;
  const ssize_t got = read(pipe_.native_handle(), bytes.data(), bytes.size());
  Close();
  if (got > 0) on_bytes_({bytes.data(), static_cast<std::size_t>(got)});
}

}  // namespace twofold::backend
