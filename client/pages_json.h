#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "client/parameters.h"
#include "client/place_groups.h"
#include "client/snapshot.h"
#include "lib/stats/comparison.h"
#include "lib/stats/scaling.h"

/// The JSON form of the pages. Times are in seconds. A value that is unknown, or infinite (which
/// JSON cannot write), is null. Pure.
namespace twofold::client::json {

/// {"result": ..., "info": "..."}
std::string Single(std::uint64_t result, std::string_view info);
std::string Single(double result, std::string_view info);
std::string Single(std::string_view result, std::string_view info);

std::string Stats(const Snapshot& snapshot);
std::string Places(const Snapshot& snapshot, By by);
std::string Window(const Snapshot& snapshot);
std::string Comparison(const stats::Comparison& comparison);
std::string Look(const Snapshot& snapshot, const stats::StepLook& look, Pods pods);
std::string Scaling(const stats::ScalingVerdict& scaling, Pods pods);

}  // namespace twofold::client::json
