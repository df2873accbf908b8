#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "lib/common/descriptors.h"
#include "lib/common/instant.h"
#include "lib/rpc/connection_table.h"
#include "lib/rpc/hand_over.h"
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
///
/// Threads  Two of its own, from construction to destruction.
/// Cost     Idle: a look at the memory ten times a second.
class Acceptor {
 public:
  /// `give` owns the connection then. `gate` counts those turned away; null: nobody does.
  Acceptor(Listeners listeners, ConnectionLimits limits, std::shared_ptr<security::Gate> gate,
           HandOver::Give give);
  ~Acceptor();

  /// Why connections cannot be taken at this moment; empty: they can.
  [[nodiscard]] std::string trouble() const;

 private:
  void Run();
  void AcceptAll(int listener);
  bool IsLetIn(const std::string& host, Instant now);
  void TurnAway(security::Reason reason, const char* why);
  void LookAtMemory(Instant now);
  void BreakOffBiggest(std::vector<ConnectionTable::Talker> talkers);
  void Pause(int error);

  const Listeners listeners_;
  const ConnectionLimits limits_;
  const std::uint64_t memory_mark_;
  const std::uint64_t measure_from_;
  const std::shared_ptr<security::Gate> gate_;
  const Descriptor wake_;  // an eventfd: the thread is to end
  std::atomic<int> accept_error_ = 0;

  // Used by the thread only.
  HandOver hand_over_;
  ConnectionTable table_;
  Instant swept_{};
  Instant paused_until_{};
  std::uint64_t resident_ = 0;  // at the last look
  bool measured_ = false;       // at the last look
  Instant returned_{};          // when free memory was
  std::uint64_t turned_away_ = 0;
  Instant said_{};

  std::thread thread_;
};

}  // namespace twofold::rpc
