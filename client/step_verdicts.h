#pragma once

#include <string>
#include <string_view>

#include "client/parameters.h"
#include "lib/stats/scaling.h"

/// What all forms of the pages /look and /verdict share. Pure.
namespace twofold::client {

/// The interval for `pods`.
inline const stats::RatioInterval& Chosen(const stats::StepVerdict& step, Pods pods) {
  return pods == Pods::kAny ? step.any_pods : step.these_pods;
}

/// "pass", "fail", "undecided"; "measured" for a step without one before it, if it is steady and
/// its throughput is known.
std::string_view VerdictOf(const stats::StepLook& look, Pods pods);

/// Of all steps: "fail" if one fails, else "undecided" if one is or there is none, else "pass".
std::string_view VerdictOf(const stats::ScalingVerdict& scaling, Pods pods);

/// Why the verdict is "undecided", for people; empty if it is not.
std::string WhyUndecided(const stats::StepVerdict& step, Pods pods);

/// The same for a look; `reason` is why its window is not steady.
std::string WhyUndecided(const stats::StepLook& look, const std::string& reason, Pods pods);

/// How much workers differ, as a share of their speed.
double SpreadShare(const stats::Spread& spread);

}  // namespace twofold::client
