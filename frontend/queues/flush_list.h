#pragma once

#include <absl/container/inlined_vector.h>

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "frontend/queues/endpoints.h"

namespace twofold::frontend {

/// What a turn leaves to be done without the lock: the endpoints that it has put something into are
/// flushed, and calls are answered.
class FlushList {
 public:
  // A batch concerns few endpoints, mostly the same one again: looking back is cheaper than a set.
  template <typename AnyEndpoint>
  void Add(const std::shared_ptr<AnyEndpoint>& endpoint) {
    for (auto known = endpoints_.rbegin(); known != endpoints_.rend(); ++known) {
      if (known->get() == endpoint.get()) return;
    }
    endpoints_.push_back(endpoint);
  }

  void Then(std::function<void()> action) { actions_.push_back(std::move(action)); }

  /// Call it with no lock held.
  void Flush() const {
    for (const auto& endpoint : endpoints_) endpoint->Flush();
    for (const auto& action : actions_) action();
  }

 private:
  absl::InlinedVector<std::shared_ptr<Endpoint>, 8> endpoints_;
  std::vector<std::function<void()>> actions_;
};

}  // namespace twofold::frontend
