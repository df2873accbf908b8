#pragma once

#include <grpcpp/alarm.h>

#include <chrono>
#include <functional>
#include <memory>
#include <utility>

#include "lib/common/mutex.h"
#include "lib/rpc/limits.h"

namespace twofold::frontend {

/// Gives a call up whose caller lets us wait for rpc::kCallerPatience: for its next message, or
/// until it takes ours.
///
/// Threads  Start and Stop one at a time. `give_up` comes on a thread of gRPC, once at most, and
///          never after the destructor; it must not block, and the call ends later than it
///          returns.
class Patience {
 public:
  explicit Patience(std::function<void()> give_up)
      : state_(new State{.mutex = {}, .give_up = std::move(give_up)}) {}
  ~Patience() {
    Stop();
    const MutexLock lock(state_->mutex);
    state_->give_up = nullptr;
  }
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;

  /// We wait from now on.
  void Start() {
    alarm_ = std::make_unique<grpc::Alarm>();
    alarm_->Set(std::chrono::system_clock::now() + rpc::kCallerPatience,
                [state = state_](bool expired) {
                  const MutexLock lock(state->mutex);
                  if (expired && state->give_up) std::exchange(state->give_up, nullptr)();
                });
  }
  void Stop() { alarm_.reset(); }

 private:
  struct State {
    Mutex mutex;
    std::function<void()> give_up ABSL_GUARDED_BY(mutex);
  };

  const std::shared_ptr<State> state_;
  std::unique_ptr<grpc::Alarm> alarm_;
};

}  // namespace twofold::frontend
