#pragma once

#include <algorithm>
#include <string>

#include "kubernetes/lifecycle/times/report.h"

namespace twofold::lifecycle {

/// The span of this name, which the report must have.
inline SpanSummary SpanOf(const Report& report, const std::string& name) {
  return *std::find_if(report.spans.begin(), report.spans.end(),
                       [&](const SpanSummary& span) { return span.name == name; });
}

}  // namespace twofold::lifecycle
