#pragma once

#include <algorithm>
#include <atomic>

#include "lib/common/instant.h"
#include "lib/common/mutex.h"

namespace twofold::frontend {

/// When a thread has to wake that waits for queues: the ticker, or whoever looks for changes. Whoever
/// finds that something is due earlier rings.
///
/// Threads  Ring from any thread; Clear and Wait from the one that wakes.
/// Cost     Ring: an atomic read, as long as nothing is earlier than planned.
class Alarm {
 public:
  /// Nothing is planned: from now on all that rings counts.
  void Clear() { due_ = Instant::max(); }

  void Ring(Instant at) {
    if (at >= due_.load(std::memory_order_relaxed)) return;
    const MutexLock lock(mutex_);
    due_ = std::min(at, due_.load());
    changed_.NotifyAll();
  }

  /// Returns at `at`, or at the instant that somebody rings, or after Stop; says which instant that
  /// was to be.
  Instant Wait(Instant at) {
    const MutexLock lock(mutex_);
    due_ = std::min(at, due_.load());
    for (Instant due = due_; !stopped_ && Now() < due; due = due_) {
      // A wait for the end of time would overflow in the library.
      changed_.WaitUntil(mutex_, std::min(due, Now() + std::chrono::hours(1)));
    }
    return due_;
  }

  /// Returns at `until`, whoever rings, or after Stop.
  void Sleep(Instant until) {
    const MutexLock lock(mutex_);
    while (!stopped_ && Now() < until) changed_.WaitUntil(mutex_, until);
  }

  void Stop() {
    const MutexLock lock(mutex_);
    stopped_ = true;
    changed_.NotifyAll();
  }

  [[nodiscard]] bool stopped() const { return stopped_; }

 private:
  Mutex mutex_;  ///< held to change what follows, so that the ticker misses no change
  Condition changed_;
  std::atomic<Instant> due_ = Instant::max();
  std::atomic<bool> stopped_ = false;
};

}  // namespace twofold::frontend
