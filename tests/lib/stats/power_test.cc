#include "lib/stats/power.h"

#include <absl/strings/str_cat.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "lib/stats/change.h"
#include "tests/lib/stats/tries.h"
#include "tests/support/promise.h"
#include "tests/support/sanitized.h"

namespace twofold::stats {
namespace {

using Sample = std::vector<double>;

const std::uint64_t kPowerTries = FromEnvironment("TWOFOLD_TRIES", Fewer(100));
std::mt19937_64 generator_of_power(FromEnvironment("TWOFOLD_SEED", 1));

std::size_t ToTell(const Sample& base, const Sample& now, double confidence = 0.95) {
  return RepetitionsToTell(Summarize(base), Summarize(now), confidence);
}

Sample NormalSample(std::size_t n, double mean) {
  std::normal_distribution<double> normal(mean, 1.0);
  Sample sample(n);
  for (double& value : sample) value = normal(generator_of_power);
  return sample;
}

Sample LognormalSample(std::size_t n, double median) {
  std::lognormal_distribution<double> lognormal(std::log(median), 0.5);
  Sample sample(n);
  for (double& value : sample) value = lognormal(generator_of_power);
  return sample;
}

bool Tells(const Sample& base, const Sample& now) {
  return ChangeOfMean(Summarize(base), Summarize(now)).p < 0.05;
}

// With many values the scatter is known: 2 x (1.96 + 0.84)^2 / 0.5^2 = 62.8, and one for Student.
TEST(RepetitionsToTell, AreThoseOfTheTextbookWhereTheScatterIsKnown) {
  const Summary base{.n = 100'000, .mean = 10.0, .sd = 1.0};
  const Summary now{.n = 100'000, .mean = 10.5, .sd = 1.0};
  EXPECT_NEAR(static_cast<double>(RepetitionsToTell(base, now)), 64.0, 1.0);
}

TEST(RepetitionsToTell, AreMoreWhereFewValuesSayHowTheyScatter) {
  const Summary few{.n = 3, .mean = 10.0, .sd = 1.0};
  const Summary many{.n = 30, .mean = 10.0, .sd = 1.0};
  const Summary now{.n = 3, .mean = 10.5, .sd = 1.0};
  const std::size_t needed = RepetitionsToTell(few, now);
  EXPECT_GT(needed, RepetitionsToTell(many, now));
  EXPECT_GT(needed, 80U);
  EXPECT_LT(needed, 160U);
}

TEST(RepetitionsToTell, AreMoreForSmallerDifferencesAndForMoreConfidence) {
  const Sample base = {9, 10, 11, 10};
  EXPECT_GT(ToTell(base, {9.5, 10.5, 11.5, 10.5}), ToTell(base, {10, 11, 12, 11}));
  EXPECT_GT(ToTell(base, {10, 11, 12, 11}, 0.99), ToTell(base, {10, 11, 12, 11}));
  EXPECT_EQ(ToTell(base, {109, 110, 111, 110}), 2U);
}

TEST(RepetitionsToTell, AreNotKnownWithoutADifferenceOrAScatterAndNotToldAboveAThousand) {
  EXPECT_EQ(ToTell({9, 10, 11}, {9, 10, 11}), 0U);
  EXPECT_EQ(ToTell({10}, {11, 12}), 0U);
  EXPECT_EQ(ToTell({10, 10}, {11, 11}), 0U);
  EXPECT_EQ(ToTell({9, 10, 11}, {9.001, 10.001, 11.001}), 0U);
  EXPECT_EQ(RepetitionsToTell({.n = 3, .mean = std::nan(""), .sd = 1}, {.n = 3, .sd = 1}), 0U);
}

TEST(RepetitionsToTellMedians, AreFewWhereSidesHardlyOverlapAndFiveAtLeast) {
  EXPECT_EQ(RepetitionsToTellMedians(Sample{1, 2, 3, 4, 5}, Sample{11, 12, 13, 14, 15}), 6U);
  EXPECT_EQ(RepetitionsToTellMedians(Sample{1, 2, 3, 4, 5}, Sample{11, 12, 13, 14, 15}, 0.9), 5U);
  EXPECT_GT(RepetitionsToTellMedians(Sample{1, 2, 3, 4, 5}, Sample{2, 3, 4, 5, 6}), 20U);
}

TEST(RepetitionsToTellMedians, AreNotKnownOfFourValuesOrOfTheSame) {
  EXPECT_EQ(RepetitionsToTellMedians(Sample{1, 2, 3, 4}, Sample{11, 12, 13, 14, 15}), 0U);
  EXPECT_EQ(RepetitionsToTellMedians(Sample{1, 2, 3, 4, 5}, Sample{1, 2, 3, 4, 5}), 0U);
}

// ---- promises

TEST(PromisedRepetitions, TellTheDifferenceThatTheyAreFor) {
  constexpr double kDifference = 1.0;  // standard deviations
  for (const std::size_t made : {3U, 5U, 10U}) {
    twofold::Measure(
        {.id = absl::StrCat("needed-", made),
         .says = absl::StrCat("as many repetitions as ", made, " and ", made,
                              " say would tell a difference of one standard deviation tell it"),
         .least = kPowerToTell},
        kPowerTries, [made] {
          const Summary base = Summarize(NormalSample(made, 0.0));
          Summary now = Summarize(NormalSample(made, 0.0));
          now.mean = base.mean + kDifference;
          const std::size_t needed = RepetitionsToTell(base, now);
          return Tells(NormalSample(needed, 0.0), NormalSample(needed, kDifference));
        });
  }
}

TEST(PromisedRepetitions, DecideWhatIsUndecided) {
  twofold::Measure(
      {.id = "needed-undecided",
       .says = "5 and 5 repetitions that differ by one standard deviation are undecided and "
               "say how many would tell it: so many tell it",
       .least = kPowerToTell},
      kPowerTries, [] {
        std::size_t needed = 0;
        while (needed == 0) {
          const Sample base = NormalSample(5, 0.0);
          const Sample now = NormalSample(5, 1.0);
          if (!Tells(base, now)) needed = ToTell(base, now);
        }
        return Tells(NormalSample(needed, 0.0), NormalSample(needed, 1.0));
      });
}

TEST(PromisedRepetitions, TellMedians) {
  twofold::Measure(
      {.id = "needed-medians",
       .says = "as many lognormal values as 200 and 200 say would tell medians that differ by "
               "a third tell them",
       .least = 0.78},
      kPowerTries, [] {
        const std::size_t needed =
            RepetitionsToTellMedians(LognormalSample(200, 1.0), LognormalSample(200, 4.0 / 3.0));
        return ChangeOfMedian(LognormalSample(needed, 1.0), LognormalSample(needed, 4.0 / 3.0)).p <
               0.05;
      });
}

}  // namespace
}  // namespace twofold::stats
