#include "kubernetes/lifecycle/times/span.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/kubernetes/lifecycle/objects.h"

namespace twofold::lifecycle {
namespace {

Sight Exactly(double ms) { return {At(ms), At(ms), std::nullopt}; }

std::vector<std::string> StepsAround(const char* kind, Moment moment) {
  std::vector<std::string> names;
  for (const Span& span : SpansOf(*FindKind(kind).value())) {
    if (span.from == moment || span.to == moment) names.push_back(span.name);
  }
  return names;
}

TEST(Span, WhatComesInNoCertainOrderIsNoStep) {
  using Names = std::vector<std::string>;
  for (const char* kind : {"mpijob", "kueue-mpijob"}) {
    EXPECT_EQ(StepsAround(kind, Moment::kChildCreated), Names{"child_created"}) << kind;
    EXPECT_EQ(StepsAround(kind, Moment::kFinished), Names{"finished"}) << kind;
  }
  EXPECT_EQ(StepsAround("pytorchjob", Moment::kComplete),
            (Names{"complete", "pod_ready_to_complete"}));
  EXPECT_EQ(StepsAround("jobset", Moment::kChildCreated),
            (Names{"child_created", "created_to_child_created", "child_created_to_first_pod"}));
}

TEST(Span, StepsOfAWorkloadAddUpToItsTotal) {
  const Kind& job = *FindKind("job").value();
  Sights sights;
  double ms = 0;
  for (const Moment moment : job.Moments()) Of(sights, moment) = Exactly(ms += 10.0 + ms / 7);
  double steps = 0;
  double total = 0;
  for (const Span& span : SpansOf(job)) {
    const double seconds = Measure(span, sights)->high;
    if (span.name.find("_to_") != std::string::npos || span.name == "created") steps += seconds;
    if (span.name == "complete") total = seconds;
  }
  EXPECT_NEAR(steps, total, 1e-9);
  EXPECT_GT(total, 0.1);
}

TEST(Span, AJobsCompletionLagIsAStep) {
  const auto spans = SpansOf(*FindKind("job").value());
  EXPECT_TRUE(std::any_of(spans.begin(), spans.end(),
                          [](const Span& span) { return span.name == "finished_to_complete"; }));
}

TEST(Span, AMissingEndIsNeverZero) {
  Sights sights;
  const Span span{"pod_ready", Moment::kSent, Moment::kReady};
  EXPECT_FALSE(Measure(span, sights));
  Of(sights, Moment::kSent) = Exactly(0);
  EXPECT_FALSE(Measure(span, sights)->Came());
}

TEST(Span, AnEndSeenLateHasAnInterval) {
  Sights sights;
  Of(sights, Moment::kSent) = Exactly(0);
  Of(sights, Moment::kReady) = Sight{At(5000), At(100), std::nullopt};
  const auto value = Measure({"pod_ready", Moment::kSent, Moment::kReady}, sights);
  EXPECT_NEAR(value->low, 0.1, 1e-9);
  EXPECT_NEAR(value->high, 5.0, 1e-9);
}

TEST(Span, AnIntervalOfBothEndsIsNotNegative) {
  Sights sights;
  Of(sights, Moment::kCreated) = Sight{At(5000), At(100), std::nullopt};
  Of(sights, Moment::kReady) = Sight{At(5000), At(100), std::nullopt};
  const auto value = Measure({"", Moment::kCreated, Moment::kReady}, sights);
  EXPECT_EQ(value->low, 0.0);
  EXPECT_NEAR(value->high, 4.9, 1e-9);
}

TEST(Summary, OfNothingHasNoNumbers) {
  const SpanSummary summary = Summarize("a", {});
  EXPECT_EQ(summary.n, 0U);
  EXPECT_TRUE(summary.quantiles.empty());
}

TEST(Summary, WhatNeverCameIsMissingAndInfinitelyLate) {
  std::vector<Between> values(95, {1.0, 1.0});
  const double never = std::numeric_limits<double>::infinity();
  values.insert(values.end(), 5, {never, never});
  const SpanSummary summary = Summarize("a", values);
  EXPECT_EQ(summary.n, 95U);
  EXPECT_EQ(summary.missing, 5U);
  EXPECT_EQ(summary.mean, 1.0);
  EXPECT_EQ(summary.quantiles[1].value, 1.0);
  EXPECT_TRUE(std::isinf(summary.quantiles[2].value));
}

// 400 pods, as the fact was measured: true median 0.26 s, but whole seconds said 0.
TEST(Summary, WholeSecondsGiveTheTrueMeanAndHoldTheTruePercentiles) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> begin(0.0, 60.0);
  std::lognormal_distribution<double> takes(std::log(0.26), 0.6);
  std::vector<Between> whole;
  std::vector<double> truth;
  double sum = 0;
  for (int i = 0; i < 4000; ++i) {
    const double from = begin(random);
    truth.push_back(takes(random));
    sum += truth.back();
    const double seconds = std::floor(from + truth.back()) - std::floor(from);
    whole.push_back({seconds - 1, seconds + 1});
  }
  std::sort(truth.begin(), truth.end());
  const SpanSummary summary = Summarize("a", whole);
  EXPECT_NEAR(summary.mean, sum / 4000, 0.03);
  EXPECT_EQ(summary.inexact, 4000U);
  for (const SpanQuantile& each : summary.quantiles) {
    const double real = truth[static_cast<std::size_t>(each.q * 4000)];
    EXPECT_LE(each.lower, real);
    EXPECT_GE(each.upper, real);
    EXPECT_GE(each.lower, 0.0);
  }
}

TEST(Summary, APercentileLiesInItsInterval) {
  for (const std::size_t n : {20U, 200U, 2000U}) {
    const SpanSummary summary = Summarize("a", std::vector<Between>(n, {-1.0, 0.0}));
    EXPECT_EQ(summary.negative, 0U);
    for (const SpanQuantile& each : summary.quantiles) {
      EXPECT_LE(each.lower, each.value) << n << " " << each.q;
      EXPECT_GE(each.upper, each.value) << n << " " << each.q;
      EXPECT_GE(each.value, 0.0) << n << " " << each.q;
    }
  }
}

TEST(Summary, OfTooFewValuesNoBoundIsSaid) {
  const SpanQuantile p50 = Summarize("a", {{0.0, 2.0}, {1.0, 3.0}}).quantiles.front();
  EXPECT_TRUE(std::isinf(p50.lower) && p50.lower < 0.0) << p50.lower;
  EXPECT_TRUE(std::isinf(p50.upper)) << p50.upper;
}

TEST(Summary, EndsBeforeTheBeginningAreCountedAndNotCutToZero) {
  const SpanSummary summary = Summarize("a", {{-3.0, -1.0}, {2.0, 2.0}});
  EXPECT_EQ(summary.negative, 1U);
  EXPECT_EQ(summary.least, -2.0);
}

}  // namespace
}  // namespace twofold::lifecycle
