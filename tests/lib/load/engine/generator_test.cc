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
    next_tick = generator.OnReply(reply);
  }

  std::shared_ptr<RecordingSink> Connect() {
    auto sink = std::make_shared<RecordingSink>();
    again = generator.Connected(sink);
    return sink;
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
  EXPECT_FALSE(seen.latencies.Of(Part::kWait).Max());
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
  generator.Disconnected();
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
  Connect();
  generator.Disconnected();
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
  EXPECT_EQ(seen.rejected, 1U);
  EXPECT_EQ(seen.estimate.failed, 0U);
  EXPECT_EQ(generator.Tick(), next_tick);
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

}  // namespace
}  // namespace twofold::load
