#pragma once

#include <algorithm>

#include "lib/common/instant.h"

namespace twofold::backend {

/// For how long the frontend may not have heard this process. When that is over, somebody else may
/// have its attempts: after the lease, or, once the stream has broken, after the grace period.
///
/// Time     Callers pass `now`; the class reads no clock.
class Silence {
 public:
  /// As the frontend has them. Before, and with a lease of 0, no silence is over; grace 0: it has
  /// not said, so the lease counts.
  void SetLimits(Duration lease, Duration grace) {
    lease_ = lease;
    grace_ = grace > Duration::zero() ? grace : lease;
  }

  /// The stream is there, and something was said on it.
  void Spoke(Instant now) { Begin(now, lease_); }
  /// It is not there any more.
  void Broke(Instant now) { Begin(now, std::min(lease_, grace_)); }

  [[nodiscard]] bool IsOver(Instant now) const {
    return limit_ > Duration::zero() && now - since_ >= limit_;
  }
  /// How long that takes from its beginning on.
  [[nodiscard]] Duration limit() const { return limit_; }

 private:
  void Begin(Instant now, Duration limit) {
    since_ = now;
    limit_ = limit;
  }

  Duration lease_{0};
  Duration grace_{0};
  Duration limit_{0};
  Instant since_{};
};

}  // namespace twofold::backend
