#pragma once

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/googletest.h"

namespace twofold::testing {

/// A Unix socket that leads to another one, byte by byte, and can be cut: the way between a program
/// and its server.
///
/// Threads  One of its own; calls from one thread.
class SocketRelay {
 public:
  /// Makes the socket `from`. Fails the test if it cannot.
  SocketRelay(const std::string& from, std::string to);
  ~SocketRelay();
  SocketRelay(const SocketRelay&) = delete;
  SocketRelay& operator=(const SocketRelay&) = delete;

  /// From now on nothing comes through, and nobody is told.
  void Cut() { cut_ = true; }
  /// All comes through, also what was sent meanwhile.
  void Mend() { cut_ = false; }

 private:
  struct Pair {
    int caller;
    int server;
  };

  void Run();
  void Accept();
  static bool Pass(int from, int to);

  const std::string to_;
  int listening_ = -1;
  std::vector<Pair> pairs_;  // of the thread
  std::atomic<bool> cut_ = false;
  std::atomic<bool> stopped_ = false;
  std::thread thread_;
};

}  // namespace twofold::testing
