#pragma once

#include <string>

#include "lib/common/instant.h"

namespace twofold::cli {

/// How long something still takes, for people: "1 h 5 min", "12 s".
std::string TimeText(Duration time);

}  // namespace twofold::cli
