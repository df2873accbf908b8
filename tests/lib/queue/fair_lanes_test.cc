#include "lib/queue/fair_lanes.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace twofold::queue {
namespace {

constexpr int kManyKeys = 30'000;  // three times as many as lanes keep

class FairLanesTest : public testing::Test {
 protected:
  Slot Add(const std::string& key, std::uint32_t weight = 1) {
    const auto options =
        std::make_shared<const JobOptions>(JobOptions{.fair_key = key, .weight = weight});
    const Slot slot = jobs.Add(options, {}, ++sequence);
    lanes.Add(jobs, slot);
    return slot;
  }

  std::string Take() {
    const Slot slot = lanes.Front();
    lanes.Take(jobs, slot);
    std::string key = jobs[slot].options->fair_key;
    jobs.Free(slot);
    return key;
  }

  std::string TakeAll() {
    std::string order;
    while (!lanes.empty()) order += Take();
    return order;
  }

  JobTable jobs{1, 0};
  FairLanes lanes;
  std::uint64_t sequence = 0;
};

TEST_F(FairLanesTest, LanesTakeTurnsInOrderOfAppearance) {
  for (const char* key : {"b", "b", "b", "a", "a", "c"}) Add(key);
  EXPECT_EQ(TakeAll(), "bacbab");
}

TEST_F(FairLanesTest, HeavierLaneGoesMoreOften) {
  for (int i = 0; i < 6; ++i) Add("a", 2);
  for (int i = 0; i < 3; ++i) Add("b", 1);
  EXPECT_EQ(TakeAll(), "abaabaaba");
}

TEST_F(FairLanesTest, RemovedJobIsNotPaidFor) {
  const Slot removed = Add("a");
  Add("a");
  Add("b");
  lanes.Remove(jobs, removed);
  EXPECT_EQ(TakeAll(), "ab");
}

TEST_F(FairLanesTest, DebtIsRememberedWhileOthersHaveJobs) {
  Add("a");
  Add("b");
  Add("b");
  EXPECT_EQ(Take(), "a");
  Add("a");  // it has had its turn
  EXPECT_EQ(TakeAll(), "bab");
}

TEST_F(FairLanesTest, DebtIsForgottenWhenNobodyWaits) {
  Add("a");
  Add("b");
  EXPECT_EQ(TakeAll(), "ab");
  Add("b");
  Add("a");
  EXPECT_EQ(TakeAll(), "ba") << "order of appearance again";
}

TEST_F(FairLanesTest, DebtIsForgottenWhenTheLastJobIsRemoved) {
  Add("a");
  const Slot plain = Add("");
  EXPECT_EQ(Take(), "");
  const Slot again = Add("");
  EXPECT_EQ(Take(), "a");
  lanes.Remove(jobs, again);
  EXPECT_TRUE(lanes.empty());
  EXPECT_EQ(plain, again) << "the slot is used again";
  Add("");
  Add("a");
  EXPECT_EQ(Take(), "");
}

TEST_F(FairLanesTest, WeightsOutOfRangeCountAsItsEnds) {
  for (int i = 0; i < 3; ++i) Add("a", 0);
  for (int i = 0; i < 3; ++i) Add("b", 1);
  EXPECT_EQ(TakeAll(), "ababab");
  for (int i = 0; i < 3; ++i) Add("a", 1'000'000);
  for (int i = 0; i < 3; ++i) Add("b", 1'000);
  EXPECT_EQ(TakeAll(), "ababab");
}

TEST_F(FairLanesTest, KeysThatComeOnceAreForgotten) {
  for (int i = 0; i < kManyKeys; ++i) {
    Add("key " + std::to_string(i));
    Take();
  }
  EXPECT_EQ(lanes.keys(), 0U);
}

TEST_F(FairLanesTest, MemoryIsBoundedThoughTheLineIsNeverEmpty) {
  Add("always");
  for (int i = 0; i < kManyKeys; ++i) {
    Add("key " + std::to_string(i));
    Take();
  }
  EXPECT_LE(lanes.keys(), 10'002U);
}

}  // namespace
}  // namespace twofold::queue
