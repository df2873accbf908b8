#pragma once

namespace twofold {

/// What the interval of a load's throughput cannot see; said wherever one is shown.
inline constexpr const char* kMeasuredInOneLoad =
    "An interval is of noise that comes and goes within the load: what slows all workers for as "
    "long as it lasts would not show; repeats show it.";

}  // namespace twofold
