#include "cli/nodes/model/distribution.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace twofold::nodes {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

constexpr int kDraws = 20'000;

std::vector<double> Sample(const Distribution& distribution, std::uint64_t seed = 7) {
  Draws draws(seed);
  std::vector<double> sample;
  for (int i = 0; i < kDraws; ++i) sample.push_back(ToSeconds(distribution.Draw(draws)));
  std::sort(sample.begin(), sample.end());
  return sample;
}

double Mean(const std::vector<double>& sample) {
  double sum = 0;
  for (const double value : sample) sum += value;
  return sum / static_cast<double>(sample.size());
}

Distribution Parsed(const std::string& text) {
  const auto parsed = Distribution::Parse(text);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return parsed.value_or(Distribution(Duration::zero()));
}

TEST(Draws, EvenTheLargestShareIsLessThanOne) {
  EXPECT_LT(Draws(0x31628af67b2131ab).Share(), 1);  // whose first number has all bits
  EXPECT_EQ(Draws(0x31628af67b2131ab).Next(), ~std::uint64_t{0});
}

TEST(Distribution, FixedIsAlwaysTheSame) {
  EXPECT_EQ(Sample(Parsed("250ms")).front(), 0.25);
  EXPECT_EQ(Sample(Parsed("fixed:1m30s")).back(), 90);
}

TEST(Distribution, UniformStaysBetweenItsEndsAndReachesBoth) {
  const auto sample = Sample(Parsed("uniform:1s-5s"));
  EXPECT_GE(sample.front(), 1);
  EXPECT_LT(sample.front(), 1.01);
  EXPECT_LE(sample.back(), 5);
  EXPECT_GT(sample.back(), 4.99);
  EXPECT_NEAR(Mean(sample), 3, 0.05);
}

TEST(Distribution, ExponentialHasItsMeanAndItsMedian) {
  const auto sample = Sample(Parsed("exp:2s"));
  EXPECT_NEAR(Mean(sample), 2, 0.08);
  EXPECT_NEAR(sample[kDraws / 2], 2 * std::log(2), 0.06);
}

TEST(Distribution, LogNormalHasItsMedianAndItsSigma) {
  const auto sample = Sample(Parsed("lognormal:2s,0.5"));
  EXPECT_NEAR(sample[kDraws / 2], 2, 0.05);
  // 84.1 % of all are below one sigma.
  EXPECT_NEAR(std::log(sample[kDraws * 841 / 1000] / 2), 0.5, 0.02);
}

TEST(Distribution, RecordedTimesComeEquallyOften) {
  const auto recorded =
      Distribution::Recorded({milliseconds(100), seconds(1), seconds(1), seconds(9)});
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

TEST(Distribution, AVeryLongDrawIsAYear) {
  EXPECT_EQ(Sample(Parsed("lognormal:8000h,9")).back(), ToSeconds(kLongest));
}

TEST(Distribution, WhatItIsNotIsSaidWithExamples) {
  for (const char* text : {"", "fast", "uniform:1s", "uniform:5s-1s", "exp:", "exp:-2s", "exp:inf",
                           "lognormal:2s", "lognormal:2s,x", "lognormal:2s,-1", "lognormal:2s,nan",
                           "normal:2s", "2", "fixed:1e9h", "fixed:100000h"}) {
    const auto parsed = Distribution::Parse(text);
    EXPECT_EQ(parsed.status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
  EXPECT_THAT(std::string(Distribution::Parse("normal:2s").status().message()),
              HasSubstr("'normal:2s' is not a distribution"));
}

TEST(Recorded, ReadsSecondsLineByLine) {
  const auto times = ParseRecorded("# wait\n0.25\n\n3\r\n1e1");
  ASSERT_TRUE(times.ok()) << times.status();
  EXPECT_EQ(*times, (std::vector<Duration>{milliseconds(250), seconds(3), seconds(10)}));
}

TEST(Recorded, NamesTheLineThatIsNoTime) {
  for (const char* text : {"1\n2\nx\n", "1\n2\n-3", "1\n2\nnan", "1\n2\n1e30", "1\n2\n3 4"}) {
    const auto times = ParseRecorded(text);
    ASSERT_FALSE(times.ok()) << text;
    EXPECT_THAT(std::string(times.status().message()), HasSubstr("line 3 is not a number"));
  }
}

TEST(Recorded, WithoutAnyTimeThereIsNoDistribution) {
  EXPECT_FALSE(Distribution::Recorded({}).ok());
  EXPECT_FALSE(Distribution::Recorded({seconds(-1)}).ok());
}

}  // namespace
}  // namespace twofold::nodes
