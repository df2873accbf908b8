#include "lib/load/engine/generator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "lib/rpc/batches.h"

namespace twofold::load {
namespace {

using ::testing::SizeIs;
using ::testing::UnorderedElementsAreArray;

/// Keeps the tags that were submitted.
class RecordingSink final : public JobSink {
 public:
  void Add(std::span<const LoadLoop::Tag> tags, const JobTemplate*) override {
    added.insert(added.end(), tags.begin(), tags.end());
  }
  void Flush() override { ++flushes; }

  std::vector<LoadLoop::Tag> added;
  int flushes = 0;
};

class GeneratorTest : public testing::Test {
 protected:
  void Answer(const std::vector<LoadLoop::Tag>& tags, v1::Outcome outcome = v1::OUTCOME_SUCCEEDED) {
    v1::SubmitReply reply;
    for (const LoadLoop::Tag tag : tags) {
      v1::ResultBatch& batch = *reply.mutable_results();
      const std::uint32_t worker = rpc::WorkerIndex(batch, "node", "pod", "");
      rpc::Append(batch, {.tag = tag, .outcome = outcome, .worker = worker, .report = {}});
    }
    generator.OnReply(reply);
  }

  std::shared_ptr<RecordingSink> Connect() {
    auto sink = std::make_shared<RecordingSink>();
    again = generator.Connected(sink);
    return sink;
  }

  GeneratorTest() {
    generator.OnTick([this](Instant when) { next_tick = when; });
  }

  // When the next tick is to be, after one.
  std::optional<Instant> NextTick(Generator& ticking) {
    ticking.OnTick([this](Instant when) { next_tick = when; });
    next_tick.reset();
    ticking.Tick();
    return next_tick;
  }

  Generator generator{"sleep", "frontend:9997", Now()};
  std::optional<Instant> next_tick;
  std::size_t again = 0;
};

TEST_F(GeneratorTest, SubmitsNothingBeforeItIsConnected) {
  generator.SetParallelism(5);
  Snapshot seen = generator.Look();
  EXPECT_EQ(seen.link, Link::kConnecting);
  EXPECT_EQ(seen.pending, 0U);
  EXPECT_EQ(seen.held_back, 5U);
  EXPECT_THAT(Connect()->added, SizeIs(5));
  seen = generator.Look();
  EXPECT_EQ(seen.link, Link::kConnected);
  EXPECT_EQ(seen.pending, 5U);
  EXPECT_EQ(seen.held_back, 0U);
}

TEST_F(GeneratorTest, ReplacesEachAnsweredJob) {
  const auto sink = Connect();
  generator.SetParallelism(3);
  Answer({sink->added[0], sink->added[2]});
  EXPECT_THAT(sink->added, SizeIs(5));
  EXPECT_EQ(generator.outstanding(), 3U);
  EXPECT_EQ(generator.Look().estimate.succeeded, 2U);
}

TEST_F(GeneratorTest, AResetLosesNoPendingJob) {
  const auto sink = Connect();
  generator.SetParallelism(3);
  generator.Reset();
  EXPECT_EQ(generator.Look().pending, 3U);
  Answer({sink->added[0]});
  const Snapshot seen = generator.Look();
  EXPECT_EQ(seen.pending, 3U);
  EXPECT_EQ(seen.estimate.succeeded, 1U);
  EXPECT_FALSE(seen.times.wait.Max());
}

TEST_F(GeneratorTest, AResetDoesNotTouchCountersSinceTheStart) {
  const auto sink = Connect();
  generator.SetParallelism(2);
  Answer({sink->added[0]});
  Answer({sink->added[1]}, v1::OUTCOME_TIMED_OUT);
  generator.Reset();
  const Snapshot seen = generator.Look();
  EXPECT_EQ(seen.estimate.succeeded, 0U);
  EXPECT_EQ(seen.totals.finished[v1::OUTCOME_SUCCEEDED], 1U);
  EXPECT_EQ(seen.totals.finished[v1::OUTCOME_TIMED_OUT], 1U);
  EXPECT_EQ(seen.totals.round_trips.Count(), 1U);
}

TEST_F(GeneratorTest, SubmitsWhatHadNoAnswerAgainWithTheSameTags) {
  const auto first = Connect();
  generator.SetParallelism(4);
  Answer({first->added[0]});
  EXPECT_EQ(generator.Ended(*first), 4U);
  EXPECT_EQ(generator.Look().link, Link::kReconnecting);
  EXPECT_EQ(generator.Look().pending, 4U);
  const auto second = Connect();
  EXPECT_EQ(again, 4U);
  EXPECT_THAT(second->added,
              UnorderedElementsAreArray(first->added.begin() + 1, first->added.end()));
  EXPECT_EQ(generator.outstanding(), 4U);
  EXPECT_EQ(generator.Look().interruptions, 1U);
}

TEST_F(GeneratorTest, AWindowBegunWithoutAFrontendIsInterrupted) {
  generator.Ended(*Connect());
  generator.Reset();
  EXPECT_EQ(generator.Look().interruptions, 1U);
  EXPECT_EQ(generator.Look().totals.interruptions, 1U);
}

TEST_F(GeneratorTest, AnswersToUnknownTagsAreCountedAndIgnored) {
  const auto sink = Connect();
  generator.SetParallelism(2);
  Answer({12345, sink->added[0], sink->added[0]});
  const Snapshot seen = generator.Look();
  EXPECT_EQ(seen.totals.unknown_answers, 2U);
  EXPECT_EQ(seen.estimate.succeeded, 1U);
  EXPECT_EQ(seen.pending, 2U);
}

TEST_F(GeneratorTest, ARejectionHoldsJobsBack) {
  const auto sink = Connect();
  generator.SetParallelism(2);
  const Instant before = Now();
  Answer({sink->added[0]}, v1::OUTCOME_REJECTED);
  EXPECT_THAT(sink->added, SizeIs(2));
  ASSERT_TRUE(next_tick);
  EXPECT_GE(*next_tick, before + Pacer::kWithoutAdvice);
  const Snapshot seen = generator.Look();
  EXPECT_EQ(seen.pending, 1U);
  EXPECT_EQ(seen.held_back, 1U);
  EXPECT_EQ(seen.refused, 1U);
  EXPECT_EQ(seen.estimate.failed, 0U);
  const std::optional<Instant> said = next_tick;
  EXPECT_EQ(NextTick(generator), said);
}

TEST_F(GeneratorTest, SubmitsNothingAfterFinish) {
  const auto sink = Connect();
  generator.SetParallelism(2);
  generator.Finish();
  generator.SetParallelism(7);
  Answer(sink->added);
  EXPECT_EQ(generator.outstanding(), 0U);
  EXPECT_THAT(sink->added, SizeIs(2));
}

TEST_F(GeneratorTest, KeepsAHundredThousandJobsOutstanding) {
  const auto sink = Connect();
  generator.SetParallelism(100'000);
  EXPECT_EQ(std::set(sink->added.begin(), sink->added.end()).size(), 100'000U);
  Answer(std::vector(sink->added));
  EXPECT_EQ(generator.outstanding(), 100'000U);
  EXPECT_EQ(generator.Look().totals.finished[v1::OUTCOME_SUCCEEDED], 100'000U);
}

// ---- the open loop, with a clock of its own

Instant fake_now;

class OpenLoopTest : public GeneratorTest {
 protected:
  static Instant FakeNow() { return fake_now; }

  void SetUp() override { fake_now = Instant() + std::chrono::seconds(1000); }

  static std::shared_ptr<const Profile> Rate(double rate, double length = kForever) {
    return std::make_shared<const Profile>(RateProfile(rate, Arrivals::kConstant, length, 1));
  }

  void Answer(const std::vector<LoadLoop::Tag>& tags) {
    v1::SubmitReply reply;
    for (const LoadLoop::Tag tag : tags) {
      v1::ResultBatch& batch = *reply.mutable_results();
      rpc::Append(batch,
                  {.tag = tag, .worker = rpc::WorkerIndex(batch, "n", "p", ""), .report = {}});
    }
    open.OnReply(reply);
  }

  Generator open{"sleep", "frontend:9997", Instant() + std::chrono::seconds(1000), &FakeNow};
};

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(OpenLoopTest, SendsWhatIsDueWhateverHasNoAnswer) {
  const auto sink = std::make_shared<RecordingSink>();
  open.Connected(sink);
  ASSERT_TRUE(open.SetProfile(Rate(100)).ok());
  EXPECT_THAT(sink->added, SizeIs(1));
  fake_now += milliseconds(5);
  EXPECT_EQ(NextTick(open), fake_now + milliseconds(5));
  fake_now += milliseconds(5);
  open.Tick();
  EXPECT_THAT(sink->added, SizeIs(2));
  EXPECT_EQ(*open.Look().rate, 100.0);
}

TEST_F(OpenLoopTest, AStalledGeneratorSendsLateAndSaysSo) {
  const auto sink = std::make_shared<RecordingSink>();
  open.Connected(sink);
  ASSERT_TRUE(open.SetProfile(Rate(100)).ok());
  fake_now += seconds(2);
  open.Tick();
  EXPECT_THAT(sink->added, SizeIs(201));
  Answer(std::vector(sink->added));
  const Snapshot seen = open.Look();
  EXPECT_EQ(seen.times.from_send.ended.Max(), seconds(2));  // the one that was in time
  EXPECT_NEAR(ToSeconds(*seen.times.from_plan.ended.Quantile(0.5)), 1, 0.03);
  EXPECT_GT(*seen.times.late.Quantile(0.99), milliseconds(1900));
  EXPECT_FALSE(seen.estimate.steady);
  EXPECT_THAT(seen.estimate.reason, HasSubstr("98.5 % of the jobs more than 10 ms late"));
  EXPECT_THAT(seen.spoiled, SizeIs(1));
}

TEST_F(OpenLoopTest, DueJobsWaitForRoomAndAreNeverDropped) {
  const auto sink = std::make_shared<RecordingSink>();
  open.SetOutstandingMax(10);
  open.Connected(sink);
  ASSERT_TRUE(open.SetProfile(Rate(1000)).ok());
  for (int i = 0; i < 15; ++i) {
    fake_now += milliseconds(1);
    open.Tick();
  }
  EXPECT_THAT(sink->added, SizeIs(10));
  EXPECT_FALSE(NextTick(open));  // only an answer makes room
  Answer(std::vector(sink->added));
  EXPECT_THAT(sink->added, SizeIs(16));
  EXPECT_THAT(open.Look().estimate.reason, HasSubstr("as many jobs were outstanding as may be"));
}

TEST_F(OpenLoopTest, AQuotaThatHeldTheGeneratorUpSpoilsTheWindowUntilAReset) {
  open.Observe(seconds(7));
  fake_now += seconds(1);
  EXPECT_THAT(open.Look().spoiled, IsEmpty());
  open.Observe(seconds(7) + milliseconds(150));
  EXPECT_THAT(open.Look().estimate.reason, HasSubstr("held the generator up for 0.15 s"));
  open.Observe(seconds(7) + milliseconds(150));
  open.Reset();
  EXPECT_THAT(open.Look().spoiled, IsEmpty());
}

TEST_F(OpenLoopTest, TheLoadBeginsOnceTheFrontendIsReached) {
  ASSERT_TRUE(open.SetProfile(Rate(100)).ok());
  fake_now += seconds(5);
  const auto sink = std::make_shared<RecordingSink>();
  open.Connected(sink);
  EXPECT_THAT(sink->added, SizeIs(1));
  EXPECT_EQ(open.Look().totals.sent_late, 0U);
}

TEST_F(OpenLoopTest, JobsThatWereDueWithoutALinkAreSentLate) {
  const auto before = std::make_shared<RecordingSink>();
  open.Connected(before);
  open.RecordNext({Duration(0)});
  ASSERT_TRUE(open.SetProfile(Rate(100, 10)).ok());
  open.Ended(*before);
  fake_now += seconds(3);
  const auto sink = std::make_shared<RecordingSink>();
  open.Connected(sink);
  EXPECT_THAT(sink->added, SizeIs(301));
  fake_now += seconds(10);
  open.Tick();
  open.EndLoad();
  const std::optional<Recorder> recorded = open.Recorded();
  ASSERT_TRUE(recorded);
  std::vector<Trouble> troubles;
  for (const Mark& mark : recorded->marks().all()) troubles.push_back(mark.trouble);
  EXPECT_THAT(troubles, testing::UnorderedElementsAre(Trouble::kLink, Trouble::kLate));
}

TEST_F(OpenLoopTest, AParallelismEndsARateAndTheOtherWayRound) {
  const auto sink = std::make_shared<RecordingSink>();
  open.Connected(sink);
  open.SetParallelism(3);
  ASSERT_TRUE(open.SetProfile(Rate(0)).ok());
  EXPECT_EQ(open.parallelism(), 0U);
  EXPECT_EQ(open.Look().estimate.reason, "the parallelism was changed in this window");
  open.SetParallelism(2);
  EXPECT_FALSE(open.Look().rate);
  EXPECT_EQ(open.parallelism(), 2U);
}

TEST_F(OpenLoopTest, StagesFollowEachOtherAndEnd) {
  const auto sink = std::make_shared<RecordingSink>();
  open.Connected(sink);
  Result<Profile> profile =
      ParseProfile("f", "stages: [{parallel: 2, duration: 1s}, {rate: 10, duration: 1s}]", {});
  ASSERT_TRUE(profile.ok()) << profile.status();
  ASSERT_TRUE(open.SetProfile(std::make_shared<const Profile>(*profile)).ok());
  EXPECT_EQ(open.parallelism(), 2U);
  fake_now += seconds(1);
  EXPECT_EQ(NextTick(open), fake_now + milliseconds(100));
  EXPECT_EQ(open.parallelism(), 0U);
  EXPECT_EQ(*open.Look().stage, 1U);
  fake_now += milliseconds(1000);
  EXPECT_FALSE(NextTick(open));
  EXPECT_TRUE(open.Look().load_over);
  EXPECT_THAT(sink->added, SizeIs(12));
}

}  // namespace
}  // namespace twofold::load
