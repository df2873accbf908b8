#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "cli/load/measure.h"

namespace twofold::cli {
namespace {

using std::chrono::milliseconds;

load::Snapshot SampleNow() {
  load::Snapshot now;
  now.link = load::Link::kConnected;
  now.pending = 16;
  now.estimate.throughput = 158.3;
  now.estimate.lower = 156.4;
  now.estimate.upper = 160.2;
  now.times.from_plan.ended.Record(milliseconds(101));
  return now;
}

TEST(ProgressText, HasWhatIsKnownSoFar) {
  EXPECT_EQ(ProgressText(SampleNow(), 12.2),
            "12 s  158.3 /s +-1.2 %  p50 101 ms  p99 101 ms  16 outstanding");
}

TEST(ProgressText, SaysWhenTheThroughputShouldBeKnownAsAsked) {
  load::Snapshot now = SampleNow();
  now.estimate.steady = true;
  now.estimate.seconds = 10;
  now.estimate.succeeded = 1500;
  now.estimate.jobs_needed = 500;
  now.estimate.log_error = 0.006;
  now.estimate.degrees = 1e6;
  EXPECT_EQ(ProgressText(now, 12.2, 0.01).find("expected"), std::string::npos) << "the warm-up";
  now.warm = true;
  const std::string text = ProgressText(now, 12.2, 0.01);
  EXPECT_THAT(text, ::testing::ContainsRegex("16 outstanding, within 1 % expected in [0-9]+ s"));
  now.estimate.steady = false;
  EXPECT_EQ(ProgressText(now, 12.2, 0.01).find("expected"), std::string::npos);
}

TEST(ProgressText, SaysWhatJobsThatHaveNotEndedHide) {
  load::Snapshot now = SampleNow();
  for (int job = 0; job < 3; ++job) now.times.from_plan.open.Record(milliseconds(9000));
  EXPECT_EQ(ProgressText(now, 12.2),
            "12 s  158.3 /s +-1.2 %  p50 >= 9 s  p99 >= 9 s  16 outstanding");
}

TEST(ProgressText, LeavesOutWhatIsNotKnownAndNamesTrouble) {
  load::Snapshot now = SampleNow();
  now.estimate.upper = std::numeric_limits<double>::infinity();
  now.times = {};
  now.estimate.failed = 2;
  now.refused = 3;
  now.link = load::Link::kReconnecting;
  EXPECT_EQ(ProgressText(now, 1),
            "1 s  158.3 /s  16 outstanding, 2 failed, 3 refused, reconnecting");
  EXPECT_EQ(ProgressText({}, 0), "0 s  0 outstanding, connecting");
}

}  // namespace
}  // namespace twofold::cli
