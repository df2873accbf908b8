#include "lib/common/distribution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <set>
#include <string>
#include <vector>

namespace twofold {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

constexpr int kDraws = 20'000;

std::vector<double> Sample(const Distribution& distribution, std::uint64_t seed = 7) {
  Random random(seed);
  std::vector<double> sample;
  for (int i = 0; i < kDraws; ++i) sample.push_back(ToSeconds(distribution.Draw(random)));
  std::sort(sample.begin(), sample.end());
  return sample;
}

Distribution Parsed(const std::string& text) {
  const auto parsed = Distribution::Parse(text);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return parsed.value_or(Distribution(Duration::zero()));
}

TEST(Distribution, FixedIsAlwaysTheSame) {
  EXPECT_EQ(Sample(Parsed("250ms")).front(), 0.25);
  EXPECT_EQ(Sample(Parsed("fixed:1m30s")).back(), 90);
}

TEST(Time, HasUnitsEachOnceAndTheLongestFirst) {
  EXPECT_EQ(ParseTime("1h30m").value(), std::chrono::minutes(90));
  EXPECT_EQ(ParseTime("1d2h3m4s5ms6us7ns").value(),
            Duration(std::chrono::hours(26) + std::chrono::seconds(184) + milliseconds(5)) +
                std::chrono::nanoseconds(6007));
  EXPECT_EQ(ParseTime("1.5h").value(), std::chrono::minutes(90));
  EXPECT_EQ(ParseTime("5M").value(), std::chrono::minutes(5));
  for (const char* text : {"PT1H", "30m1h", "1h1h", "1h 30m", "h", "1x", "-1s", "+1s", "1e3s",
                           "1h30", "inf", "nan", "", " 1s", "1.5.s", "1000000001s"}) {
    EXPECT_FALSE(ParseTime(text).ok()) << text;
  }
}

TEST(Distribution, NumbersWithoutAUnitAreSeconds) {
  EXPECT_EQ(ParseTime("0.25").value(), milliseconds(250));
  EXPECT_EQ(ParseTime("1e9").value(), kLongestTime);
  EXPECT_EQ(ParseTime("0").value(), Duration::zero());
  EXPECT_EQ(Sample(Parsed("uniform:0.05-0.2"), 7), Sample(Parsed("uniform:50ms-200ms"), 7));
}

// The inverse of each distribution function, in closed form.
struct Closed {
  const char* text;
  double (*quantile)(double share);
};

double NormalQuantile(double share) { return std::sqrt(2.0) * boost::math::erf_inv(2 * share - 1); }

class Quantiles : public testing::TestWithParam<Closed> {};

// By the Dvoretzky-Kiefer-Wolfowitz inequality the share of draws below a quantile is off by more
// than 0.02 once in four million seeds; this is one seed.
TEST_P(Quantiles, AreThoseOfTheClosedForm) {
  const auto sample = Sample(Parsed(GetParam().text));
  for (const double share : {0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99}) {
    const double value = GetParam().quantile(share);
    const auto below = std::lower_bound(sample.begin(), sample.end(), value) - sample.begin();
    EXPECT_NEAR(static_cast<double>(below) / kDraws, share, 0.02) << "quantile " << share;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Distribution, Quantiles,
    testing::Values(Closed{"uniform:1s-5s", [](double share) { return 1 + 4 * share; }},
                    Closed{"exp:2s", [](double share) { return -2 * std::log(1 - share); }},
                    Closed{"exponential:0.1",
                           [](double share) { return -0.1 * std::log(1 - share); }},
                    Closed{"lognormal:2s,0.5", [](double share) {
                             return 2 * std::exp(0.5 * NormalQuantile(share));
                           }}));

TEST(Distribution, UniformStaysBetweenItsEnds) {
  const auto sample = Sample(Parsed("uniform:1s-5s"));
  EXPECT_GE(sample.front(), 1);
  EXPECT_LE(sample.back(), 5);
}

TEST(Distribution, BimodalTakesTheSecondTimeAsOftenAsSaid) {
  const auto sample = Sample(Parsed("bimodal:50ms,1,10%"));
  const auto often = std::count(sample.begin(), sample.end(), 0.05);
  EXPECT_NEAR(static_cast<double>(often) / kDraws, 0.9, 0.02);
  EXPECT_EQ(often + std::count(sample.begin(), sample.end(), 1.0), kDraws);
  EXPECT_EQ(Sample(Parsed("bimodal:1s,2s,0%")).back(), 1);
  EXPECT_EQ(Sample(Parsed("bimodal:1s,2s,100%")).front(), 2);
}

TEST(Distribution, RecordedTimesComeEquallyOften) {
  const auto recorded = Distribution::Recorded("0.1\n1\n1\n9");
  ASSERT_TRUE(recorded.ok());
  const auto sample = Sample(*recorded);
  EXPECT_NEAR(static_cast<double>(std::count(sample.begin(), sample.end(), 1.0)), kDraws / 2.0,
              300);
  EXPECT_NEAR(static_cast<double>(std::count(sample.begin(), sample.end(), 9.0)), kDraws / 4.0,
              300);
}

TEST(Distribution, SameSeedSameTimes) {
  EXPECT_EQ(Sample(Parsed("exp:2s"), 3), Sample(Parsed("exp:2s"), 3));
  EXPECT_NE(Sample(Parsed("exp:2s"), 3), Sample(Parsed("exp:2s"), 4));
}

TEST(Distribution, AVeryLongDrawIsTheLongestTime) {
  EXPECT_EQ(Sample(Parsed("lognormal:8000h,9")).back(), ToSeconds(kLongestTime));
}

TEST(Distribution, WhatItIsNotIsSaidWithExamples) {
  for (const char* text : {"",
                           "fast",
                           "uniform:1s",
                           "uniform:5s-1s",
                           "exp:",
                           "exp:-2s",
                           "exp:inf",
                           "lognormal:2s",
                           "lognormal:2s,x",
                           "lognormal:2s,-1",
                           "lognormal:2s,nan",
                           "normal:2s",
                           "1.1e9",
                           "fixed:1e9h",
                           "-1",
                           "nan",
                           "inf",
                           " 1",
                           "1 s",
                           "bimodal:1s,2s",
                           "bimodal:1s,2s,0.1",
                           "bimodal:1s,2s,101%",
                           "bimodal:1s,2s,x%"}) {
    const auto parsed = Distribution::Parse(text);
    EXPECT_EQ(parsed.status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
  EXPECT_THAT(std::string(Distribution::Parse("normal:2s").status().message()),
              HasSubstr("'normal:2s' is not a distribution"));
  EXPECT_THAT(std::string(Distribution::Parse("uniform:1s").status().message()),
              HasSubstr("'uniform:1s' is wrong: '' is not a time"));
}

TEST(Recorded, ReadsSecondsLineByLine) {
  const auto recorded = Distribution::Recorded("# wait\n0.25\n\n3\r\n1e1");
  ASSERT_TRUE(recorded.ok()) << recorded.status();
  const auto sample = Sample(*recorded);
  EXPECT_EQ(std::set<double>(sample.begin(), sample.end()), (std::set<double>{0.25, 3, 10}));
}

TEST(Recorded, NamesTheLineThatIsNoTime) {
  for (const char* text : {"1\n2\nx\n", "1\n2\n-3", "1\n2\nnan", "1\n2\n1e30", "1\n2\n3 4"}) {
    const auto recorded = Distribution::Recorded(text);
    ASSERT_FALSE(recorded.ok()) << text;
    EXPECT_THAT(std::string(recorded.status().message()), HasSubstr("line 3 is not a number"));
  }
}

TEST(Recorded, WithoutAnyTimeThereIsNoDistribution) {
  EXPECT_EQ(Distribution::Recorded("# nothing\n").status().message(), "there is no recorded time");
}

}  // namespace
}  // namespace twofold
