#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench/peers/cell.h"
#include "bench/peers/client_load.h"

namespace twofold::bench {

/// How to reach the server under test, on 127.0.0.1.
struct Target {
  std::vector<std::uint16_t> ports;  ///< in the order of the server's table row
  std::string directory;             ///< the server's temporary one: certificates, for example
};

/// What a measuring process has to do.
struct Task {
  Cell cell;
  Target target;
  std::string name;  ///< unique to this process: for queues, so that runs do not meet
};

/// The extension point: how to move jobs through one system. Implementations connect and carry
/// bytes; when to send, what to check and what to measure is ClientLoad's.
///
/// A peer lives as long as its process, which ends without destroying it: so threads may be
/// detached, and nothing needs to be shut down in order.
class Peer {
 public:
  virtual ~Peer() = default;

  /// kRoundTrips, kOpenLoop: connects cell.connections workers, then a client for each of `loads`,
  /// starts their threads and returns. A worker answers each job with its payload, after a time
  /// drawn with the mean cell.run_seconds (0: at once). A client sends what its load says is due:
  /// now, after each result, and at NextDue().
  virtual void Start(const Task& task, std::vector<std::unique_ptr<ClientLoad>>& loads) = 0;

  /// kEnqueue: puts cell.count jobs, at most cell.outstanding of them unacknowledged; returns when
  /// the server has all. `payload` is that of each job.
  virtual void Enqueue(const Task& task, const std::string& payload);

  /// kIdle: connects cell.count / cell.slots workers; returns when the server knows them all.
  virtual void Idle(const Task& task);
};

}  // namespace twofold::bench
