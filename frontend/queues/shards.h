#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "lib/common/mutex.h"
#include "lib/queue/queue.h"

namespace twofold::frontend {

/// To which of so many shards a job belongs; nullopt: to any. Jobs with the same limit key are in
/// one shard, so that the limit holds; if they have none, those with the same dedup key, else those
/// with the same fair key. Gangs, jobs with a placement and jobs of a run are in the first: there
/// they wait in one line, and workers come to them. The same on every machine.
std::optional<std::uint32_t> ShardOf(const queue::JobOptions& job, std::uint32_t shards);

/// How busy a shard is, as its owner said last.
struct ShardLoad {
  std::uint64_t slots = 0;   ///< of connected workers, without those that drain or are paused
  std::uint64_t idle = 0;    ///< of these, free and not held for a gang
  std::uint64_t wanted = 0;  ///< that would leave no job waiting that may run

  /// Slots that other shards may have.
  [[nodiscard]] std::uint64_t spare() const {
    return slots > wanted ? std::min(idle, slots - wanted) : 0;
  }
  [[nodiscard]] std::uint64_t lacks() const { return wanted > slots ? wanted - slots : 0; }
};

ShardLoad LoadOf(const queue::QueueStats& stats);

/// The loads of all shards that somebody serves, by name.
///
/// Threads  Safe.
class ShardLoads {
 public:
  void Publish(std::map<std::string, ShardLoad> loads);

  /// Of these shards the one with the fewest slots, the first one of several; a worker with so many
  /// goes there, which counts until the next Publish. REQUIRES: `shards` is not empty.
  std::string JoinFewest(std::span<const std::string> shards, std::uint64_t slots);

 private:
  Mutex mutex_;
  std::map<std::string, ShardLoad> loads_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace twofold::frontend
