#include "frontend/scalers/signals/deletion_costs.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace twofold::scalers {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Cost = DeletionCost;
using Patch = DeletionCosts::Patch;

/// An API server that does what it is told at once, and a clock.
class Fleet {
 public:
  void See(const DeletionCosts::Pods& pods) { costs.See(pods, now); }

  /// All that may be written at this instant.
  std::vector<Patch> Write() {
    std::vector<Patch> patches;
    while (const auto patch = costs.Next(now)) {
      costs.Written(*patch);
      patches.push_back(*patch);
    }
    return patches;
  }
  std::vector<Patch> WriteIn(Duration wait) {
    now += wait;
    return Write();
  }

  DeletionCosts costs{7};
  Instant now{seconds(1000)};
};

using Patches = std::vector<Patch>;

TEST(DeletionCosts, APodIsWrittenWhenItsWorkerBeginsAndEndsToHaveJobs) {
  Fleet fleet;
  fleet.See({{"a", Cost::kBusy}});
  EXPECT_EQ(fleet.Write(), (Patches{{"a", Cost::kBusy}}));
  fleet.See({{"a", Cost::kBusy}});
  EXPECT_EQ(fleet.WriteIn(seconds(1)), Patches{});
  EXPECT_EQ(fleet.costs.Due(), Instant::max());
  fleet.See({{"a", Cost::kIdle}});
  EXPECT_EQ(fleet.WriteIn(seconds(1)), (Patches{{"a", Cost::kIdle}}));
  fleet.See({{"a", Cost::kUseless}});
  EXPECT_EQ(fleet.WriteIn(seconds(1)), (Patches{{"a", Cost::kUseless}}));
}

TEST(DeletionCosts, AnIdlePodIsWrittenOnceAsAnEarlierFrontendMayHaveWritten) {
  Fleet fleet;
  fleet.See({{"a", Cost::kIdle}});
  EXPECT_EQ(fleet.Write(), (Patches{{"a", Cost::kIdle}}));
  fleet.See({{"a", Cost::kIdle}});
  EXPECT_EQ(fleet.WriteIn(seconds(1)), Patches{});
}

/// Spends all that may be written at once.
void Spend(Fleet& fleet) {
  DeletionCosts::Pods pods;
  for (int i = 0; i < DeletionCosts::kAtOnce; ++i) pods["s" + std::to_string(i)] = Cost::kBusy;
  fleet.See(pods);
  ASSERT_EQ(fleet.Write().size(), pods.size());
}

TEST(DeletionCosts, WhatFlipsBackBeforeItsTurnIsNotWritten) {
  Fleet fleet;
  fleet.See({{"a", Cost::kIdle}});
  fleet.Write();
  fleet.See({{"a", Cost::kBusy}});
  EXPECT_EQ(fleet.costs.pending(), 1U);
  fleet.See({{"a", Cost::kIdle}});
  EXPECT_EQ(fleet.costs.pending(), 0U);
  EXPECT_EQ(fleet.WriteIn(seconds(1)), Patches{});
}

TEST(DeletionCosts, TheNewestCostIsWritten) {
  Fleet fleet;
  fleet.See({{"a", Cost::kIdle}});
  fleet.Write();
  fleet.See({{"a", Cost::kBusy}});
  fleet.See({{"a", Cost::kUseless}});
  EXPECT_EQ(fleet.Write(), (Patches{{"a", Cost::kUseless}}));
}

TEST(DeletionCosts, WhoWaitsLongestIsNextAndPodsFirstSeenIdleAreLast) {
  Fleet fleet;
  Spend(fleet);
  fleet.See({{"first-idle", Cost::kIdle}});
  fleet.now += milliseconds(1);
  fleet.See({{"first-idle", Cost::kIdle}, {"z", Cost::kBusy}});
  fleet.now += milliseconds(1);
  fleet.See({{"first-idle", Cost::kIdle}, {"z", Cost::kBusy}, {"a", Cost::kBusy}});
  EXPECT_EQ(fleet.WriteIn(seconds(1)),
            (Patches{{"z", Cost::kBusy}, {"a", Cost::kBusy}, {"first-idle", Cost::kIdle}}));
}

TEST(DeletionCosts, APodFirstSeenIdleIsLastNoLongerWhenItIsBusy) {
  Fleet fleet;
  Spend(fleet);
  fleet.See({{"a", Cost::kIdle}, {"b", Cost::kIdle}});
  fleet.See({{"a", Cost::kIdle}, {"b", Cost::kBusy}});
  EXPECT_EQ(fleet.WriteIn(seconds(1)), (Patches{{"b", Cost::kBusy}, {"a", Cost::kIdle}}));
}

TEST(DeletionCosts, AFleetThatFlipsAllTheTimeIsWrittenAtTheRate) {
  Fleet fleet;
  DeletionCosts::Pods pods;
  std::size_t written = 0;
  for (int second = 0; second < 60; ++second) {
    for (int i = 0; i < 1000; ++i)
      pods["p" + std::to_string(i)] = second % 2 == 0 ? Cost::kBusy : Cost::kIdle;
    fleet.See(pods);
    for (int i = 0; i < 20; ++i) written += fleet.WriteIn(milliseconds(50)).size();
    EXPECT_LE(written, static_cast<std::size_t>(DeletionCosts::kAtOnce +
                                                (second + 1) * DeletionCosts::kPerSecond));
  }
  EXPECT_GE(written, 60U * DeletionCosts::kPerSecond) << "and not less";
}

TEST(DeletionCosts, NothingIsDueBeforeTheRateAllowsIt) {
  Fleet fleet;
  Spend(fleet);
  fleet.See({{"a", Cost::kBusy}});
  EXPECT_EQ(fleet.costs.Due(), fleet.now + milliseconds(200));
  EXPECT_EQ(fleet.WriteIn(milliseconds(200) - Duration(1)), Patches{});
  EXPECT_EQ(fleet.WriteIn(Duration(1)), (Patches{{"a", Cost::kBusy}}));
}

TEST(DeletionCosts, PodsWithoutWorkersAreForgotten) {
  Fleet fleet;
  fleet.See({{"a", Cost::kBusy}, {"b", Cost::kBusy}});
  fleet.Write();
  fleet.See({{"a", Cost::kIdle}, {"b", Cost::kBusy}});
  fleet.See({{"b", Cost::kBusy}});
  EXPECT_EQ(fleet.Write(), Patches{});
  fleet.See({{"a", Cost::kBusy}, {"b", Cost::kBusy}});
  EXPECT_EQ(fleet.Write(), (Patches{{"a", Cost::kBusy}})) << "another frontend may have written it";
}

TEST(DeletionCosts, APodThatIsRefusedIsLeftAloneUntilItsWorkersAreGone) {
  Fleet fleet;
  fleet.See({{"a", Cost::kBusy}});
  fleet.costs.Refused(*fleet.costs.Next(fleet.now));
  fleet.See({{"a", Cost::kIdle}});
  EXPECT_EQ(fleet.WriteIn(seconds(100)), Patches{});
  fleet.See({});
  fleet.See({{"a", Cost::kIdle}});
  EXPECT_EQ(fleet.Write(), (Patches{{"a", Cost::kIdle}}));
}

TEST(DeletionCosts, AfterAFailureAllWaitAndThePodThatFailedIsBehindTheOthers) {
  Fleet fleet;
  fleet.See({{"a", Cost::kBusy}, {"b", Cost::kBusy}});
  const auto failed = fleet.costs.Next(fleet.now);
  EXPECT_EQ(failed, (Patch{"a", Cost::kBusy}));
  fleet.now += milliseconds(1);
  fleet.costs.AllFailed(*failed, fleet.now, seconds(60));
  EXPECT_EQ(fleet.costs.Due(), fleet.now + seconds(60));
  EXPECT_EQ(fleet.WriteIn(seconds(60) - Duration(1)), Patches{});
  EXPECT_EQ(fleet.WriteIn(Duration(1)), (Patches{{"b", Cost::kBusy}, {"a", Cost::kBusy}}));
}

TEST(DeletionCosts, APodThatFailsEachTimeHoldsUpOthersForASecondAndIsTriedEachMinute) {
  Fleet fleet;
  fleet.See({{"bad", Cost::kBusy}});
  int tries = 0;
  int written = 0;
  for (int second = 0; second < 600; ++second) {
    const Cost cost = second % 2 == 0 ? Cost::kBusy : Cost::kIdle;
    fleet.See({{"bad", cost}, {"good", cost}});
    for (int i = 0; i < 5; ++i, fleet.now += milliseconds(200)) {
      const auto patch = fleet.costs.Next(fleet.now);
      if (!patch) continue;
      if (patch->pod == "good") {
        fleet.costs.Written(*patch);
        ++written;
      } else {
        fleet.costs.Failed(*patch, fleet.now);
        ++tries;
      }
    }
  }
  EXPECT_GE(written, 600 - 2 * tries);
  EXPECT_LE(tries, 6 + 10);
  EXPECT_GE(tries, 6 + 4);
}

TEST(DeletionCosts, APodOfTheSameNameWithOtherWorkersIsWrittenAnewAndNotLeftAlone) {
  Fleet fleet;
  fleet.See({{"a", {Cost::kBusy, 1}}, {"b", {Cost::kBusy, 1}}});
  fleet.costs.Refused(*fleet.costs.Next(fleet.now));
  EXPECT_EQ(fleet.Write(), (Patches{{"b", Cost::kBusy}}));
  fleet.See({{"a", {Cost::kBusy, 2}}, {"b", {Cost::kBusy, 2}}});
  EXPECT_EQ(fleet.Write(), (Patches{{"a", Cost::kBusy}, {"b", Cost::kBusy}}));
}

TEST(DeletionCosts, PausesGrowToAMinuteAndASuccessMakesThemShort) {
  Fleet fleet;
  fleet.See({{"a", Cost::kBusy}});
  const auto fail = [&] {
    fleet.costs.AllFailed(*fleet.costs.Next(fleet.now), fleet.now);
    const Duration pause = fleet.costs.Due() - fleet.now;
    fleet.now = fleet.costs.Due();
    return pause;
  };
  EXPECT_LE(fail(), DeletionCosts::kShortestPause);
  for (int i = 0; i < 10; ++i) fail();
  const Duration longest = fail();
  EXPECT_GE(longest, DeletionCosts::kLongestPause / 2);
  EXPECT_LE(longest, DeletionCosts::kLongestPause);
  EXPECT_EQ(fleet.Write().size(), 1U);
  fleet.See({{"a", Cost::kIdle}});
  EXPECT_LE(fail(), DeletionCosts::kShortestPause);
}

TEST(DeletionCosts, WhateverHappensAllCostsAreRightOnceItIsQuiet) {
  const char* const given = std::getenv("TWOFOLD_SEED");
  const auto seed = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  SCOPED_TRACE("TWOFOLD_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t most) { return random() % most; };

  Fleet fleet;
  DeletionCosts::Pods pods;
  std::map<std::string, DeletionCost> annotations = {{"p1", Cost::kBusy}, {"p2", Cost::kUseless}};
  const auto send = [&](bool may_fail) {
    const auto patch = fleet.costs.Next(fleet.now);
    if (!patch) return;
    if (may_fail && below(4) == 0) {
      below(2) == 0 ? fleet.costs.Failed(*patch, fleet.now)
                    : fleet.costs.AllFailed(*patch, fleet.now);
    } else {
      annotations[patch->pod] = patch->cost;
      fleet.costs.Written(*patch);
    }
  };
  for (int i = 0; i < 3000; ++i) {
    const std::string pod = "p" + std::to_string(below(8));
    if (below(10) == 0) {
      pods.erase(pod);
    } else {
      pods[pod] = static_cast<DeletionCost>(static_cast<int>(below(3)) - 1);
    }
    fleet.See(pods);
    fleet.now += milliseconds(below(400));
    send(true);
  }
  while (fleet.costs.pending() > 0) {
    fleet.now = std::max(fleet.now, fleet.costs.Due());
    send(false);
  }
  for (const auto& [pod, seen] : pods) EXPECT_EQ(annotations.at(pod), seen.cost) << pod;
}

}  // namespace
}  // namespace twofold::scalers
