#include "lib/stats/looks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "lib/stats/comparison.h"
#include "lib/stats/evidence.h"

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
constexpr double kSameTime = 0.999;          // who is asked a little early is not sent away again
constexpr double kLongCut = 0.25;            // of a window; with a longer one it goes on to the cap

StepRecord RecordOf(const ThroughputEstimate& estimate, const MeasuredWindow& window,
                    const StepPlan& plan, const Look& look) {
  return {.workers = plan.workers,
          .window = window,
          .confidence = plan.repeats > 1 ? 0.95 : look.confidence,
          .steady = estimate.usable,
          .jobs = estimate.succeeded + estimate.failed,
          .failed = estimate.failed};
}

/// Half the width of ln(throughput) that noise over time gives, by one window alone.
double OwnWidth(const MeasuredWindow& window, double chance) {
  if (!window.IsKnown()) return std::numeric_limits<double>::infinity();
  WaveScatter scatter = ScatterOf(window, WarmUpOf(window.total).blocks);
  ExtrapolateOverTime({&scatter, 1});
  return RatioChance(ExplainCommonNoise(scatter), ErrorOfThesePods(scatter)).Distance(chance, 1.0);
}

bool HasFewWorkers(const StepRecord& record) { return record.window.groups < kFewestWorkers; }

/// How far from the limit the next ratio is likely to be, for twice the workers: as far as
/// `verdict`, or, after a first step of few workers, as 2. 0: no ratio may say so.
double LikelyDistance(const std::optional<StepVerdict>& verdict, const StepPlan& plan, bool few) {
  if (verdict && plan.repeats == 1) {
    const double doublings =
        std::log2(static_cast<double>(verdict->workers) / verdict->base_workers);
    return std::abs(std::log(verdict->ratio / verdict->limit)) / doublings;
  }
  return few ? std::abs(std::log(2.0 / plan.scale)) : 0.0;
}

/// Whether `now` is known well enough to be the base of the next step.
bool IsPrecise(const StepRecord* base, const StepRecord& now,
               const std::optional<StepVerdict>& verdict, const StepPlan& plan) {
  const bool few = HasFewWorkers(now);
  if (!now.window.IsKnown() ||
      (few && now.window.seconds < kSameTime * kLivesOfFew * now.window.mean_life)) {
    return false;
  }
  const double chance = few ? kChanceOfFew : kChanceOfPrecise;
  const double own = OwnWidth(now.window, chance);
  const double needed =
      std::clamp(kShareOfDistance * LikelyDistance(verdict, plan, few), kPrecise, kLeastPrecise);
  return own <= needed || (base != nullptr && own <= OwnWidth(base->window, chance));
}

/// A warm-up that takes long may go on; only time shows.
bool HasLongCut(const std::optional<StepVerdict>& verdict, const MeasuredWindow& window) {
  return std::max(verdict ? verdict->cut : 0.0, window.WarmUpSeconds()) > kLongCut * window.seconds;
}

bool IsDecided(const StepVerdict& step) {
  if (step.any_pods.verdict != Verdict::kUndecided) return true;
  return step.these_pods.verdict != Verdict::kUndecided && step.time_width < 0.5 * step.pods_width;
}

constexpr double kFirstLives = 10.0;
constexpr double kFirstSeconds = 2.0;
constexpr double kGrowth = 1.5;
constexpr double kBeforeTheCap = 0.9988;
constexpr double kAtTheCap = 0.95;

}  // namespace

StepLook LookAtStep(std::span<const StepRecord> earlier, const ThroughputEstimate& estimate,
                    const MeasuredWindow& window, const StepPlan& plan) {
  StepLook result;
  result.look = LookAt(estimate.seconds, estimate.mean_life, plan.cap);
  result.record = RecordOf(estimate, window, plan, result.look);
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
  if (result.done || !result.look.due || !estimate.usable) return result;
  const bool by_verdict = result.verdict && plan.repeats == 1;
  // More time tells little more about how much few pods differ: one look, the last, may ask that.
  const auto is_decided = [&] {
    if (IsDecided(*result.verdict)) return true;
    return HasFewWorkers(*base) && result.verdict->these_pods.verdict != Verdict::kUndecided &&
           judge(kAtTheCap).any_pods.verdict != Verdict::kUndecided;
  };
  result.done = (!by_verdict || is_decided()) && !HasLongCut(result.verdict, window) &&
                IsPrecise(base, result.record, result.verdict, plan);
  if (result.done && by_verdict && result.verdict->any_pods.verdict == Verdict::kUndecided) {
    // Time would not help, so this look is the last one, and may spend what is left.
    result.record.confidence = kAtTheCap;
    result.verdict = judge(kAtTheCap);
  }
  return result;
}

Look LookAt(double seconds, double mean_life, double cap) {
  if (seconds >= kSameTime * cap) return {.due = true, .last = true, .confidence = kAtTheCap};
  const double first = std::min(std::max(kFirstLives * mean_life, kFirstSeconds), cap);
  const bool due = seconds >= kSameTime * first;
  const double next = due ? std::min(kGrowth * seconds, cap) : first;
  return {.due = due, .confidence = kBeforeTheCap, .next_seconds = next - seconds};
}

}  // namespace twofold::stats
