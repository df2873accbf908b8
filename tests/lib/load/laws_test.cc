// The laws of a load's ledger, over loads on a simulated queue in virtual time:
//   TWOFOLD_SEEDS  how many random loads; 1 000 if not set, fewer with a sanitizer
//   TWOFOLD_SEED   the first one
#include "lib/load/laws.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lib/load/record.h"
#include "tests/lib/load/simulated_queue.h"
#include "tests/lib/stats/tries.h"
#include "tests/support/promise.h"
#include "tests/support/sanitized.h"

namespace twofold::load {
namespace {

using stats::FromEnvironment;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

double Exponential(double mean, Random& random) { return -mean * std::log(Uniform(random)); }
std::function<double(Random&)> Fixed(double seconds) {
  return [=](Random&) { return seconds; };
}
std::function<double(Random&)> Exponential(double mean) {
  return [=](Random& random) { return Exponential(mean, random); };
}

Profile Rate(double rate, double seconds, Arrivals arrivals = Arrivals::kConstant) {
  return RateProfile(rate, arrivals, seconds, 1);
}

Profile Then(Profile first, const Profile& second) {
  first.stages.insert(first.stages.end(), second.stages.begin(), second.stages.end());
  return first;
}

// ---- more work a second than is possible

TEST(Ledger, ThroughputAboveCapacityIsThatOfTheWorkersHoweverManyJobsWait) {
  for (const double rate : {12.0, 20.0, 50.0}) {
    const Simulated seen = Simulate(Rate(rate, 8), {.run = Fixed(0.11)}, 1);
    EXPECT_NEAR(seen.record.result().throughput(), 1 / 0.11, 0.2) << rate;
    EXPECT_LE(seen.record.result().upper(), 1.05 / 0.11) << rate;
  }
  const Simulated closed = Simulate(ParallelProfile(100, 8), {.run = Fixed(0.11)}, 1);
  EXPECT_NEAR(closed.record.result().throughput(), 1 / 0.11, 0.2);
}

TEST(Ledger, AStageAfterAnOverloadedOneHasItsOwnThroughput) {
  const Simulated seen =
      Simulate(Then(Rate(30, 10), ParallelProfile(1, 20)), {.run = Fixed(0.1)}, 1);
  EXPECT_NEAR(seen.record.stages(0).result().throughput(), 10, 0.2);
  EXPECT_NEAR(seen.record.stages(1).result().throughput(), 10, 0.2);
}

// ---- jobs that hang

TEST(Ledger, JobsThatHangAreUnansweredAndBreakLimitsByTheirAge) {
  const Simulated seen =
      Simulate(ParallelProfile(4, 10), {.workers = 4, .run = Fixed(0.1), .hangs = 0.025}, 7);
  const v1::LoadResult& result = seen.record.result();
  EXPECT_GT(result.jobs().unanswered(), 0U);
  EXPECT_EQ(result.failed(), result.jobs().unanswered());
  EXPECT_GT(result.from_plan().max(), 1);
  EXPECT_LT(result.from_plan().known(), 1);
  EXPECT_THAT(seen.record.errors(0).text(), HasSubstr("no answer"));
}

TEST(Ledger, FailuresThatComeAfterTheEndCountAsSuccessesDo) {
  const QueueShape shape{.workers = 4, .run = Fixed(0.1), .hangs = 0.2, .limit = 4};
  const Simulated seen = Simulate(ParallelProfile(4, 3), shape, 3, 10, 100'000, {Duration(0)});
  std::uint64_t timed_out = 0;
  for (const TrueJob& job : seen.jobs) timed_out += job.outcome == v1::OUTCOME_TIMED_OUT ? 1 : 0;
  EXPECT_GT(timed_out, 0U);
  EXPECT_EQ(seen.record.result().jobs().timed_out(), timed_out);
  EXPECT_EQ(seen.record.result().jobs().sent(), seen.jobs.size());
}

TEST(Ledger, ALoadInWhichNoJobEndsIsWholeAndSaysSo) {
  const Simulated seen = Simulate(ParallelProfile(2, 3), {.workers = 2, .hangs = 1}, 1);
  EXPECT_EQ(seen.record.result().jobs().unanswered(), 0U);  // all are of the warm-up
  EXPECT_EQ(seen.record.warm_up().unanswered(), 2U);
  EXPECT_FALSE(seen.record.result().has_throughput());
  EXPECT_EQ(seen.record.stages_size(), 1);
  EXPECT_THAT(RecordJson(seen.record), Not(IsEmpty()));
}

// ---- time in which nothing was done

TEST(Ledger, AWindowWithAnOutageIsNotSteady) {
  for (const Profile& profile : {Rate(8, 60), ParallelProfile(4, 60)}) {
    QueueShape away{.workers = 4, .run = Fixed(0.1)};
    away.outages = {{{15, 35}, 4}};
    QueueShape paused{.workers = 4, .run = Fixed(0.1)};
    paused.pauses = {{20, 35}};
    for (const QueueShape& shape : {away, paused}) {
      const v1::LoadResult result = Simulate(profile, shape, 1).record.result();
      EXPECT_FALSE(result.steady());
      EXPECT_THAT(result.why_not_steady(), HasSubstr("next to nothing was done"));
    }
  }
}

TEST(Ledger, AWindowInWhichWorkersAreKilledIsNotSteady) {
  QueueShape shape{.workers = 4, .run = Fixed(0.1)};
  shape.outages = {{{5, 1000}, 2}};
  const v1::LoadResult result = Simulate(ParallelProfile(4, 25), shape, 1).record.result();
  EXPECT_FALSE(result.steady());
  EXPECT_THAT(result.why_not_steady(), HasSubstr("falls by"));
}

TEST(Ledger, StagesAreJudgedAsTheTotalIs) {
  QueueShape shape{.workers = 4, .run = Fixed(0.1)};
  shape.pauses = {{25, 35}};
  const Simulated seen = Simulate(Then(Rate(20, 20), Rate(20, 20)), shape, 1);
  EXPECT_TRUE(seen.record.stages(0).result().steady())
      << seen.record.stages(0).result().why_not_steady();
  EXPECT_FALSE(seen.record.stages(1).result().steady());
}

TEST(Ledger, JobsOfOthersSpoilTheRecord) {
  QueueShape shape{.workers = 4, .run = Fixed(0.1)};
  for (int i = 0; i < 50; ++i) shape.others.push_back(5 + 0.1 * i);
  const v1::LoadRecord record = Simulate(ParallelProfile(4, 20), shape, 1).record;
  EXPECT_FALSE(record.result().steady());
  EXPECT_EQ(record.verdict(), "invalid");
  EXPECT_THAT(record.spoiled(0).reason(), HasSubstr("50 jobs of others"));
  EXPECT_NEAR(record.spoiled(0).to() - record.spoiled(0).from(), 5, 0.3);
}

// ---- every planned job is in a number

TEST(Ledger, DueJobsThatWereNeverSentAreCounted) {
  const Simulated seen =
      Simulate(Rate(20, 30), {.run = Fixed(0.1)}, 1, {}, /*outstanding_max=*/8, {Duration(0)});
  const v1::LoadJobs& jobs = seen.record.result().jobs();
  EXPECT_EQ(jobs.planned(), 600U);
  EXPECT_LT(jobs.sent(), 320U);
  EXPECT_EQ(seen.record.result().from_plan().open(), 600 - jobs.sent());
  double planned = 0;
  for (const v1::LoadSlice& slice : seen.record.slices()) {
    planned += slice.planned() * slice.seconds();
  }
  EXPECT_NEAR(planned, 600, 1e-6);
}

TEST(Ledger, AProfileThatBeginsClosedHasItsJobsInTheLatency) {
  const Simulated seen =
      Simulate(Then(ParallelProfile(10, 10), Rate(5, 10)), {.run = Fixed(0.1)}, 1);
  const v1::LoadResult& result = seen.record.result();
  EXPECT_EQ(result.from_plan().count(), result.succeeded());
  EXPECT_EQ(result.from_send().count(), result.succeeded());
  EXPECT_GE(result.from_plan().mean(), result.from_send().mean());
  EXPECT_GT(result.from_plan().p50(), 0.9);  // most waited for nine others
}

TEST(Ledger, ARefusedJobOfAClosedLoopIsOneJob) {
  const Simulated seen =
      Simulate(ParallelProfile(8, 10), {.run = Fixed(1), .most = 2}, 1, {}, 100'000, {Duration(0)});
  const v1::LoadResult& result = seen.record.result();
  EXPECT_GT(result.refused(), 30U);
  EXPECT_LE(result.jobs().sent(), 20U);
  EXPECT_GT(result.rejected(), 0U);  // not sent again before the end
  EXPECT_EQ(result.rejected(), seen.record.stages(0).result().rejected());
  double rejected = 0;
  for (const v1::LoadSlice& slice : seen.record.slices()) {
    rejected += slice.rejected() * slice.seconds();
  }
  EXPECT_NEAR(rejected, static_cast<double>(result.rejected()), 1e-6);
}

TEST(Ledger, ASliceHasTheSettingsOfItsOwnTime) {
  const Simulated seen =
      Simulate(Then(ParallelProfile(2, 3), ParallelProfile(5, 3)), {.workers = 8}, 1);
  const auto& slices = seen.record.slices();
  for (int i = 0; i < 6; ++i) EXPECT_EQ(slices[i].parallel(), i < 3 ? 2 : 5) << i;
  for (int i = 6; i < slices.size(); ++i) EXPECT_FALSE(slices[i].has_parallel()) << i;
  for (const v1::LoadSlice& slice : slices) EXPECT_LT(slice.sent(), 200);
}

// ---- all of it at once

double Pick(Random& random, std::initializer_list<double> of) {
  return *(of.begin() + static_cast<std::ptrdiff_t>(random() % of.size()));
}

Profile RandomStage(int workers, double run, Random& random) {
  const double seconds = Pick(random, {1, 2.5, 5, 12});
  const double capacity = workers / run;
  if (random() % 2 == 0) {
    return ParallelProfile(static_cast<std::uint32_t>(Pick(random, {1, 2, 4, 20, 60})), seconds);
  }
  Profile rate = Rate(capacity * Pick(random, {0.5, 0.8, 1, 1.5, 5}), seconds);
  rate.arrivals = random() % 2 == 0 ? Arrivals::kPoisson : Arrivals::kConstant;
  return rate;
}

struct Case {
  Profile profile;
  QueueShape shape;
  double run = 0;
  std::size_t outstanding_max = 100'000;
};

Case RandomCase(Random& random) {
  Case some;
  some.shape.workers = static_cast<int>(Pick(random, {1, 4, 4, 9}));
  some.run = Pick(random, {0.05, 0.2, 0.9});
  some.shape.run = random() % 2 == 0 ? Fixed(some.run) : Exponential(some.run);
  some.profile = RandomStage(some.shape.workers, some.run, random);
  for (int more = static_cast<int>(random() % 3); more > 0; --more) {
    const Profile stage = RandomStage(some.shape.workers, some.run, random);
    some.profile.arrivals = stage.arrivals;
    some.profile = Then(some.profile, stage);
  }
  const double end = some.profile.seconds();
  const auto seldom = [&] { return random() % 4 == 0; };
  const auto time = [&] {
    const double from = end * Uniform(random);
    return QueueShape::Time{from, from + Pick(random, {0.3, 2, 100})};
  };
  if (seldom()) some.shape.hangs = Pick(random, {0.01, 0.1, 1});
  if (seldom()) some.shape.fails = Pick(random, {0.02, 0.5, 1});
  if (seldom()) some.shape.limit = some.run * Pick(random, {0.5, 2, 10});
  if (seldom()) some.shape.most = static_cast<std::size_t>(Pick(random, {1, 5, 50}));
  if (seldom()) some.shape.pauses = {time()};
  if (seldom()) some.shape.outages = {{time(), static_cast<int>(1 + random() % 9)}};
  if (seldom()) some.outstanding_max = static_cast<std::size_t>(Pick(random, {1, 8, 40}));
  return some;
}

std::uint64_t Total(const std::vector<TrueJob>& jobs, v1::Outcome outcome) {
  return static_cast<std::uint64_t>(std::count_if(
      jobs.begin(), jobs.end(), [&](const TrueJob& job) { return job.outcome == outcome; }));
}

// L1, L2, L3: the record's own consistency, and what only the queue knows.
void CheckCounts(const Simulated& seen) {
  EXPECT_THAT(BrokenLaws(*seen.recorder), IsEmpty());
  const JobCounts& all = seen.recorder->all_jobs();
  for (const v1::Outcome outcome :
       {v1::OUTCOME_SUCCEEDED, v1::OUTCOME_FAILED, v1::OUTCOME_TIMED_OUT, v1::OUTCOME_LOST}) {
    EXPECT_EQ(all.Of(outcome), Total(seen.jobs, outcome)) << outcome;
  }
  const std::uint64_t tries = all.sent + seen.recorder->refused();
  EXPECT_LE(all.sent, seen.jobs.size());
  EXPECT_GE(seen.jobs.size(), tries - all.rejected());
}

// L4: what was done is what the workers did.
void CheckThroughput(const Simulated& seen, const QueueShape& shape) {
  const auto check = [&](const Segment& segment) {
    const double from = ToSeconds(segment.begin() - seen.recorder->start());
    const double to = ToSeconds(*segment.end() - seen.recorder->start());
    const auto estimate = segment.Estimate(*segment.end(), {});
    if (!std::isfinite(estimate.log_error)) return;
    const double done = estimate.throughput * estimate.seconds;
    // Jobs that run at the end are guessed at, each to less than one.
    EXPECT_NEAR(done, seen.Done(from, to), shape.workers + 1e-6) << from << ".." << to;
    const auto ends = static_cast<double>(estimate.succeeded);
    EXPECT_LE(std::abs(done - ends), 2 * shape.workers + 1e-6);
  };
  check(*seen.recorder->total());
  for (const auto& stage : seen.recorder->stages()) check(stage.segment);
}

TEST(Ledger, KeepsItsLawsWhateverHappens) {
  const std::uint64_t first = FromEnvironment("TWOFOLD_SEED", 1);
  const std::uint64_t seeds = FromEnvironment("TWOFOLD_SEEDS", Fewer(1000));
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    SCOPED_TRACE("TWOFOLD_SEED=" + std::to_string(seed));
    Random random(seed);
    const Case some = RandomCase(random);
    const Simulated seen = Simulate(some.profile, some.shape, seed, {}, some.outstanding_max);
    CheckCounts(seen);
    CheckThroughput(seen, some.shape);
    if (::testing::Test::HasFailure()) return;
  }
}

// ---- how often the intervals are right

constexpr double kClock = 1e-7;  // of a run

struct Kind {
  const char* name;
  int workers;
  std::function<double(Random&)> run;
};

/// Of loads of so many times the capacity.
struct Coverage {
  std::uint64_t covered = 0;
  std::uint64_t steady = 0;
  double mean = 0;  ///< of the estimates, relative to the truth
};

Coverage CoverageOf(const Kind& kind, double load, std::uint64_t tries) {
  const double capacity = kind.workers / 0.1;
  const double truth = std::min(load, 1.0) * capacity;
  const Profile profile = Rate(load * capacity, 60, Arrivals::kPoisson);
  Coverage coverage;
  for (std::uint64_t seed = 1; seed <= tries; ++seed) {
    const Simulated seen = Simulate(profile, {.workers = kind.workers, .run = kind.run}, seed, 0);
    const v1::LoadResult& result = seen.record.result();
    // Equal runs have no error but that of the clock.
    const bool holds =
        result.lower() <= truth * (1 + kClock) && truth <= result.upper() * (1 + kClock);
    coverage.covered += holds ? 1U : 0U;
    coverage.steady += result.steady() ? 1U : 0U;
    coverage.mean += result.throughput() / truth / static_cast<double>(tries);
  }
  return coverage;
}

TEST(PromisedLedger, IntervalsHoldTheTruthBelowAndAboveCapacity) {
  const std::uint64_t tries = FromEnvironment("TWOFOLD_TRIES", Fewer(100));
  for (const Kind& kind : {Kind{"M/D/1", 1, Fixed(0.1)}, Kind{"M/M/1", 1, Exponential(0.1)},
                           Kind{"M/M/4", 4, Exponential(0.1)}}) {
    Coverage sum;
    const std::vector<double> loads = {0.5, 0.8, 1.5, 3.0, 5.0};
    for (const double load : loads) {
      const Coverage coverage = CoverageOf(kind, load, tries);
      EXPECT_NEAR(coverage.mean, 1, 0.01 + 0.24 / std::sqrt(tries)) << kind.name << " at " << load;
      sum.covered += coverage.covered;
      sum.steady += coverage.steady;
    }
    const std::string of = absl::StrCat(kind.name, " at 0.5, 0.8, 1.5, 3 and 5 times its capacity");
    const std::string queue = absl::AsciiStrToLower(absl::StrReplaceAll(kind.name, {{"/", ""}}));
    const std::string interval = "load-interval-" + queue;
    const std::string steady = "load-steady-" + queue;
    const std::string holds = "the 95 % interval of a load's throughput holds the truth: " + of;
    const std::string called = "a load is called steady: " + of;
    Measure({.id = interval, .says = holds, .least = 0.94}, sum.covered, tries * loads.size());
    Measure({.id = steady, .says = called, .least = 0.93}, sum.steady, tries * loads.size());
  }
}

// ---- how often the warm-up is right

constexpr int kWorkers = 8;

/// A closed loop of jobs of 100 ms, of 60 s: 600 job times.
Simulated LoopOf(const std::function<double(Random&)>& run, std::uint64_t seed) {
  return Simulate(ParallelProfile(kWorkers, 60), {.workers = kWorkers, .run = run}, seed, 0);
}

/// 100 ms +- 20 %, but at first longer by `more`, which e-folds within 15 job times.
std::function<double(Random&)> ColdStart(double more) {
  return [more, begun = 0.0](Random& random) mutable {
    const double job_times = begun++ / kWorkers;
    return 0.1 * (0.8 + 0.4 * Uniform(random)) * (1 + more * std::exp(-job_times / 15));
  };
}

TEST(PromisedLedger, AColdStartIsNotInTheThroughput) {
  const std::uint64_t tries = FromEnvironment("TWOFOLD_TRIES", Fewer(100));
  const double truth = kWorkers / 0.1;
  double sum = 0;
  std::uint64_t near = 0;
  for (std::uint64_t seed = 1; seed <= tries; ++seed) {
    const Simulated seen = LoopOf(ColdStart(0.3), seed);
    const double relative = seen.record.result().throughput() / truth;
    sum += relative;
    near += std::abs(relative - 1) < 0.01 ? 1U : 0U;
  }
  EXPECT_NEAR(sum / static_cast<double>(tries), 1, 0.004);
  Measure({.id = "load-warm-up-cold-start",
           .says = "jobs take 30 % longer at first and catch up within 15 job times: a load's "
                   "throughput is within 1 % of what it is later",
           .least = 0.95},
          near, tries);
}

TEST(PromisedLedger, WhereNothingWarmsUpNothingIsCutAndNoSideIsFavoured) {
  const std::uint64_t tries = FromEnvironment("TWOFOLD_TRIES", Fewer(100));
  double sum = 0;
  std::uint64_t cut = 0;
  for (std::uint64_t seed = 1; seed <= tries; ++seed) {
    const Simulated seen = LoopOf(Exponential(0.1), seed);
    sum += seen.record.result().throughput() * 0.1 / kWorkers;
    cut += seen.record.warm_up_rule().starts_with("in its first") ? 1U : 0U;
  }
  // One load's error is 1.4 %.
  EXPECT_NEAR(sum / static_cast<double>(tries), 1, 0.002 + 0.06 / std::sqrt(tries));
  Measure({.id = "load-warm-up-none",
           .says = "no job is slower at first, exponential lives: a load's first seconds are left "
                   "out as a warm-up",
           .most = 0.03},
          cut, tries);
}

}  // namespace
}  // namespace twofold::load
