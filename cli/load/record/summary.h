#pragma once

#include <string>

#include "twofold/v1/load.pb.h"

namespace twofold::cli {

/// What came of a load, for people: a few lines and a table of times.
std::string Summary(const v1::LoadRecord& record);

/// A row for each slice of the whole load, warm-up too, as CSV (RFC 4180) with a heading.
std::string SlicesCsv(const v1::LoadRecord& record);

/// A time for people: "101 ms", "12.5 us", "3.2 s".
std::string TimeText(double seconds);

/// A throughput for people: "158.3 /s".
std::string RateText(double per_second);

}  // namespace twofold::cli
