#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/strings/str_cat.h>

#include <cstdint>
#include <memory>
#include <string>

#include "lib/common/mutex.h"
#include "lib/common/result.h"
#include "lib/security/gate.h"

namespace twofold::frontend {

/// Lets each key be held so many times at once.
///
/// Threads  Safe.
template <typename Key>
class Claims {
 public:
  /// Holds its key for as long as it lives, which the Claims must outlive.
  using Claim = std::shared_ptr<void>;

  /// `most` 0 = no limit.
  explicit Claims(std::uint32_t most) : most_(most) {}

  /// null: the key is held as often as it may be.
  Claim Take(const Key& key) {
    {
      const MutexLock lock(mutex_);
      std::uint32_t& held = held_[key];
      if (most_ != 0 && held >= most_) return nullptr;
      ++held;
    }
    return Claim(this, [key](void* self) { static_cast<Claims*>(self)->GiveBack(key); });
  }

 private:
  void GiveBack(const Key& key) {
    const MutexLock lock(mutex_);
    const auto found = held_.find(key);
    if (--found->second == 0) held_.erase(found);
  }

  const std::uint32_t most_;
  Mutex mutex_;
  absl::flat_hash_map<Key, std::uint32_t> held_ ABSL_GUARDED_BY(mutex_);
};

/// Bounds how many calls that stay open (streams, and calls that wait for a job) one peer has at
/// one door. A peer is a host: its connections count together, so an address translation on the way
/// makes many of them one.
///
/// Threads  Safe.
class OpenCalls {
 public:
  /// `limit` 0 = none. `gate` counts those turned away.
  OpenCalls(std::uint32_t limit, security::Gate& gate) : limit_(limit), gate_(gate) {}

  /// A place for one more call of `peer` (as grpc::ServerContext::peer gives it).
  /// Errors   kResourceExhausted: it has as many as it may.
  Result<Claims<std::string>::Claim> Enter(const std::string& peer) {
    // Without the port: "ipv4:10.0.0.7:53412" and "ipv6:%5B::1%5D:53412".
    if (auto place = hosts_.Take(peer.substr(0, peer.rfind(':')))) return place;
    gate_.Count(security::Reason::kTooMany);
    return absl::ResourceExhaustedError(
        absl::StrCat("this host has ", limit_,
                     " calls open, as many as it may (twofold-frontend --peer-calls)"));
  }

 private:
  const std::uint32_t limit_;
  security::Gate& gate_;
  Claims<std::string> hosts_{limit_};
};

}  // namespace twofold::frontend
