#include "kubernetes/lifecycle/times/threshold.h"

#include <gtest/gtest.h>

#include <limits>

namespace twofold::lifecycle {
namespace {

/// Of 1000 workloads, of which so many percent never came.
SpanSummary Seconds(double seconds, std::size_t missing = 0) {
  const double never = std::numeric_limits<double>::infinity();
  std::vector<Between> values(1000 - 10 * missing, {seconds, seconds});
  values.insert(values.end(), 10 * missing, {never, never});
  return Summarize("pod_ready", values);
}

Status Checked(const std::string& text, const SpanSummary& span, const Counts& counts = {}) {
  const auto threshold = ReadThreshold(text);
  if (!threshold.ok()) return threshold.status();
  return Check(*threshold, {span}, counts);
}

TEST(Threshold, FailsIfItHolds) {
  EXPECT_TRUE(Checked("pod_ready_p99>5s", Seconds(5)).ok());
  EXPECT_EQ(Checked("pod_ready_p99>=5s", Seconds(5)).code(), absl::StatusCode::kInternal);
  EXPECT_FALSE(Checked("pod_ready_p99>4999ms", Seconds(5)).ok());
  EXPECT_FALSE(Checked("pod_ready_mean<1m", Seconds(5)).ok());
  EXPECT_TRUE(Checked("pod_ready_max>5000001us", Seconds(5)).ok());
  EXPECT_TRUE(Checked("pod_ready_p99>5", Seconds(5)).ok());
  EXPECT_FALSE(Checked("pod_ready_p99<1m5s", Seconds(5)).ok());
}

TEST(Threshold, AnEmptySetFails) {
  const Status status = Checked("pod_ready_p99>5s", Summarize("pod_ready", {}));
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(status.message(),
            "--fail-if pod_ready_p99>5s: it is not known, as no workload has pod_ready");
  EXPECT_EQ(Checked("pod_ready_mean>5s", Seconds(1, 100)).message(),
            "--fail-if pod_ready_mean>5s: it is not known, as 1000 of 1000 workloads never came to "
            "pod_ready");
}

TEST(Threshold, WorkloadsThatNeverBecameReadyFailIt) {
  EXPECT_TRUE(Checked("pod_ready_p90>5s", Seconds(1, 5)).ok());
  const Status status = Checked("pod_ready_p99>5s", Seconds(1, 5));
  EXPECT_EQ(status.message(),
            "--fail-if pod_ready_p99>5s: it is not known, as 50 of 1000 workloads never came to "
            "pod_ready");
}

TEST(Threshold, AMaxWithMissingOnesIsNone) {
  EXPECT_TRUE(Checked("pod_ready_max>5s", Seconds(1)).ok());
  const Status status = Checked("pod_ready_max>5s", Seconds(1, 1));
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_NE(status.message().find("never came"), std::string::npos) << status;
  EXPECT_TRUE(Checked("pod_ready_min>5s", Seconds(1, 1)).ok());
}

TEST(Threshold, WhatIsNotKnownFailsWhateverTheSign) {
  for (const char* text : {"pod_ready_p99<500ms", "pod_ready_p99<=500ms", "pod_ready_p99>5s",
                           "pod_ready_p99>=5s", "pod_ready_max<500ms"}) {
    EXPECT_EQ(Checked(text, Seconds(1, 5)).code(), absl::StatusCode::kInternal) << text;
  }
}

TEST(Threshold, CountsHaveNoUnit) {
  EXPECT_FALSE(Checked("lost>0", Seconds(1), {{"lost", 1}}).ok());
  EXPECT_TRUE(Checked("lost>0", Seconds(1), {{"lost", 0}}).ok());
  EXPECT_EQ(Checked("lost>0s", Seconds(1), {{"lost", 1}}).code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(Threshold, AnUnknownNameIsRefusedWithTheKnownOnes) {
  const Status status = Checked("pod_redy_p99>5s", Seconds(1), {{"lost", 0}});
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("pod_ready, lost"), std::string::npos) << status;
}

TEST(Threshold, APercentileIsJudgedByItsInterval) {
  const Status status = Checked("pod_ready_p99>2s", Summarize("pod_ready", {{1.0, 4.0}}));
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(status.message().find("holds the limit: p99 of 1 workloads, and 368 are needed"),
            std::string::npos)
      << status;
  const auto threshold = ReadThreshold("pod_ready_p99>2s");
  EXPECT_TRUE(Check(*threshold, {Summarize("pod_ready", {{1.0, 2.0}})}, {}, true).ok())
      << "lenient";
}

TEST(Threshold, SpansThatEndBeforeTheyBeginCannotBeJudged) {
  const std::vector<Between> values(12, {-3597.0, -3596.0});
  const SpanSummary negative = Summarize("decision", values);
  for (const char* text : {"decision_p90>10s", "decision_max>10s", "decision_mean<1s"}) {
    const Status status = Checked(text, negative);
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << text;
    EXPECT_NE(status.message().find("12 of 12 workloads ended decision before they began it"),
              std::string::npos)
        << status;
    EXPECT_FALSE(Check(*ReadThreshold(text), {negative}, {}, true).ok()) << "lenient";
  }
}

TEST(Threshold, OtherTextsAreRefusedWithAnExample) {
  for (const char* bad : {"", ">5s", "pod_ready_p99", "pod_ready_p99>", "pod_ready_p99>PT5S",
                          "pod_ready_p99>5y", "pod_ready_p99>-5s", "pod_ready_p99>nans", "lost>",
                          "lost>inf", "lost>1x", "pod_ready_p99=5s"}) {
    const Status status = ReadThreshold(bad).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << bad;
    EXPECT_NE(status.message().find("--fail-if"), std::string::npos) << bad;
  }
  EXPECT_FALSE(ReadThreshold(std::string(1000, 'a') + ">1").ok());
}

}  // namespace
}  // namespace twofold::lifecycle
