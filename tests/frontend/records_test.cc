#include "frontend/queues/records.h"

#include <gtest/gtest.h>

#include <chrono>

namespace twofold::frontend {
namespace {

using std::chrono::seconds;

/// A durable job that ran when the frontend ended.
results::StoredJob Running(std::int64_t accepted_ns, std::int64_t started_ns) {
  const queue::JobId id{queue::kDurableBit | 1};
  results::StoredJob job;
  job.accepted = Accepted("sleep", id, {.durable = true}, {}, "spec");
  job.accepted.accepted_unix_ns = accepted_ns;
  results::AttemptStarted started{
      .job = job.accepted.id, .attempt = 1, .started_unix_ns = started_ns, .members = {}};
  started.members.push_back({.member_job = job.accepted.id, .process_key = 7});
  job.state = started;
  return job;
}

TEST(RecordsTest, AJobThatRunsHasWaitedAsLongAsItsRecordsSay) {
  const auto restored = ToRestored(Running(1'000, 3'000), Instant(seconds(1)), 10'000);
  ASSERT_TRUE(restored.ok());
  EXPECT_EQ(restored->handed_out - restored->accepted, Duration(2'000));
}

TEST(RecordsTest, AJobThatWasRecordedAsStartedBeforeItWasAcceptedHasNotWaited) {
  const auto restored = ToRestored(Running(3'000, 1'000), Instant(seconds(1)), 10'000);
  ASSERT_TRUE(restored.ok());
  EXPECT_EQ(restored->handed_out, restored->accepted);
}

TEST(RecordsTest, AJobThatRunsBeganInThePastWhateverTheClockSays) {
  results::StoredJob job = Running(1'000, 3'000);
  v1::JobOptions options;
  options.set_delay_ns(60'000'000'000);
  job.accepted.options = options.SerializeAsString();
  const Instant now(seconds(1));
  const auto restored = ToRestored(job, now, 500);  // the clock was set back
  ASSERT_TRUE(restored.ok());
  EXPECT_EQ(restored->handed_out, now);
  EXPECT_EQ(restored->accepted, now);
}

}  // namespace
}  // namespace twofold::frontend
