#include "lib/show/message.h"

#include <gtest/gtest.h>

#include "lib/words/run_state.h"
#include "twofold/v1/queue.pb.h"
#include "twofold/v1/results.pb.h"
#include "twofold/v1/runs.pb.h"

namespace twofold::show {
namespace {

TEST(Message, EveryNameInTheTableIsAFieldOrAMessage) {
  v1::Job::descriptor();
  v1::Run::descriptor();
  v1::BenchmarkResult::descriptor();
  const auto& pool = *google::protobuf::DescriptorPool::generated_pool();
  for (const std::string& name : NamesInTheTable()) {
    EXPECT_TRUE(pool.FindFieldByName(name) != nullptr ||
                pool.FindMessageTypeByName(name) != nullptr)
        << name;
  }
}

TEST(Message, TimesAreSecondsEnumsWordsAndIdsText) {
  v1::Job job;
  job.set_id(9'007'199'254'740'993);  // 2^53 + 1
  job.set_state(v1::JOB_STATE_FINISHED);
  job.set_outcome(v1::OUTCOME_TIMED_OUT);
  job.set_wait_ns(300'000'000);
  job.mutable_worker()->set_node("a");
  job.mutable_report()->set_data("12345");
  const Json json = ToJson(job);
  EXPECT_EQ(json["id"], "9007199254740993");
  EXPECT_EQ(json["state"], "finished");
  EXPECT_EQ(json["outcome"], "timed_out");
  EXPECT_EQ(json["wait_seconds"].dump(), "0.3");
  EXPECT_TRUE(json["accepted_unix_seconds"].is_null()) << "it is not known";
  EXPECT_EQ(json["requeued_as"], "") << "by none";
  EXPECT_EQ(json["node"], "a") << "the worker's fields are the job's";
  EXPECT_EQ(json["report"]["data_bytes"], 5);
  EXPECT_FALSE(json["report"].contains("data"));
  EXPECT_FALSE(json.contains("place")) << "it has none";
}

TEST(Message, AnExplanationNamesTheGangThatHoldsWorkersInText) {
  v1::Explanation why;
  why.set_held_by(9'007'199'254'740'993);
  EXPECT_EQ(ToJson(why)["held_by"], "9007199254740993");
  EXPECT_EQ(ToJson(v1::Explanation())["held_by"], "") << "none does";
}

TEST(Message, AJobThatHasNotEndedHasNoOutcome) {
  v1::Job job;
  job.set_state(v1::JOB_STATE_RUNNING);
  const Json json = ToJson(job);
  EXPECT_EQ(json["outcome"], "");
  EXPECT_EQ(json["node"], "") << "nobody has it";
  EXPECT_FALSE(json.contains("report"));
}

TEST(Message, ValuesOfANewerProgramAreUnknown) {
  EXPECT_EQ(Word(static_cast<v1::Outcome>(99)), "unknown");
  EXPECT_EQ(Word(v1::WAIT_REASON_KEY_LIMIT), "key_limit");
  EXPECT_EQ(Word(v1::BETTER_NONE), "none");
}

TEST(Message, QueuesAndWorkersSayTheirState) {
  v1::Queue queue;
  queue.set_paused(true);
  queue.set_workers_idle(3);
  (*queue.mutable_finished())["succeeded"] = 2;
  (*queue.mutable_finished())["failed"] = 1;
  EXPECT_EQ(ToJson(queue)["state"], "paused");
  EXPECT_EQ(ToJson(queue)["workers"]["idle"], 3);
  EXPECT_EQ(ToJson(queue)["finished"].dump(), R"({"failed":1,"succeeded":2})");
  queue.set_draining(true);
  EXPECT_EQ(ToJson(queue)["state"], "draining");
  v1::Worker worker;
  EXPECT_EQ(ToJson(worker)["state"], "away");
  worker.set_connected(true);
  EXPECT_EQ(ToJson(worker)["state"], "open");
}

TEST(Message, CountsOfARunAddUp) {
  v1::Run run;
  run.set_jobs(6);
  run.set_plan("{}");
  auto& ended = *run.mutable_counts()->mutable_ended();
  ended["succeeded"] = 3;
  ended["timed_out"] = 2;
  ended["cancelled"] = 1;
  const Json json = ToJson(run);
  EXPECT_EQ(json["counts"]["succeeded"], 3);
  EXPECT_EQ(json["counts"]["failed"], 2);
  EXPECT_EQ(json["counts"]["withdrawn"], 1);
  EXPECT_EQ(json["state"], "paused");
  EXPECT_FALSE(json.contains("plan"));
  EXPECT_FALSE(json.contains("definition"));
}

TEST(Message, StatisticsOfOneValueAreNotKnown) {
  v1::MetricResult metric;
  metric.set_mean(4);
  metric.set_half_width(1);
  metric.set_n(1);
  v1::Dimension& dimension = *metric.add_dimensions();
  dimension.set_name("z");
  dimension.set_value("1");
  for (const char* name : {"sd", "cv", "half_width", "lower", "upper"}) {
    EXPECT_TRUE(ToJson(metric)[name].is_null()) << name;
  }
  metric.set_n(2);
  EXPECT_EQ(ToJson(metric)["lower"], 3.0);
  EXPECT_EQ(ToJson(metric)["upper"], 5.0);
  EXPECT_EQ(ToJson(metric)["dimensions"]["z"], "1");
  EXPECT_FALSE(ToJson(metric).contains("at"));
}

TEST(Message, AJobOfARunSaysHowItIsAndWhereItStands) {
  v1::JobResult job;
  job.set_id(7);
  job.set_state(v1::JOB_STATE_WAITING);
  job.mutable_place()->set_repetition(2);
  EXPECT_EQ(ToJson(job)["job"], "7");
  EXPECT_EQ(ToJson(job)["outcome"], "waiting");
  EXPECT_EQ(ToJson(job)["repetition"], 2);
  job.set_state(v1::JOB_STATE_FINISHED);
  EXPECT_EQ(ToJson(job)["outcome"], "unknown");
}

TEST(Message, AJobOfARunSaysWhenAndWhereItRanIfItDid) {
  v1::JobResult job;
  EXPECT_TRUE(ToJson(job)["started_unix_seconds"].is_null());
  job.set_started_unix_ns(1'500'000'000);
  job.set_node("node-1");
  EXPECT_EQ(ToJson(job)["started_unix_seconds"], 1.5);
  EXPECT_EQ(ToJson(job)["node"], "node-1");
}

TEST(Message, RowsOfSeriesAreThereIfTheyAre) {
  v1::PermutationResult result;
  EXPECT_FALSE(ToJson(result).contains("series"));
  EXPECT_FALSE(ToJson(result).contains("series_values_left_out"));
  v1::SeriesResult& series = *result.add_series();
  series.mutable_by()->set_name("size");
  v1::SeriesPoint& point = *series.add_points();
  point.set_n(1);
  const Json one = ToJson(result)["series"][0];
  EXPECT_EQ(one["by"]["name"], "size");
  EXPECT_TRUE(one["points"][0]["half_width"].is_null()) << "of one value it is not known";
  point.set_n(2);
  EXPECT_EQ(ToJson(result)["series"][0]["points"][0]["half_width"], 0);
}

TEST(Message, VariedValuesAreJsonUnlessTheyAreTooDeep) {
  v1::PermutationResult result;
  result.set_number(3);
  result.set_varied(R"({"streams":8})");
  EXPECT_EQ(ToJson(result)["permutation"], 3);
  EXPECT_EQ(ToJson(result)["varied"]["streams"], 8);
  result.set_varied(std::string(17, '[') + std::string(17, ']'));
  EXPECT_TRUE(ToJson(result)["varied"].is_null());
  result.set_varied("{");
  EXPECT_TRUE(ToJson(result)["varied"].is_null());
}

}  // namespace
}  // namespace twofold::show
