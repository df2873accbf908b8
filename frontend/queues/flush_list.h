#pragma once

#include <absl/container/inlined_vector.h>

#include <memory>

#include "frontend/queues/endpoints.h"

namespace twofold::frontend {

/// The endpoints that a turn has put something into.
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

  /// Call it with no lock held.
  void Flush() const {
    for (const auto& endpoint : endpoints_) endpoint->Flush();
  }

 private:
  absl::InlinedVector<std::shared_ptr<Endpoint>, 8> endpoints_;
};

}  // namespace twofold::frontend
