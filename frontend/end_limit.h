#pragma once

#include <chrono>
#include <functional>
#include <thread>
#include <utility>

#include "lib/common/instant.h"
#include "lib/common/mutex.h"

namespace twofold::frontend {

/// Bounds how long an end may take. A thread that waits for a disk that hangs cannot be stopped,
/// and what it uses cannot be freed, so a process that has to end in time ends without it. Nothing
/// that anybody was told is lost: it is on disk.
///
/// Threads  `give_up` is called by a thread of this class, once at most, if this still lives after
///          `limit`; it may call exit functions.
class EndLimit {
 public:
  EndLimit(Duration limit, std::function<void()> give_up)
      : thread_([this, end = Now() + limit, give_up = std::move(give_up)] {
          if (!EndsBefore(end)) give_up();
        }) {}
  ~EndLimit() {
    {
      const MutexLock lock(mutex_);
      ended_ = true;
    }
    changed_.NotifyAll();
    thread_.join();
  }
  EndLimit(const EndLimit&) = delete;
  EndLimit& operator=(const EndLimit&) = delete;

 private:
  bool EndsBefore(Instant end) {
    const MutexLock lock(mutex_);
    while (!ended_ && changed_.WaitUntil(mutex_, end)) continue;
    return ended_;
  }

  Mutex mutex_;
  Condition changed_;
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace twofold::frontend
