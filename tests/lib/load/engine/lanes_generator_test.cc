#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lib/load/engine/generator.h"
#include "tests/lib/load/engine/lane_sink.h"

namespace twofold::load {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using ::testing::UnorderedElementsAreArray;
using Tags = std::vector<LoadLoop::Tag>;
using Lane = Generator::Lane;

Instant lanes_now;  // of the generator's clock

class LanesGeneratorTest : public testing::Test {
 protected:
  void SetUp() override {
    lanes_now = Instant(seconds(1000));
    generator.Open(1);
  }

  std::shared_ptr<LaneSink> Connect(Lane lane) {
    auto sink = std::make_shared<LaneSink>();
    again = generator.Connected(sink, lane);
    return sink;
  }

  void Answer(Lane lane, const Tags& tags) { generator.OnReply(Ends(tags), lane); }

  // When the next tick is to be, after one.
  std::optional<Instant> NextTick() {
    std::optional<Instant> next;
    generator.OnTick([&](Instant when) { next = when; });
    generator.Tick();
    generator.OnTick(nullptr);
    return next;
  }

  Generator generator{"sleep", "frontend:9997", Instant(seconds(1000)), [] { return lanes_now; }};
  std::size_t again = 0;
};

TEST_F(LanesGeneratorTest, AParallelismIsSpreadOverTheLanesThatAreUp) {
  generator.Open(2);
  const auto first = Connect(0);
  const auto third = Connect(2);
  generator.SetParallelism(7);
  EXPECT_THAT(first->added, SizeIs(4));
  EXPECT_THAT(third->added, SizeIs(3));
  EXPECT_EQ(generator.outstanding(), 7U);
  EXPECT_EQ(first->flushes, 1);
  EXPECT_EQ(third->flushes, 1);
}

TEST_F(LanesGeneratorTest, WhatReplacesAJobStaysWhereItEnded) {
  const auto first = Connect(0);
  const auto second = Connect(1);
  generator.SetParallelism(6);
  Answer(1, second->added);
  Answer(1, {second->added[3], second->added[4]});
  EXPECT_THAT(second->added, SizeIs(8));
  EXPECT_THAT(first->added, SizeIs(3));
  EXPECT_EQ(first->flushes, 1);
}

TEST_F(LanesGeneratorTest, ALaneThatComesLaterGetsItsShareAsJobsEnd) {
  const auto first = Connect(0);
  generator.SetParallelism(4);
  const auto second = Connect(1);
  EXPECT_EQ(again, 0U);
  EXPECT_THAT(second->added, IsEmpty());
  Answer(0, Tags(first->added.begin(), first->added.begin() + 3));
  EXPECT_THAT(second->added, SizeIs(2));
  EXPECT_THAT(first->added, SizeIs(5));
  EXPECT_EQ(generator.outstanding(), 4U);
}

TEST_F(LanesGeneratorTest, WhileALaneIsAwayItsJobsWaitAndNewOnesGoToTheOthers) {
  const auto first = Connect(0);
  const auto second = Connect(1);
  generator.SetParallelism(4);
  const Tags waiting = second->added;
  EXPECT_EQ(generator.Ended(*second, 1), 2U);
  EXPECT_THAT(first->added, SizeIs(2));
  Answer(0, first->added);
  EXPECT_THAT(first->added, SizeIs(4));
  generator.SetParallelism(7);
  EXPECT_THAT(first->added, SizeIs(7));
  EXPECT_EQ(generator.outstanding(), 7U);
  const auto next = Connect(1);
  EXPECT_EQ(again, 2U);
  EXPECT_THAT(next->added, UnorderedElementsAreArray(waiting));
  EXPECT_THAT(first->added, SizeIs(7));
}

TEST_F(LanesGeneratorTest, AMoveOfALaneLeavesTheOthersJobsWhereTheyAre) {
  const auto first = Connect(0);
  const auto second = Connect(1);
  generator.SetParallelism(4);
  const Tags moved = first->added;
  generator.Moved(*first, Tags{moved[0], second->added[0]}, 0);
  EXPECT_EQ(generator.Look().link, Link::kMoving);
  Answer(1, {second->added[1]});
  EXPECT_THAT(second->added, SizeIs(3));
  const auto next = Connect(0);
  EXPECT_THAT(next->added, ElementsAre(moved[0]));
  EXPECT_EQ(generator.Look().link, Link::kConnected);
  EXPECT_THAT(generator.Look().spoiled, IsEmpty());
}

TEST_F(LanesGeneratorTest, AWindowWithOneOfTheLanesLostIsSpoiled) {
  Connect(0);
  const auto second = Connect(1);
  EXPECT_EQ(generator.Look().link, Link::kConnected);
  generator.Ended(*second, 1);
  EXPECT_EQ(generator.Look().link, Link::kReconnecting);
  EXPECT_EQ(generator.Look().interruptions, 1U);
  generator.Reset();
  EXPECT_EQ(generator.Look().interruptions, 1U);
  lanes_now += seconds(3);
  Connect(1);
  EXPECT_EQ(generator.Look().link, Link::kConnected);
  const std::vector<Mark> marks = generator.Look().spoiled;
  ASSERT_THAT(marks, SizeIs(1));
  EXPECT_EQ(marks[0].trouble, Trouble::kLink);
  EXPECT_EQ(marks[0].to - marks[0].from, seconds(3));
}

TEST_F(LanesGeneratorTest, AFurtherLaneIsNoTroubleUntilItCannotBeConnected) {
  Connect(0);
  EXPECT_EQ(generator.Look().link, Link::kConnected);
  EXPECT_EQ(generator.Look().interruptions, 0U);
  generator.Disconnected(1);
  generator.Disconnected(1);
  EXPECT_EQ(generator.Look().link, Link::kReconnecting);
  EXPECT_EQ(generator.Look().interruptions, 1U);
}

TEST_F(LanesGeneratorTest, ARecordThatEndsWithALaneLostSaysSo) {
  Connect(0);
  const auto second = Connect(1);
  generator.RecordNext({Duration(0)});
  ASSERT_TRUE(generator.SetProfile(KindsAtRate(10, 1)).ok());
  generator.Ended(*second, 1);
  lanes_now += seconds(2);
  generator.EndLoad();
  const std::vector<Mark> marks = generator.Recorded()->marks().all();
  const auto link = std::find_if(marks.begin(), marks.end(),
                                 [](const Mark& mark) { return mark.trouble == Trouble::kLink; });
  ASSERT_NE(link, marks.end());
  EXPECT_EQ(link->to - link->from, seconds(2));
}

// ---- jobs that belong to a shard

TEST_F(LanesGeneratorTest, JobsOfAKindThatBelongsToALaneGoThereAtOnce) {
  const auto first = Connect(0);
  const auto second = Connect(1);
  generator.SetParallelism(1);
  const LoadLoop::Tag job = first->added[0];
  generator.Belong(Tags{job}, 1, *first, 0);
  EXPECT_THAT(second->added, ElementsAre(job));
  EXPECT_EQ(generator.Look().link, Link::kConnected);
  Answer(1, {job});
  generator.SetParallelism(3);
  EXPECT_THAT(first->added, SizeIs(1));
  EXPECT_THAT(second->added, SizeIs(4));
}

TEST_F(LanesGeneratorTest, OtherKindsAreFree) {
  const auto first = Connect(0);
  const auto second = Connect(1);
  ASSERT_TRUE(generator.SetProfile(KindsAtRate(100, 2)).ok());
  int sent_on = 0;
  std::set<std::string> on_first;
  std::set<std::string> on_second;
  for (int i = 0; i < 100; ++i) {
    if (!first->specs.empty() && first->specs[0] == "1") {
      generator.Belong(first->added, 1, *first, 0);
      ++sent_on;
    } else {
      on_first.insert(first->specs.begin(), first->specs.end());
    }
    on_second.insert(second->specs.begin(), second->specs.end());
    Answer(0, std::exchange(first->added, {}));
    Answer(1, std::exchange(second->added, {}));
    first->specs.clear();
    second->specs.clear();
    lanes_now += milliseconds(10);
    generator.Tick();
  }
  EXPECT_EQ(sent_on, 1);
  EXPECT_THAT(on_first, ElementsAre("2"));
  EXPECT_THAT(on_second, ElementsAre("1", "2"));
}

TEST_F(LanesGeneratorTest, JobsWaitForALaneThatIsNotThereYet) {
  const auto first = Connect(0);
  generator.SetParallelism(2);
  const Tags tags = first->added;
  generator.Belong(tags, 5, *first, 0);
  EXPECT_EQ(generator.outstanding(), 2U);
  EXPECT_EQ(generator.Look().link, Link::kConnected);
  const auto sixth = Connect(5);
  EXPECT_EQ(again, 2U);
  EXPECT_THAT(sixth->added, UnorderedElementsAreArray(tags));
}

TEST_F(LanesGeneratorTest, OnlyJobsOnTheStreamAreSentOn) {
  const auto first = Connect(0);
  const auto second = Connect(1);
  generator.SetParallelism(4);
  const Tags tags = first->added;
  const Tags others = second->added;
  generator.Belong(Tags{tags[0], tags[0], others[0], 12345}, 1, *first, 0);
  generator.Belong(Tags{tags[0]}, 1, *first, 0);
  EXPECT_THAT(second->added, ElementsAre(others[0], others[1], tags[0]));
  generator.Moved(*first, {}, 0);  // which keeps tags[1]
  const auto next = Connect(0);
  generator.Belong(Tags{tags[1]}, 1, *next, 0);
  EXPECT_THAT(second->added, SizeIs(3));
  generator.Belong(Tags{tags[1]}, 1, *first, 0);
  EXPECT_THAT(second->added, ElementsAre(others[0], others[1], tags[0], tags[1]));
}

TEST_F(LanesGeneratorTest, JobsPauseWhenFrontendsAreOfTwoMinds) {
  const auto first = Connect(0);
  const auto second = Connect(1);
  generator.SetParallelism(3);
  const Tags tags = first->added;
  generator.Belong(tags, 1, *first, 0);
  ASSERT_THAT(second->added, SizeIs(3));
  generator.Belong(second->added, 0, *second, 1);
  EXPECT_THAT(first->added, SizeIs(2));
  EXPECT_EQ(NextTick(), lanes_now + Generator::kPause);
  Connect(1);
  EXPECT_EQ(again, 0U);
  const auto next = Connect(0);
  EXPECT_EQ(again, 0U);
  lanes_now += Generator::kPause;
  EXPECT_FALSE(NextTick());
  EXPECT_THAT(next->added, SizeIs(3));
  EXPECT_EQ(generator.outstanding(), 3U);
}

// ---- open loops

TEST_F(LanesGeneratorTest, DueJobsTakeTurns) {
  const auto first = Connect(0);
  const auto second = Connect(1);
  ASSERT_TRUE(generator.SetProfile(KindsAtRate(100, 1)).ok());
  for (int i = 0; i < 9; ++i) {
    Answer(0, first->added);
    Answer(1, second->added);
    lanes_now += milliseconds(10);
    generator.Tick();
  }
  EXPECT_THAT(first->added, SizeIs(5));
  EXPECT_THAT(second->added, SizeIs(5));
}

TEST_F(LanesGeneratorTest, DueJobsGoOnWhileALaneIsAway) {
  const auto first = Connect(0);
  const auto second = Connect(1);
  ASSERT_TRUE(generator.SetProfile(KindsAtRate(100, 1)).ok());
  generator.Ended(*second, 1);
  const std::size_t before = first->added.size();
  lanes_now += milliseconds(50);
  EXPECT_EQ(NextTick(), lanes_now + milliseconds(10));
  EXPECT_THAT(first->added, SizeIs(before + 5));
  EXPECT_EQ(generator.Look().totals.sent, 6U);
}

TEST_F(LanesGeneratorTest, WithoutAnyLaneOnlyTheEndOfTheLoadIsWaitedFor) {
  const auto first = Connect(0);
  const Profile profile = RateProfile(100, Arrivals::kConstant, 2, 1);
  ASSERT_TRUE(generator.SetProfile(std::make_shared<const Profile>(profile)).ok());
  generator.Ended(*first, 0);
  lanes_now += seconds(1);
  EXPECT_EQ(NextTick(), lanes_now + seconds(1));
  lanes_now += seconds(1);
  EXPECT_FALSE(NextTick());
  EXPECT_TRUE(generator.State().over);
}

}  // namespace
}  // namespace twofold::load
