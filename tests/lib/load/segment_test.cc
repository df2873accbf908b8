#include "lib/load/segment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <vector>

namespace twofold::load {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Instant kOrigin = Instant() + seconds(100);

JobEntry JobOf(Duration wait, Duration run, Duration all) {
  return {.planned = kOrigin,
          .sent = kOrigin,
          .ended = kOrigin + all,
          .wait = wait,
          .run = run,
          .outcome = v1::OUTCOME_SUCCEEDED};
}

TEST(Times, OverheadIsWhatIsLeft) {
  Times times;
  times.Record(JobOf(milliseconds(3), milliseconds(5), milliseconds(10)));
  EXPECT_EQ(times.wait.Max(), milliseconds(3));
  EXPECT_EQ(times.run.Max(), milliseconds(5));
  EXPECT_EQ(times.overhead.Max(), milliseconds(2));
  EXPECT_EQ(times.from_send.ended.Max(), milliseconds(10));
  EXPECT_EQ(times.clamped, 0U);
}

TEST(Times, OverheadIsNeverNegative) {
  Times times;
  times.Record(JobOf(milliseconds(6), milliseconds(5), milliseconds(10)));
  times.Record(JobOf(Duration::max(), Duration::max(), milliseconds(10)));
  EXPECT_EQ(times.overhead.Min(), Duration(0));
  EXPECT_EQ(times.overhead.Max(), Duration(0));
  EXPECT_EQ(times.clamped, 2U);
}

TEST(Segment, WhatAJobWaitsIsNoThroughput) {
  Segment segment(kOrigin);
  segment.Close(kOrigin + seconds(5), {});
  segment.Ended(JobOf(seconds(9), seconds(1), seconds(10)));
  EXPECT_EQ(segment.Estimate(kOrigin, {}).throughput, 0);
  Segment later(kOrigin + seconds(5));
  later.Ended(JobOf(seconds(9), seconds(1), seconds(10)));
  EXPECT_NEAR(later.Estimate(kOrigin + seconds(10), {}).throughput, 0.2, 1e-9);
}

TEST(Segment, AJobThatNoWorkerHadFailsWithoutALife) {
  Segment segment(kOrigin);
  segment.Ended(JobOf(Duration(0), seconds(1), seconds(1)));
  JobEntry cancelled = JobOf(seconds(8), Duration(0), seconds(8));
  cancelled.outcome = v1::OUTCOME_CANCELLED;
  cancelled.began = false;
  segment.Ended(cancelled);
  const auto estimate = segment.Estimate(kOrigin + seconds(10), {});
  EXPECT_EQ(estimate.failed, 1U);
  EXPECT_EQ(estimate.mean_life, 1);
}

TEST(Segment, OpenJobsCountInItsTimesByTheirAge) {
  const Segment segment(kOrigin);
  const OpenJob open[] = {{kOrigin, kOrigin + seconds(1)}, {kOrigin - seconds(1), kOrigin}};
  const Times times = segment.TimesWith(open, kOrigin + seconds(4));
  EXPECT_EQ(times.from_plan.open.Count(), 1U);  // the other one belongs to an earlier segment
  EXPECT_EQ(times.from_plan.Max()->value, seconds(4));
  EXPECT_EQ(times.from_send.Max()->value, seconds(3));
}

}  // namespace
}  // namespace twofold::load
