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
      : state_(std::make_shared<State>(std::move(give_up))) {}
  ~Patience() {
    Stop();
    state_->Take();
  }
  Patience(const Patience&) = delete;
  Patience& operator=(const Patience&) = delete;

  /// We wait from now on.
  void Start() {
    alarm_ = std::make_unique<grpc::Alarm>();
    alarm_->Set(std::chrono::system_clock::now() + rpc::kCallerPatience,
                [state = state_](bool expired) {
                  if (expired) state->GiveUp();
                });
  }
  void Stop() { alarm_.reset(); }

 private:
  class State {
   public:
    explicit State(std::function<void()> give_up) : give_up_(std::move(give_up)) {}
    void GiveUp() {
      const MutexLock lock(mutex_);
      if (const auto give_up = std::exchange(give_up_, nullptr)) give_up();
    }
    void Take() {
      const MutexLock lock(mutex_);
      give_up_ = nullptr;
    }

   private:
    Mutex mutex_;
    std::function<void()> give_up_ ABSL_GUARDED_BY(mutex_);
  };

  const std::shared_ptr<State> state_;
  std::unique_ptr<grpc::Alarm> alarm_;
};

}  // namespace twofold::frontend
