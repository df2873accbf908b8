#include "lib/stats/comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace twofold::stats {
namespace {

Rate Longer(Rate rate, double more_seconds) {
  rate.log_error *= std::sqrt(rate.seconds / (rate.seconds + more_seconds));
  rate.seconds += more_seconds;
  return rate;
}

TEST(Compare, RatioIsNowOverBase) {
  const Comparison result = Compare({.throughput = 3.0}, {.throughput = 6.0}, 1.5);
  EXPECT_EQ(result.ratio, 2.0);
  EXPECT_EQ(result.lower, 2.0);  // no errors, no width
  EXPECT_EQ(result.upper, 2.0);
  EXPECT_EQ(result.verdict, Verdict::kPass);
}

TEST(Compare, EqualErrorsAddTheirDegreesOfFreedom) {
  const Rate base{.throughput = 10.0, .log_error = 0.03, .degrees = 7.0, .seconds = 60.0};
  const Rate now{.throughput = 20.0, .log_error = 0.03, .degrees = 7.0, .seconds = 60.0};
  const double width = StudentFactor(0.95, 14.0) * 0.03 * std::sqrt(2.0);
  const Comparison result = Compare(base, now, 1.0);
  EXPECT_NEAR(std::log(result.upper / result.ratio), width, 1e-12);
  EXPECT_NEAR(std::log(result.ratio / result.lower), width, 1e-12);
}

TEST(Compare, AnErrorlessSideLeavesTheDegreesOfTheOther) {
  const Rate base{.throughput = 10.0, .log_error = 0.0, .degrees = 3.0, .seconds = 60.0};
  const Rate now{.throughput = 20.0, .log_error = 0.01, .degrees = 15.0, .seconds = 60.0};
  const Comparison result = Compare(base, now, 1.0);
  EXPECT_NEAR(std::log(result.upper / result.ratio), 2.131449546 * 0.01, 1e-9);
}

TEST(Compare, MoreConfidenceIsAWiderInterval) {
  const Rate rate{.throughput = 10.0, .log_error = 0.01, .degrees = 15.0, .seconds = 60.0};
  EXPECT_LT(Compare(rate, rate, 1.0, 0.90).upper, Compare(rate, rate, 1.0, 0.95).upper);
}

TEST(Compare, LowerBoundJustAtTheLimitPasses) {
  const Rate base{.throughput = 10.0, .log_error = 0.01, .degrees = 15.0, .seconds = 60.0};
  const Rate now{.throughput = 20.0, .log_error = 0.01, .degrees = 15.0, .seconds = 60.0};
  const double lower = Compare(base, now, 1.0).lower;
  EXPECT_EQ(Compare(base, now, lower).verdict, Verdict::kPass);
  EXPECT_EQ(Compare(base, now, std::nextafter(lower, 9.0)).verdict, Verdict::kUndecided);
}

TEST(Compare, UpperBoundJustAtTheLimitIsUndecided) {
  const Rate base{.throughput = 10.0, .log_error = 0.01, .degrees = 15.0, .seconds = 60.0};
  const Rate now{.throughput = 20.0, .log_error = 0.01, .degrees = 15.0, .seconds = 60.0};
  const double upper = Compare(base, now, 9.0).upper;
  EXPECT_EQ(Compare(base, now, upper).verdict, Verdict::kUndecided);
  EXPECT_EQ(Compare(base, now, std::nextafter(upper, 9.0)).verdict, Verdict::kFail);
}

TEST(Compare, DecidedNeedsNoMoreTime) {
  const Comparison result = Compare({.throughput = 1.0}, {.throughput = 2.0}, 1.95);
  EXPECT_EQ(result.more_seconds, 0.0);
  EXPECT_EQ(result.more_seconds_each, 0.0);
}

TEST(Compare, UndecidedTellsTheTimeThatDecides) {
  const Rate base{.throughput = 10.0, .log_error = 0.004, .degrees = 15.0, .seconds = 60.0};
  for (const auto& [throughput, verdict] :
       {std::pair{19.8, Verdict::kPass}, {19.2, Verdict::kFail}}) {
    const Rate now{.throughput = throughput, .log_error = 0.02, .degrees = 15.0, .seconds = 60.0};
    const Comparison result = Compare(base, now, 1.95);
    ASSERT_EQ(result.verdict, Verdict::kUndecided);
    EXPECT_EQ(Compare(base, Longer(now, result.more_seconds), 1.95).verdict, verdict);
    EXPECT_EQ(Compare(base, Longer(now, result.more_seconds * 0.99), 1.95).verdict,
              Verdict::kUndecided);
  }
}

TEST(Compare, MeasuringBothDecidesWhereTheBaseAloneIsTooRough) {
  const Rate rough{.throughput = 10.0, .log_error = 0.02, .degrees = 15.0, .seconds = 60.0};
  const Rate now{.throughput = 19.8, .log_error = 0.02, .degrees = 15.0, .seconds = 60.0};
  const Comparison result = Compare(rough, now, 1.95);
  ASSERT_EQ(result.verdict, Verdict::kUndecided);
  EXPECT_EQ(result.more_seconds, kLongestSeconds);
  ASSERT_LT(result.more_seconds_each, kLongestSeconds);
  const auto after = [&](double more) {
    return Compare(Longer(rough, more), Longer(now, more), 1.95).verdict;
  };
  EXPECT_EQ(after(result.more_seconds_each), Verdict::kPass);
  EXPECT_EQ(after(result.more_seconds_each * 0.99), Verdict::kUndecided);
}

TEST(Compare, RatioExactlyAtTheLimitIsNeverDecidedByTime) {
  const Rate base{.throughput = 10.0, .log_error = 0.01, .degrees = 15.0, .seconds = 60.0};
  const Rate now{.throughput = 20.0, .log_error = 0.01, .degrees = 15.0, .seconds = 60.0};
  const Comparison result = Compare(base, now, 2.0);
  EXPECT_EQ(result.verdict, Verdict::kUndecided);
  EXPECT_EQ(result.more_seconds, kLongestSeconds);
  EXPECT_EQ(result.more_seconds_each, kLongestSeconds);
}

TEST(Compare, RatesThatAreNotKnownAreUndecided) {
  const double unknown = std::numeric_limits<double>::infinity();
  const Rate known{.throughput = 10.0, .log_error = 0.01, .degrees = 15.0, .seconds = 60.0};
  for (const Rate& rate :
       {Rate{.throughput = 0.0}, Rate{.throughput = 5.0, .log_error = unknown}}) {
    for (const Comparison& result : {Compare(rate, known, 1.95), Compare(known, rate, 1.95)}) {
      EXPECT_EQ(result.verdict, Verdict::kUndecided);
      EXPECT_EQ(result.lower, 0.0);
      EXPECT_EQ(result.upper, unknown);
      EXPECT_EQ(result.more_seconds, kLongestSeconds);
    }
  }
}

TEST(Compare, AnIntervalThatSaysNothingIsNone) {
  const Rate rough = {.throughput = 2.0, .log_error = 3.0, .degrees = 1.0, .seconds = 60.0};
  const Rate exact = {.throughput = 1.0, .log_error = 0.01, .degrees = 10.0, .seconds = 60.0};
  const Comparison comparison = Compare(exact, rough, 1.8);
  EXPECT_EQ(comparison.verdict, Verdict::kUndecided);
  EXPECT_EQ(comparison.ratio, 2.0);
  EXPECT_EQ(comparison.lower, 0.0);
  EXPECT_TRUE(std::isinf(comparison.upper));
}

TEST(SaysNothing, WhereTheEndsAreATenthAndTheWhole) {
  EXPECT_TRUE(SaysNothing(6e-35, 9e34));
  EXPECT_TRUE(SaysNothing(0.0, std::numeric_limits<double>::infinity()));
  EXPECT_FALSE(SaysNothing(0.5, 4.9));
  EXPECT_FALSE(SaysNothing(2.0, 2.0));
}

TEST(Verdict, NamesAreThoseOfReports) {
  EXPECT_EQ(Name(Verdict::kPass), "pass");
  EXPECT_EQ(Name(Verdict::kFail), "fail");
  EXPECT_EQ(Name(Verdict::kUndecided), "undecided");
}

}  // namespace
}  // namespace twofold::stats
