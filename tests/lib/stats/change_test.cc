#include "lib/stats/change.h"

#include <absl/strings/str_cat.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "lib/stats/many.h"
#include "tests/lib/stats/tries.h"
#include "tests/support/promise.h"
#include "tests/support/sanitized.h"

namespace twofold::stats {
namespace {

using Values = std::vector<double>;

const std::uint64_t kChangeTries = FromEnvironment("TWOFOLD_TRIES", Fewer(100));
const std::uint64_t kChangeSeed = FromEnvironment("TWOFOLD_SEED", 1);
constexpr std::size_t kHeadlines = 40;

Change Means(const Values& base, const Values& now) {
  return ChangeOfMean(Summarize(base), Summarize(now));
}

// ---- what is equal

TEST(ChangeOfMean, ValuesThatDifferByRoundingAloneAreEqual) {
  const double third = 1.0 / 3.0;
  for (const std::size_t n : {3U, 5U, 10U}) {
    const Change change = Means(Values(n, third), Values(10, third));
    EXPECT_EQ(change.p, 1.0) << n;
    EXPECT_NEAR(change.ratio->value, 1.0, 1e-12);
  }
}

TEST(ChangeOfMean, ADigitThatWasNotPrintedIsNoChange) {
  EXPECT_EQ(Means({100, 100}, {101, 101}).p, 1.0);
  EXPECT_LE(Means({100, 100}, {101, 101}).ratio->lower, 1.0);
  EXPECT_EQ(Means({0.5, 0.5}, {0.6, 0.6}).p, 1.0);
  EXPECT_EQ(Means({100, 100}, {103, 103}).p, 0.0);
  EXPECT_EQ(Means({100.25, 100.25}, {100.5, 100.5}).p, 0.0);
}

TEST(ChangeOfMean, ValuesThatScatterByMoreThanADigitHideNone) {
  const Change change = Means({99, 100, 101, 100, 99}, {102, 103, 102, 101, 103});
  EXPECT_LT(change.p, 0.01);
  EXPECT_GT(change.difference.lower, 0.0);
}

TEST(Resolution, IsTheLastDigitOfAllValues) {
  EXPECT_EQ(ResolutionOf(Values{100, 200}), 1.0);
  EXPECT_NEAR(ResolutionOf(Values{9.41, 9.4}), 0.01, 1e-12);
  EXPECT_EQ(ResolutionOf(Values{1.0 / 3.0}), 0.0);
}

// ---- zero and below

TEST(ChangeOfMean, FromZeroThereIsADifferenceAndNoRatio) {
  const Change change = Means({0, 0, 0}, {500, 510, 490});
  EXPECT_LT(change.p, 0.001);
  EXPECT_FALSE(change.ratio);
  EXPECT_GT(change.difference.lower, 400.0);
}

TEST(ChangeOfMean, ThroughZeroThereIsADifferenceAndNoRatio) {
  const Change change = Means({1, -1, 2, -2, 0}, {5, 6, 7, 6, 5});
  EXPECT_LT(change.p, 0.001);
  EXPECT_FALSE(change.ratio);
  EXPECT_FALSE(Means({-5, -6, -7}, {-1, -2, -3}).ratio);
}

// Two values that scatter leave the base anywhere, but it is no base of zero.
TEST(ChangeOfMean, AnUnsureBaseAboveZeroHasARatioWithoutAnInterval) {
  const Change change = Means({3.11, 21.29}, {3.53, 21.37});
  EXPECT_NEAR(change.ratio->value, 1.02, 0.01);
  EXPECT_EQ(change.ratio->lower, 0.0);
  EXPECT_TRUE(std::isinf(change.ratio->upper));
}

TEST(ChangeOfMean, OneValueSaysHowMuchAndNotWhetherByChance) {
  const Change change = Means({2}, {3, 4});
  EXPECT_EQ(change.p, 1.0);
  EXPECT_DOUBLE_EQ(change.ratio->value, 1.75);
  EXPECT_TRUE(std::isinf(change.ratio->upper));
  EXPECT_TRUE(std::isinf(change.difference.upper));
}

TEST(ChangeOfMean, OfWhatIsNoNumberIsNotKnown) {
  EXPECT_EQ(ChangeOfMean({.n = 3, .mean = std::nan("")}, {.n = 3, .mean = 1}).p, 1.0);
  EXPECT_EQ(ChangeOfMean({.n = 3, .mean = 1}, {.n = 3, .mean = HUGE_VAL}).p, 1.0);
  EXPECT_EQ(Means({1e200, 2e200}, {3e200, 5e200}).p, 1.0) << "squares are too large";
  EXPECT_EQ(ChangeOfMedian(Values(5, 1.0), Values(5, std::nan(""))).p, 1.0);
}

// ---- p and intervals

// Worked by hand: errors 5 and 5 with 1 degree of freedom each make 7.07 with 2.
TEST(ChangeOfMean, IsWelchsTest) {
  const Change change = Means({95, 105}, {95, 105});
  EXPECT_NEAR(change.difference.upper, 4.302652730 * std::sqrt(50.0), 1e-6);
  EXPECT_EQ(change.p, 1.0);
}

TEST(ChangeOfMean, IntervalsReachNoChangeJustAtTheRiskThatPSays) {
  const Summary base = Summarize({10.0013, 10.2071, 9.8004, 10.1037});
  const Summary now = Summarize({10.4011, 10.6092, 10.3003, 10.2058});
  const double p = ChangeOfMean(base, now).p;
  const Change change = ChangeOfMean(base, now, 1.0 - p);
  EXPECT_NEAR(change.difference.lower, 0.0, 1e-6);
  EXPECT_NEAR(change.ratio->lower, 1.0, 1e-6);
}

// ---- medians

TEST(ChangeOfMedian, StandsAnOutlier) {
  const Values base = {10, 10.1, 9.9, 10, 10.2, 9.8};
  const Values now = {20, 20.1, 19.9, 20, 20.2, 900};
  const Change change = ChangeOfMedian(base, now);
  EXPECT_NEAR(change.ratio->value, 2.0, 0.02);
  EXPECT_LT(change.ratio->lower, 2.0);
  EXPECT_GT(change.ratio->lower, 1.9);
  EXPECT_LT(change.p, 0.01);
}

TEST(ChangeOfMedian, PIsTheShareOfAllWaysToDivideTheValues) {
  const Values low = {1.1, 2.2, 3.3, 4.4, 5.5};
  const Values high = {6.6, 7.7, 8.8, 9.9, 10.1};
  EXPECT_NEAR(ChangeOfMedian(low, high).p, 2.0 / 252.0, 1e-12);
}

// All 252 ways to choose five of ten values, some of them equal, by hand.
TEST(ChangeOfMedian, PKnowsOfEqualValues) {
  const Values base = {1.1, 2.2, 2.2, 3.3, 5.5};
  const Values now = {2.2, 5.5, 6.6, 6.6, 7.7};
  const Values ranks = {1, 3, 3, 5, 6.5, 3, 6.5, 8.5, 8.5, 10};  // of base, then of now
  int as_far = 0;
  for (unsigned set = 0; set < 1U << 10; ++set) {
    if (std::popcount(set) != 5) continue;
    double sum = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) sum += (set >> i & 1U) != 0 ? ranks[i] : 0.0;
    as_far += std::abs(sum - 27.5) >= 27.5 - 18.5 ? 1 : 0;
  }
  EXPECT_NEAR(ChangeOfMedian(base, now).p, as_far / 252.0, 1e-12);
}

TEST(ChangeOfMedian, OfFewerThanFiveHasNoInterval) {
  const Values four = {1, 2, 3, 4};
  const Values five = {1, 2, 3, 4, 5};
  EXPECT_TRUE(std::isinf(ChangeOfMedian(four, five).ratio->upper));
  EXPECT_EQ(ChangeOfMedian(five, four).ratio->lower, 0.0);
  EXPECT_FALSE(std::isinf(ChangeOfMedian(five, five).ratio->upper));
  EXPECT_EQ(ChangeOfMedian({}, five).p, 1.0);
}

TEST(ChangeOfMedian, OfEqualValuesIsOneForCertain) {
  const Values same(5, 3.0);
  const Change change = ChangeOfMedian(same, same);
  EXPECT_EQ(change.ratio->lower, 1.0);
  EXPECT_EQ(change.ratio->upper, 1.0);
  EXPECT_EQ(change.p, 1.0);
}

// ---- how often they are wrong

class Repetitions {
 public:
  Values operator()(std::size_t n) {
    Values values(n);
    for (double& value : values) value = 100.0 * (1.0 + 0.03 * normal_(random_));
    return values;
  }

 private:
  std::mt19937_64 random_{kChangeSeed};
  std::normal_distribution<double> normal_;
};

template <typename P>
bool AnyOfManyChanges(const P& draw_p) {
  Values p(kHeadlines);
  for (double& each : p) each = draw_p();
  p = AdjustedForShare(p);
  return *std::min_element(p.begin(), p.end()) < 0.05;
}

TEST(PromisedChanges, OfMeansAreSeldomSeenWhereThereAreNone) {
  Repetitions draw;
  for (const auto& [n, m] : {std::pair(2U, 2U),
                             {3U, 3U},
                             {10U, 10U},
                             {2U, 10U},
                             {2U, 30U},
                             {3U, 10U},
                             {3U, 30U},
                             {5U, 10U},
                             {5U, 30U},
                             {10U, 30U}}) {
    const auto p = [&, n = n, m = m] { return Means(draw(n), draw(m)).p; };
    const std::string id = absl::StrCat("compare-", n, "-", m);
    const std::string of = absl::StrCat(n, " and ", m, " repetitions of the same");
    twofold::Measure({.id = id, .says = of + " are called changed", .most = 0.05},
                     10 * kChangeTries, [&] { return p() < 0.05; });
    twofold::Measure({.id = id + "-any",
                      .says = "any of 40 headlines of " + of + " is called changed",
                      .most = 0.05},
                     kChangeTries, [&] { return AnyOfManyChanges(p); });
  }
}

TEST(PromisedChanges, OfMediansAreSeldomSeenWhereThereAreNone) {
  Repetitions draw;
  for (const auto& [n, m] : {std::pair(5U, 5U), {6U, 6U}, {10U, 10U}, {5U, 30U}}) {
    const auto p = [&, n = n, m = m] { return ChangeOfMedian(draw(n), draw(m)).p; };
    twofold::Measure({.id = absl::StrCat("compare-median-", n, "-", m, "-any"),
                      .says = absl::StrCat("any of 40 medians of ", n, " and ", m,
                                           " repetitions of the same is called changed"),
                      .most = 0.05},
                     std::max(kChangeTries / 10, Fewer(10)), [&] { return AnyOfManyChanges(p); });
  }
}

TEST(PromisedChanges, OfMediansAreInTheirInterval) {
  for (const std::size_t size : {5U, 10U, 30U}) {
    std::mt19937_64 random(kChangeSeed);
    std::lognormal_distribution<double> value(0.0, 0.3);
    twofold::Measure({.id = absl::StrCat("compare-median-interval-", size),
                      .says = absl::StrCat("the ratio of medians of ", size,
                                           " lognormal values each is in its interval"),
                      .least = 0.94},
                     kChangeTries, [&] {
                       Values base(size);
                       Values now(size);
                       for (double& each : base) each = value(random);
                       for (double& each : now) each = 1.3 * value(random);
                       const Bounded ratio = *ChangeOfMedian(base, now).ratio;
                       return ratio.lower <= 1.3 && 1.3 <= ratio.upper;
                     });
  }
}

}  // namespace
}  // namespace twofold::stats
