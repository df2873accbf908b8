#pragma once

#include <functional>
#include <utility>

#include "lib/common/instant.h"
#include "lib/common/mutex.h"
#include "lib/rpc/byte_stream.h"
#include "lib/rpc/limits.h"

namespace twofold::frontend {

/// Gives a call up whose caller lets us wait too long: for its next message, or until it takes
/// ours.
///
/// Threads  Start and Stop from any thread, from the call's OnBegin on. `give_up` comes on the
///          loop's thread, once at most, while the call is not over.
class Patience {
 public:
  /// A part of `call`.
  Patience(rpc::ByteStream& call, std::function<void()> give_up,
           Duration limit = rpc::kCallerPatience)
      : call_(call), give_up_(std::move(give_up)), limit_(limit) {}

  /// We wait from now on.
  void Start() {
    {
      const MutexLock lock(mutex_);
      until_ = Now() + limit_;
      if (std::exchange(looks_, true)) return;
    }
    LookAfter(limit_);
  }

  void Stop() {
    const MutexLock lock(mutex_);
    until_ = Instant::max();
  }

 private:
  // One look is on its way at most, however often we begin to wait.
  void LookAfter(Duration pause) {
    call_.RunAfter(pause, [this] { Look(); });
  }

  void Look() {
    Instant until;
    {
      const MutexLock lock(mutex_);
      until = until_;
      looks_ = until > Now() && until != Instant::max();
    }
    if (until <= Now()) return give_up_();
    if (until != Instant::max()) LookAfter(until - Now());
  }

  rpc::ByteStream& call_;
  const std::function<void()> give_up_;
  const Duration limit_;
  Mutex mutex_;
  Instant until_ ABSL_GUARDED_BY(mutex_) = Instant::max();  // nobody lets us wait
  bool looks_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace twofold::frontend
