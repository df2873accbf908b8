#include "lib/stats/looks.h"

#include <absl/strings/str_cat.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lib/stats/comparison.h"
#include "tests/lib/stats/made_windows.h"
#include "tests/support/promise.h"

namespace twofold::stats {
namespace {

TEST(LookAt, IsDueAfterTenLivesAndTwoSeconds) {
  EXPECT_FALSE(LookAt(1.9, 0.1, {60.0}).due);
  EXPECT_TRUE(LookAt(2.0, 0.1, {60.0}).due);
  EXPECT_FALSE(LookAt(9.0, 1.0, {60.0}).due);
  EXPECT_NEAR(LookAt(9.0, 1.0, {60.0}).next_seconds, 1.0, 1e-9);
  EXPECT_TRUE(LookAt(10.0, 1.0, {60.0}).due);
}

TEST(LookAt, OfAWindowWithoutAJobIsNotDue) {
  EXPECT_FALSE(LookAt(0.0, 0.0, {60.0}).due);
  EXPECT_EQ(LookAt(0.0, 0.0, {60.0}).next_seconds, 2.0);
}

TEST(LookAt, ComesAgainWhenTheWindowHasGrownByHalfButNotAfterTheCap) {
  EXPECT_NEAR(LookAt(10.0, 1.0, {60.0}).next_seconds, 5.0, 1e-9);
  EXPECT_NEAR(LookAt(50.0, 1.0, {60.0}).next_seconds, 10.0, 1e-9);
  EXPECT_FALSE(LookAt(50.0, 1.0, {60.0}).last);
}

TEST(LookAt, AtTheCapIsTheLastOneHoweverFewJobs) {
  const Look look = LookAt(60.0, 100.0, {60.0});
  EXPECT_TRUE(look.due);
  EXPECT_TRUE(look.last);
  EXPECT_EQ(look.next_seconds, 0.0);
}

TEST(LookAt, KeepsMoreForTheCapThanForEarlierLooks) {
  EXPECT_LT(LookAt(60.0, 1.0, {60.0}).confidence, LookAt(10.0, 1.0, {60.0}).confidence);
}

TEST(LookAt, GoesOnFromTheCapToItsPatience) {
  const Cap cap{.seconds = 60.0, .patience = 600.0};
  const Look before = LookAt(50.0, 1.0, cap);
  EXPECT_FALSE(before.at_cap);
  EXPECT_NEAR(before.next_seconds, 10.0, 1e-9);
  const Look first = LookAt(60.0, 1.0, cap);
  EXPECT_TRUE(first.at_cap);
  EXPECT_FALSE(first.last);
  EXPECT_NEAR(first.next_seconds, 30.0, 1e-9);
  EXPECT_GT(first.confidence, first.confidence_if_last);
  EXPECT_NEAR(LookAt(500.0, 1.0, cap).next_seconds, 100.0, 1e-9);
  EXPECT_TRUE(LookAt(600.0, 1.0, cap).last);
}

TEST(LookAt, ThatEndsTheMeasurementSpendsLessIfOthersCameAfterTheCap) {
  const Cap cap{.seconds = 60.0, .patience = 600.0};
  EXPECT_EQ(LookAt(60.0, 1.0, cap).confidence_if_last, LookAt(60.0, 1.0, {60.0}).confidence);
  EXPECT_GT(LookAt(90.0, 1.0, cap).confidence_if_last, LookAt(60.0, 1.0, {60.0}).confidence);
}

/// Whether one of the looks takes a Brownian motion without a drift for one with a drift.
bool IsDecided(const Cap& cap, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  double time = 0.0;
  double sum = 0.0;
  for (Look look = LookAt(0.0, 1.0, {cap}); !look.last;) {
    sum += std::sqrt(look.next_seconds) * normal(random);
    time += look.next_seconds;
    look = LookAt(time, 1.0, cap);
    const double chance = std::erfc(std::abs(sum) / std::sqrt(2.0 * time));
    if (look.due && chance < 1.0 - look.confidence) return true;
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
            [&, cap = Cap{10.0 * first_looks}] { return IsDecided(cap, random); });
  }
}

TEST(PromisedLooks, SpendALittleMoreIfTheCapHasPatience) {
  constexpr std::uint64_t kMotions = 20'000;
  std::mt19937_64 random(1);
  for (const auto& [caps, most] : {std::pair(2, 0.06), {10, 0.065}, {60, 0.08}}) {
    const std::string id = absl::StrCat("looks-patience-", caps);
    const std::string says =
        absl::StrCat("all looks until ", caps, " times the cap: noise alone decides");
    Measure({.id = id, .says = says, .most = most}, kMotions,
            [&, cap = Cap{200.0, 200.0 * caps}] { return IsDecided(cap, random); });
  }
}

// ---- a step

/// A step of which all is known: 1 job/s a worker, workers that differ by 0.1 %.
StepRecord KnownStep(std::uint32_t workers) { return EvenRecord(workers, workers); }

/// What is said at a look after so many seconds.
ThroughputEstimate After(double seconds) {
  return {.seconds = seconds, .mean_life = 0.2, .usable = true, .steady = true, .reason = ""};
}

/// A look after so many seconds, at which `window` looks as it does.
StepLook LookAfter(double seconds, std::span<const StepRecord> earlier, MeasuredWindow window,
                   const StepPlan& plan) {
  for (double& part : window.total) part *= seconds / window.seconds;
  window.seconds = seconds;
  return LookAtStep(earlier, After(seconds), window, plan);
}

TEST(LookAtStep, EqualWorkersAreDoneAtTheFirstLook) {
  const StepPlan plan{.workers = 16, .scale = 1.8, .cap = {60.0}};
  const StepLook look = LookAfter(2.0, std::vector{KnownStep(8)}, EvenWindow(16, 16.0), plan);
  EXPECT_TRUE(look.done);
  ASSERT_TRUE(look.verdict);
  EXPECT_EQ(look.verdict->these_pods.verdict, Verdict::kPass);
}

TEST(LookAtStep, TheFirstStepIsDoneWhenItIsKnownToTwoPercent) {
  const StepPlan plan{.workers = 8, .scale = 1.8, .cap = {60.0}};
  const MeasuredWindow good = NoisyWindow(8, 8.0, 0.08, 0.0, 1);
  const MeasuredWindow bad = NoisyWindow(8, 8.0, 0.3, 0.0, 1);
  EXPECT_TRUE(LookAfter(20.0, {}, good, plan).done);
  EXPECT_FALSE(LookAfter(20.0, {}, bad, plan).done);
  EXPECT_TRUE(LookAfter(60.0, {}, bad, plan).done);  // the cap
  EXPECT_FALSE(LookAfter(60.0, {}, bad, plan).verdict);
}

MeasuredWindow OneWorker(double noise) { return NoisyWindow(1, 1.0, noise, 0.0, 1); }

TEST(LookAtStep, OfOneQuietWorkerIsDoneAfterSomeThirtyLives) {
  const StepPlan plan{.workers = 1, .scale = 1.8, .cap = {60.0}};
  EXPECT_FALSE(LookAfter(6.0, {}, OneWorker(0.02), plan).done);
  EXPECT_TRUE(LookAfter(7.0, {}, OneWorker(0.02), plan).done);
  EXPECT_FALSE(LookAfter(7.0, {}, OneWorker(0.5), plan).done);
}

TEST(LookAtStep, TheFirstStepOfOneWorkerIsMoreExactForALimitThatIsNear) {
  const MeasuredWindow window = OneWorker(0.1);
  EXPECT_TRUE(LookAfter(20.0, {}, window, {.workers = 1, .scale = 1.8, .cap = {60.0}}).done);
  EXPECT_FALSE(LookAfter(20.0, {}, window, {.workers = 1, .scale = 1.98, .cap = {60.0}}).done);
}

TEST(LookAtStep, IsMoreExactIfTheRatioIsNearTheLimit) {
  const StepPlan plan{.workers = 16, .scale = 1.8, .cap = {60.0}};
  const std::vector earlier = {KnownStep(8)};
  EXPECT_TRUE(LookAfter(20.0, earlier, NoisyWindow(16, 16.0, 0.25, 0.0, 1), plan).done);
  EXPECT_FALSE(LookAfter(20.0, earlier, NoisyWindow(16, 15.0, 0.25, 0.0, 1), plan).done);
}

TEST(LookAtStep, IsNotDoneBeforeTheFirstLookNorWhileItIsDisturbedOrWarm) {
  const StepPlan plan{.workers = 1, .scale = 1.8, .cap = {60.0}};
  EXPECT_TRUE(LookAfter(30.0, {}, EvenWindow(1, 1.0), plan).done);
  EXPECT_FALSE(LookAfter(1.0, {}, EvenWindow(1, 1.0), plan).done);
  ThroughputEstimate disturbed = After(30.0);
  disturbed.usable = false;
  EXPECT_FALSE(LookAtStep({}, disturbed, EvenWindow(1, 1.0), plan).done);
  const auto warming = [](std::size_t part) {
    return 1.0 - 0.3 * std::exp(-static_cast<double>(part) / 15.0) + (part % 2 == 0 ? 1e-3 : 0.0);
  };
  EXPECT_FALSE(LookAfter(30.0, {}, ShapedWindow(1, 1.0, warming), plan).done);
}

TEST(LookAtStep, DoesNotWaitForTimeWherePodsAreWhatIsNotKnown) {
  const StepPlan plan{.workers = 16, .scale = 1.8, .cap = {60.0}};
  const std::vector earlier = {EvenRecord(8, 8.0, 0.1)};
  const StepLook look = LookAfter(20.0, earlier, EvenWindow(16, 15.3, 0.1), plan);
  ASSERT_EQ(look.verdict->any_pods.verdict, Verdict::kUndecided);
  EXPECT_TRUE(look.done);
  EXPECT_EQ(look.record.confidence, LookAt(60.0, 0.2, {60.0}).confidence);  // none comes after it
}

TEST(LookAtStep, OfAPlanWithRepeatsIsNotStoppedByItsVerdict) {
  StepPlan plan{.workers = 16, .scale = 1.8, .cap = {60.0}};
  const std::vector earlier = {KnownStep(8)};
  const MeasuredWindow noisy = NoisyWindow(16, 24.0, 0.3, 0.0, 1);
  plan.repeats = 3;
  EXPECT_FALSE(LookAfter(20.0, earlier, noisy, plan).done);
  EXPECT_EQ(LookAfter(20.0, earlier, noisy, plan).verdict->any_pods.verdict, Verdict::kPass);
  EXPECT_TRUE(LookAfter(20.0, earlier, EvenWindow(16, 14.5, 0.1), plan).done);
}

// ---- patience

/// A window of 60 s in which the verdict of 16 workers beside KnownStep(8) is open for noise.
StepLook AtTheCap(double throughput, double patience, Next next = Next::kNever) {
  const StepPlan plan{.workers = 16, .scale = 1.8, .cap = {60.0, patience}, .next = next};
  return LookAfter(60.0, std::vector{KnownStep(8)}, NoisyWindow(16, throughput, 0.5, 0.0, 1), plan);
}

TEST(LookAtStep, GoesOnAfterTheCapWhileAVerdictIsLikely) {
  const StepLook look = AtTheCap(14.45, 600.0);
  EXPECT_FALSE(look.done);
  ASSERT_TRUE(look.expected);
  EXPECT_GT(look.expected->seconds, 60.0);
  EXPECT_GT(look.expected->lower, 1.8);
  EXPECT_GT(look.expected->upper, look.expected->lower);
  EXPECT_TRUE(AtTheCap(14.45, 0.0).done);
}

TEST(LookAtStep, StopsAtTheCapWhereNoVerdictIsLikelyInTime) {
  const StepLook look = AtTheCap(14.0, 600.0);  // at the limit
  EXPECT_TRUE(look.done);
  EXPECT_FALSE(look.expected);
  EXPECT_EQ(look.record.confidence, kOnce);  // as if that had been known before
  EXPECT_TRUE(AtTheCap(14.45, 61.0).done);
}

TEST(LookAtStep, SaysWhatToExpectBeforeTheCap) {
  const StepPlan plan{.workers = 16, .scale = 1.8, .cap = {60.0}, .next = Next::kNever};
  const StepLook look =
      LookAfter(20.0, std::vector{KnownStep(8)}, NoisyWindow(16, 14.45, 0.5, 0.0, 1), plan);
  EXPECT_FALSE(look.done);
  ASSERT_TRUE(look.expected);
  EXPECT_LE(look.expected->seconds, 60.0);
}

TEST(LookAtStep, AfterWhichNoneComesNeedNotBeKnownAsABase) {
  const std::vector earlier = {KnownStep(8)};
  StepPlan plan{.workers = 16, .scale = 1.8, .cap = {60.0}};
  const MeasuredWindow passes = NoisyWindow(16, 16.0, 0.35, 0.0, 1);
  const MeasuredWindow fails = NoisyWindow(16, 13.0, 0.35, 0.0, 1);
  EXPECT_FALSE(LookAfter(20.0, earlier, passes, plan).done);
  EXPECT_FALSE(LookAfter(20.0, earlier, fails, plan).done);
  plan.next = Next::kUnlessFailed;
  EXPECT_FALSE(LookAfter(20.0, earlier, passes, plan).done);
  EXPECT_TRUE(LookAfter(20.0, earlier, fails, plan).done);
  plan.next = Next::kNever;
  EXPECT_TRUE(LookAfter(20.0, earlier, passes, plan).done);
}

TEST(LookAtStep, OfThesePodsHasItsVerdictWhereAnyPodsSpendTheirLastLook) {
  const std::vector earlier = {EvenRecord(8, 8.0, 0.1)};
  StepPlan plan{.workers = 16, .scale = 1.8, .cap = {60.0}, .next = Next::kNever};
  const MeasuredWindow window = EvenWindow(16, 15.3, 0.1);
  EXPECT_EQ(LookAfter(20.0, earlier, window, plan).record.confidence, kOnce);
  plan.pods = Pods::kThese;
  const StepLook look = LookAfter(20.0, earlier, window, plan);
  EXPECT_TRUE(look.done);
  EXPECT_EQ(look.verdict->these_pods.verdict, Verdict::kPass);
  EXPECT_EQ(look.record.confidence, look.look.confidence);
}

TEST(LookAtStep, OfAPlanWithAsManyRepeatsAsNeededHasTheConfidenceOfOneOfTwo) {
  const StepPlan plan{.workers = 16, .scale = 1.8, .cap = {60.0, 600.0}, .repeats = 0};
  const StepLook look =
      LookAfter(60.0, std::vector{KnownStep(8)}, NoisyWindow(16, 14.45, 0.5, 0.0, 1), plan);
  EXPECT_TRUE(look.done);  // its cap has no patience
  EXPECT_EQ(look.record.confidence, kOneOfTwo);
}

}  // namespace
}  // namespace twofold::stats
