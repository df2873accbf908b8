#pragma once

#include <string>
#include <utility>

#include "kubernetes/lifecycle/moments/kind.h"
#include "kubernetes/lifecycle/moments/observer.h"
#include "kubernetes/lifecycle/times/clock_offset.h"
#include "lib/common/mutex.h"

namespace twofold::lifecycle {

/// This process's two clocks, now.
Anchor AnchorNow();

/// An Observer that several threads tell: who sends, who watches, who writes canaries.
///
/// Threads  Safe.
class Observed {
 public:
  Observed(const Kind& kind, std::string run, const Anchor& anchor)
      : kind_(kind), anchor_(anchor), observer_(kind, std::move(run)) {}

  [[nodiscard]] const Kind& kind() const { return kind_; }
  [[nodiscard]] const Anchor& anchor() const { return anchor_; }

  /// Under the lock: visit(observer).
  template <typename Visit>
  auto With(Visit visit) {
    MutexLock lock(mutex_);
    return visit(observer_);
  }

 private:
  const Kind& kind_;
  const Anchor anchor_;
  Mutex mutex_;
  Observer observer_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace twofold::lifecycle
