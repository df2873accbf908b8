#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "lib/common/mutex.h"

namespace twofold::backend {

/// The calls that are open at a server: no more than so many, and each can be ended from outside. A
/// server of gRPC does not stop before its last call has.
///
/// Threads  Safe.
class CallSet {
 public:
  explicit CallSet(std::size_t most) : state_(std::make_shared<State>(most)) {}

  /// A place for a call, to be kept as long as it is open. Null: there are too many, or EndAll has
  /// been called. `end` has to end the call, and to bear being called when that has ended already.
  std::shared_ptr<void> Enter(std::function<void()> end) {
    const MutexLock lock(state_->mutex);
    if (state_->closed || state_->calls.size() >= state_->most) return nullptr;
    const std::uint64_t number = ++state_->last;
    state_->calls.emplace(number, std::move(end));
    return {state_.get(), [state = state_, number](void*) {
              const MutexLock leaving(state->mutex);
              state->calls.erase(number);
            }};
  }

  /// Ends all calls, and lets no more in.
  void EndAll() {
    std::map<std::uint64_t, std::function<void()>> calls;
    {
      const MutexLock lock(state_->mutex);
      state_->closed = true;
      calls = state_->calls;
    }
    for (const auto& [number, end] : calls) end();
  }

 private:
  struct State {
    explicit State(std::size_t limit) : most(limit) {}
    const std::size_t most;
    Mutex mutex;
    bool closed ABSL_GUARDED_BY(mutex) = false;
    std::uint64_t last ABSL_GUARDED_BY(mutex) = 0;
    std::map<std::uint64_t, std::function<void()>> calls ABSL_GUARDED_BY(mutex);
  };

  std::shared_ptr<State> state_;  // outlives us as long as there are places
};

}  // namespace twofold::backend
