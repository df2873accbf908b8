#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "lib/common/descriptors.h"
#include "lib/common/instant.h"
#include "lib/common/mutex.h"
#include "lib/rpc/connection_table.h"
#include "lib/rpc/listeners.h"
#include "lib/security/gate.h"

namespace twofold::rpc {

/// What the connections of a server may take of this process.
struct ConnectionLimits {
  std::size_t of_host = 0;   ///< connections of one host at once; 0: no limit
  std::uint64_t memory = 0;  ///< bytes that the process may have; 0: MemoryLimit()
};

/// Takes the connections of a server, and hands them to gRPC. What gRPC 1.51 does not do itself:
///
/// - Out of descriptors it waits and goes on (gRPC's listener would never accept again).
/// - A host has so many connections and no more; some descriptors stay free for the rest of the
///   program. Further ones are closed at once.
/// - When more than six tenths of the memory are in use, no connection is taken; and while the use
///   still grows, those connections are broken off that sent most of what came since the look
///   before. A flood of frames makes gRPC use hundreds of bytes for each that it receives, without
///   a bound.
/// - When bytes are there already, gRPC may begin to read in the thread that brings it a
///   connection, and goes on as long as more come. What keeps that thread too long is broken off.
///
/// Threads  Two of its own, from construction to destruction: one takes connections and hands them
///          over, the other watches.
/// Cost     Idle: a look at the memory ten times a second.
class Acceptor {
 public:
  /// Gives a connection to gRPC, which owns it then.
  using Give = std::function<void(int connection)>;

  /// `gate` counts those turned away; null: nobody does.
  Acceptor(Listeners listeners, ConnectionLimits limits, std::shared_ptr<security::Gate> gate,
           Give give);
  ~Acceptor();

  /// Why connections cannot be taken at this moment; empty: they can.
  [[nodiscard]] std::string trouble() const;

 private:
  using Connection = ConnectionTable::Connection;
  struct HandedOver {
    Connection connection;
    Instant since;
  };

  void Take();
  void TakeOne(int listener);
  void HandOver(Descriptor connection, const std::string& host);
  void Pause(int error);

  void Watch();
  [[nodiscard]] Duration UntilLook() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void LookAtMemory(Instant now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void BreakOffBiggest(std::vector<Connection> talkers) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void BreakOffIfLate(Instant now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  bool IsLetIn(const std::string& host, Instant now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void TurnAway(security::Reason reason, const char* why) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Listeners listeners_;
  const ConnectionLimits limits_;
  const std::uint64_t memory_mark_;
  const std::uint64_t measure_from_;
  const std::shared_ptr<security::Gate> gate_;
  const Give give_;
  const Descriptor wake_;  // an eventfd: the threads are to end
  std::atomic<int> accept_error_ = 0;

  Mutex mutex_;
  bool ending_ ABSL_GUARDED_BY(mutex_) = false;
  ConnectionTable table_ ABSL_GUARDED_BY(mutex_);
  std::optional<HandedOver> current_ ABSL_GUARDED_BY(mutex_);  // gRPC is about to have it
  Instant swept_ ABSL_GUARDED_BY(mutex_){};
  std::uint64_t resident_ ABSL_GUARDED_BY(mutex_) = 0;  // at the last look
  bool measured_ ABSL_GUARDED_BY(mutex_) = false;       // at the last look
  Instant returned_ ABSL_GUARDED_BY(mutex_){};          // when free memory was
  std::uint64_t turned_away_ ABSL_GUARDED_BY(mutex_) = 0;
  Instant said_ ABSL_GUARDED_BY(mutex_){};

  std::thread taker_;
  std::thread watcher_;
};

}  // namespace twofold::rpc
