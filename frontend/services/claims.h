#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/strings/str_cat.h>

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "lib/common/instant.h"
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
/// one door, and ends them all when the frontend ends. A peer is a host: its connections count
/// together, so an address translation on the way makes many of them one.
///
/// Threads  Safe.
class OpenCalls {
 public:
  /// `limit` 0 = none. `gate` counts those turned away.
  OpenCalls(std::uint32_t limit, security::Gate& gate) : limit_(limit), gate_(gate) {}

  using Place = Claims<std::string>::Claim;
  using End = std::function<void(const Status& why)>;

  /// A place for one more call of `host` (h2::HostOf).
  /// Errors   kResourceExhausted: it has as many as it may.
  Result<Place> Enter(const std::string& host) {
    if (auto place = hosts_.Take(host)) return place;
    gate_.Count(security::Reason::kTooMany);
    return absl::ResourceExhaustedError(
        absl::StrCat("this host has ", limit_,
                     " calls open, as many as it may (twofold-frontend --peer-calls)"));
  }

  /// `end` ends the call that has the place, and is forgotten with it: at once if EndAll came
  /// first. Returns the place.
  Place Open(Place place, const End& end) {
    std::optional<Status> ended;
    std::list<End>::iterator at;
    {
      const MutexLock lock(mutex_);
      ended = ended_;
      at = open_.insert(open_.end(), end);
    }
    if (ended) end(*ended);
    return Place(this, [at, place = std::move(place)](void* self) {
      static_cast<OpenCalls*>(self)->Forget(at);
    });
  }

  /// Waits until no call is open, `limit` at most.
  void AwaitNone(Duration limit) {
    const Instant until = Now() + limit;
    const MutexLock lock(mutex_);
    while (!open_.empty() && changed_.WaitUntil(mutex_, until)) {
    }
  }

  /// Ends all calls, and those that come.
  void EndAll(const Status& why) {
    std::list<End> open;
    {
      const MutexLock lock(mutex_);
      ended_ = why;
      open = open_;
    }
    for (const End& end : open) end(why);
  }

 private:
  void Forget(std::list<End>::iterator at) {
    {
      const MutexLock lock(mutex_);
      open_.erase(at);
    }
    changed_.NotifyAll();
  }

  const std::uint32_t limit_;
  security::Gate& gate_;
  Claims<std::string> hosts_{limit_};
  Mutex mutex_;
  Condition changed_;
  std::list<End> open_ ABSL_GUARDED_BY(mutex_);
  std::optional<Status> ended_ ABSL_GUARDED_BY(mutex_);  // nullopt: they go on
};

}  // namespace twofold::frontend
