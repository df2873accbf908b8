#include "frontend/queues/shards.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace twofold::frontend {
namespace {

TEST(ShardOf, JobWithoutKeysBelongsAnywhere) { EXPECT_EQ(ShardOf({}, 4), std::nullopt); }

TEST(ShardOf, JobsOfOneKeyAreInOneShardOnAllMachines) {
  EXPECT_EQ(ShardOf({.limit_key = "a"}, 1000), 996U);
  EXPECT_EQ(ShardOf({.dedup_key = "a"}, 1000), 996U);
  EXPECT_EQ(ShardOf({.fair_key = "a"}, 1000), 996U);
  EXPECT_EQ(ShardOf({.limit_key = ""}, 1000), std::nullopt);
}

TEST(ShardOf, KeysSpreadOverTheShards) {
  std::vector<int> jobs(8);
  for (int i = 0; i < 8000; ++i) ++jobs[*ShardOf({.fair_key = "user-" + std::to_string(i)}, 8)];
  for (const int each : jobs) EXPECT_NEAR(each, 1000, 200);
}

TEST(ShardOf, LimitKeyCountsBeforeTheOthers) {
  EXPECT_EQ(ShardOf({.dedup_key = "b", .fair_key = "c", .limit_key = "a"}, 1000),
            ShardOf({.limit_key = "a"}, 1000));
  EXPECT_EQ(ShardOf({.dedup_key = "b", .fair_key = "c"}, 1000), ShardOf({.dedup_key = "b"}, 1000));
}

TEST(ShardOf, GangsPlacementsAndRunsAreInTheFirst) {
  EXPECT_EQ(ShardOf({.gang = {.size = 2}, .fair_key = "a"}, 1000), 0U);
  EXPECT_EQ(ShardOf({.placement = "node a\n"}, 1000), 0U);
  EXPECT_EQ(ShardOf({.run = "r"}, 1000), 0U);
}

TEST(ShardLoad, WhatNobodyWantsIsToSpare) {
  EXPECT_EQ((ShardLoad{.slots = 10, .idle = 4, .wanted = 6}).spare(), 4U);
  EXPECT_EQ((ShardLoad{.slots = 10, .idle = 4, .wanted = 8}).spare(), 2U)
      << "a gang will need them";
  EXPECT_EQ((ShardLoad{.slots = 10, .idle = 0, .wanted = 12}).spare(), 0U);
  EXPECT_EQ((ShardLoad{.slots = 10, .idle = 0, .wanted = 12}).lacks(), 2U);
  EXPECT_EQ((ShardLoad{.slots = 10, .idle = 4, .wanted = 6}).lacks(), 0U);
}

TEST(ShardLoads, WorkersGoWhereFewestAre) {
  ShardLoads loads;
  loads.Publish({{"q", {.slots = 3}}, {"q/1", {.slots = 1}}});
  const std::vector<std::string> shards = {"q", "q/1", "q/2"};
  EXPECT_EQ(loads.JoinFewest(shards, 2), "q/2");
  EXPECT_EQ(loads.JoinFewest(shards, 1), "q/1");
  EXPECT_EQ(loads.JoinFewest(shards, 1), "q/1") << "one that went there counts";
  EXPECT_EQ(loads.JoinFewest(shards, 1), "q/2");
  loads.Publish({{"q/1", {.slots = 9}}, {"q/2", {.slots = 9}}});
  EXPECT_EQ(loads.JoinFewest(shards, 1), "q");
}

}  // namespace
}  // namespace twofold::frontend
