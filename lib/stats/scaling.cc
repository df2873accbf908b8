#include "lib/stats/scaling.h"

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "lib/stats/comparison.h"
#include "lib/stats/evidence.h"

namespace twofold::stats {
namespace {

constexpr double kRepeatsConfidence = 0.95;
constexpr std::uint32_t kMostRepeats = 1000;  // more are not worth a word
constexpr double kNoBound = std::numeric_limits<double>::infinity();

double Chance(double confidence) { return 0.5 * (1.0 - confidence); }

/// One repeat of a step: places in the records.
struct Pair {
  std::size_t base;
  std::size_t now;
};
using Pairs = std::vector<Pair>;

/// What is left out of both windows of a pair, and what that may leave.
struct PairCut {
  double seconds = 0.0;
  double change = 0.0;
  std::size_t base = 0;  // blocks
  std::size_t now = 0;
  double rest = 0.0;  // how far a warm-up that goes on may move ln(ratio)
};

/// A warm-up that takes half of a window may go on behind it: as much as a straight line shows.
double RestOf(const MeasuredWindow& window, std::size_t cut) {
  return cut < kMostCut ? 0.0 : std::abs(Drift(WithoutBlocks(window.total, cut)));
}

PairCut CutOf(const MeasuredWindow& base, const MeasuredWindow& now) {
  PairCut cut;
  for (const MeasuredWindow* window : {&base, &now}) {
    cut.seconds = std::max(cut.seconds, window->WarmUpSeconds());
    const double change = WarmUpOf(window->total).change;
    if (std::abs(change) > std::abs(cut.change)) cut.change = change;
  }
  cut.base = base.BlocksIn(cut.seconds);
  cut.now = now.BlocksIn(cut.seconds);
  cut.rest = RestOf(base, cut.base) + RestOf(now, cut.now);
  return cut;
}

/// How far a shorter window of the step lies above that of a base that is just as old, beside the
/// whole base. Steps that warm up alike are so compared at the same age.
double SameAgeDifference(const MeasuredWindow& base, const MeasuredWindow& now,
                         const PairCut& cut) {
  const double begin = static_cast<double>(cut.base) * base.BlockSeconds();
  if (now.seconds >= base.seconds || now.seconds <= begin) return 0.0;
  return std::log(base.Throughput(begin, base.seconds) / base.Throughput(begin, now.seconds));
}

/// All that the verdict of a step is made of.
struct Evidence {
  double log_ratio = 0.0;
  double log_same_age = 0.0;  // with windows of the same age
  double log_throughput = 0.0;
  double rest = 0.0;
  PairCut longest{};
  std::vector<WindowPair> repeats{};
  WorkersPool pool{};
};

/// Scatter of all windows, with the cuts of `pairs` for theirs and its own for each other one.
Evidence Gather(std::span<const StepRecord> records, const Pairs& pairs) {
  Evidence evidence;
  std::vector<WaveScatter> scatter(records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    const MeasuredWindow& window = records[i].window;
    if (window.IsKnown()) scatter[i] = ScatterOf(window, WarmUpOf(window.total).blocks);
  }
  const auto count = static_cast<double>(pairs.size());
  std::vector<PairCut> cuts;
  for (const Pair& pair : pairs) {
    const MeasuredWindow& base = records[pair.base].window;
    const MeasuredWindow& now = records[pair.now].window;
    const PairCut cut = cuts.emplace_back(CutOf(base, now));
    scatter[pair.base] = ScatterOf(base, cut.base);
    scatter[pair.now] = ScatterOf(now, cut.now);
    const double ratio = scatter[pair.now].log_throughput - scatter[pair.base].log_throughput;
    evidence.log_ratio += ratio / count;
    evidence.log_same_age += (ratio + SameAgeDifference(base, now, cut)) / count;
    evidence.log_throughput += scatter[pair.now].log_throughput / count;
    evidence.rest += cut.rest / count;
    if (cut.seconds > evidence.longest.seconds) evidence.longest = cut;
  }
  std::vector<WaveScatter> known;
  for (const WaveScatter& each : scatter) {
    if (each.workers > 0.0) known.push_back(each);
  }
  ExtrapolateOverTime(known);
  evidence.pool = Pooled(known);
  std::size_t next = 0;
  for (WaveScatter& each : scatter) {
    if (each.workers > 0.0) each.over_time = known[next++].over_time;
  }
  for (std::size_t r = 0; r < pairs.size(); ++r) {
    const WaveScatter& base = scatter[pairs[r].base];
    const WaveScatter& now = scatter[pairs[r].now];
    const double distance = 0.5 * (base.seconds + now.seconds) + cuts[r].seconds;
    evidence.repeats.push_back({base, now, distance});
  }
  return evidence;
}

/// The variance of the mean of the repeats, if they scatter more than all that is known explains.
std::optional<WorkersError> UnexplainedError(const Evidence& evidence, double explained) {
  const auto count = static_cast<double>(evidence.repeats.size());
  if (count < 2.0) return std::nullopt;
  Moments ratios;
  for (const WindowPair& pair : evidence.repeats) {
    ratios.Add(pair.now.log_throughput - pair.base.log_throughput);
  }
  const boost::math::fisher_f f(count - 1.0, std::max(evidence.pool.degrees, 1.0));
  if (ratios.Variance() <= count * explained * boost::math::quantile(f, kRepeatsConfidence)) {
    return std::nullopt;
  }
  return WorkersError{ratios.Variance() / count, count - 1.0};
}

WorkersError AnyPodsError(const Evidence& evidence, const std::vector<Explained>& common) {
  const WorkersError workers = ErrorOfAnyPods(evidence.repeats, evidence.pool);
  double explained = workers.variance;
  for (const Explained& each : common) {
    explained += each.weight * (each.variance + each.drift_variance);
  }
  return UnexplainedError(evidence, explained).value_or(workers);
}

/// How far ln(ratio) may be from the true one.
struct Widths {
  double below = 0.0;  // the true one lies so far below at most
  double above = 0.0;

  [[nodiscard]] double half() const { return 0.5 * (below + above); }
};

Widths WidthsOf(const RatioChance& chance, double alpha) {
  return {chance.Distance(alpha, 1.0), chance.Distance(alpha, -1.0)};
}

RatioInterval IntervalOf(const Evidence& evidence, const Widths& widths, double limit,
                         bool steady) {
  const auto [least, most] = std::minmax(evidence.log_ratio, evidence.log_same_age);
  RatioInterval interval{std::exp(least - evidence.rest - widths.below),
                         std::exp(most + evidence.rest + widths.above)};
  if (steady) interval.verdict = Judge(interval.lower, interval.upper, limit);
  const bool is_open = interval.verdict == Verdict::kUndecided;
  if (is_open && SaysNothing(interval.lower, interval.upper)) return {0.0, kNoBound};
  return interval;
}

/// So many repeats that chance would no longer explain the distance from the limit; 0: none does.
std::uint32_t RepeatsNeeded(const Evidence& evidence, const RatioChance& chance, double limit,
                            double confidence) {
  const double distance = std::log(limit);
  const double side = evidence.log_ratio > distance ? 1.0 : -1.0;
  const double left =
      std::min(side * (evidence.log_ratio - distance), side * (evidence.log_same_age - distance)) -
      evidence.rest;
  const auto count = static_cast<std::uint32_t>(evidence.repeats.size());
  const auto decide = [&](std::uint32_t repeats) {
    return chance.WithMore(static_cast<double>(repeats) / count).Of(left, side) <=
           Chance(confidence);
  };
  if (left <= 0.0 || !decide(kMostRepeats)) return 0;
  std::uint32_t few = count;
  std::uint32_t enough = kMostRepeats;
  while (enough - few > 1) {
    const std::uint32_t middle = (few + enough) / 2;
    (decide(middle) ? enough : few) = middle;
  }
  return enough;
}

/// Of a step whose throughputs are known and steady.
Doubt DoubtOf(const StepVerdict& step, const WorkersPool& pool) {
  if (step.any_pods.verdict != Verdict::kUndecided) return Doubt::kNone;
  if (pool.degrees < 1.0) return Doubt::kOneWorker;
  return step.pods_width <= step.time_width ? Doubt::kNoise : Doubt::kWorkers;
}

/// The workers of the first step of `pairs` for which `is_good` does not hold; 0: it holds for all.
template <typename IsGood>
std::uint32_t FirstBad(std::span<const StepRecord> records, const Pairs& pairs, IsGood is_good) {
  for (const Pair& pair : pairs) {
    for (const std::size_t at : {pair.base, pair.now}) {
      if (!is_good(records[at])) return records[at].workers;
    }
  }
  return 0;
}

void SetIntervals(const Evidence& evidence, double confidence, bool steady, StepVerdict& step) {
  const std::vector<Explained> common = ExplainCommonNoise(evidence.repeats);
  const RatioChance these(common, ErrorOfThesePods(evidence.repeats));
  const RatioChance any(common, AnyPodsError(evidence, common));
  const Widths wide = WidthsOf(any, Chance(confidence));
  Widths narrow = WidthsOf(these, Chance(confidence));
  narrow = {std::min(narrow.below, wide.below), std::min(narrow.above, wide.above)};
  step.time_width = narrow.half() + evidence.rest;
  const double any_width = wide.half() + evidence.rest;
  step.pods_width =
      std::sqrt(std::max(0.0, any_width * any_width - step.time_width * step.time_width));
  step.these_pods = IntervalOf(evidence, narrow, step.limit, steady);
  step.any_pods = IntervalOf(evidence, wide, step.limit, steady);
  step.doubt = steady ? DoubtOf(step, evidence.pool) : Doubt::kNotSteady;
  if (step.doubt == Doubt::kNoise || step.doubt == Doubt::kWorkers) {
    step.repeats_needed = RepeatsNeeded(evidence, any, step.limit, std::min(confidence, kOneOfTwo));
  }
}

StepVerdict JudgeStep(std::span<const StepRecord> records, const Pairs& pairs, double scale) {
  const StepRecord& base = records[pairs.front().base];
  const StepRecord& now = records[pairs.front().now];
  StepVerdict step{.workers = now.workers,
                   .base_workers = base.workers,
                   .repeats = static_cast<std::uint32_t>(pairs.size())};
  step.limit = std::pow(scale, std::log2(static_cast<double>(now.workers) / base.workers));
  step.doubtful_workers =
      FirstBad(records, pairs, [](const StepRecord& r) { return r.window.IsKnown(); });
  if (step.doubtful_workers > 0) {
    step.these_pods.upper = step.any_pods.upper = kNoBound;
    step.time_width = step.pods_width = kNoBound;
    step.doubt = Doubt::kNotMeasured;
    return step;
  }
  step.doubtful_workers = FirstBad(records, pairs, [](const StepRecord& r) { return r.steady; });
  const Evidence evidence = Gather(records, pairs);
  step.throughput = std::exp(evidence.log_throughput);
  step.ratio = std::exp(evidence.log_ratio);
  step.cut = evidence.longest.seconds;
  step.cut_change = evidence.longest.change;
  step.spread = std::sqrt(evidence.pool.variance);
  SetIntervals(evidence, now.confidence, step.doubtful_workers == 0, step);
  return step;
}

Spread SpreadOver(std::span<const StepRecord> records) {
  std::vector<WaveScatter> scatter;
  for (const StepRecord& record : records) {
    if (!record.window.IsKnown()) continue;
    scatter.push_back(ScatterOf(record.window, WarmUpOf(record.window.total).blocks));
  }
  if (scatter.empty()) return {};
  ExtrapolateOverTime(scatter);
  const WorkersPool pool = Pooled(scatter);
  return {pool.variance, pool.degrees};
}

}  // namespace

ScalingVerdict JudgeScaling(std::span<const StepRecord> records, double scale) {
  ScalingVerdict result;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Pairs> steps;  // by workers and base workers
  for (std::size_t i = 1; i < records.size(); ++i) {
    if (BeginsRepeat(&records[i - 1], records[i])) continue;
    steps[{records[i].workers, records[i - 1].workers}].push_back({i - 1, i});
  }
  result.spread = SpreadOver(records);
  for (const auto& [workers, pairs] : steps) {
    result.steps.push_back(JudgeStep(records, pairs, scale));
  }
  return result;
}

StepVerdict JudgeLastStep(std::span<const StepRecord> records, double scale) {
  return JudgeStep(records, {{records.size() - 2, records.size() - 1}}, scale);
}

bool BeginsRepeat(const StepRecord* before, const StepRecord& record) {
  return before == nullptr || record.workers <= before->workers;
}

std::uint32_t RepeatsToMake(std::uint32_t needed, std::uint32_t most) {
  return needed > most ? 0 : std::min(needed + needed / 2, most);
}

}  // namespace twofold::stats
