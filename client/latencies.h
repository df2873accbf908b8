#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "lib/common/instant.h"
#include "lib/load/snapshot.h"
#include "lib/stats/censored_times.h"

/// Where the time of a window's jobs went, and how sure that is: part of the client's pages. Pure.
namespace twofold::client {

/// Whether jobs were planned for a moment: only then can one be late.
bool HasOpenLoop(const load::Snapshot& snapshot);

/// Seconds; null: not known.
nlohmann::ordered_json SecondsJson(const std::optional<Duration>& time);
/// Both ends, in seconds.
nlohmann::ordered_json IntervalJson(const stats::CensoredTimes::Interval& interval);

/// For people: a row for each part of a job's time, then the intervals of its percentiles, and
/// which percentiles of the round trip have too few jobs.
std::string LatenciesText(const load::Snapshot& snapshot);
/// The same for programs, by part.
nlohmann::ordered_json LatenciesJson(const load::Snapshot& snapshot);

}  // namespace twofold::client
