#pragma once

#include <cstdint>
#include <utility>

#include "lib/common/instant.h"

namespace twofold::backend {

/// Callers that were turned away: counted, and said in the log once a second at most, so that
/// nobody fills it from outside.
///
/// Threads  One.
class Denials {
 public:
  /// One more. How many there were since it was said last, if it is to be said now; else 0.
  std::uint64_t Add(Instant now) {
    ++count_;
    if (said_ && now - last_ < std::chrono::seconds(1)) return 0;
    said_ = true;
    last_ = now;
    return std::exchange(count_, 0);
  }

 private:
  std::uint64_t count_ = 0;
  Instant last_{};
  bool said_ = false;
};

}  // namespace twofold::backend
