#pragma once

#include <cstdint>
#include <utility>

namespace twofold::backend {

/// One try at a job; `attempt` is the fencing token.
struct AttemptId {
  std::uint64_t job = 0;
  std::uint32_t attempt = 0;

  friend bool operator==(const AttemptId&, const AttemptId&) = default;
  template <typename H>
  friend H AbslHashValue(H hash, const AttemptId& id) {
    return H::combine(std::move(hash), id.job, id.attempt);
  }
};

}  // namespace twofold::backend
