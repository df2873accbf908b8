// Workers that go from one shard of a queue to another.

#include "tests/frontend/tenures_fixture.h"

namespace twofold::frontend {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class LendingTest : public TenuresTest {
 protected:
  /// Long enough after all have joined.
  std::uint64_t Lend(const QueueHost::Turn::Loan& loan) {
    const std::uint64_t lent = Turn(host_, Now() + 2 * Turn::kShortestStay).Lend(loan);
    Sync();
    return lent;
  }

  std::shared_ptr<FakeWorker> JoinOne(std::uint32_t slots = 1) {
    auto worker = std::make_shared<FakeWorker>();
    last_ = Join(worker, slots);
    return worker;
  }

  ProcessId last_{};
};

TEST_F(LendingTest, IdleWorkersGoAsManyAsAreAskedFor) {
  const auto one = JoinOne();
  const auto two = JoinOne();
  EXPECT_EQ(Lend({.to = "sleep/1", .slots = 1}), 1U);
  EXPECT_EQ(one->moved + two->moved, 1);
  EXPECT_EQ(one->moved_to, "sleep/1");
  Submit(1);
  EXPECT_THAT(one->assigned, IsEmpty()) << "who has been sent away gets nothing";
  EXPECT_THAT(two->assigned, SizeIs(1));
}

TEST_F(LendingTest, WhoHasJustComeStays) {
  const auto worker = JoinOne();
  EXPECT_EQ(Turn(host_, Now()).Lend({.to = "sleep/1", .slots = 1, .pressing = true}), 0U);
  EXPECT_EQ(worker->moved, 0);
}

TEST_F(LendingTest, BusyWorkersStayIfItDoesNotPress) {
  const auto worker = JoinOne();
  Submit(1);
  EXPECT_EQ(Lend({.to = "sleep/1", .slots = 1}), 0U);
  EXPECT_TRUE(Complete(last_, worker->assigned.at(0)));
  EXPECT_EQ(worker->moved, 0);
}

TEST_F(LendingTest, WhatTheQueueNeedsItselfStays) {
  JoinOne(2);
  JoinOne(1);
  for (std::uint64_t tag = 1; tag <= 2; ++tag) Submit(tag);
  EXPECT_EQ(Lend({.to = "sleep/1", .slots = 3}), 0U) << "both have a job";
}

TEST_F(LendingTest, ProcessWithMoreSlotsThanAreToSpareStays) {
  const auto large = JoinOne(10);
  auto gang = std::make_shared<queue::JobOptions>();
  gang->gang.size = 20;
  {
    Turn turn(host_, Now());
    turn.Submit(queue::kDetached, 0, gang, "");
  }
  EXPECT_EQ(Lend({.to = "sleep/1", .slots = 3}), 0U) << "a gang waits for it and ten more";
  EXPECT_EQ(large->moved, 0);
}

TEST_F(LendingTest, BusyWorkerGoesWhenItsJobHasEndedIfItPresses) {
  const auto worker = JoinOne();
  Submit(1, true);
  Submit(2);
  Sync();
  ASSERT_THAT(worker->assigned, SizeIs(1));
  EXPECT_EQ(Lend({.to = "sleep/1", .slots = 1, .pressing = true}), 1U);
  EXPECT_EQ(worker->moved, 0);
  EXPECT_EQ(Lend({.to = "sleep/1", .slots = 1, .pressing = true}), 1U) << "it is on its way";
  EXPECT_EQ(Lend({.to = "sleep/2", .slots = 1, .pressing = true}), 0U);
  EXPECT_TRUE(Complete(last_, worker->assigned[0]));
  Sync();
  EXPECT_THAT(worker->kept, SizeIs(1)) << "it takes no result along";
  EXPECT_EQ(worker->moved_to, "sleep/1");
  EXPECT_THAT(worker->assigned, SizeIs(1)) << "the next job is for others";
}

TEST_F(LendingTest, OnlyWhoSuitsThePlacementGoes) {
  const auto worker = JoinOne();  // on node "node"
  EXPECT_EQ(Lend({.to = "sleep/1", .placement = "node other\n", .slots = 1, .pressing = true}), 0U);
  EXPECT_EQ(Lend({.to = "sleep/1", .placement = "node node\n", .slots = 1, .pressing = true}), 1U);
  EXPECT_EQ(worker->moved, 1);
}

TEST_F(LendingTest, QueueThatIsNotSureOfItsStoreLendsNothing) {
  const auto worker = JoinOne();
  Turn(host_, Now()).Suspend(true);
  EXPECT_EQ(Lend({.to = "sleep/1", .slots = 1, .pressing = true}), 0U);
  Turn(host_, Now()).Suspend(false);
  Close();
  EXPECT_EQ(Turn(host_, Now() + 2 * Turn::kShortestStay).Lend({.to = "sleep/1", .slots = 1}), 0U);
}

}  // namespace
}  // namespace twofold::frontend
