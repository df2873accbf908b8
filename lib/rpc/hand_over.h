#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <thread>

#include "lib/common/descriptors.h"
#include "lib/common/instant.h"
#include "lib/common/mutex.h"
#include "lib/rpc/connection_table.h"

namespace twofold::rpc {

/// Hands connections to gRPC, one after the other. When bytes are there already, gRPC may begin to
/// read in the thread that brings it a connection, and goes on as long as more come: a flood would
/// keep that thread for good. So it is one that does nothing else, and what keeps it too long is
/// broken off.
///
/// Threads  One of its own; the methods on one other.
class HandOver {
 public:
  /// Gives a connection, which `give` owns then, from the socket that listens.
  using Give = std::function<void(int listener, int connection)>;

  static constexpr std::size_t kMostWaiting = 1024;

  explicit HandOver(Give give);
  ~HandOver();

  [[nodiscard]] bool IsFull() const;
  void Add(int listener, Descriptor connection, ConnectionTable::Talker about);

  /// Breaks off the connection that is being handed over if it has taken longer than it may.
  /// True: it was.
  bool BreakOffIfLate(Instant now);

 private:
  struct Item {
    int listener;
    Descriptor connection;
    ConnectionTable::Talker about;
  };
  struct Current {
    ConnectionTable::Talker about;
    Instant since;
  };

  void Run();
  std::optional<Item> Take();  // waits for one; nullopt: it ends

  const Give give_;
  mutable Mutex mutex_;
  Condition changed_;
  std::deque<Item> waiting_ ABSL_GUARDED_BY(mutex_);
  std::optional<Current> current_ ABSL_GUARDED_BY(mutex_);
  bool ending_ ABSL_GUARDED_BY(mutex_) = false;

  std::thread thread_;
};

}  // namespace twofold::rpc
