#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "lib/load/engine/generator.h"
#include "lib/rpc/batches.h"

namespace twofold::load {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using Tags = std::vector<LoadLoop::Tag>;

constexpr Instant kStart = Instant(seconds(1000));
Instant moved_now;  // of the generator's clock

/// Keeps the tags that were submitted.
class TagSink final : public JobSink {
 public:
  void Add(std::span<const LoadLoop::Tag> tags, const JobTemplate*) override {
    added.insert(added.end(), tags.begin(), tags.end());
  }
  void Flush() override {}

  Tags added;
};

class MovedGeneratorTest : public testing::Test {
 protected:
  void SetUp() override { moved_now = kStart; }

  std::shared_ptr<TagSink> Connect() {
    auto sink = std::make_shared<TagSink>();
    again = generator.Connected(sink);
    return sink;
  }

  void Answer(const Tags& tags) {
    v1::SubmitReply reply;
    for (const LoadLoop::Tag tag : tags) {
      v1::ResultBatch& batch = *reply.mutable_results();
      rpc::Append(batch,
                  {.tag = tag, .worker = rpc::WorkerIndex(batch, "n", "p", ""), .report = {}});
    }
    generator.OnReply(reply);
  }

  std::vector<Mark> Marks() const { return generator.Look().spoiled; }

  Generator generator{"sleep", "frontend:9997", kStart, [] { return moved_now; }};
  std::size_t again = 0;
};

TEST_F(MovedGeneratorTest, OnlyWhatIsGivenBackGoesToTheNextStream) {
  const auto first = Connect();
  generator.SetParallelism(4);
  const Tags tags = first->added;
  generator.Moved(*first, Tags{tags[1], tags[3]});
  EXPECT_EQ(generator.Look().link, Link::kMoving);
  EXPECT_EQ(generator.Look().pending, 4U);
  const auto second = Connect();
  EXPECT_EQ(again, 2U);
  EXPECT_THAT(second->added, UnorderedElementsAre(tags[1], tags[3]));
  EXPECT_EQ(generator.Look().link, Link::kConnected);
  Answer({tags[0]});  // on the first
  EXPECT_THAT(first->added, SizeIs(4));
  EXPECT_THAT(second->added, SizeIs(3));
}

TEST_F(MovedGeneratorTest, WhatCrossesTheMoveIsSubmittedAtOnce) {
  const auto first = Connect();
  generator.SetParallelism(3);
  const Tags tags = first->added;
  generator.Moved(*first, Tags{tags[0]});
  generator.Moved(*first, Tags{tags[1]});  // still without a stream
  const auto second = Connect();
  EXPECT_THAT(second->added, UnorderedElementsAre(tags[0], tags[1]));
  generator.Moved(*first, Tags{tags[2]});
  EXPECT_THAT(second->added, UnorderedElementsAre(tags[0], tags[1], tags[2]));
}

TEST_F(MovedGeneratorTest, WhatIsGivenBackTwiceOrByAnotherIsSubmittedOnce) {
  const auto first = Connect();
  generator.SetParallelism(2);
  const Tags tags = first->added;
  generator.Moved(*first, Tags{tags[0], tags[0], 12345});
  const auto second = Connect();
  generator.Moved(*first, Tags{tags[0]});
  EXPECT_THAT(second->added, ElementsAre(tags[0]));
  generator.Moved(*second, Tags{tags[1]});  // which is on the first
  const auto third = Connect();
  EXPECT_THAT(third->added, IsEmpty());
  EXPECT_EQ(generator.outstanding(), 2U);
}

TEST_F(MovedGeneratorTest, AJobThatIsAnsweredTwiceCountsOnce) {
  const auto first = Connect();
  generator.SetParallelism(1);
  const LoadLoop::Tag tag = first->added[0];
  generator.Moved(*first, Tags{tag});
  const auto second = Connect();
  Answer({tag});
  Answer({tag});
  const Snapshot seen = generator.Look();
  EXPECT_EQ(seen.totals.finished[v1::OUTCOME_SUCCEEDED], 1U);
  EXPECT_EQ(seen.totals.unknown_answers, 1U);
  EXPECT_THAT(second->added, SizeIs(2));  // the job, and what replaces it
}

TEST_F(MovedGeneratorTest, TheTimesOfAJobBeginWithItsFirstSend) {
  const auto first = Connect();
  const Profile rate = RateProfile(0.1, Arrivals::kConstant, kForever, 1);
  ASSERT_TRUE(generator.SetProfile(std::make_shared<const Profile>(rate)).ok());
  ASSERT_THAT(first->added, SizeIs(1));
  moved_now += seconds(3);
  generator.Moved(*first, first->added);
  moved_now += seconds(2);
  const auto second = Connect();
  moved_now += seconds(1);
  Answer(second->added);
  const Snapshot seen = generator.Look();
  EXPECT_EQ(seen.times.from_send.ended.Max(), seconds(6));
  EXPECT_EQ(seen.times.from_plan.ended.Max(), seconds(6));
  EXPECT_EQ(seen.times.late.Max(), seconds(0));
  EXPECT_EQ(seen.totals.sent, 1U);
}

TEST_F(MovedGeneratorTest, AnOldStreamThatEndsGivesUpWhatHasNoAnswer) {
  const auto first = Connect();
  generator.SetParallelism(3);
  const Tags tags = first->added;
  generator.Moved(*first, Tags{tags[0]});
  const auto second = Connect();
  Answer({tags[1]});
  EXPECT_EQ(generator.Ended(*first), 1U);
  EXPECT_THAT(second->added, testing::Contains(tags[2]));
  EXPECT_EQ(generator.Look().link, Link::kConnected);
  EXPECT_EQ(generator.Look().interruptions, 1U);
  EXPECT_THAT(Marks(), SizeIs(1));
}

TEST_F(MovedGeneratorTest, AMoveAloneIsNoTrouble) {
  const auto first = Connect();
  generator.SetParallelism(2);
  const Tags tags = first->added;
  generator.Moved(*first, Tags{tags[0]});
  moved_now += seconds(9);
  Connect();
  Answer({tags[0], tags[1]});
  EXPECT_EQ(generator.Ended(*first), 0U);
  EXPECT_EQ(generator.Look().interruptions, 0U);
  EXPECT_THAT(Marks(), IsEmpty());
}

TEST_F(MovedGeneratorTest, ALossLastsUntilAFrontendKeepsTheJobs) {
  const auto first = Connect();
  generator.SetParallelism(2);
  Answer({first->added[0]});
  EXPECT_EQ(generator.Ended(*first), 2U);
  moved_now += seconds(1);
  auto asked = Connect();
  EXPECT_EQ(again, 2U);
  generator.Moved(*asked, asked->added);  // nobody serves it
  EXPECT_EQ(generator.Look().link, Link::kReconnecting);
  moved_now += seconds(5);
  asked = Connect();
  Answer({asked->added[0]});
  generator.Moved(*asked, {});  // later, as planned
  EXPECT_EQ(generator.Look().link, Link::kMoving);
  const std::vector<Mark> marks = Marks();
  ASSERT_THAT(marks, SizeIs(1));
  EXPECT_EQ(marks[0].trouble, Trouble::kLink);
  EXPECT_EQ(marks[0].to - marks[0].from, seconds(6));
  EXPECT_EQ(generator.Look().interruptions, 1U);
}

TEST_F(MovedGeneratorTest, AnOwnerThatCannotBeReachedIsALoss) {
  const auto first = Connect();
  generator.SetParallelism(1);
  generator.Moved(*first, first->added);
  generator.Disconnected();
  generator.Disconnected();
  EXPECT_EQ(generator.Look().link, Link::kReconnecting);
  EXPECT_EQ(generator.Look().interruptions, 1U);
}

}  // namespace
}  // namespace twofold::load
