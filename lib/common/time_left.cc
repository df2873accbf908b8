#include "lib/common/time_left.h"

#include <absl/strings/str_cat.h>

#include <cmath>
#include <cstdint>

namespace twofold {

std::string TimeLeftText(Duration time) {
  const auto seconds = static_cast<std::int64_t>(std::ceil(ToSeconds(time)));
  if (seconds < 60) return absl::StrCat(seconds, " s");
  if (seconds < 3600) return absl::StrCat((seconds + 59) / 60, " min");
  return absl::StrCat(seconds / 3600, " h ", seconds % 3600 / 60, " min");
}

}  // namespace twofold
