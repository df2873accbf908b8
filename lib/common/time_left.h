#pragma once

#include <string>

#include "lib/common/instant.h"

namespace twofold {

/// How long something still takes, for people: "1 h 5 min", "12 s".
std::string TimeLeftText(Duration time);

}  // namespace twofold
