#include "lib/common/instant.h"

#include <algorithm>
#include <cmath>

namespace twofold {

Duration FromSeconds(double seconds) {
  constexpr double kMost = 9.2e18;  // just under 2^63 ns
  return Duration(
      static_cast<Duration::rep>(std::llround(std::clamp(seconds * 1e9, -kMost, kMost))));
}

}  // namespace twofold
