#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/load/record/summary.h"

namespace twofold::cli {
namespace {

using ::testing::HasSubstr;

LoadStep Step(int slots, double throughput, double log_error) {
  LoadStep step;
  step.slots = slots;
  v1::LoadResult& result = *step.record.mutable_result();
  result.set_throughput(throughput);
  result.set_log_error(log_error);
  result.set_degrees(30);
  result.set_seconds(10);
  return step;
}

TEST(ScalingRows, EachStepIsHeldBesideTheFirst) {
  const auto rows = ScalingRows({Step(1, 10, 0.01), Step(2, 20, 0.01), Step(8, 40, 0.01)});
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_FALSE(rows[0].contains("ratio"));
  EXPECT_NEAR(rows[1]["ratio"].get<double>(), 2, 1e-9);
  EXPECT_NEAR(rows[1]["efficiency"].get<double>(), 1, 1e-9);
  EXPECT_NEAR(rows[2]["efficiency"].get<double>(), 0.5, 1e-9);
  EXPECT_LT(rows[2]["ratio_lower"].get<double>(), 4);
  EXPECT_GT(rows[2]["ratio_upper"].get<double>(), 4);
}

TEST(ScalingRows, WithoutAnErrorThereIsNoRatio) {
  LoadStep failed;
  failed.slots = 2;
  const auto rows = ScalingRows({Step(1, 10, 0.01), failed});
  EXPECT_FALSE(rows[1].contains("ratio"));
  EXPECT_FALSE(rows[1].contains("throughput"));
}

TEST(ScalingRows, SayWhyAStepIsNotToBeBelieved) {
  LoadStep hung = Step(2, 20, 0.01);
  v1::LoadResult& result = *hung.record.mutable_result();
  result.set_failed(3);
  result.set_why_not_steady("throughput falls");
  result.mutable_from_plan()->set_p99(9);
  result.mutable_from_plan()->set_known(0.9);
  const auto rows = ScalingRows({Step(1, 10, 0.01), hung});
  EXPECT_FALSE(rows[0].contains("note"));
  EXPECT_EQ(rows[1]["note"], "3 jobs failed; not steady: throughput falls");
  EXPECT_FALSE(rows[1].contains("p99_seconds")) << "jobs that have not ended hide it";
}

TEST(ScalingRows, AsATable) {
  const auto rows = ScalingRows({Step(1, 10, 0.01), Step(2, 18, 0.01)});
  const std::string text = show::Print(show::Form::kText, ScalingColumns(), rows);
  EXPECT_THAT(text, HasSubstr("EFFICIENCY %"));
  EXPECT_THAT(text, HasSubstr("90.0"));
  EXPECT_THAT(
      show::Print(show::Form::kCsv, ScalingColumns(), rows),
      HasSubstr("slots,throughput,ratio,ratio_lower,ratio_upper,efficiency,p99_seconds,note"));
}

}  // namespace
}  // namespace twofold::cli
