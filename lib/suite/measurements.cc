#include "lib/suite/measurements.h"

#include <algorithm>
#include <cmath>

namespace twofold::suite {
namespace {

bool IsSound(const Series& series) {
  return std::all_of(series.rows.begin(), series.rows.end(), [&](const auto& row) {
    return row.size() == series.columns.size() &&
           std::all_of(row.begin(), row.end(), [](double value) { return std::isfinite(value); });
  });
}

}  // namespace

bool IsSound(const Measurements& result) {
  const auto finite = [](const Measurement& one) { return std::isfinite(one.value); };
  return std::all_of(result.measurements.begin(), result.measurements.end(), finite) &&
         std::all_of(result.series.begin(), result.series.end(),
                     [](const Series& series) { return IsSound(series); });
}

const char* Word(Better better) {
  switch (better) {
    case Better::kHigher:
      return "higher";
    case Better::kLower:
      return "lower";
    case Better::kNone:
      break;
  }
  return "none";
}

}  // namespace twofold::suite
