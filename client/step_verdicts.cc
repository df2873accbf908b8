#include "client/step_verdicts.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

namespace twofold::client {

std::string_view VerdictOf(const stats::StepLook& look, Pods pods) {
  if (look.verdict) return stats::Name(Chosen(*look.verdict, pods).verdict);
  const bool measured = look.record.steady && stats::IsKnown(look.record.rate);
  return measured ? "measured" : stats::Name(stats::Verdict::kUndecided);
}

std::string_view VerdictOf(const stats::ScalingVerdict& scaling, Pods pods) {
  const auto any = [&](stats::Verdict verdict) {
    return std::any_of(scaling.steps.begin(), scaling.steps.end(),
                       [&](const auto& step) { return Chosen(step, pods).verdict == verdict; });
  };
  if (any(stats::Verdict::kFail)) return stats::Name(stats::Verdict::kFail);
  const bool undecided = scaling.steps.empty() || any(stats::Verdict::kUndecided);
  return stats::Name(undecided ? stats::Verdict::kUndecided : stats::Verdict::kPass);
}

std::string WhyUndecided(const stats::StepVerdict& step, Pods pods) {
  const stats::RatioInterval& interval = Chosen(step, pods);
  if (interval.verdict != stats::Verdict::kUndecided) return {};
  if (pods == Pods::kAny || !std::isfinite(step.time_width) || !step.steady) return step.why;
  return fmt::format("{:.4g} is inside {:.4g}..{:.4g}: a longer cap helps", step.limit,
                     interval.lower, interval.upper);
}

std::string WhyUndecided(const stats::StepLook& look, const std::string& reason, Pods pods) {
  if (!look.record.steady) return "not steady: " + reason;
  return look.verdict ? WhyUndecided(*look.verdict, pods) : std::string();
}

double SpreadShare(const stats::Spread& spread) {
  return std::sqrt(std::max(spread.variance, 0.0));
}

}  // namespace twofold::client
