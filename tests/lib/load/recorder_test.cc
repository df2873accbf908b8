#include "lib/load/recorder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/load/record.h"

namespace twofold::load {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr Instant kZero = Instant() + seconds(50);

Recorder Make(Profile profile, WarmUp warm_up = {Duration(0)}) {
  Recorder recorder(Schedule(std::make_shared<const Profile>(std::move(profile))), kZero, warm_up);
  recorder.places().Find("node", "pod", "");
  return recorder;
}

void AdvanceTo(Recorder& recorder, Instant now) {
  recorder.Advance(now, 0, 0, true, [] { return std::vector<Instant>(); });
}

// A job that was due and sent then, and took so long.
void RunJob(Recorder& recorder, Instant due, Duration late, Duration took) {
  recorder.Sent(due + late, due, true);
  recorder.Succeeded({due + late, due, due + late + took, Duration(0), took, 0});
}

TEST(WarmUp, EndsOnceAsManyJobsAsAreOutstandingHaveEndedAndTwoMeanTimesPassed) {
  const WarmUp rule;
  EXPECT_FALSE(rule.Over(seconds(3), 15, 16, seconds(1), seconds(100)));
  EXPECT_FALSE(rule.Over(milliseconds(1999), 16, 16, seconds(1), seconds(100)));
  EXPECT_TRUE(rule.Over(seconds(2), 16, 16, seconds(1), seconds(100)));
  EXPECT_FALSE(rule.Over(seconds(24), 0, 0, Duration(0), seconds(100)));
  EXPECT_TRUE(rule.Over(seconds(25), 0, 16, Duration(0), seconds(100)));
  EXPECT_TRUE(WarmUp{seconds(3)}.Over(seconds(3), 0, 16, Duration(0), seconds(100)));
}

TEST(Recorder, AStalledGeneratorShowsInTheTimesAndSpoilsTheRecord) {
  Recorder recorder = Make(RateProfile(100, Arrivals::kConstant, 10, 1));
  for (int i = 0; i < 1000; ++i) {
    const Instant due = kZero + milliseconds(10 * i);
    AdvanceTo(recorder, due);
    RunJob(recorder, due, i < 500 ? Duration(0) : milliseconds(500), milliseconds(5));
  }
  recorder.Close(kZero + seconds(10), {});
  const v1::LoadRecord record = Record(recorder, "sleep", "duration");
  EXPECT_LT(record.result().from_send().p99(), 0.006);
  EXPECT_GT(record.result().from_plan().p90(), 0.5);
  EXPECT_EQ(record.result().late().count(), 1000U);
  EXPECT_EQ(record.verdict(), "invalid");
  ASSERT_THAT(record.spoiled(), SizeIs(1));
  EXPECT_THAT(record.spoiled(0).reason(),
              HasSubstr("late: 500 jobs were sent more than 10 ms late, at most 0.5 s"));
  EXPECT_NEAR(record.spoiled(0).from(), 5, 1e-6);
  EXPECT_FALSE(record.result().steady());
  EXPECT_THAT(record.result().why_not_steady(), HasSubstr("50 % of the jobs more than 10 ms late"));
}

TEST(Recorder, AFewLateJobsSpoilNothing) {
  Recorder recorder = Make(RateProfile(100, Arrivals::kConstant, 10, 1));
  for (int i = 0; i < 1000; ++i) {
    RunJob(recorder, kZero + milliseconds(10 * i), milliseconds(i < 10 ? 11 : 0), milliseconds(5));
  }
  recorder.Close(kZero + seconds(10), {});
  EXPECT_EQ(Record(recorder, "sleep", "duration").verdict(), "pass");
}

TEST(Recorder, TimesBelongToTheStageInWhichAJobWasDue) {
  Profile profile = RateProfile(1, Arrivals::kConstant, 10, 1);
  profile.stages.push_back(profile.stages[0]);
  Recorder recorder = Make(profile);
  recorder.Sent(kZero + seconds(9), kZero + seconds(9), true);
  AdvanceTo(recorder, kZero + seconds(10));
  recorder.Succeeded({kZero + seconds(9), kZero + seconds(9), kZero + seconds(14), {}, {}, 0});
  recorder.Close(kZero + seconds(20), {});
  const v1::LoadRecord record = Record(recorder, "sleep", "duration");
  ASSERT_THAT(record.stages(), SizeIs(2));
  EXPECT_EQ(record.stages(0).result().from_plan().count(), 1U);
  EXPECT_EQ(record.stages(0).result().succeeded(), 0U);
  EXPECT_EQ(record.stages(1).result().from_plan().count(), 0U);
  EXPECT_EQ(record.stages(1).result().succeeded(), 1U);
  EXPECT_EQ(record.stages(1).name(), "2: rate 1 /s, 10 s");
  EXPECT_NEAR(record.stages(1).from(), 10, 1e-9);
}

TEST(Recorder, AnswersAfterTheEndCountInTimesOnly) {
  Recorder recorder = Make(RateProfile(1, Arrivals::kConstant, 10, 1));
  recorder.Sent(kZero + seconds(9), kZero + seconds(9), true);
  recorder.Close(kZero + seconds(10), {});
  recorder.Succeeded({kZero + seconds(9), kZero + seconds(9), kZero + seconds(14), {}, {}, 0});
  const v1::LoadRecord record = Record(recorder, "sleep", "duration");
  EXPECT_EQ(record.result().succeeded(), 0U);
  EXPECT_EQ(record.result().from_plan().count(), 1U);
  EXPECT_EQ(record.result().submitted(), 1U);
}

TEST(Recorder, SlicesAreMergedRatherThanLost) {
  Recorder recorder = Make(RateProfile(1, Arrivals::kConstant, 10'000, 1));
  for (int i = 0; i < 5000; ++i) {
    AdvanceTo(recorder, kZero + seconds(i));
    RunJob(recorder, kZero + seconds(i), Duration(0), milliseconds(5));
  }
  recorder.Close(kZero + seconds(5000), {});
  const v1::LoadRecord record = Record(recorder, "sleep", "duration");
  EXPECT_EQ(record.slice_seconds(), 4.0);
  EXPECT_EQ(record.slices_size(), 1250);
  std::uint64_t jobs = 0;
  for (const v1::LoadSlice& slice : record.slices()) {
    EXPECT_NEAR(slice.succeeded(), 1, 1e-9);
    EXPECT_NEAR(slice.planned(), 1, 1e-9);
    for (const std::uint64_t count : slice.from_plan().count()) jobs += count;
  }
  EXPECT_EQ(jobs, 5000U);
}

TEST(Recorder, DrawsJobsEvenly) {
  Recorder recorder = Make(RateProfile(1, Arrivals::kConstant, 1'000'000, 1));
  constexpr int kJobs = 100'000;
  for (int i = 0; i < kJobs; ++i) {
    RunJob(recorder, kZero + milliseconds(i), Duration(0), milliseconds(1));
  }
  ASSERT_THAT(recorder.jobs(), SizeIs(Recorder::kMostJobs));
  double mean = 0;
  for (const RanJob& job : recorder.jobs()) mean += ToSeconds(job.due - kZero);
  EXPECT_NEAR(mean / static_cast<double>(Recorder::kMostJobs), 50, 1);
  recorder.Close(kZero + seconds(100), {});
  EXPECT_EQ(Record(recorder, "q", "jobs").jobs_left_out(), kJobs - Recorder::kMostJobs);
}

TEST(Record, IsReadAsItWasWritten) {
  Recorder recorder = Make(ParallelProfile(2, 10));
  recorder.Sent(kZero, kZero, false);
  recorder.Succeeded({kZero, kZero, kZero + seconds(1), {}, seconds(1), 0});
  recorder.Failed({kZero, kZero, kZero + seconds(1), {}, {}, 0}, "exit code 3");
  recorder.Close(kZero + seconds(2), {});
  const v1::LoadRecord record = Record(recorder, "sleep", "interrupted");
  const Result<v1::LoadRecord> read = ReadRecord(RecordJson(record));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->DebugString(), record.DebugString());
  EXPECT_THAT(RecordJson(record), HasSubstr("\"warm_up_seconds\""));
  EXPECT_EQ(record.errors(0).text(), "exit code 3");
  EXPECT_EQ(record.result().submitted(), 1U);
  EXPECT_EQ(record.stages(0).result().submitted(), 1U);
  EXPECT_FALSE(ReadRecord("{\"queue\": 5").ok());
  EXPECT_TRUE(ReadRecord("{\"of_a_later_release\": 5}").ok());
}

}  // namespace
}  // namespace twofold::load
