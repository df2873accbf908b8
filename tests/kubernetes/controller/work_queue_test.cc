#include "kubernetes/controller/work_queue.h"

#include <gtest/gtest.h>

namespace twofold::controller {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class WorkQueueTest : public ::testing::Test {
 protected:
  static WorkQueue::Key Key(const std::string& name) { return {"a", name}; }
  std::string Take() {
    const auto key = queue_.Take(now_);
    return key ? key->name : "";
  }

  Instant now_ = Instant() + seconds(100);
  WorkQueue queue_;
};

TEST_F(WorkQueueTest, AKeyThatIsAddedOftenIsThereOnce) {
  for (int i = 0; i < 3; ++i) queue_.Add(Key("x"), now_);
  EXPECT_EQ(queue_.counts(now_).depth, 1U);
  EXPECT_EQ(Take(), "x");
  EXPECT_EQ(Take(), "");
}

TEST_F(WorkQueueTest, OneWorkerAtATimeHasAKey) {
  queue_.Add(Key("x"), now_);
  EXPECT_EQ(Take(), "x");
  queue_.Add(Key("x"), now_);
  EXPECT_EQ(Take(), "") << "it is being worked on";
  queue_.Done(Key("x"), std::nullopt, now_);
  EXPECT_EQ(Take(), "x") << "what was added meanwhile is not lost";
  queue_.Done(Key("x"), std::nullopt, now_);
  EXPECT_EQ(Take(), "");
}

TEST_F(WorkQueueTest, WhoIsDueFirstIsTakenFirst) {
  queue_.Add(Key("late"), now_ - seconds(1));
  queue_.Add(Key("early"), now_ - seconds(2));
  EXPECT_EQ(Take(), "early");
  EXPECT_EQ(Take(), "late");
}

TEST_F(WorkQueueTest, TheSoonerOfTwoTimesCounts) {
  queue_.Add(Key("x"), now_ + seconds(5));
  queue_.Add(Key("x"), now_ + seconds(60));
  EXPECT_EQ(queue_.NextDue(), now_ + seconds(5));
  queue_.Add(Key("x"), now_);
  EXPECT_EQ(Take(), "x");
  EXPECT_EQ(queue_.NextDue(), std::nullopt);
}

TEST_F(WorkQueueTest, WorkCanAskForMore) {
  queue_.Add(Key("x"), now_);
  Take();
  queue_.Done(Key("x"), seconds(30), now_);
  EXPECT_EQ(Take(), "");
  now_ += seconds(30);
  EXPECT_EQ(Take(), "x");
}

TEST_F(WorkQueueTest, BackOffOfAKeyDoublesAndEndsWithASuccess) {
  queue_.Add(Key("x"), now_);
  Duration longest = milliseconds(5);
  for (int i = 0; i < 12; ++i, longest *= 2) {
    ASSERT_EQ(Take(), "x");
    queue_.Retry(Key("x"), now_);
    const Duration wait = *queue_.NextDue() - now_;
    EXPECT_GE(wait, longest / 2) << i;
    EXPECT_LE(wait, longest) << i;
    now_ += wait;
  }
  Take();
  queue_.Done(Key("x"), std::nullopt, now_);
  queue_.Add(Key("x"), now_);
  Take();
  queue_.Retry(Key("x"), now_);
  EXPECT_LE(*queue_.NextDue() - now_, milliseconds(5));
}

TEST_F(WorkQueueTest, BackOffHasAnEnd) {
  queue_.Add(Key("x"), now_);
  for (int i = 0; i < 40; ++i) {
    now_ = std::max(now_, queue_.NextDue().value_or(now_));
    ASSERT_EQ(Take(), "x");
    queue_.Retry(Key("x"), now_);
    EXPECT_LE(*queue_.NextDue() - now_, seconds(1000));
  }
}

TEST_F(WorkQueueTest, AFailingKeyIsTriedAtOnceWhenItChanges) {
  queue_.Add(Key("x"), now_);
  for (int i = 0; i < 15; ++i) {
    now_ = std::max(now_, queue_.NextDue().value_or(now_));
    Take();
    queue_.Retry(Key("x"), now_);
  }
  queue_.Add(Key("x"), now_);
  EXPECT_EQ(Take(), "x");
}

TEST_F(WorkQueueTest, AllKeysTogetherRetryTenTimesASecondAfterABurst) {
  constexpr int kKeys = 300;
  for (int i = 0; i < kKeys; ++i) queue_.Add(Key(std::to_string(i)), now_);
  for (int i = 0; i < kKeys; ++i) queue_.Retry(*queue_.Take(now_), now_);
  int soon = 0;
  while (queue_.Take(now_ + milliseconds(5))) ++soon;
  EXPECT_EQ(soon, 100);
  while (queue_.Take(now_ + seconds(10))) ++soon;
  EXPECT_EQ(soon, 200);
}

TEST_F(WorkQueueTest, CountsSayWhatDashboardsAskFor) {
  queue_.Add(Key("x"), now_);
  queue_.Add(Key("later"), now_ + seconds(60));
  now_ += seconds(2);
  EXPECT_EQ(queue_.counts(now_).depth, 1U);
  Take();
  now_ += seconds(3);
  const QueueCounts counts = queue_.counts(now_);
  EXPECT_EQ(counts.depth, 0U);
  EXPECT_EQ(counts.adds, 2U);
  EXPECT_EQ(counts.unfinished, seconds(3));
  EXPECT_EQ(counts.longest, seconds(3));
  queue_.Add(Key("x"), now_);
  queue_.Retry(Key("x"), now_);
  EXPECT_EQ(queue_.counts(now_).retries, 1U);
  EXPECT_EQ(queue_.counts(now_).worked.Count(), 1U);
  EXPECT_EQ(queue_.counts(now_).waited.Max(), seconds(2));
}

}  // namespace
}  // namespace twofold::controller
