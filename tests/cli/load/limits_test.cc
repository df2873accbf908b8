#include "cli/load/record/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/suite/latencies.h"

namespace twofold::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

v1::LoadTime Times(const std::vector<milliseconds>& times) {
  stats::Histogram histogram;
  for (const milliseconds time : times) histogram.Record(time);
  v1::LoadTime message;
  message.set_count(histogram.Count());
  if (const auto mean = histogram.Mean()) message.set_mean(ToSeconds(*mean));
  if (const auto max = histogram.Max()) message.set_max(ToSeconds(*max));
  if (const auto min = histogram.Min()) message.set_min(ToSeconds(*min));
  *message.mutable_histogram() = suite::ToMessage(histogram);
  return message;
}

v1::LoadResult Sample() {
  v1::LoadResult result;
  result.set_throughput(120);
  result.set_steady(true);
  result.set_succeeded(90);
  result.set_failed(10);
  std::vector<milliseconds> latencies(5000, milliseconds(100));
  latencies.insert(latencies.end(), 100, milliseconds(300));
  *result.mutable_from_plan() = Times(latencies);
  *result.mutable_wait() = Times(std::vector(500, milliseconds(10)));
  *result.mutable_late() = Times(std::vector(500, milliseconds(2)));
  return result;
}

v1::LoadLimit Judged(const std::string& text, const v1::LoadResult& result = Sample()) {
  const auto limit = Limit::Parse(text);
  EXPECT_TRUE(limit.ok()) << limit.status();
  return limit.ok() ? limit->Judge(result) : v1::LoadLimit();
}

TEST(Limit, IsMetUnlessItsComparisonHolds) {
  for (const char* met :
       {"p99>400ms", "p50>200ms", "max>0.4", "min<50ms", "wait.p99>20ms", "wait.max>20000us",
        "throughput<100", "throughput<100/s", "errors>10", "error_rate>10%", "error_rate>0.1",
        "rejected>0", "late>5ms", "late.max>5ms", "succeeded<90", "plan.mean>1m", "p99.9>1s"}) {
    EXPECT_TRUE(Judged(met).met()) << met;
  }
  for (const char* missed :
       {"p99>200ms", "p50>=0.1", "max>=0.3", "wait.mean>9ms", "throughput<121", "throughput>119/s",
        "errors>0", "errors>=10", "error_rate>9%", "succeeded<=90", "late>1ms"}) {
    EXPECT_FALSE(Judged(missed).met()) << missed;
  }
}

TEST(Limit, ValuesAreInTheUnitOfTheText) {
  EXPECT_NEAR(Judged("max>200ms").value(), 300, 1e-9);
  EXPECT_EQ(Judged("max>200ms").unit(), "ms");
  EXPECT_NEAR(Judged("max>1").value(), 0.3, 1e-12);
  EXPECT_EQ(Judged("max>1").unit(), "s");
  EXPECT_EQ(Judged("max>1m30s").unit(), "s");
  EXPECT_NEAR(Judged("error_rate>1%").value(), 10, 1e-9);
  EXPECT_EQ(WhyNotMet(Judged("max>200ms")), "--fail-if max>200ms: it is 300 ms");
}

TEST(Limit, OfAPercentileIsJudgedByItsInterval) {
  v1::LoadResult result = Sample();
  std::vector<milliseconds> times;
  for (int ms = 1; ms <= 1000; ++ms) times.emplace_back(ms);
  *result.mutable_from_plan() = Times(times);  // p90: 881 to 919
  EXPECT_TRUE(Judged("p90>930ms", result).met());
  EXPECT_FALSE(Judged("p90>870ms", result).undecided());
  const v1::LoadLimit limit = Judged("p90>910ms", result);
  EXPECT_FALSE(limit.met());
  EXPECT_TRUE(limit.undecided());
  EXPECT_THAT(WhyNotMet(limit), HasSubstr(" ms (95 %: 8"));
  EXPECT_TRUE(Limit::Parse("p90>910ms")->Judge(result, true).met()) << "lenient";
}

TEST(Limit, OfAPercentileOfTooFewJobsCannotBeTold) {
  v1::LoadResult result = Sample();
  *result.mutable_from_plan() = Times(std::vector(500, milliseconds(100)));
  const v1::LoadLimit limit = Judged("p99.9>1s", result);
  EXPECT_TRUE(limit.undecided());
  EXPECT_THAT(WhyNotMet(limit), HasSubstr("p99.9 of 500 jobs: too few, 3688 are needed"));
  EXPECT_FALSE(Judged("p99.9>50ms", result).met());
  EXPECT_FALSE(Judged("p99.9>50ms", result).undecided()) << "it is more, however few";
}

TEST(Limit, OfAThroughputThatIsNotSteadyCannotBeTold) {
  v1::LoadResult result = Sample();
  result.set_steady(false);
  result.set_why_not_steady("it rises");
  EXPECT_TRUE(Judged("throughput<100", result).undecided());
  EXPECT_THAT(WhyNotMet(Judged("throughput<100", result)), HasSubstr("not steady: it rises"));
  EXPECT_TRUE(Limit::Parse("throughput<100")->Judge(result, true).met()) << "lenient";
}

TEST(Limit, WhatIsNotKnownIsNotMet) {
  for (const char* text : {"p99>1s", "throughput<1", "error_rate>1%", "run.mean<1s"}) {
    const v1::LoadLimit limit = Judged(text, v1::LoadResult());
    EXPECT_FALSE(limit.met()) << text;
    EXPECT_FALSE(limit.has_value()) << text;
    EXPECT_THAT(WhyNotMet(limit), HasSubstr("not known"));
  }
  EXPECT_TRUE(Judged("errors>0", v1::LoadResult()).met());
}

TEST(Limit, JobsOfAClosedLoopAreNeverLate) {
  v1::LoadResult closed = Sample();
  closed.clear_late();
  for (const char* text : {"late>1ms", "late.p50>0", "late.max>0"}) {
    EXPECT_TRUE(Judged(text, closed).met()) << text;
    EXPECT_EQ(Judged(text, closed).value(), 0.0) << text;
  }
}

TEST(Limit, JobsThatHaveNotEndedBreakWhatTheirAgeBreaks) {
  v1::LoadResult hung = Sample();
  stats::Histogram ages;
  ages.Record(seconds(9));
  *hung.mutable_from_plan()->mutable_open_ages() = suite::ToMessage(ages);
  const v1::LoadLimit broken = Judged("max>1s", hung);
  EXPECT_FALSE(broken.met());
  EXPECT_EQ(WhyNotMet(broken), "--fail-if max>1s: it is at least 9 s, as jobs had not ended");
  EXPECT_FALSE(Judged("max>20s", hung).met()) << "nobody knows";
  EXPECT_FALSE(Judged("max<20s", hung).met()) << "nobody knows";
  EXPECT_TRUE(Judged("max<5s", hung).met());
  EXPECT_TRUE(Judged("p50>200ms", hung).met());
}

TEST(Limit, EachKindOfJobHasAMetric) {
  v1::LoadResult result = Sample();
  result.set_refused(7);
  result.set_rejected(2);
  result.mutable_jobs()->set_planned(110);
  result.mutable_jobs()->set_sent(100);
  result.mutable_jobs()->set_unanswered(3);
  EXPECT_EQ(Judged("never_sent>0", result).value(), 10);
  EXPECT_EQ(Judged("unanswered>0", result).value(), 3);
  EXPECT_EQ(Judged("rejected>0", result).value(), 2);
  EXPECT_EQ(Judged("refused>0", result).value(), 9);
}

TEST(Limit, SaysWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "such as p99>200ms"},
      {"p99", "such as p99>200ms"},
      {">1", "such as p99>200ms"},
      {"p99>", "no number"},
      {"p99>x", "no number"},
      {"p99>inf", "no number"},
      {"p99>nan", "no number"},
      {"p99>-5s", "no number from 0 on"},
      {"p99>1y", "known: us ms m s"},
      {"errors>1ms", "not a unit"},
      {"speed>1", "no metric 'speed'; known: throughput, "},
      {"p0>1", "no metric"},
      {"p100>1", "no metric"},
      {"walk.p99>1s", "no metric"},
      {"wait.>1s", "no metric"},
      {"error_rate>1%%", "not a unit"},
      {"p99>200 ms", "not a unit"}};
  for (const auto& [text, message] : cases) {
    const auto limit = Limit::Parse(text);
    EXPECT_EQ(limit.status().code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(limit.status().message()), HasSubstr(message)) << text;
  }
}

}  // namespace
}  // namespace twofold::cli
