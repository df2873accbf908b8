#include "tests/support/virtual_time.h"

#include <gtest/gtest.h>

#include <string>

namespace twofold {
namespace {

using std::chrono::seconds;

class VirtualTimeTest : public testing::Test {
 protected:
  void Say(seconds when, const std::string& word) {
    time.At(Instant(when), [this, word] { said += word; });
  }

  VirtualTime time;
  std::string said;
};

TEST_F(VirtualTimeTest, ActionsRunByTimeAndThoseOfOneInstantAsTheyWereAdded) {
  Say(seconds(2), "c");
  Say(seconds(1), "a");
  Say(seconds(2), "d");
  Say(seconds(1), "b");
  time.Run(Instant(seconds(2)));
  EXPECT_EQ(said, "abcd");
}

TEST_F(VirtualTimeTest, RunEndsAtItsInstantAndLeavesWhatIsDueLater) {
  Say(seconds(1), "a");
  Say(seconds(3), "b");
  time.Run(Instant(seconds(2)));
  EXPECT_EQ(said, "a");
  EXPECT_EQ(time.now(), Instant(seconds(2)));
  EXPECT_EQ(time.next(), Instant(seconds(3)));
  EXPECT_FALSE(time.RunNext(Instant(seconds(2))));
}

TEST_F(VirtualTimeTest, ActionOfThePastRunsNow) {
  time.Run(Instant(seconds(5)));
  Say(seconds(1), "late");
  EXPECT_TRUE(time.RunNext(time.now()));
  EXPECT_EQ(said, "late");
  EXPECT_EQ(time.now(), Instant(seconds(5)));
}

TEST_F(VirtualTimeTest, ActionMayAddOthers) {
  time.At(Instant(seconds(1)), [this] { Say(seconds(2), "next"); });
  time.Run(Instant(seconds(2)));
  EXPECT_EQ(said, "next");
  EXPECT_EQ(time.next(), std::nullopt);
}

}  // namespace
}  // namespace twofold
