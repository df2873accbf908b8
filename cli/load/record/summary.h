#pragma once

#include <string>
#include <vector>

#include "lib/show/table.h"
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

/// A load on workers with so many slots.
struct LoadStep {
  int slots = 1;
  v1::LoadRecord record;
};

/// How the throughput grows with the slots: each step beside the first one, with the 95 % interval
/// of the ratio (stats::Compare), and the efficiency: the ratio over how many times the slots.
///
///   {"slots", "throughput", "ratio", "ratio_lower", "ratio_upper", "efficiency", "p99_seconds",
///   "note"}
///
/// What is not known is left out: the ratio of the first step, and of one without a throughput.
show::Json ScalingRows(const std::vector<LoadStep>& steps);

const show::Columns& ScalingColumns();

}  // namespace twofold::cli
