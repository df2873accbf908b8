#include "cli/lifecycle/observed.h"

#include <chrono>

namespace twofold::lifecycle {

Anchor AnchorNow() {
  const auto unix_time = std::chrono::system_clock::now().time_since_epoch();
  return {Now(), std::chrono::duration_cast<std::chrono::nanoseconds>(unix_time).count()};
}

}  // namespace twofold::lifecycle
