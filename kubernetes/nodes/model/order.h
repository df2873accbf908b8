#pragma once

#include <algorithm>
#include <cstdint>

#include "kubernetes/api/call.h"
#include "lib/common/instant.h"

namespace twofold::nodes {

/// A call that is due, to be made as soon as possible. Whoever took it tells the outcome by Done.
struct Order {
  std::uint64_t ticket = 0;
  Instant planned;  ///< when it should have been made
  kube::Call call;
  bool is_timed = true;  ///< it has an instant of its own, against which lateness can be measured
};

/// How long to wait after so many failures in a row. `spread`, 0 to 1, tells one object from
/// another so that they do not all come back at once.
inline Duration WaitAfter(int failures, double spread) {
  constexpr Duration kFirst = std::chrono::milliseconds(500);
  constexpr int kDoublings = 6;  // to 32 s
  const Duration most = kFirst * (1 << std::min(failures, kDoublings));
  return most / 2 +
         Duration(static_cast<Duration::rep>(static_cast<double>(most.count()) / 2 * spread));
}

}  // namespace twofold::nodes
