// Runs as JSON.

#include "lib/runs/json.h"

#include <gtest/gtest.h>

namespace twofold::runs {
namespace {

TEST(RunJson, UnknownStatisticsAreNull) {
  v1::PermutationResult result;
  result.set_varied(R"({"streams":1})");
  v1::MetricResult& headline = *result.add_headlines();
  headline.set_n(1);
  headline.set_mean(9.25);
  headline.set_better(v1::BETTER_HIGHER);
  v1::Dimension& direction = *headline.add_dimensions();
  direction.set_name("direction");
  direction.set_value("forward");
  v1::JobResult& job = *result.add_jobs();
  job.set_id(1);
  job.set_state(v1::JOB_STATE_FINISHED);
  job.set_outcome(v1::OUTCOME_SUCCEEDED);
  for (int i = 0; i < 3; ++i) job.add_measurements();
  const Json json = ToJson(result);
  EXPECT_EQ(json["varied"]["streams"], 1);
  EXPECT_EQ(json["headlines"][0]["mean"], 9.25);
  EXPECT_EQ(json["headlines"][0]["better"], "higher");
  EXPECT_TRUE(json["headlines"][0]["sd"].is_null());
  EXPECT_TRUE(json["headlines"][0]["lower"].is_null());
  EXPECT_EQ(json["headlines"][0]["dimensions"]["direction"], "forward");
  EXPECT_EQ(json["jobs"][0]["job"], "1");
  EXPECT_EQ(json["jobs"][0]["outcome"], "succeeded");
  EXPECT_EQ(json["jobs"][0]["measurements"].size(), 3u);
}

TEST(RunJson, OutcomesOfANewerFrontendAreUnknown) {
  v1::JobResult job;
  job.set_state(v1::JOB_STATE_FINISHED);
  EXPECT_EQ(Word(job), "unknown");
  job.set_outcome(static_cast<v1::Outcome>(99));
  EXPECT_EQ(Word(job), "unknown");
  job.set_state(v1::JOB_STATE_WAITING);
  EXPECT_EQ(Word(job), "waiting");
}

}  // namespace
}  // namespace twofold::runs
