#pragma once

#include <string>

#include "lib/common/instant.h"

namespace twofold::queue {

/// "2.5s", for reasons that people read.
std::string Seconds(Duration duration);

}  // namespace twofold::queue
