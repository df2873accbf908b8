// How often `until` of sweeps is right: TWOFOLD_TRIES permutations of each kind of values.
#include <absl/strings/str_cat.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "lib/spec/sweep.h"
#include "lib/stats/change.h"
#include "lib/stats/repetitions.h"
#include "lib/words/change.h"
#include "tests/lib/stats/tries.h"
#include "tests/support/promise.h"
#include "tests/support/sanitized.h"

namespace twofold::spec {
namespace {

using Headlines = std::vector<double>;
using Generator = std::mt19937_64;
using Draw = std::function<double(Generator&)>;

constexpr double kTruth = 100.0;
constexpr Until kWithin3Percent = {0.03, 100};

const std::uint64_t kUntilTries = stats::FromEnvironment("TWOFOLD_TRIES", Fewer(100));
Generator generator_of_until(stats::FromEnvironment("TWOFOLD_SEED", 1));

/// The headlines of a permutation that `until` has stopped.
Headlines Repeated(const Draw& draw) {
  Headlines values;
  while (Judge(kWithin3Percent, 1, values, 0).next == Next::kRepeat) {
    values.push_back(draw(generator_of_until));
  }
  return values;
}

bool Holds(const Headlines& values) {
  const stats::MeanInterval interval = stats::IntervalOfLooks(values);
  return std::abs(interval.mean - kTruth) <= interval.half_width;
}

double Normal(Generator& random) { return std::normal_distribution<double>(kTruth, 5.0)(random); }

double Lognormal(Generator& random) {
  constexpr double kSigma = 0.3;
  return kTruth * std::lognormal_distribution<double>(-kSigma * kSigma / 2.0, kSigma)(random);
}

/// 10 more in `share` of the repetitions, which scatter by 1 else.
Draw Clusters(double share) {
  return [share](Generator& random) {
    const bool more = std::bernoulli_distribution(share)(random);
    return kTruth + 10.0 * ((more ? 1.0 : 0.0) - share) +
           std::normal_distribution<double>()(random);
  };
}

/// Each keeps the share `r` of the distance of the one before it; they scatter by 5 in all.
Draw Correlated(double r) {
  double distance = 5.0 * std::normal_distribution<double>()(generator_of_until);
  return [r, distance](Generator& random) mutable {
    distance =
        r * distance + 5.0 * std::sqrt(1.0 - r * r) * std::normal_distribution<double>()(random);
    return kTruth + distance;
  };
}

TEST(PromisedUntil, TheIntervalHoldsTheMean) {
  Measure({.id = "until-normal",
           .says = "a permutation that `until` has stopped holds the mean of normal repetitions in "
                   "its interval",
           .least = 0.95},
          kUntilTries, [] { return Holds(Repeated(Normal)); });
  Measure({.id = "until-lognormal",
           .says = "the same of lognormal repetitions that scatter by 30 %",
           .least = 0.95},
          kUntilTries, [] { return Holds(Repeated(Lognormal)); });
}

TEST(PromisedUntil, TheMeanIsKnownAsWellAsAskedFor) {
  Measure(
      {.id = "until-within",
       .says = "the mean of a permutation that `until` has stopped is within the share that was "
               "asked for",
       .least = 0.95},
      kUntilTries, [] {
        return std::abs(stats::Mean(Repeated(Normal)) - kTruth) <=
               kWithin3Percent.relative_interval * kTruth;
      });
}

TEST(PromisedUntil, StopsSoon) {
  Measure({.id = "until-soon",
           .says = "normal repetitions that scatter by 5 % are known to +- 3 % after 25 or fewer",
           .least = 0.7},
          kUntilTries, [] { return Repeated(Normal).size() <= 25; });
}

/// The first repetitions are 30 % lower.
Draw Warming(int slow) {
  return [left = slow](Generator& random) mutable {
    const double normal = kTruth + 2.0 * std::normal_distribution<double>()(random);
    return left-- > 0 ? 0.7 * normal : normal;
  };
}

TEST(PromisedUntil, AWarmUpIsHeldOrSaid) {
  for (const auto& [slow, first] : {std::pair(1, "repetition is"), {3, "three repetitions are"}}) {
    Measure({.id = absl::StrCat("until-warm-up-", slow),
             .says = absl::StrCat("the first ", first,
                                  " 30 % lower: the interval holds the mean of later ones, or a "
                                  "doubt is told"),
             .least = 0.95},
            kUntilTries, [slow = slow] {
              const Headlines values = Repeated(Warming(slow));
              return Holds(values) || stats::DoubtOfMean(values) != stats::MeanDoubt::kNone;
            });
  }
  Measure({.id = "until-warm-up-none",
           .says = "normal repetitions that `until` has stopped are said to have a warm-up",
           .most = 0.05},
          kUntilTries, [] { return stats::WarmUpOfRepetitions(Repeated(Normal)) > 0; });
}

TEST(PromisedUntil, ClustersAreHeldOrSaid) {
  for (const auto& [id, of, share] : {std::tuple("half", "in one of two repetitions", 0.5),
                                      {"third", "in one of three", 1 / 3.0}}) {
    Measure({.id = absl::StrCat("until-clusters-", id),
             .says = absl::StrCat("values that jump ", of,
                                  ": the interval holds the mean, or the clusters are told"),
             .least = 0.95},
            kUntilTries, [draw = Clusters(share)] {
              const Headlines values = Repeated(draw);
              return Holds(values) || stats::DoubtOfMean(values) != stats::MeanDoubt::kNone;
            });
  }
}

TEST(PromisedUntil, CorrelationIsHeldOrSaid) {
  for (const auto& [percent, least] : {std::pair(30, 0.95), {50, 0.95}, {70, 0.9}}) {
    Measure({.id = absl::StrCat("until-correlated-", percent),
             .says = absl::StrCat("repetitions that keep ", percent,
                                  " % of the distance of the one before: the interval holds the "
                                  "mean, or the correlation is told"),
             .least = least},
            kUntilTries, [r = percent / 100.0] {
              const Headlines values = Repeated(Correlated(r));
              return Holds(values) || stats::DoubtOfMean(values) != stats::MeanDoubt::kNone;
            });
  }
}

v1::MetricResult Stored(const Headlines& values) {
  const stats::Summary summary = stats::Summarize(values);
  v1::MetricResult metric;
  metric.set_n(summary.n);
  metric.set_mean(summary.mean);
  metric.set_least(summary.least);
  metric.set_most(summary.most);
  metric.set_sd(summary.sd);
  metric.set_looked(true);
  metric.set_half_width(stats::IntervalOfLooks(values).half_width);
  return metric;
}

TEST(PromisedUntil, RunsOfTheSameAreSeldomCalledChanged) {
  Measure({.id = "until-compare",
           .says = "two runs of the same that `until` has stopped are called changed",
           .most = 0.05},
          kUntilTries,
          [] { return ChangeOf(Stored(Repeated(Normal)), Stored(Repeated(Normal))).p < 0.05; });
  Measure({.id = "until-compare-median", .says = "the same by their medians", .most = 0.05},
          kUntilTries,
          [] { return stats::ChangeOfMedianOfLooks(Repeated(Normal), Repeated(Normal)).p < 0.05; });
  Measure({.id = "until-median-interval",
           .says = "the ratio of the medians of two such runs is in its interval",
           .least = 0.95},
          kUntilTries, [] {
            const stats::Change change =
                stats::ChangeOfMedianOfLooks(Repeated(Normal), Repeated(Normal));
            return change.ratio && change.ratio->lower <= 1 && 1 <= change.ratio->upper;
          });
}

}  // namespace
}  // namespace twofold::spec
