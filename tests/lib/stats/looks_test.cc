#include "lib/stats/looks.h"

#include <absl/strings/str_cat.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "lib/stats/comparison.h"
#include "tests/lib/stats/made_windows.h"
#include "tests/support/promise.h"

namespace twofold::stats {
namespace {

TEST(LookAt, IsDueAfterTenLivesAndTwoSeconds) {
  EXPECT_FALSE(LookAt(1.9, 0.1, 60.0).due);
  EXPECT_TRUE(LookAt(2.0, 0.1, 60.0).due);
  EXPECT_FALSE(LookAt(9.0, 1.0, 60.0).due);
  EXPECT_NEAR(LookAt(9.0, 1.0, 60.0).next_seconds, 1.0, 1e-9);
  EXPECT_TRUE(LookAt(10.0, 1.0, 60.0).due);
}

TEST(LookAt, OfAWindowWithoutAJobIsNotDue) {
  EXPECT_FALSE(LookAt(0.0, 0.0, 60.0).due);
  EXPECT_EQ(LookAt(0.0, 0.0, 60.0).next_seconds, 2.0);
}

TEST(LookAt, ComesAgainWhenTheWindowHasGrownByHalfButNotAfterTheCap) {
  EXPECT_NEAR(LookAt(10.0, 1.0, 60.0).next_seconds, 5.0, 1e-9);
  EXPECT_NEAR(LookAt(50.0, 1.0, 60.0).next_seconds, 10.0, 1e-9);
  EXPECT_FALSE(LookAt(50.0, 1.0, 60.0).last);
}

TEST(LookAt, AtTheCapIsTheLastOneHoweverFewJobs) {
  const Look look = LookAt(60.0, 100.0, 60.0);
  EXPECT_TRUE(look.due);
  EXPECT_TRUE(look.last);
  EXPECT_EQ(look.next_seconds, 0.0);
}

TEST(LookAt, KeepsMoreForTheCapThanForEarlierLooks) {
  EXPECT_LT(LookAt(60.0, 1.0, 60.0).confidence, LookAt(10.0, 1.0, 60.0).confidence);
}

/// Whether one of the looks takes a Brownian motion without a drift for one with a drift.
bool IsDecided(double cap, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  const double early = StudentFactor(LookAt(10.0, 1.0, cap).confidence, 1e9);
  const double last = StudentFactor(LookAt(cap, 1.0, cap).confidence, 1e9);
  double time = 0.0;
  double sum = 0.0;
  for (Look look = LookAt(0.0, 1.0, cap); !look.last;) {
    sum += std::sqrt(look.next_seconds) * normal(random);
    time += look.next_seconds;
    look = LookAt(time, 1.0, cap);
    if (look.due && std::abs(sum) > (look.last ? last : early) * std::sqrt(time)) return true;
  }
  return false;
}

TEST(PromisedLooks, SpendLittleMoreThanFivePercentTogether) {
  constexpr std::uint64_t kMotions = 20'000;
  std::mt19937_64 random(1);
  for (const auto& [first_looks, most] : {std::pair(20, 0.06), {30, 0.06}, {100, 0.065}}) {
    const std::string id = absl::StrCat("looks-", first_looks);
    const std::string says = absl::StrCat("all looks up to a cap of ", first_looks,
                                          " times the first one: noise alone decides");
    Measure({.id = id, .says = says, .most = most}, kMotions,
            [&, cap = 10.0 * first_looks] { return IsDecided(cap, random); });
  }
}

// ---- a step

/// A step of which all is known: 1 job/s a worker, workers that differ by 0.1 %.
StepRecord KnownStep(std::uint32_t workers) { return EvenRecord(workers, workers); }

/// What is said at a look after so many seconds.
ThroughputEstimate After(double seconds) {
  return {.seconds = seconds, .mean_life = 0.2, .usable = true, .steady = true, .reason = ""};
}

TEST(LookAtStep, EqualWorkersAreDoneAtTheFirstLook) {
  const StepPlan plan{.workers = 2, .scale = 1.8, .cap = 60.0};
  const StepLook look = LookAtStep(std::vector{KnownStep(1)}, After(2.0), EvenWindow(2, 2.0), plan);
  EXPECT_TRUE(look.done);
  ASSERT_TRUE(look.verdict);
  EXPECT_EQ(look.verdict->these_pods.verdict, Verdict::kPass);
}

TEST(LookAtStep, TheFirstStepIsDoneWhenItIsKnownToTwoPercent) {
  const StepPlan plan{.workers = 8, .scale = 1.8, .cap = 60.0};
  const MeasuredWindow good = NoisyWindow(8, 8.0, 0.08, 0.0, 1);
  const MeasuredWindow bad = NoisyWindow(8, 8.0, 0.3, 0.0, 1);
  EXPECT_TRUE(LookAtStep({}, After(2.0), good, plan).done);
  EXPECT_FALSE(LookAtStep({}, After(2.0), bad, plan).done);
  EXPECT_TRUE(LookAtStep({}, After(60.0), bad, plan).done);  // the cap
  EXPECT_FALSE(LookAtStep({}, After(60.0), bad, plan).verdict);
}

/// The window of one worker, cut to so many seconds: five mean lives each.
MeasuredWindow OneWorkerFor(double seconds, double noise) {
  MeasuredWindow window = NoisyWindow(1, 1.0, noise, 0.0, 1);
  window.seconds = seconds;
  return window;
}

TEST(LookAtStep, OfOneQuietWorkerIsDoneAfterSomeThirtyLives) {
  const StepPlan plan{.workers = 1, .scale = 1.8, .cap = 60.0};
  EXPECT_FALSE(LookAtStep({}, After(6.0), OneWorkerFor(6.0, 0.02), plan).done);
  EXPECT_TRUE(LookAtStep({}, After(7.0), OneWorkerFor(7.0, 0.02), plan).done);
  EXPECT_FALSE(LookAtStep({}, After(7.0), OneWorkerFor(7.0, 0.5), plan).done);
}

TEST(LookAtStep, TheFirstStepOfOneWorkerIsMoreExactForALimitThatIsNear) {
  const MeasuredWindow window = OneWorkerFor(20.0, 0.1);
  EXPECT_TRUE(LookAtStep({}, After(20.0), window, {.workers = 1, .scale = 1.8, .cap = 60.0}).done);
  EXPECT_FALSE(
      LookAtStep({}, After(20.0), window, {.workers = 1, .scale = 1.98, .cap = 60.0}).done);
}

TEST(LookAtStep, IsMoreExactIfTheRatioIsNearTheLimit) {
  const StepPlan plan{.workers = 16, .scale = 1.8, .cap = 60.0};
  const std::vector earlier = {KnownStep(8)};
  EXPECT_TRUE(LookAtStep(earlier, After(20.0), NoisyWindow(16, 16.0, 0.25, 0.0, 1), plan).done);
  EXPECT_FALSE(LookAtStep(earlier, After(20.0), NoisyWindow(16, 15.0, 0.25, 0.0, 1), plan).done);
}

TEST(LookAtStep, IsNotDoneBeforeTheFirstLookNorWhileItIsDisturbedOrWarm) {
  const StepPlan plan{.workers = 1, .scale = 1.8, .cap = 60.0};
  EXPECT_TRUE(LookAtStep({}, After(30.0), EvenWindow(1, 1.0), plan).done);
  EXPECT_FALSE(LookAtStep({}, After(1.0), EvenWindow(1, 1.0), plan).done);
  ThroughputEstimate disturbed = After(30.0);
  disturbed.usable = false;
  EXPECT_FALSE(LookAtStep({}, disturbed, EvenWindow(1, 1.0), plan).done);
  const auto warming = [](std::size_t part) {
    return 1.0 - 0.3 * std::exp(-static_cast<double>(part) / 15.0) + (part % 2 == 0 ? 1e-3 : 0.0);
  };
  EXPECT_FALSE(LookAtStep({}, After(30.0), ShapedWindow(1, 1.0, warming), plan).done);
}

TEST(LookAtStep, DoesNotWaitForTimeWherePodsAreWhatIsNotKnown) {
  const StepPlan plan{.workers = 16, .scale = 1.8, .cap = 60.0};
  const std::vector earlier = {EvenRecord(8, 8.0, 0.1)};
  const StepLook look = LookAtStep(earlier, After(20.0), EvenWindow(16, 15.3, 0.1), plan);
  ASSERT_EQ(look.verdict->any_pods.verdict, Verdict::kUndecided);
  EXPECT_TRUE(look.done);
  EXPECT_EQ(look.record.confidence, LookAt(60.0, 0.2, 60.0).confidence);  // none comes after it
}

TEST(LookAtStep, OfAPlanWithRepeatsIsNotStoppedByItsVerdict) {
  StepPlan plan{.workers = 16, .scale = 1.8, .cap = 60.0};
  const std::vector earlier = {KnownStep(8)};
  const MeasuredWindow noisy = NoisyWindow(16, 24.0, 0.3, 0.0, 1);
  plan.repeats = 3;
  EXPECT_FALSE(LookAtStep(earlier, After(20.0), noisy, plan).done);
  EXPECT_EQ(LookAtStep(earlier, After(20.0), noisy, plan).verdict->any_pods.verdict,
            Verdict::kPass);
  EXPECT_TRUE(LookAtStep(earlier, After(20.0), EvenWindow(16, 14.5, 0.1), plan).done);
}

}  // namespace
}  // namespace twofold::stats
