#include "frontend/queues/shards.h"

#include <string_view>
#include <utility>

namespace twofold::frontend {
namespace {

/// FNV-1a, which is the same everywhere and for ever.
std::uint64_t Hash(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return hash;
}

}  // namespace

std::optional<std::uint32_t> ShardOf(const queue::JobOptions& job, std::uint32_t shards) {
  if (job.gang.size > 1 || !job.placement.empty() || !job.run.empty()) return 0;
  for (const std::string* key : {&job.limit_key, &job.dedup_key, &job.fair_key}) {
    if (!key->empty()) return static_cast<std::uint32_t>(Hash(*key) % shards);
  }
  return std::nullopt;
}

ShardLoad LoadOf(const queue::QueueStats& stats) {
  return {.slots = stats.workers_idle + stats.workers_busy,
          .idle = stats.workers_idle - std::min(stats.workers_idle, stats.workers_reserved),
          .wanted = stats.wanted_workers};
}

void ShardLoads::Publish(std::map<std::string, ShardLoad> loads) {
  const MutexLock lock(mutex_);
  loads_ = std::move(loads);
}

std::string ShardLoads::JoinFewest(std::span<const std::string> shards, std::uint64_t slots) {
  const MutexLock lock(mutex_);
  const auto fewest = std::min_element(shards.begin(), shards.end(),
                                       [this](const std::string& one, const std::string& other) {
                                         mutex_.AssertHeld();
                                         return loads_[one].slots < loads_[other].slots;
                                       });
  loads_[*fewest].slots += slots;
  return *fewest;
}

}  // namespace twofold::frontend
