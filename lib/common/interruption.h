#pragma once

#include "lib/common/instant.h"
#include "lib/common/mutex.h"

namespace twofold {

/// Lets a signal end waits.
///
/// Threads  Safe.
class Interruption {
 public:
  void Interrupt() {
    MutexLock lock(mutex_);
    interrupted_ = true;
    changed_.NotifyAll();
  }

  /// Waits until then. False, at once: interrupted.
  bool Pause(Instant until) {
    MutexLock lock(mutex_);
    while (!interrupted_ && changed_.WaitUntil(mutex_, until)) {
    }
    return !interrupted_;
  }

 private:
  Mutex mutex_;
  Condition changed_;
  bool interrupted_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace twofold
