#include "lib/stats/scaling.h"

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "lib/stats/comparison.h"

namespace twofold::stats {
namespace {

constexpr double kPodsConfidence = 0.95;
constexpr double kPrecise = 0.02;      // half a width of ln(throughput) that a base may always have
constexpr double kLeastError = 1e-9;   // errors less than this are as good as none
constexpr double kMostRepeats = 1000;  // more are not worth a word

double Squared(double x) { return x * x; }

double Slope(const StepRecord& step) { return step.drift / step.rate.seconds; }

/// The inverse of its variance, which for noise without memory is 12 times that of the mean over
/// the square of the length.
double SlopePrecision(const StepRecord& step) {
  return Squared(step.rate.seconds / std::max(step.rate.log_error, kLeastError)) / 12.0;
}

/// One repeat of a step.
struct Pair {
  const StepRecord* base;
  const StepRecord* now;

  [[nodiscard]] double LogRatio() const {
    return std::log(now->rate.throughput / base->rate.throughput);
  }
  [[nodiscard]] double TimeWidth() const {
    return LogHalfWidth(base->rate, now->rate, std::max(base->confidence, now->confidence));
  }
  /// How far a common drift moves ln(ratio), as far as it shows in the windows: the mean slope of
  /// both, each by its precision, times the distance of their middles without what is between.
  [[nodiscard]] double Drift() const {
    const double slope =
        (Slope(*base) * SlopePrecision(*base) + Slope(*now) * SlopePrecision(*now)) *
        SlopeVariance();
    return slope * Distance();
  }
  /// The variance that noise gives to Drift().
  [[nodiscard]] double DriftVariance() const { return SlopeVariance() * Squared(Distance()); }
  [[nodiscard]] double TimeVariance() const {
    return Squared(base->rate.log_error) + Squared(now->rate.log_error);
  }

 private:
  [[nodiscard]] double Distance() const { return 0.5 * (base->rate.seconds + now->rate.seconds); }
  [[nodiscard]] double SlopeVariance() const {
    return 1.0 / (SlopePrecision(*base) + SlopePrecision(*now));
  }
};
using Pairs = std::vector<Pair>;

template <typename Value>
double MeanOf(const Pairs& pairs, Value value) {
  double sum = 0.0;
  for (const Pair& pair : pairs) sum += value(pair);
  return sum / static_cast<double>(pairs.size());
}

double Throughput(const Pairs& pairs) {
  return std::exp(MeanOf(pairs, [](const Pair& p) { return std::log(p.now->rate.throughput); }));
}

/// How far drift may move the mean of the repeats. What is less than half of its own error is taken
/// for noise; else a quarter of that error is added, as the drift may well be larger than it looks.
/// Both are as small as a drift of about the noise allows (see the table in docs/statistics.md).
double DriftOf(const Pairs& pairs) {
  const double seen = std::abs(MeanOf(pairs, [](const Pair& p) { return p.Drift(); }));
  const double chance = MeanOf(pairs, [](const Pair& p) { return p.DriftVariance(); });
  const double error = std::sqrt(chance / static_cast<double>(pairs.size()));
  return seen > 0.5 * error ? seen + 0.25 * error : 0.0;
}

/// Half the width that noise of time and drift give to the mean of the repeats. Drift is a bias, so
/// it is added, not squared.
double TimeWidth(const Pairs& pairs) {
  const double noise = MeanOf(pairs, [](const Pair& p) { return Squared(p.TimeWidth()); });
  return std::sqrt(noise / static_cast<double>(pairs.size())) + DriftOf(pairs);
}

/// The variance of ln(ratio) of one repeat that comes from its pods.
double PodsVariance(const Pair& pair, const Spread& spread) {
  return std::max(spread.variance, 0.0) * (1.0 / pair.base->workers + 1.0 / pair.now->workers);
}

/// The variance between repeats if they scatter more than time and pods explain; else 0.
double UnexplainedVariance(const Pairs& pairs, const Spread& spread) {
  const double degrees = static_cast<double>(pairs.size()) - 1.0;
  if (degrees < 1.0) return 0.0;
  const double mean = MeanOf(pairs, [](const Pair& p) { return p.LogRatio(); });
  const double squares = MeanOf(pairs, [&](const Pair& p) { return Squared(p.LogRatio() - mean); });
  const double seen = squares * static_cast<double>(pairs.size()) / degrees;
  const double explained = MeanOf(pairs, [&](const Pair& p) { return p.TimeVariance(); }) +
                           PodsVariance(pairs.front(), spread);
  const boost::math::fisher_f ratio(degrees, std::max(spread.degrees, 1.0));
  return seen > explained * boost::math::quantile(ratio, kPodsConfidence) ? seen : 0.0;
}

/// Half the width that new pods give to the mean of the repeats.
double PodsWidth(const Pairs& pairs, const Spread& spread) {
  const auto repeats = static_cast<double>(pairs.size());
  if (const double seen = UnexplainedVariance(pairs, spread); seen > 0.0) {
    return StudentFactor(kPodsConfidence, repeats - 1.0) * std::sqrt(seen / repeats);
  }
  if (spread.degrees < 1.0) return std::numeric_limits<double>::infinity();
  return StudentFactor(kPodsConfidence, spread.degrees) *
         std::sqrt(PodsVariance(pairs.front(), spread) / repeats);
}

RatioInterval Interval(double ratio, double width, double limit, bool steady) {
  const double factor = std::exp(width);
  RatioInterval interval{ratio / factor, ratio * factor};
  if (steady) interval.verdict = Judge(interval.lower, interval.upper, limit);
  return interval;
}

/// So many repeats that the pods' part, together with that of time, is less than the distance from
/// the limit.
std::uint32_t RepeatsNeeded(const StepVerdict& step) {
  const double distance = Squared(std::log(step.ratio / step.limit));
  const double widths = Squared(step.time_width) + Squared(step.pods_width);
  const double needed = std::ceil(step.repeats * widths / distance);
  return needed <= kMostRepeats ? static_cast<std::uint32_t>(needed) : 0;
}

/// Of a step whose throughputs are known and steady.
Doubt DoubtOf(const StepVerdict& step, const Spread& spread) {
  if (step.any_pods.verdict != Verdict::kUndecided) return Doubt::kNone;
  if (spread.degrees < 1.0 && std::isinf(step.pods_width)) return Doubt::kOneWorker;
  return step.pods_width <= step.time_width ? Doubt::kNoise : Doubt::kWorkers;
}

/// The workers of the first step for which `is_good` does not hold; 0: it holds for all.
template <typename IsGood>
std::uint32_t FirstBad(const Pairs& pairs, IsGood is_good) {
  for (const Pair& pair : pairs) {
    for (const StepRecord* record : {pair.base, pair.now}) {
      if (!is_good(*record)) return record->workers;
    }
  }
  return 0;
}

StepVerdict JudgeStep(const Pairs& pairs, double scale, const Spread& spread) {
  const StepRecord& base = *pairs.front().base;
  const StepRecord& now = *pairs.front().now;
  StepVerdict step{.workers = now.workers,
                   .base_workers = base.workers,
                   .repeats = static_cast<std::uint32_t>(pairs.size()),
                   .spread = std::sqrt(std::max(spread.variance, 0.0))};
  step.limit = std::pow(scale, std::log2(static_cast<double>(now.workers) / base.workers));
  constexpr double kNoBound = std::numeric_limits<double>::infinity();
  step.doubtful_workers = FirstBad(pairs, [](const StepRecord& r) { return IsKnown(r.rate); });
  if (step.doubtful_workers > 0) {
    step.these_pods.upper = step.any_pods.upper = kNoBound;
    step.time_width = step.pods_width = kNoBound;
    step.doubt = Doubt::kNotMeasured;
    return step;
  }
  step.doubtful_workers = FirstBad(pairs, [](const StepRecord& r) { return r.steady; });
  const bool steady = step.doubtful_workers == 0;
  step.throughput = Throughput(pairs);
  step.ratio = std::exp(MeanOf(pairs, [](const Pair& p) { return p.LogRatio(); }));
  step.time_width = TimeWidth(pairs);
  step.pods_width = PodsWidth(pairs, spread);
  const double any_width = std::hypot(step.time_width, step.pods_width);
  step.these_pods = Interval(step.ratio, step.time_width, step.limit, steady);
  step.any_pods = Interval(step.ratio, any_width, step.limit, steady);
  step.doubt = steady ? DoubtOf(step, spread) : Doubt::kNotSteady;
  if (steady && step.doubt != Doubt::kNone) step.repeats_needed = RepeatsNeeded(step);
  return step;
}

Spread PooledOver(std::span<const StepRecord> records) {
  std::vector<Spread> spreads;
  for (const StepRecord& record : records) spreads.push_back(record.spread);
  return Pooled(spreads);
}

/// Whether `record` begins a repeat that comes after `before`.
bool Begins(const StepRecord* before, const StepRecord& record) {
  return before == nullptr || record.workers <= before->workers;
}

StepRecord RecordOf(const ThroughputEstimate& estimate, const Spread& spread, const StepPlan& plan,
                    const Look& look) {
  return {.workers = plan.workers,
          .rate = {estimate.throughput, estimate.log_error, estimate.degrees, estimate.seconds},
          .confidence = plan.repeats > 1 ? 0.95 : look.confidence,
          .steady = estimate.steady,
          .drift = estimate.drift,
          .spread = spread,
          .jobs = estimate.succeeded + estimate.failed,
          .failed = estimate.failed};
}

double OwnWidth(const Rate& rate, double confidence) {
  return StudentFactor(confidence, rate.degrees) * rate.log_error;
}

bool IsDecided(const StepVerdict& step) {
  if (step.any_pods.verdict != Verdict::kUndecided) return true;
  return step.these_pods.verdict != Verdict::kUndecided && step.time_width < 0.5 * step.pods_width;
}

constexpr double kFirstLives = 10.0;
constexpr double kFirstSeconds = 2.0;
constexpr double kGrowth = 1.5;
constexpr double kBeforeTheCap = 0.997;
constexpr double kAtTheCap = 0.965;
constexpr double kSameTime = 0.999;  // who is asked a little early is not sent away again

}  // namespace

ScalingVerdict JudgeScaling(std::span<const StepRecord> records, double scale) {
  ScalingVerdict result;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Pairs> steps;  // by workers and base workers
  const StepRecord* before = nullptr;
  for (const StepRecord& record : records) {
    if (!Begins(before, record))
      steps[{record.workers, before->workers}].push_back({before, &record});
    before = &record;
  }
  result.spread = PooledOver(records);
  for (const auto& [workers, pairs] : steps) {
    result.steps.push_back(JudgeStep(pairs, scale, result.spread));
  }
  return result;
}

StepLook LookAtStep(std::span<const StepRecord> earlier, const ThroughputEstimate& estimate,
                    const Spread& spread, const StepPlan& plan) {
  StepLook result;
  result.look = LookAt(estimate.seconds, estimate.mean_life, plan.cap);
  result.record = RecordOf(estimate, spread, plan, result.look);
  std::vector<StepRecord> records(earlier.begin(), earlier.end());
  records.push_back(result.record);
  const StepRecord* base = earlier.empty() ? nullptr : &earlier.back();
  if (Begins(base, result.record)) base = nullptr;
  if (base != nullptr) {
    const Pairs last = {{base, &records.back()}};
    result.verdict = JudgeStep(last, plan.scale, PooledOver(records));
  }
  result.done = result.look.last;
  if (result.done || !result.look.due || !estimate.steady) return result;
  const double confidence = result.record.confidence;
  const double enough =
      std::max(kPrecise, base == nullptr ? 0.0 : OwnWidth(base->rate, confidence));
  const bool by_verdict = result.verdict && plan.repeats == 1;
  result.done = OwnWidth(result.record.rate, confidence) <= enough &&
                (!by_verdict || IsDecided(*result.verdict));
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
