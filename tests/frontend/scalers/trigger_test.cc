#include "frontend/scalers/signals/trigger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace twofold::scalers {
namespace {

using ::testing::HasSubstr;

Trigger Of(Metadata metadata) {
  metadata.emplace("queue", "sleep");
  auto trigger = ReadTrigger(metadata);
  EXPECT_TRUE(trigger.ok()) << trigger.status();
  return *trigger;
}

double Value(const Metadata& metadata, const Reading& reading) {
  const auto value = ValueOf(Of(metadata), reading);
  EXPECT_TRUE(value.ok()) << value.status();
  return value.value_or(-1);
}

const Counts kBusy{.waiting = 7,
                   .held_back = 2,
                   .running = 3,
                   .wanted_workers = 9,
                   .oldest_waiting = std::chrono::milliseconds(2500)};

TEST(Trigger, NamesOnlyItsQueueAndGetsTheWantedWorkers) {
  const Trigger trigger = Of({{"scalerAddress", "frontend:9994"}, {"enableTLS", "true"}});
  EXPECT_EQ(trigger.queue, "sleep");
  EXPECT_EQ(trigger.metric->name, "wanted");
  EXPECT_EQ(trigger.target, 1);
  EXPECT_EQ(trigger.activation, 0);
  EXPECT_EQ(MetricName(trigger), "sleep-wanted");
}

TEST(Trigger, TakesFieldsThatKedaHasReadFromAnEnvironment) {
  const auto trigger = ReadTrigger({{"queueFromEnv", "media"}, {"targetFromEnv", "4"}});
  ASSERT_TRUE(trigger.ok()) << trigger.status();
  EXPECT_EQ(trigger->queue, "media");
  EXPECT_EQ(trigger->target, 4);
}

TEST(Trigger, OfAShardHasANameThatCanStandInAPath) {
  const auto trigger = ReadTrigger({{"queue", "sleep/2"}, {"metric", "waiting"}});
  ASSERT_TRUE(trigger.ok()) << trigger.status();
  EXPECT_EQ(MetricName(*trigger), "sleep-2-waiting");
}

TEST(Trigger, IsRefusedByTheNameOfItsFieldAndWithTheFix) {
  const std::vector<std::pair<Metadata, std::string>> cases = {
      {{}, "queue is missing: name one of the frontend's queues"},
      {{{"queue", ""}}, "queue is missing"},
      {{{"queue", "sleep"}, {"metric", "wnted"}},
       "metric is 'wnted', which is none; did you mean 'wanted'?"},
      {{{"queue", "sleep"}, {"metric", "cpu"}}, "known: wanted, waiting, running, oldest_seconds"},
      {{{"queue", "sleep"}, {"target", "0"}}, "target is '0', and has to be a number above 0"},
      {{{"queue", "sleep"}, {"target", "-1"}}, "target is '-1'"},
      {{{"queue", "sleep"}, {"target", "nan"}}, "target is 'nan'"},
      {{{"queue", "sleep"}, {"target", "1e999"}}, "target is '1e999'"},
      {{{"queue", "sleep"}, {"target", "one"}}, "target is 'one'"},
      {{{"queue", "sleep"}, {"activation", "-1"}},
       "activation is '-1', and has to be a number from 0 on"},
      {{{"queue", "sleep"}, {"utilisation", "1.1"}}, "utilisation is '1.1', and has to be a share"},
      {{{"queue", "sleep"}, {"utilisation", "0"}}, "utilisation is '0'"},
      {{{"queue", "sleep"}, {"window", "4"}}, "window is '4', and has to be 5 to 600 seconds"},
      {{{"queue", "sleep"}, {"window", "601"}}, "window is '601'"},
      {{{"queue", "sleep"}, {"metric", "drain_seconds"}},
       "target is missing: drain_seconds needs one, the seconds"},
      {{{"queue", "sleep"}, {"activaton", "1"}},
       "'activaton' is not known; did you mean 'activation'?"},
      {{{"queue", "sleep"}, {"Target", "1"}}, "'Target' is not known; did you mean 'target'?"},
      {{{"queue", "sleep"}, {"target", std::string(1000, '9') + "x"}}, "'99999"},
  };
  for (const auto& [metadata, complaint] : cases) {
    const auto trigger = ReadTrigger(metadata);
    ASSERT_FALSE(trigger.ok()) << complaint;
    EXPECT_TRUE(absl::IsInvalidArgument(trigger.status()));
    EXPECT_THAT(std::string(trigger.status().message()), HasSubstr(complaint));
    EXPECT_LT(trigger.status().message().size(), 300U) << "it quotes little";
  }
}

TEST(Value, IsWhatTheQueueHasNow) {
  const Reading reading{kBusy};
  EXPECT_EQ(Value({{"metric", "wanted"}}, reading), 9);
  EXPECT_EQ(Value({{"metric", "waiting"}}, reading), 7);
  EXPECT_EQ(Value({{"metric", "running"}}, reading), 3);
  EXPECT_EQ(Value({{"metric", "oldest_seconds"}, {"target", "5"}}, reading), 2.5);
}

TEST(Value, OfAnIdleQueueIsAnExplicitZeroOfEveryMetric) {
  for (const Metric& metric : Metrics()) {
    const Metadata metadata = {{"metric", std::string(metric.name)}, {"target", "1"}};
    EXPECT_EQ(Value(metadata, {.now = {}, .flow = Flow{}}), 0) << metric.name;
  }
}

TEST(Value, OfRatesComesFromTheFlow) {
  // 4 jobs arrive a second, 2 end, and 3 run on average: each runs for 1.5 s.
  const Reading reading{kBusy, Flow{.arrivals = 4, .ends = 2, .running = 3}};
  EXPECT_EQ(Value({{"metric", "arrivals_per_second"}, {"target", "1"}}, reading), 4);
  EXPECT_EQ(Value({{"metric", "drain_seconds"}, {"target", "60"}}, reading), 2.5)
      << "those that are held back do not wait for workers";
  EXPECT_DOUBLE_EQ(Value({{"metric", "wanted_by_rate"}}, reading), 4 * 1.5 / 0.8);
  EXPECT_DOUBLE_EQ(Value({{"metric", "wanted_by_rate"}, {"utilisation", "0.5"}}, reading), 12);
}

TEST(Value, ThatIsNotKnownIsAnError) {
  for (const char* metric : {"arrivals_per_second", "drain_seconds", "wanted_by_rate"}) {
    const auto value = ValueOf(Of({{"metric", metric}, {"target", "1"}}), {kBusy});
    EXPECT_TRUE(absl::IsUnavailable(value.status()));
    EXPECT_THAT(std::string(value.status().message()), HasSubstr("watched for 5 s"));
  }
  for (const char* metric : {"drain_seconds", "wanted_by_rate"}) {
    const auto value = ValueOf(Of({{"metric", metric}, {"target", "1"}}),
                               {kBusy, Flow{.arrivals = 1, .ends = 0, .running = 3}});
    EXPECT_TRUE(absl::IsUnavailable(value.status()));
    EXPECT_THAT(std::string(value.status().message()),
                HasSubstr("no job has ended in the last 60 s"));
  }
}

bool Active(const Metadata& metadata, const Reading& reading) {
  const auto active = IsActive(Of(metadata), reading);
  EXPECT_TRUE(active.ok()) << active.status();
  return active.value_or(false);
}

TEST(Activity, BeginsAboveTheActivation) {
  EXPECT_FALSE(Active({}, {}));
  EXPECT_TRUE(Active({}, {{.wanted_workers = 1}}));
  EXPECT_FALSE(Active({{"activation", "5"}}, {{.wanted_workers = 5}}));
  EXPECT_TRUE(Active({{"activation", "5"}}, {{.wanted_workers = 6}}));
}

TEST(Activity, LastsAsLongAsJobsRunWhateverTheMetricSays) {
  for (const Metric& metric : Metrics()) {
    const Metadata metadata = {
        {"metric", std::string(metric.name)}, {"target", "1"}, {"activation", "100"}};
    EXPECT_TRUE(Active(metadata, {{.running = 1}})) << metric.name;
  }
}

TEST(Activity, BeginsWithWaitingJobsThatNobodyDrains) {
  const Reading stuck{{.waiting = 1}, Flow{.arrivals = 0.1}};
  EXPECT_TRUE(Active({{"metric", "drain_seconds"}, {"target", "60"}}, stuck));
  EXPECT_FALSE(Active({{"metric", "drain_seconds"}, {"target", "60"}},
                      {{.waiting = 1, .held_back = 1}, Flow{}}));
}

}  // namespace
}  // namespace twofold::scalers
