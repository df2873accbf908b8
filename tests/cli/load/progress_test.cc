#include <gtest/gtest.h>

#include <limits>

#include "cli/load/measure.h"

namespace twofold::cli {
namespace {

using std::chrono::milliseconds;

load::Snapshot Sample() {
  load::Snapshot now;
  now.link = load::Link::kConnected;
  now.pending = 16;
  now.estimate.throughput = 158.3;
  now.estimate.lower = 156.4;
  now.estimate.upper = 160.2;
  now.latencies.Record(milliseconds(0), milliseconds(100), milliseconds(101));
  return now;
}

TEST(ProgressText, HasWhatIsKnownSoFar) {
  EXPECT_EQ(ProgressText(Sample(), 12.2),
            "12 s  158.3 /s +-1.2 %  p50 101 ms  p99 101 ms  16 outstanding");
}

TEST(ProgressText, LeavesOutWhatIsNotKnownAndNamesTrouble) {
  load::Snapshot now = Sample();
  now.estimate.upper = std::numeric_limits<double>::infinity();
  now.latencies = {};
  now.estimate.failed = 2;
  now.rejected = 3;
  now.link = load::Link::kReconnecting;
  EXPECT_EQ(ProgressText(now, 1),
            "1 s  158.3 /s  16 outstanding, 2 failed, 3 rejected, reconnecting");
  EXPECT_EQ(ProgressText({}, 0), "0 s  0 outstanding, connecting");
}

}  // namespace
}  // namespace twofold::cli
