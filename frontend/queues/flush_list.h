#pragma once

#include <absl/container/inlined_vector.h>

#include <memory>

#include "frontend/queues/endpoints.h"

namespace twofold::frontend {

/// The links that a turn has put something into.
class Touched {
 public:
  // A batch concerns few links, mostly the same one again: looking back is cheaper than a set.
  template <typename AnyLink>
  void Add(const std::shared_ptr<AnyLink>& link) {
    for (auto known = links_.rbegin(); known != links_.rend(); ++known) {
      if (known->get() == link.get()) return;
    }
    links_.push_back(link);
  }

  /// Call it with no lock held.
  void Flush() const {
    for (const auto& link : links_) link->Flush();
  }

 private:
  absl::InlinedVector<std::shared_ptr<Link>, 8> links_;
};

}  // namespace twofold::frontend
