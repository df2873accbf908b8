#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>

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
  std::shared_ptr<void> Enter(std::function<void()> end);

  /// Ends all calls, and lets no more in.
  void EndAll();

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
