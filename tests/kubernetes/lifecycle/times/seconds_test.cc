#include "kubernetes/lifecycle/times/seconds.h"

#include <gtest/gtest.h>

#include "tests/kubernetes/lifecycle/times/seen_run.h"

namespace twofold::lifecycle {
namespace {

std::vector<EvidenceRow> CompareWith(const SeenRun& run, const ClockFit& clocks = kClocks) {
  return CompareSeconds(*FindKind("job").value(), run.lives(), clocks);
}

TEST(Seconds, OfClocksThatAgreeAllFit) {
  const auto rows = CompareWith(SeenRun(100));
  for (const char* moment : {"created", "first_pod", "scheduled", "pod_ready"}) {
    const EvidenceRow row = RowOf(rows, "own second", moment);
    EXPECT_EQ(row.n, 100U) << moment;
    EXPECT_EQ(row.fit, 100U) << moment;
    EXPECT_FALSE(row.misfit_low) << moment;
    EXPECT_NEAR(row.doubt, 0.01, 1e-9) << moment;
  }
  EXPECT_EQ(RowOf(rows, "own second", "pod_ready").clock, "kubelet");
}

TEST(Seconds, AKubeletThatIsBehindIsFoundWithItsDistance) {
  const auto rows = CompareWith(SeenRun(100, 3000));
  const EvidenceRow row = RowOf(rows, "own second", "pod_ready");
  EXPECT_EQ(row.fit, 0U);
  // 3 s, less the part of the second that was cut off, less the doubts.
  ASSERT_TRUE(row.misfit_low && row.misfit_high);
  EXPECT_NEAR(*row.misfit_low, 2.0 - 0.03, 0.02);
  EXPECT_NEAR(*row.misfit_high, 3.0 - 0.03, 0.02);
  EXPECT_EQ(RowOf(rows, "own second", "scheduled").fit, 100U);
}

TEST(Seconds, OneThatIsAheadIsOffTheOtherWay) {
  const EvidenceRow row = RowOf(CompareWith(SeenRun(100, -3000)), "own second", "pod_ready");
  ASSERT_TRUE(row.misfit_low && row.misfit_high);
  EXPECT_LT(*row.misfit_high, -1.9);
  EXPECT_GT(*row.misfit_low, -3.1);
}

TEST(Seconds, AWrongOffsetFitsOnlyInPart) {
  ClockFit wrong = kClocks;
  wrong.offset = Between{2.99, 3.01};
  const EvidenceRow row = RowOf(CompareWith(SeenRun(200), wrong), "own second", "scheduled");
  EXPECT_NEAR(static_cast<double>(*row.fit), 100, 20);
  EXPECT_GT(*row.misfit_low, 0.0);
}

TEST(Seconds, ASightThatIsAnIntervalFitsIfAnyPartOfItDoes) {
  SeenRun run(0);
  ASSERT_TRUE(run.observer().Tell(input::Plan{"load", "r1-0", 1, At(-1)}).ok());
  run.observer().Tell(input::Sent{"load", "r1-0", At(0)});
  Object job = Made("Job", "r1-0", "job0");
  job["metadata"]["creationTimestamp"] = WholeSecond(ServerTime(2000));
  run.observer().Tell(input::Seen{Event::kListed, job, At(9000)});
  EXPECT_EQ(RowOf(CompareWith(run), "own second", "created").fit, 1U);
}

TEST(Seconds, MomentsWithoutASecondHaveNoRowAndSingleOnesAreMissing) {
  SeenRun run(2);
  const auto rows = CompareWith(run);
  for (const EvidenceRow& row : rows) {
    EXPECT_NE(row.moment, "sent");
    EXPECT_NE(row.moment, "deleted");
  }
  ASSERT_TRUE(run.observer().Tell(input::Plan{"load", "r1-9", 1, At(0)}).ok());
  run.observer().Tell(input::Sent{"load", "r1-9", At(0)});
  Object job = Made("Job", "r1-9", "job9");
  job["metadata"].erase("creationTimestamp");
  run.observer().Tell(input::Seen{Event::kAdded, job, At(5)});
  const EvidenceRow row = RowOf(CompareWith(run), "own second", "created");
  EXPECT_EQ(row.n, 2U);
  EXPECT_EQ(row.missing, 1U);
}

}  // namespace
}  // namespace twofold::lifecycle
