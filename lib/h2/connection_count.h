#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <optional>
#include <string>

#include "lib/common/mutex.h"
#include "lib/h2/closing.h"

namespace twofold::h2 {

/// How many connections there are, in all and of each host. Servers that share a port's connections
/// share its count.
///
/// Threads  Safe.
class ConnectionCount {
 public:
  ConnectionCount(std::size_t most, std::size_t of_host) : most_(most), of_host_(of_host) {}

  /// One more of `host`. Why not, if that would be too many; nullopt: it counts.
  std::optional<Closing> Add(const std::string& host) {
    const MutexLock lock(mutex_);
    const auto known = hosts_.find(host);
    const std::size_t held = known == hosts_.end() ? 0 : known->second;
    if (held >= of_host_) return Closing{Cause::kTooMany, "their host has as many as it may"};
    if (all_ >= most_) return Closing{Cause::kNoRoom, "there are as many as there may be"};
    ++all_;
    ++hosts_[host];
    return std::nullopt;
  }

  /// REQUIRES: Add took it.
  void Remove(const std::string& host) {
    const MutexLock lock(mutex_);
    --all_;
    const auto known = hosts_.find(host);
    if (--known->second == 0) hosts_.erase(known);
  }

 private:
  const std::size_t most_;
  const std::size_t of_host_;
  Mutex mutex_;
  std::size_t all_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<std::string, std::size_t> hosts_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace twofold::h2
