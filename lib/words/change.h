#pragma once

#include <cstddef>
#include <string_view>

#include "lib/stats/change.h"
#include "twofold/v1/runs.pb.h"

/// What is said of a headline of two runs, by commands and reports alike.
namespace twofold {

stats::Change ChangeOf(const v1::MetricResult& base, const v1::MetricResult& now);

/// Of means, see stats::RepetitionsToTell. 0 also where as many were made.
std::size_t RepetitionsToTell(const v1::MetricResult& base, const v1::MetricResult& now,
                              double confidence);

/// A p-value, corrected for the number of headlines, that is less says "changed".
inline constexpr double kRiskOfChange = 0.05;
inline bool IsChanged(double p) { return p < kRiskOfChange; }

/// By how much it grew, and `p`, corrected for the number of headlines: "better" or "worse", "more"
/// or "less" where no way is better; "-": by chance, perhaps.
std::string_view ChangeWord(double difference, double p, v1::Better better);

}  // namespace twofold
