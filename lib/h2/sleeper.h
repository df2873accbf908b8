#pragma once

#include <coroutine>
#include <utility>

#include "lib/common/instant.h"
#include "lib/h2/loop.h"

namespace twofold::h2 {

/// Lets one coroutine of a loop sleep until a time, or until somebody wakes it.
///
///   while (!stopping && Now() < when) co_await sleeper.Until(when);
///
/// What is waited for changes on the loop's thread only, so nothing happens between a look at it
/// and the sleep.
///
/// Threads  The loop's. The loop outlives it; nobody sleeps when it is destroyed.
class Sleeper {
 public:
  explicit Sleeper(Loop& loop)
      : loop_(loop), alarm_(loop, [this] { std::exchange(sleeping_, nullptr).resume(); }) {}

  /// For co_await; Instant::max(): until somebody wakes it.
  auto Until(Instant when) {
    struct Sleep {
      Sleeper& sleeper;
      Instant when;

      bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<> sleeping) const {
        sleeper.sleeping_ = sleeping;
        sleeper.alarm_.Set(when);
      }
      void await_resume() const noexcept {}
    };
    return Sleep{*this, when};
  }

  /// Whoever sleeps goes on soon, not within this call.
  void Wake() {
    if (sleeping_) alarm_.Set(loop_.now());
  }

 private:
  Loop& loop_;
  std::coroutine_handle<> sleeping_;  // null: nobody sleeps
  Timer alarm_;
};

}  // namespace twofold::h2
