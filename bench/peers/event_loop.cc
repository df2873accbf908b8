#include "bench/peers/event_loop.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "bench/peers/fail.h"

namespace twofold::bench {
namespace {

// Small at first, as ten thousand idle connections have one each; grows with what arrives.
constexpr std::size_t kFirstBuffer = 4096;
constexpr std::size_t kLeastRoom = 2048;
constexpr int kReadsATurn = 4;  // then the other connections have their turn

[[noreturn]] void FailWith(const char* what) { Fail(std::string(what) + ": " + strerror(errno)); }

sockaddr_in Loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

void MakeReady(int fd) {
  const int one = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  fcntl(fd, F_SETFL, O_NONBLOCK);
}

timespec ToTimespec(Duration time) {
  const Duration bounded = std::clamp(time, Duration(0), Duration(std::chrono::seconds(60)));
  return {bounded.count() / 1'000'000'000, bounded.count() % 1'000'000'000};
}

}  // namespace

void Connection::Send(std::string_view bytes) {
  out_ += bytes;
  MarkDirty();
}

void Connection::MarkDirty() {
  if (dirty_) return;
  dirty_ = true;
  loop_->dirty_.push_back(this);
}

void Connection::OnClosed() { Fail("the server has closed the connection"); }

EventLoop::EventLoop() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {}

EventLoop::~EventLoop() {
  for (const auto& connection : connections_) {
    if (connection->fd_ >= 0) close(connection->fd_);
  }
  if (listener_ >= 0) close(listener_);
  close(epoll_);
}

void EventLoop::Dial(Connection& connection, std::uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = Loopback(port);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    FailWith("connect");
  }
  Watch(connection, fd);
}

void EventLoop::Listen(std::uint16_t port, std::function<std::unique_ptr<Connection>()> accept) {
  accept_ = std::move(accept);
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int one = 1;
  setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  const sockaddr_in address = Loopback(port);
  if (bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      listen(listener_, SOMAXCONN) != 0) {
    FailWith("listen");
  }
  epoll_event event{.events = EPOLLIN, .data = {.ptr = nullptr}};  // no connection: the listener
  epoll_ctl(epoll_, EPOLL_CTL_ADD, listener_, &event);
}

void EventLoop::Accept() {
  for (int fd; (fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
    Watch(*connections_.emplace_back(accept_()), fd);
  }
}

void EventLoop::Watch(Connection& connection, int fd) {
  MakeReady(fd);
  connection.fd_ = fd;
  connection.loop_ = this;
  connection.in_.resize(kFirstBuffer);
  epoll_event event{.events = EPOLLIN, .data = {.ptr = &connection}};
  epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
}

void EventLoop::WantWrite(Connection& connection, bool wants) {
  if (connection.wants_write_ == wants) return;
  connection.wants_write_ = wants;
  epoll_event event{.events = wants ? EPOLLIN | EPOLLOUT : EPOLLIN, .data = {.ptr = &connection}};
  epoll_ctl(epoll_, EPOLL_CTL_MOD, connection.fd_, &event);
}

void EventLoop::Write(Connection& connection) {
  std::string& out = connection.out_;
  while (connection.out_sent_ < out.size()) {
    const ssize_t sent = send(connection.fd_, out.data() + connection.out_sent_,
                              out.size() - connection.out_sent_, MSG_NOSIGNAL);
    if (sent < 0 && errno == EAGAIN) return WantWrite(connection, true);
    if (sent < 0) return Drop(connection);
    connection.out_sent_ += static_cast<std::size_t>(sent);
  }
  out.clear();
  connection.out_sent_ = 0;
  WantWrite(connection, false);
}

void EventLoop::Read(Connection& connection) {
  std::vector<char>& in = connection.in_;
  for (int reads = 0; reads < kReadsATurn; ++reads) {
    if (in.size() - connection.in_end_ < kLeastRoom) {
      std::copy(in.begin() + static_cast<std::ptrdiff_t>(connection.in_begin_),
                in.begin() + static_cast<std::ptrdiff_t>(connection.in_end_), in.begin());
      connection.in_end_ -= std::exchange(connection.in_begin_, 0);
      if (in.size() - connection.in_end_ < in.size() / 2) in.resize(in.size() * 2);
    }
    const std::size_t room = in.size() - connection.in_end_;
    const ssize_t got = recv(connection.fd_, in.data() + connection.in_end_, room, 0);
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) return Drop(connection);
    connection.in_end_ += static_cast<std::size_t>(got);
    connection.in_begin_ += connection.OnBytes(
        {in.data() + connection.in_begin_, connection.in_end_ - connection.in_begin_});
    if (connection.in_begin_ == connection.in_end_) connection.in_begin_ = connection.in_end_ = 0;
    if (static_cast<std::size_t>(got) < room) return;
  }
}

// The object stays, as others may still point to it; what they send is dropped.
void EventLoop::Drop(Connection& connection) {
  close(connection.fd_);
  connection.fd_ = -1;
  connection.OnClosed();
}

void EventLoop::WriteDirty() {
  for (std::size_t i = 0; i < dirty_.size(); ++i) {
    dirty_[i]->dirty_ = false;
    if (dirty_[i]->fd_ >= 0) Write(*dirty_[i]);
  }
  dirty_.clear();
}

Instant EventLoop::NextDue() const {
  Instant next = Instant::max();
  for (const Connection* connection : timed_) next = std::min(next, connection->NextDue());
  return next;
}

void EventLoop::CallDue() {
  if (timed_.empty()) return;
  const Instant now = Now();
  for (Connection* connection : timed_) {
    if (connection->NextDue() <= now) connection->OnDue(now);
  }
}

void EventLoop::Turn(Instant until) {
  WriteDirty();
  std::array<epoll_event, 128> events;
  const timespec timeout = ToTimespec(std::min(until, NextDue()) - Now());
  const int ready = epoll_pwait2(epoll_, events.data(), events.size(), &timeout, nullptr);
  for (int i = 0; i < ready; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    auto* connection = static_cast<Connection*>(event.data.ptr);
    if (connection == nullptr) {
      Accept();
      continue;
    }
    if ((event.events & EPOLLOUT) != 0 && connection->fd_ >= 0) Write(*connection);
    if ((event.events & ~std::uint32_t{EPOLLOUT}) != 0 && connection->fd_ >= 0) Read(*connection);
  }
  CallDue();
  WriteDirty();
}

void EventLoop::RunFor(Duration time) {
  for (const Instant end = Now() + time; Now() < end;) Turn(end);
}

void EventLoop::RunForEver() {
  std::thread([this] { RunUntil([] { return false; }); }).detach();
}

}  // namespace twofold::bench
