#pragma once

#include <string>

#include "kubernetes/lifecycle/times/drawn.h"
#include "lib/report/figure.h"

namespace twofold::lifecycle {

/// How a time is written in titles: to three digits, "12.3 ms", "4 s". Infinite: "-".
std::string ShortTime(double seconds);

/// "Time between sent and scheduled (median 12 ms, p99 40 ms [33..51], 3 missing)". A
/// percentile that falls among the missing is "-"; an end of an interval that is not known, too.
std::string TitleOf(const DrawnSpan& span, const SpanSummary& summary);

/// What users wait for, a row a span, over the number of the workload in the order of sending; and
/// how many workloads or pods came past each step a second, with the limits that were found.
///
/// Of a workload what came is a point, what is known inexactly an upright bar over all that is
/// possible, and what never came a mark at the upper edge; the title counts it. `logarithmic`: the
/// axes of times.
report::Figure GeneralPicture(const Drawn& drawn, bool logarithmic = false);

/// A row a step: left over the time of sending, right how many took how long; and the rates.
report::Figure DetailedPicture(const Drawn& drawn, bool logarithmic = false);

}  // namespace twofold::lifecycle
