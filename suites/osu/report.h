#pragma once

#include "lib/suite/measurements.h"
#include "suites/osu/sections.h"

namespace twofold::suite::osu {

/// Adds the numbers of one test to `result`; nothing if it is an error.
/// `largest` is the message size up to which the spec lets it go, in bytes; 0: not known.
/// Errors   As Suite::parse, without the stage.
Status ReadTest(const Section& section, std::uint64_t largest, Measurements& result);

}  // namespace twofold::suite::osu
