#include "cli/runs/interleave.h"

#include <gmock/gmock.h>

#include <map>
#include <string>
#include <vector>

#include "lib/stats/change.h"
#include "lib/stats/summary.h"
#include "tests/cli/runs/expansions.h"
#include "tests/cli/runs/fake_jobs.h"

namespace twofold::run {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

/// "1A" .. : the number of the repetition, and whose it is.
std::vector<std::string> OrderOf(const Turns& turns) {
  std::vector<std::string> order;
  for (const spec::PlannedJob& job : turns.expansion.jobs) {
    const bool of_now = turns.expansion.permutations[job.permutation].number > turns.offset;
    order.push_back(std::to_string(job.repetition) + (of_now ? "B" : "A"));
  }
  return order;
}

Turns TurnsOf(std::uint32_t permutations, std::uint32_t repetitions, std::uint32_t warmups = 0) {
  const spec::Expansion one = ExpansionOf(permutations, repetitions, warmups);
  return TakeTurns(one, "a", one, "b");
}

/// Two runs of fake jobs that take turns.
class TwoRuns {
 public:
  TwoRuns(std::uint32_t permutations, std::uint32_t repetitions)
      : turns(TurnsOf(permutations, repetitions)) {
    now.last_id = 1000;
  }

  Driver MakeDriver(const Rules& rules = {}) const { return {rules, turns.expansion}; }

  const Turns turns;
  FakeJobs base;
  FakeJobs now;
  JobsOfTwo both{base, now, turns.offset};
};

TEST(Turns, GoFirstInTheOrderOfThueAndMorse) {
  EXPECT_THAT(OrderOf(TurnsOf(1, 8)), ElementsAre("1A", "1B", "2B", "2A", "3B", "3A", "4A", "4B",
                                                  "5B", "5A", "6A", "6B", "7A", "7B", "8B", "8A"));
}

TEST(Turns, KeepTheOrderOfTheFilesAndTheirWarmUps) {
  EXPECT_THAT(OrderOf(TurnsOf(2, 2, 1)),
              ElementsAre("1A", "1B", "1A", "1B", "2B", "2A", "1A", "1B", "1A", "1B", "2B", "2A"));
}

TEST(Turns, PermutationsAreNumberedOnAndSayWhoseTheyAre) {
  spec::Expansion sample = ExpansionOf(2, 1);
  sample.permutations[1].number = 9;
  const Turns turns = TakeTurns(sample, "a", sample, "b");
  std::vector<std::uint64_t> numbers;
  for (const auto& each : turns.expansion.permutations) numbers.push_back(each.number);
  EXPECT_THAT(numbers, ElementsAre(1, 9, 10, 18));
  EXPECT_EQ(turns.expansion.permutations[2].values[0], (spec::VariedValue{"run", "b"}));
}

TEST(Turns, NeedTheSameJobsOnBothSides) {
  EXPECT_TRUE(SameJobs(ExpansionOf(2, 3, 1), ExpansionOf(2, 3, 1)));
  EXPECT_FALSE(SameJobs(ExpansionOf(2, 3), ExpansionOf(3, 2)));
  EXPECT_FALSE(SameJobs(ExpansionOf(2, 3), ExpansionOf(2, 4)));
  EXPECT_FALSE(SameJobs(ExpansionOf(2, 3, 1), ExpansionOf(2, 3)));
}

TEST(JobsOfTwo, EachRunGetsItsOwnJobsInTheCommonOrder) {
  TwoRuns runs(1, 4);
  Driver driver = runs.MakeDriver();
  driver.Begin();
  FakeWatcher watcher;
  ASSERT_EQ(*Watch(runs.both, driver, watcher, [&] { return watcher.clock; }), Wish::kNone);
  EXPECT_TRUE(driver.over());
  const auto all = ElementsAre(JobKey{1, 1}, JobKey{1, 2}, JobKey{1, 3}, JobKey{1, 4});
  EXPECT_THAT(runs.base.submitted, all);
  EXPECT_THAT(runs.now.submitted, all);
}

TEST(JobsOfTwo, WhatAFullQueueDidNotTakeIsSubmittedLaterInTheSameOrder) {
  TwoRuns runs(1, 4);
  runs.now.room = 1;
  Driver driver = runs.MakeDriver();
  driver.Begin();
  FakeWatcher watcher;
  ASSERT_EQ(*Watch(runs.both, driver, watcher, [&] { return watcher.clock; }), Wish::kNone);
  EXPECT_THAT(runs.now.submitted, SizeIs(4));
  EXPECT_THAT(runs.base.submitted, SizeIs(4));
}

TEST(JobsOfTwo, FailureOfOneEndsBothIfOneIsToFailFast) {
  TwoRuns runs(1, 4);
  runs.now.failing = {{1, 1}};
  Driver driver = runs.MakeDriver({.repetitions = 4, .fail_fast = true});
  driver.Begin();
  ASSERT_TRUE(SubmitAll(runs.both, driver).ok());
  for (int look = 0; look < 3; ++look) ASSERT_TRUE(Look(runs.both, driver).ok());
  EXPECT_EQ(driver.stopped(), Stop::kFailFast);
}

TEST(JobsOfTwo, GoesOnWhereAnotherDriverLeftBoth) {
  TwoRuns runs(1, 2);
  Driver first = runs.MakeDriver();
  first.Begin();
  runs.now.room = 0;
  EXPECT_FALSE(SubmitAll(runs.both, first).ok());
  Driver second = runs.MakeDriver();
  ASSERT_TRUE(Look(runs.both, second).ok());
  second.Begin();
  runs.now.room = 10;
  ASSERT_TRUE(SubmitAll(runs.both, second).ok());
  EXPECT_THAT(runs.base.submitted, SizeIs(2));
  EXPECT_THAT(runs.now.submitted, SizeIs(2));
}

/// What two equal programs measure on a machine that becomes slower with every job, if jobs are run
/// in this order: by whose they are.
std::map<char, std::vector<double>> MeasuredWhileItDrifts(const std::vector<char>& order) {
  std::map<char, std::vector<double>> values;
  double now = 100.0;
  for (const char whose : order) {
    const double scatter = values[whose].size() % 2 == 0 ? 0.3 : -0.3;
    values[whose].push_back(now + scatter);
    now -= 1.0;
  }
  return values;
}

stats::Change ChangeIn(const std::vector<char>& order) {
  const auto values = MeasuredWhileItDrifts(order);
  return stats::ChangeOfMean(stats::Summarize(values.at('A')), stats::Summarize(values.at('B')));
}

TEST(Turns, DriftThatMakesConsecutiveRunsDifferIsInBothOfTwoInTurn) {
  std::vector<char> consecutive(8, 'A');
  consecutive.resize(16, 'B');
  EXPECT_LT(ChangeIn(consecutive).p, 0.001);
  std::vector<char> in_turn;
  for (const std::string& job : OrderOf(TurnsOf(1, 8))) in_turn.push_back(job.back());
  const stats::Change change = ChangeIn(in_turn);
  EXPECT_NEAR(change.difference.value, 0.0, 1e-9);
  EXPECT_GT(change.p, 0.99);
}

}  // namespace
}  // namespace twofold::run
