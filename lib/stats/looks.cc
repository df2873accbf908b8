#include "lib/stats/looks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "lib/stats/comparison.h"
#include "lib/stats/evidence.h"
#include "lib/stats/summary.h"

namespace twofold::stats {
namespace {

// Half a width of ln(throughput) that a base may have: so much of the distance that the next ratio
// is likely to have from the limit, but so much always, and no more than so much.
constexpr double kShareOfDistance = 0.4;
constexpr double kPrecise = 0.02;
constexpr double kLeastPrecise = 0.04;
constexpr double kChanceOfPrecise = 0.0015;  // that it is further off, a side
constexpr double kChanceOfFew = 0.025;       // the same of few workers, whose windows say less,
constexpr double kLivesOfFew = 32.0;         // and show slow noise only if they last so long
// The same from the cap on, at kChanceOfFew: what is still of use for the next verdict.
constexpr double kShareFromTheCapOn = 0.25;
constexpr double kSameTime = 0.999;  // who is asked a little early is not sent away again
constexpr double kLongCut = 0.25;    // of a window; with a longer one it goes on to the cap
constexpr double kNever = std::numeric_limits<double>::infinity();  // seconds

// ---- looks

constexpr double kFirstLives = 10.0;
constexpr double kFirstSeconds = 2.0;
constexpr double kGrowth = 1.5;
// Of looks before the cap, from there on, and of the last one of these.
constexpr double kBeforeTheCap = 0.9988;
constexpr double kFromTheCapOn = 0.994;
constexpr double kLastOfMany = 0.96;

bool IsReached(double seconds, double goal) { return seconds >= kSameTime * goal; }

/// After a look at `seconds`, which was due.
double SecondsOfNext(double seconds, const Cap& cap) {
  return std::min(kGrowth * seconds, IsReached(seconds, cap.seconds) ? cap.most() : cap.seconds);
}

// ---- a step

/// A step at a look, which is due.
struct SeenStep {
  const StepPlan& plan;
  const StepRecord* base;  // null: it begins a repeat
  const StepRecord& now;
  const std::optional<StepVerdict>& verdict;

  [[nodiscard]] bool ends_by_verdict() const { return verdict && plan.repeats == 1; }
};

bool HasFewWorkers(const StepRecord& record) { return record.window.groups < kFewestWorkers; }

/// Half the width of ln(throughput) that noise over time gives, by one window alone.
double OwnWidth(const MeasuredWindow& window, double chance) {
  if (!window.IsKnown()) return kNever;
  WaveScatter scatter = ScatterOf(window, WarmUpOf(window.total).blocks);
  ExtrapolateOverTime({&scatter, 1});
  return RatioChance(ExplainCommonNoise(scatter), ErrorOfThesePods(scatter)).Distance(chance, 1.0);
}

/// How far from the limit the next ratio is likely to be, for twice the workers: as far as that of
/// this step, or, after a first step, as 2.
double LikelyDistance(const SeenStep& step) {
  if (!step.ends_by_verdict()) return std::abs(std::log(2.0 / step.plan.scale));
  const StepVerdict& verdict = *step.verdict;
  const double doublings = std::log2(static_cast<double>(verdict.workers) / verdict.base_workers);
  return std::abs(std::log(verdict.ratio / verdict.limit)) / doublings;
}

/// How well a base has to be known.
struct Precision {
  double width = kPrecise;  // half of that of ln(throughput)
  double chance = kChanceOfPrecise;
};

Precision Needed(const SeenStep& step) {
  const double distance = LikelyDistance(step);
  const bool few = HasFewWorkers(step.now);
  const bool may_say = few || step.ends_by_verdict();
  return {std::clamp(may_say ? kShareOfDistance * distance : 0.0, kPrecise, kLeastPrecise),
          few ? kChanceOfFew : kChanceOfPrecise};
}

/// From the cap on a base is worth its time only where the next verdict hangs on it.
Precision NeededFromTheCapOn(const SeenStep& step) {
  return {std::max(kShareFromTheCapOn * LikelyDistance(step), kPrecise), kChanceOfFew};
}

/// Whether another step will be compared with it.
bool IsBase(const SeenStep& step) {
  if (!step.ends_by_verdict() || step.plan.next == Next::kAlways) return true;
  const Verdict verdict = step.verdict->Of(step.plan.pods).verdict;
  return step.plan.next == Next::kUnlessFailed && verdict != Verdict::kFail;
}

/// How long a window like that of the step has to be to be known so well, or as well as its base.
double PreciseSeconds(const SeenStep& step, const Precision& needed) {
  const MeasuredWindow& window = step.now.window;
  if (!window.IsKnown()) return kNever;
  const double base = step.base == nullptr ? 0.0 : OwnWidth(step.base->window, needed.chance);
  const double share = OwnWidth(window, needed.chance) / std::max(base, needed.width);
  const double least = HasFewWorkers(step.now) ? kSameTime * kLivesOfFew * window.mean_life : 0.0;
  return std::max(window.seconds * Squared(share), least);
}

/// When the step is known well enough to be a base.
double BaseSeconds(const SeenStep& step) {
  return std::min(PreciseSeconds(step, Needed(step)),
                  std::max(step.plan.cap.seconds, PreciseSeconds(step, NeededFromTheCapOn(step))));
}

/// A warm-up that takes long may go on; only time shows.
bool HasLongCut(const SeenStep& step) {
  const MeasuredWindow& window = step.now.window;
  const double cut = step.verdict ? step.verdict->cut : 0.0;
  return std::max(cut, window.WarmUpSeconds()) > kLongCut * window.seconds;
}

bool ArePodsDecided(const StepVerdict& verdict) {
  return verdict.these_pods.verdict != Verdict::kUndecided;
}

/// Or time would not help.
bool IsDecided(const SeenStep& step) {
  const StepVerdict& verdict = *step.verdict;
  if (verdict.Of(step.plan.pods).verdict != Verdict::kUndecided) return true;
  return ArePodsDecided(verdict) && verdict.time_width < 0.5 * verdict.pods_width;
}

// ---- what is to be expected

double NormalFactor(double confidence) {
  constexpr double kInfinite = 1e9;  // degrees of freedom
  return StudentFactor(confidence, kInfinite);
}

/// The variance of ln(ratio): what stays, and what a longer window shrinks.
struct VarianceParts {
  double fixed = 0.0;
  double now = 0.0;

  [[nodiscard]] double After(double growth) const { return fixed + now / growth; }
};

/// That of the step's interval, in shares like those of the variances of which it is made: workers
/// that differ, noise over time of the base and of the step.
VarianceParts VarianceOf(const SeenStep& step) {
  const auto over_time = [](const MeasuredWindow& window) {
    return Squared(OwnWidth(window, kChanceOfFew) / NormalFactor(1.0 - 2.0 * kChanceOfFew));
  };
  const StepVerdict& verdict = *step.verdict;
  const bool any = step.plan.pods == Pods::kAny;
  const double pods = any ? Squared(verdict.spread) *
                                (1.0 / step.base->window.groups + 1.0 / step.now.window.groups)
                          : 0.0;
  const double now = over_time(step.now.window);
  const double all = pods + over_time(step.base->window) + now;
  const double width = Squared(verdict.time_width) + (any ? Squared(verdict.pods_width) : 0.0);
  const double variance = width / Squared(NormalFactor(step.now.confidence));
  const double shrinking = all > 0.0 ? variance * now / all : 0.0;
  return {variance - shrinking, shrinking};
}

/// Seconds of a window that decides, if the ratio stays.
double DecisiveSeconds(const SeenStep& step, const VarianceParts& variance) {
  const double seconds = step.now.window.seconds;
  const double distance = Squared(std::log(step.verdict->ratio / step.verdict->limit));
  const double most = step.plan.cap.most();
  const double at_last = Squared(NormalFactor(kLastOfMany)) * variance.After(most / seconds);
  const double left = distance / Squared(NormalFactor(kFromTheCapOn)) - variance.fixed;
  const double needed = left > 0.0 ? seconds * variance.now / left : kNever;
  return at_last <= distance ? std::min(needed, most) : needed;
}

std::optional<Expectation> Expect(const SeenStep& step) {
  const double seconds = step.now.window.seconds;
  const double most = step.plan.repeats == 1 ? step.plan.cap.most() : step.plan.cap.seconds;
  double needed = IsBase(step) ? BaseSeconds(step) : 0.0;
  const bool is_open = step.ends_by_verdict() && !IsDecided(step);
  VarianceParts variance;
  if (is_open) {
    if (!std::isfinite(step.verdict->time_width)) return std::nullopt;
    variance = VarianceOf(step);
    needed = std::max(needed, DecisiveSeconds(step, variance));
  }
  if (needed > most) return std::nullopt;
  Expectation expected{.seconds = SecondsOfNext(seconds, step.plan.cap)};
  while (!IsReached(expected.seconds, needed)) {
    expected.seconds = SecondsOfNext(expected.seconds, step.plan.cap);
  }
  if (is_open) {
    const double half = NormalFactor(kOnce) * std::sqrt(variance.After(expected.seconds / seconds));
    expected.lower = step.verdict->ratio * std::exp(-half);
    expected.upper = step.verdict->ratio * std::exp(half);
  }
  return expected;
}

double ConfidenceOf(const StepPlan& plan, const Look& look) {
  if (plan.repeats == 1) return look.confidence;
  return plan.repeats == 0 ? kOneOfTwo : kOnce;
}

}  // namespace

Look LookAt(double seconds, double mean_life, const Cap& cap) {
  const double first = std::min(std::max(kFirstLives * mean_life, kFirstSeconds), cap.seconds);
  Look look{.due = IsReached(seconds, first),
            .at_cap = IsReached(seconds, cap.seconds),
            .last = IsReached(seconds, cap.most()),
            .confidence = kBeforeTheCap,
            .confidence_if_last = kOnce};
  if (!look.last) look.next_seconds = (look.due ? SecondsOfNext(seconds, cap) : first) - seconds;
  if (!look.at_cap) return look;
  const bool is_first = kSameTime * seconds <= cap.seconds;
  look.confidence_if_last = is_first ? kOnce : kLastOfMany;
  look.confidence = look.last ? look.confidence_if_last : kFromTheCapOn;
  return look;
}

StepLook LookAtStep(std::span<const StepRecord> earlier, const ThroughputEstimate& estimate,
                    const MeasuredWindow& window, const StepPlan& plan) {
  StepLook result;
  result.look = LookAt(estimate.seconds, estimate.mean_life,
                       plan.repeats == 1 ? plan.cap : Cap{plan.cap.seconds});
  result.record = {.workers = plan.workers,
                   .window = window,
                   .confidence = ConfidenceOf(plan, result.look),
                   .steady = estimate.usable,
                   .jobs = estimate.succeeded + estimate.failed,
                   .failed = estimate.failed};
  std::vector<StepRecord> records(earlier.begin(), earlier.end());
  records.push_back(result.record);
  const StepRecord* base = earlier.empty() ? nullptr : &earlier.back();
  if (BeginsRepeat(base, result.record)) base = nullptr;
  const auto judge = [&](double confidence) {
    records.back().confidence = confidence;
    return JudgeLastStep(records, plan.scale);
  };
  if (base != nullptr) result.verdict = judge(result.record.confidence);
  result.done = result.look.last;
  if (result.done || !result.look.due) return result;
  const SeenStep step{plan, base, result.record, result.verdict};
  if (estimate.usable && !HasLongCut(step)) {
    // More time tells little more about how much few pods differ: one look, the last, asks that.
    const auto decides_as_the_last = [&] {
      return HasFewWorkers(*base) && ArePodsDecided(*result.verdict) &&
             judge(result.look.confidence_if_last).any_pods.verdict != Verdict::kUndecided;
    };
    const bool decided = !step.ends_by_verdict() || IsDecided(step) || decides_as_the_last();
    result.done = decided && (!IsBase(step) || BaseSeconds(step) <= window.seconds);
    if (!result.done) result.expected = Expect(step);
  }
  if (result.look.at_cap && !result.expected) result.done = true;
  if (result.done && step.ends_by_verdict() &&
      result.verdict->Of(plan.pods).verdict == Verdict::kUndecided) {
    // No look comes after this one, so it may spend what is left.
    result.record.confidence = result.look.confidence_if_last;
    result.verdict = judge(result.record.confidence);
  }
  return result;
}

}  // namespace twofold::stats
