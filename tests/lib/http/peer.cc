#include "tests/lib/http/peer.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

namespace twofold::http {
namespace {

constexpr timeval kPatience{30, 0};

std::size_t BodySize(const std::string& head) {
  static constexpr std::string_view kName = "Content-Length: ";
  const std::size_t at = head.find(kName);
  return at == std::string::npos ? 0 : std::stoul(head.substr(at + kName.size()));
}

}  // namespace

Peer::Peer(std::uint16_t port, int receive_buffer, const char* host)
    : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
  EXPECT_GE(socket_, 0);
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof kPatience);
  setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof kPatience);
  if (receive_buffer > 0) {
    setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  }
  sockaddr_in address{};
  address.sin_family = AF_INET;
  inet_pton(AF_INET, host, &address.sin_addr);
  EXPECT_EQ(bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
}

Peer::Peer(Peer&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)),
      closed_(other.closed_),
      received_(std::move(other.received_)) {}

Peer::~Peer() {
  if (socket_ >= 0) close(socket_);
}

bool Peer::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void Peer::FinishSending() { shutdown(socket_, SHUT_WR); }

bool Peer::ReadSome() {
  std::array<char, 65536> buffer{};
  const ssize_t size = recv(socket_, buffer.data(), buffer.size(), 0);
  // A reset is a close as well; a timeout is not.
  closed_ = size == 0 || (size < 0 && errno == ECONNRESET);
  if (size <= 0) return false;
  received_.append(buffer.data(), static_cast<std::size_t>(size));
  return true;
}

std::string Peer::ReadUntil(std::string_view mark) {
  std::size_t end = std::string::npos;
  std::size_t searched = 0;
  while ((end = received_.find(mark, searched)) == std::string::npos) {
    searched = received_.size() - std::min(received_.size(), mark.size());
    if (!ReadSome()) return {};
  }
  std::string read = received_.substr(0, end + mark.size());
  received_.erase(0, read.size());
  return read;
}

std::string Peer::ReadHead() { return ReadUntil("\r\n\r\n"); }

std::string Peer::ReadResponse() {
  std::string response = ReadHead();
  const std::size_t size = BodySize(response);
  while (received_.size() < size) {
    if (!ReadSome()) return {};
  }
  response += received_.substr(0, size);
  received_.erase(0, size);
  return response;
}

std::string Peer::ReadAll() {
  while (ReadSome()) {
  }
  return std::exchange(received_, {});
}

std::string Ask(std::uint16_t port, std::string_view bytes) {
  Peer peer(port);
  peer.Send(bytes);
  std::string answer = peer.ReadAll();
  EXPECT_TRUE(peer.closed()) << "still open after: " << bytes.substr(0, 200);
  return answer;
}

int StatusOf(std::string_view response) {
  if (!response.starts_with("HTTP/1.") || response.size() < 12) return 0;
  return std::stoi(std::string(response.substr(9, 3)));
}

}  // namespace twofold::http
