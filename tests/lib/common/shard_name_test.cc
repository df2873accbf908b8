#include "lib/common/shard_name.h"

#include <gtest/gtest.h>

namespace twofold {
namespace {

TEST(ShardName, TheFirstIsTheQueueAndTheOthersHaveNumbers) {
  EXPECT_EQ(ShardName("sleep", 0), "sleep");
  EXPECT_EQ(ShardName("sleep", 1), "sleep/1");
  EXPECT_EQ(ShardName("sleep", 255), "sleep/255");
}

TEST(ShardName, EachIsReadAsItWasWritten) {
  for (std::uint32_t number = 0; number < kMostShards; ++number) {
    const std::string name = ShardName("a.b-c_d", number);
    EXPECT_EQ(ParseShardName(name), (QueueShard{"a.b-c_d", number})) << name;
  }
}

TEST(ShardName, TheQueueIsWhatIsBeforeTheNumber) {
  EXPECT_EQ(QueueOfShard("sleep"), "sleep");
  EXPECT_EQ(QueueOfShard("sleep/12"), "sleep");
}

TEST(ShardName, TheFirstAloneHasTheNumberZero) {
  EXPECT_EQ(FirstShardAlone("sleep"), "sleep/0");
  EXPECT_EQ(WithoutAlone("sleep/0"), "sleep");
  EXPECT_EQ(WithoutAlone("sleep"), "sleep");
  EXPECT_EQ(WithoutAlone("sleep/10"), "sleep/10");
}

TEST(ShardName, WhatNoShardIsCalledIsNotRead) {
  for (const char* bad :
       {"", "/", "/1", "q/", "q/0", "q/01", "q/256", "q/4294967297", "q/99999999999999999999",
        "q/-1", "q/+1", "q/ 1", "q/1 ", "q/1x", "q/x", "q/1/2", "q//1"}) {
    EXPECT_FALSE(ParseShardName(bad)) << bad;
  }
}

}  // namespace
}  // namespace twofold
