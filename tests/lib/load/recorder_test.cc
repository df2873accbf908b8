#include "lib/load/recorder.h"

#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

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
  recorder.Advance(now, 0, [] { return std::vector<Instant>(); });
}

JobEntry Succeeded(Instant planned, Instant sent, Instant ended) {
  return {.planned = planned,
          .sent = sent,
          .ended = ended,
          .run = ended - sent,
          .outcome = v1::OUTCOME_SUCCEEDED};
}

// A job that was due and sent then, and took so long.
void RunJob(Recorder& recorder, Instant due, Duration late, Duration took) {
  AdvanceTo(recorder, due + late);
  recorder.Sent(due, due + late, true);
  recorder.Ended(Succeeded(due, due + late, due + late + took), "");
}

v1::LoadRecord Finished(Recorder& recorder, Duration after) {
  recorder.Close(kZero + after, {});
  recorder.Finish(kZero + after, {});
  return Record(recorder, "sleep", "duration");
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

// ---- a warm-up that the series shows

constexpr int kLanes = 8;

// A closed loop of eight workers whose jobs took `speed(t)` as long as 100 ms at t seconds.
template <typename Speed>
Recorder LoopOf(Duration length, const Speed& speed) {
  Recorder recorder = Make(ParallelProfile(kLanes, ToSeconds(length)), {});
  std::vector<Instant> sent;  // by worker; they begin one after the other
  for (int lane = 0; lane < kLanes; ++lane) sent.push_back(kZero + milliseconds(12 * lane));
  const auto end_of = [&](Instant begun) {
    return begun + FromSeconds(0.1 * speed(ToSeconds(begun - kZero)));
  };
  for (const Instant& each : sent) recorder.Sent(each, each, false);
  for (;;) {
    const auto next = std::min_element(sent.begin(), sent.end(), [&](Instant one, Instant other) {
      return end_of(one) < end_of(other);
    });
    const Instant now = end_of(*next);
    if (now >= kZero + length) break;
    recorder.Advance(now, kLanes, [&] { return sent; });
    recorder.Ended(Succeeded(*next, *next, now), "");
    *next = now;
    recorder.Sent(now, now, false);
  }
  std::vector<OpenJob> open;
  for (const Instant& each : sent) open.push_back({each, each});
  recorder.Close(kZero + length, sent);
  recorder.Finish(kZero + length, open);
  return recorder;
}

v1::LoadRecord RecordOf(const Recorder& recorder) { return Record(recorder, "sleep", "duration"); }

TEST(WarmUp, JobsThatAreSlowerAtFirstAreLeftOutAndTheRecordSaysSo) {
  const v1::LoadRecord record =
      RecordOf(LoopOf(seconds(100), [](double t) { return 1 + 0.3 * std::exp(-t / 3); }));
  EXPECT_NEAR(record.result().throughput(), 80, 0.4);
  EXPECT_GT(record.warm_up_seconds(), 6);
  EXPECT_LT(record.warm_up_seconds(), 26);
  EXPECT_THAT(record.warm_up_rule(),
              ::testing::MatchesRegex("in its first .* s throughput was .* % lower than later"));
  EXPECT_TRUE(record.result().steady()) << record.result().why_not_steady();
  EXPECT_EQ(record.result().jobs().planned() + record.warm_up().planned(),
            record.result().jobs().sent() + record.warm_up().sent());
  EXPECT_NEAR(static_cast<double>(record.warm_up().succeeded()), 80 * record.warm_up_seconds(),
              0.1 * 80 * record.warm_up_seconds());
}

TEST(WarmUp, JobsThatAreFasterAtFirstAreLeftOutJustSo) {
  const v1::LoadRecord record =
      RecordOf(LoopOf(seconds(100), [](double t) { return t < 5 ? 0.8 : 1; }));
  EXPECT_NEAR(record.result().throughput(), 80, 0.1);
  EXPECT_THAT(record.warm_up_rule(), HasSubstr("% higher than later"));
}

TEST(WarmUp, WhereJobsAreAlikeTheRuleAloneCounts) {
  const v1::LoadRecord record = RecordOf(LoopOf(seconds(100), [](double) { return 1; }));
  EXPECT_LT(record.warm_up_seconds(), 0.5);
  EXPECT_THAT(record.warm_up_rule(), HasSubstr("2 of their mean times had passed"));
}

TEST(WarmUp, AChangeAfterAQuarterOfTheLoadIsNoWarmUp) {
  const v1::LoadRecord record =
      RecordOf(LoopOf(seconds(20), [](double t) { return t < 6 ? 1.5 : 1; }));
  EXPECT_LT(record.warm_up_seconds(), 0.5);
  EXPECT_FALSE(record.result().steady());
}

TEST(WarmUp, ItsPlacesAndErrorsAreLeftOutWithIt) {
  const Recorder recorder = LoopOf(seconds(100), [](double t) { return t < 5 ? 1.3 : 1; });
  std::uint64_t at_places = 0;
  for (const Place& place : recorder.all_places()) at_places += place.succeeded;
  EXPECT_EQ(at_places, recorder.total()->counts().succeeded());
  EXPECT_EQ(recorder.all_places()[0].pod, "pod");
}

TEST(Recorder, AStalledGeneratorShowsInTheTimesAndSpoilsTheRecord) {
  Recorder recorder = Make(RateProfile(100, Arrivals::kConstant, 10, 1));
  for (int i = 0; i < 1000; ++i) {
    RunJob(recorder, kZero + milliseconds(10 * i), i < 500 ? Duration(0) : milliseconds(500),
           milliseconds(5));
  }
  const v1::LoadRecord record = Finished(recorder, seconds(11));
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
  EXPECT_EQ(Finished(recorder, seconds(10)).verdict(), "pass");
}

TEST(Recorder, TroublesThatComeAgainAreOneLineEach) {
  Recorder recorder = Make(ParallelProfile(1, 100));
  for (int i = 0; i < 33; ++i) {
    const Instant at = kZero + seconds(3 * i);
    recorder.Spoil({.trouble = Trouble::kThrottled, .from = at, .to = at, .worst = seconds(1)});
  }
  AdvanceTo(recorder, kZero + seconds(100));
  const v1::LoadRecord record = Finished(recorder, seconds(100));
  ASSERT_THAT(record.spoiled(), SizeIs(1));
  EXPECT_THAT(record.spoiled(0).reason(), HasSubstr("for 33 s"));
  EXPECT_NEAR(record.spoiled(0).to(), 96, 1e-6);
}

TEST(Recorder, AJobBelongsToTheStageInWhichItWasPlanned) {
  Profile profile = RateProfile(1, Arrivals::kConstant, 10, 1);
  profile.stages.push_back(profile.stages[0]);
  Recorder recorder = Make(profile);
  AdvanceTo(recorder, kZero + seconds(9));
  recorder.Sent(kZero + seconds(9), kZero + seconds(9), true);
  AdvanceTo(recorder, kZero + seconds(14));
  recorder.Ended(Succeeded(kZero + seconds(9), kZero + seconds(9), kZero + seconds(14)), "");
  AdvanceTo(recorder, kZero + seconds(19));
  const v1::LoadRecord record = Finished(recorder, seconds(20));
  ASSERT_THAT(record.stages(), SizeIs(2));
  EXPECT_EQ(record.stages(0).result().from_plan().count(), 1U);
  EXPECT_EQ(record.stages(0).result().succeeded(), 1U);
  EXPECT_FALSE(record.stages(0).result().has_throughput());  // nothing ended in its time
  EXPECT_EQ(record.stages(1).result().succeeded(), 0U);
  EXPECT_NEAR(record.stages(1).result().throughput(), 0.08, 1e-9);  // 4 of 5 s of the job, in 10 s
  EXPECT_EQ(record.stages(0).result().jobs().planned(), 10U);
  EXPECT_EQ(record.stages(1).result().jobs().planned(), 10U);
  EXPECT_EQ(record.stages(1).name(), "2: rate 1 /s, 10 s");
  EXPECT_NEAR(record.stages(1).from(), 10, 1e-9);
}

TEST(Recorder, AStageThatPassesBetweenTwoLooksIsAStage) {
  Profile profile = RateProfile(1, Arrivals::kConstant, 10, 1);
  profile.stages.insert(profile.stages.end(), 2, profile.stages[0]);
  Recorder recorder = Make(profile);
  AdvanceTo(recorder, kZero + seconds(25));
  const v1::LoadRecord record = Finished(recorder, seconds(30));
  ASSERT_THAT(record.stages(), SizeIs(3));
  for (const v1::LoadStage& stage : record.stages()) {
    EXPECT_EQ(stage.result().jobs().planned(), 10U) << stage.name();
    EXPECT_NEAR(stage.to() - stage.from(), 10, 1e-9);
  }
}

TEST(Recorder, AnswersAfterTheEndCountAsTheirJobsDoButGiveNoThroughput) {
  Recorder recorder = Make(RateProfile(1, Arrivals::kConstant, 10, 1));
  AdvanceTo(recorder, kZero + seconds(9));
  for (int job = 0; job < 2; ++job) recorder.Sent(kZero + seconds(9), kZero + seconds(9), true);
  recorder.Close(kZero + seconds(10), {});
  recorder.Ended(Succeeded(kZero + seconds(9), kZero + seconds(9), kZero + seconds(14)), "");
  JobEntry late = Succeeded(kZero + seconds(9), kZero + seconds(9), kZero + seconds(14));
  late.outcome = v1::OUTCOME_TIMED_OUT;
  recorder.Ended(late, "too long");
  recorder.Finish(kZero + seconds(14), {});
  const v1::LoadRecord record = Record(recorder, "sleep", "duration");
  EXPECT_EQ(record.result().succeeded(), 1U);
  EXPECT_EQ(record.result().failed(), 1U);
  EXPECT_EQ(record.result().jobs().timed_out(), 1U);
  EXPECT_EQ(record.result().from_plan().count(), 1U);
  EXPECT_EQ(record.result().submitted(), 2U);
  EXPECT_FALSE(record.result().has_throughput());
  EXPECT_EQ(record.errors(0).text(), "too long");
}

TEST(Recorder, SlicesAreMergedRatherThanLost) {
  Recorder recorder = Make(RateProfile(1, Arrivals::kConstant, 10'000, 1));
  for (int i = 0; i < 5000; ++i) {
    RunJob(recorder, kZero + seconds(i), Duration(0), milliseconds(5));
  }
  const v1::LoadRecord record = Finished(recorder, seconds(5000));
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

TEST(Recorder, TheLastSliceIsAsLongAsItIs) {
  Recorder recorder = Make(RateProfile(10, Arrivals::kConstant, 2.5, 1));
  for (int i = 0; i < 25; ++i) {
    RunJob(recorder, kZero + milliseconds(100 * i), Duration(0), milliseconds(5));
  }
  recorder.Close(kZero + milliseconds(2500), {});
  AdvanceTo(recorder, kZero + seconds(3));  // a slice of no length begins
  recorder.Finish(kZero + seconds(3), {});
  const v1::LoadRecord record = Record(recorder, "sleep", "duration");
  ASSERT_EQ(record.slices_size(), 3);
  EXPECT_EQ(record.slices(2).seconds(), 1);
  EXPECT_EQ(record.slices(2).succeeded(), 5);
}

TEST(Recorder, DrawsJobsEvenly) {
  Recorder recorder = Make(RateProfile(1, Arrivals::kConstant, 1'000'000, 1));
  constexpr int kJobs = 100'000;
  for (int i = 0; i < kJobs; ++i) {
    RunJob(recorder, kZero + milliseconds(i), Duration(0), milliseconds(1));
  }
  ASSERT_THAT(recorder.jobs(), SizeIs(Recorder::kMostJobs));
  double mean = 0;
  for (const JobEntry& job : recorder.jobs()) mean += ToSeconds(job.planned - kZero);
  EXPECT_NEAR(mean / static_cast<double>(Recorder::kMostJobs), 50, 1);
  EXPECT_EQ(Finished(recorder, seconds(100)).jobs_left_out(), kJobs - Recorder::kMostJobs);
}

TEST(Record, IsReadAsItWasWritten) {
  Recorder recorder = Make(ParallelProfile(2, 10));
  for (int job = 0; job < 2; ++job) recorder.Sent(kZero, kZero, false);
  recorder.Ended(Succeeded(kZero, kZero, kZero + seconds(1)), "");
  JobEntry failed = Succeeded(kZero, kZero, kZero + seconds(1));
  failed.outcome = v1::OUTCOME_FAILED;
  recorder.Ended(failed, "exit code 3");
  const v1::LoadRecord record = Finished(recorder, seconds(2));
  v1::LoadRecord read;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(RecordJson(record), &read).ok());
  EXPECT_EQ(read.DebugString(), record.DebugString());
  EXPECT_THAT(RecordJson(record), HasSubstr("\"warm_up_seconds\""));
  EXPECT_EQ(record.errors(0).text(), "exit code 3");
  EXPECT_EQ(record.result().submitted(), 2U);
  EXPECT_EQ(record.stages(0).result().submitted(), 2U);
}

}  // namespace
}  // namespace twofold::load
