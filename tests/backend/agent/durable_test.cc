#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/agent/held_results.h"
#include "tests/backend/agent/agent_fixture.h"

namespace twofold::backend {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using WorkResult = fakes::FakeWorkStream::Result;

AttemptEnd EndOf(std::uint64_t job) {
  AttemptEnd end;
  end.id = {job, 1};
  return end;
}

TEST(HeldResults, VolatileOnesAreHeldUntilAStreamTakesThem) {
  HeldResults held;
  held.Add(EndOf(1), true);
  held.Add(EndOf(2), false);
  EXPECT_THAT(held.All(), ElementsAre(Field(&AttemptEnd::id, AttemptId{2, 1})));
  EXPECT_EQ(held.unsent(), 1u);
  EXPECT_THAT(held.TakeForStream(), SizeIs(1));
  EXPECT_THAT(held.All(), IsEmpty());
}

TEST(HeldResults, DurableOnesAreHeldUntilTheyAreKept) {
  HeldResults held;
  held.MakeDurable({1, 1});
  EXPECT_EQ(held.Find({1, 1}), nullptr);  // it still runs
  EXPECT_THAT(held.All(), IsEmpty());
  held.Add(EndOf(1), true);
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(held.TakeForStream(), SizeIs(1));
    EXPECT_THAT(held.All(), ElementsAre(Field(&AttemptEnd::id, AttemptId{1, 1})));
    EXPECT_EQ(held.unkept(), 1u);
  }
  held.Kept({1, 2});  // another attempt
  EXPECT_NE(held.Find({1, 1}), nullptr);
  held.Kept({1, 1});
  EXPECT_EQ(held.Find({1, 1}), nullptr);
  EXPECT_EQ(held.unkept(), 0u);
}

class DurableTest : public AgentTest {
 protected:
  DurableTest() { durable_.set_durable(true); }

  // An agent whose jobs end at once, the other end of its stream.
  std::shared_ptr<fakes::FakeWorkStream> Start() {
    agent_.emplace(options_, Duration::zero());
    const auto stream = frontend_.Accept();
    stream->Welcome();
    return stream;
  }

  AgentOptions options_ = Options();
  v1::JobOptions durable_;
  std::optional<RunningAgent> agent_;
};

TEST_F(DurableTest, ResultIsHeldAndDeliveredAgainUntilItIsKept) {
  const auto first = Start();
  first->SendAssigns(1, 2, durable_);
  first->SendAssigns(3, 1);
  first->HearResults(3);
  first->SendKept(2);
  first->SendAssigns(4, 1);  // its result: `kept` has been read
  first->HearResults(4);
  Break(*first);

  for (int i = 0; i < 2; ++i) {
    const auto again = frontend_.Accept();
    EXPECT_THAT(again->Welcome().held_jobs(), ElementsAre(1));
    EXPECT_THAT(again->HearResults(1).results, ElementsAre(Field(&WorkResult::job, 1u)));
    if (i == 1) again->SendKept(1);
    Break(*again);
  }
  EXPECT_THAT(frontend_.Accept()->Welcome().held_jobs(), IsEmpty());
}

TEST_F(DurableTest, CancelOfAHeldResultIsAnsweredWithIt) {
  const auto stream = Start();
  stream->SendAssigns(1, 1, durable_);
  stream->HearResults(1);
  stream->SendCancel(1);
  const WorkResult result = stream->HearResults(2).results[1];
  EXPECT_EQ(result.job, 1u);
  EXPECT_EQ(result.outcome, v1::OUTCOME_SUCCEEDED);
  stream->SendKept(1);
  stream->SendCancel(1);  // no longer
  stream->SendAssigns(2, 1);
  EXPECT_EQ(stream->HearResults(3).results[2].job, 2u);
}

TEST_F(DurableTest, JobThatMakesNoSenseIsHeldAsWell) {
  const auto first = Start();
  first->SendAssigns(1, 1, durable_, "no end");
  first->HearResults(1);
  Break(*first);
  EXPECT_THAT(frontend_.Accept()->Welcome().held_jobs(), ElementsAre(1));
}

TEST_F(DurableTest, LeavingWaitsUntilResultsAreKept) {
  const auto stream = Start();
  stream->SendAssigns(1, 2, durable_);
  stream->HearResults(2);
  stream->SendKept(1);
  agent_->Shutdown();
  EXPECT_TRUE(stream->ReceiveDraining());
  stream->SendAssigns(9, 1);  // handed back: it still listens
  EXPECT_EQ(stream->HearResults(3).results[2].job, 9u);
  stream->SendKept(2);
  EXPECT_EQ(stream->ReceiveEnd(), 0u);
  EXPECT_EQ(agent_->ExitCode(), 0);
}

TEST_F(DurableTest, DrainByTheFrontendWaitsAcrossAReconnect) {
  options_.drain_limit = Duration::zero();  // is for SIGTERM only
  const auto first = Start();
  first->SendAssigns(1, 1, durable_);
  first->HearResults(1);
  first->SendDrain();
  first->SendAssigns(2, 1);
  first->HearResults(2);
  Break(*first);
  const auto second = frontend_.Accept();
  EXPECT_TRUE(second->Welcome().draining());
  second->HearResults(1);
  second->SendKept(1);
  EXPECT_EQ(agent_->ExitCode(), 0);
}

TEST_F(DurableTest, LeavingWithoutIsBoundedAndExitsWithOne) {
  options_.drain_limit = std::chrono::milliseconds(20);
  const auto stream = Start();
  stream->SendAssigns(1, 1, durable_);
  stream->HearResults(1);
  agent_->Shutdown();
  EXPECT_EQ(agent_->ExitCode(), 1);
}

TEST_F(DurableTest, WhatIsHandedBackIsWaitedForOnceMore) {
  agent_.emplace(options_, kForever);
  const auto stream = frontend_.Accept();
  stream->Welcome();
  stream->SendAssigns(1, 1, durable_);
  stream->SendAssigns(9, 1, {}, std::string("0\0", 2));
  stream->HearResults(1);  // the other one runs
  agent_->Shutdown();
  agent_->Shutdown();
  EXPECT_TRUE(stream->HearResults(2).results[1].handed_back);
  stream->SendKept(1);
  EXPECT_EQ(stream->ReceiveEnd(), 0u);
  EXPECT_EQ(agent_->ExitCode(), 0);
}

TEST_F(DurableTest, ThirdShutdownGivesUp) {
  agent_.emplace(options_, kForever);
  const auto stream = frontend_.Accept();
  stream->Welcome();
  stream->SendAssigns(1, 1, durable_);
  stream->SendAssigns(9, 1, {}, std::string("0\0", 2));
  stream->HearResults(1);
  for (int i = 0; i < 3; ++i) agent_->Shutdown();
  EXPECT_EQ(agent_->ExitCode(), 1);
}

}  // namespace
}  // namespace twofold::backend
