#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "lib/common/instant.h"

namespace twofold::bench {

class EventLoop;

/// A TCP connection of an event loop. Derived classes speak a protocol.
///
/// Threads  The loop's, or the one that sets it up before the loop runs.
class Connection {
 public:
  Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  virtual ~Connection() = default;

  /// Queues bytes; the loop writes what has gathered once a turn, so requests are pipelined.
  void Send(std::string_view bytes);

  /// Send(fmt::format(...)), without a string in between.
  template <typename... Args>
  void Print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
    MarkDirty();
  }

  /// Called when NextDue has passed. Only for connections that the loop was told to Time.
  virtual void OnDue(Instant) {}
  [[nodiscard]] virtual Instant NextDue() const { return Instant::max(); }

 protected:
  /// The other end has gone. Ends the process, unless a server expects that.
  virtual void OnClosed();

  /// Some bytes have come, perhaps together with older ones left over. Returns how many were used:
  /// whole messages.
  virtual std::size_t OnBytes(std::string_view bytes) = 0;

 private:
  friend class EventLoop;

  void MarkDirty();

  EventLoop* loop_ = nullptr;
  int fd_ = -1;
  std::vector<char> in_;
  std::size_t in_begin_ = 0;
  std::size_t in_end_ = 0;
  std::string out_;
  std::size_t out_sent_ = 0;
  bool dirty_ = false;
  bool wants_write_ = false;
};

/// A small epoll loop: few connections that are busy, or many that are idle.
///
/// Threads  One at a time: that which sets it up, then that which runs it.
/// Errors   None are returned: without its connections a measuring process has no purpose (Fail).
class EventLoop {
 public:
  EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;
  ~EventLoop();

  /// Connects to 127.0.0.1:port.
  template <typename T>
  T& Connect(std::uint16_t port, std::unique_ptr<T> connection) {
    T& added = *connection;
    Dial(added, port);
    connections_.push_back(std::move(connection));
    return added;
  }

  /// Listens at 127.0.0.1:port; `accept` makes what speaks with each that comes.
  void Listen(std::uint16_t port, std::function<std::unique_ptr<Connection>()> accept);

  /// From now on OnDue is called for it.
  void Time(Connection& connection) { timed_.push_back(&connection); }

  /// Waits for something to happen, but not past `until`, and does it.
  void Turn(Instant until);

  void RunFor(Duration time);
  template <typename Done>
  void RunUntil(Done done) {
    while (!done()) Turn(Now() + std::chrono::seconds(1));
  }

  /// Goes on in a thread of its own to the end of the process, which must not wait for it.
  void RunForEver();

 private:
  friend class Connection;

  void Dial(Connection& connection, std::uint16_t port);
  void Watch(Connection& connection, int fd);
  void Accept();
  void Read(Connection& connection);
  void Write(Connection& connection);
  void WantWrite(Connection& connection, bool wants);
  void Drop(Connection& connection);
  void WriteDirty();
  void CallDue();
  [[nodiscard]] Instant NextDue() const;

  int epoll_;
  int listener_ = -1;
  std::function<std::unique_ptr<Connection>()> accept_;
  std::vector<std::unique_ptr<Connection>> connections_;
  std::vector<Connection*> dirty_;
  std::vector<Connection*> timed_;
};

}  // namespace twofold::bench
