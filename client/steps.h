#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/common/result.h"
#include "lib/stats/looks.h"
#include "lib/stats/scaling.h"
#include "lib/words/scaling.h"

/// Steps of a scaling test: what all forms of the pages /look and /verdict share. Pure.
namespace twofold::client {

using stats::Pods;

/// By what steps are judged.
struct Judging {
  double scale = 1.8;  ///< least ratio for twice the workers
  Pods pods = Pods::kAny;
  double allowed_failures = 0.0;  ///< share of the jobs of a step
};

/// "pass", "fail", "undecided"; "measured" for a step without one before it, if it is steady and
/// its throughput is known.
std::string_view VerdictOf(const stats::StepLook& look, Pods pods);

/// Why the verdict is "undecided", for people; empty if it is not. `reason` is why the window is
/// not steady.
std::string WhyUndecided(const stats::StepLook& look, const std::string& reason, Pods pods);

/// What the steps of a validation were found to do.
ScalingFound FoundOf(std::span<const stats::StepRecord> records,
                     const stats::ScalingVerdict& scaling, const Judging& judging);

/// How much workers differ, as a share of their speed.
double SpreadShare(const stats::Spread& spread);

/// A measured step as text that a script keeps and hands back in a URL: no character of it needs an
/// escape. Nine numbers, and the shape of the window (client/window_text.h), 570 letters in all:
///
///   workers:seconds:mean_life:credit:groups:confidence:steady:jobs:failed:SHAPE
std::string RecordText(const stats::StepRecord& record);

/// Records with commas between; empty text: no records.
/// Errors   kInvalidArgument: which record and field, and what is allowed.
Result<std::vector<stats::StepRecord>> ParseRecords(std::string_view text);

}  // namespace twofold::client
