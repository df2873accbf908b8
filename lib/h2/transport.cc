#include "lib/h2/transport.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace twofold::h2 {

bool WouldBlock(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

namespace {

class Plain final : public Transport {
 public:
  explicit Plain(int socket) : socket_(socket) {}

  Moved Handshake() override {
    int error = 0;
    socklen_t size = sizeof(error);
    getsockopt(socket_, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return {Moved::State::kFailed, 0, std::strerror(error)};
    return {};
  }

  Moved Read(char* to, std::size_t size) override {
    const ssize_t got = recv(socket_, to, size, 0);
    if (got == 0) return {Moved::State::kClosed};
    return Result(got, Moved::State::kMustRead);
  }

  Moved Write(std::string_view bytes) override {
    return Result(send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
                  Moved::State::kMustWrite);
  }

 private:
  static Moved Result(ssize_t moved, Moved::State otherwise) {
    if (moved >= 0) return {Moved::State::kDone, static_cast<std::size_t>(moved)};
    if (WouldBlock(errno)) return {otherwise};
    return {Moved::State::kFailed, 0, std::strerror(errno)};
  }

  const int socket_;
};

}  // namespace

std::unique_ptr<Transport> PlainTransport(int socket) { return std::make_unique<Plain>(socket); }

}  // namespace twofold::h2
