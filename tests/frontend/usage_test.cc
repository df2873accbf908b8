#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "frontend/queues/usage_record.h"
#include "tests/frontend/frontend_fixture.h"

namespace twofold::frontend {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::SizeIs;

v1::Usage Used(double cpu, double throttled, double uptime) {
  const auto ns = [](double value) { return static_cast<std::uint64_t>(value * 1e9); };
  v1::Usage usage;
  usage.set_cpu_ns(ns(cpu));
  usage.set_throttled_ns(ns(throttled));
  usage.set_uptime_ns(ns(uptime));
  return usage;
}

TEST(UsageRecord, CountsWhatIsNewSinceTheLastReport) {
  const Instant start{};
  UsageRecord record;
  record.Joined(start);
  EXPECT_EQ(record.newest(), nullptr);
  EXPECT_EQ(record.Take(Used(1, 0.5, 2), start + seconds(2)).cpu, seconds(1));
  const WorkerUsage added = record.Take(Used(4, 1.5, 7), start + seconds(7));
  EXPECT_EQ(added.cpu, seconds(3));
  EXPECT_EQ(added.throttled, seconds(1));
  EXPECT_EQ(added.reported, seconds(5));
  EXPECT_EQ(record.newest()->cpu_ns(), 4'000'000'000U);
}

TEST(UsageRecord, LeavesOutWhatWasUsedBeforeTheProcessCame) {
  const Instant start{};
  UsageRecord record;
  record.Joined(start);
  const WorkerUsage added = record.Take(Used(1000, 0, 10'000), start + seconds(10));
  EXPECT_EQ(added.cpu, seconds(1));
  EXPECT_EQ(added.reported, seconds(10));
}

TEST(UsageRecord, ComesBackAsItWentAfterAReconnect) {
  const Instant start{};
  UsageRecord record;
  record.Joined(start);
  record.Take(Used(1, 0, 2), start + seconds(2));
  record.Joined(start + seconds(5));
  EXPECT_EQ(record.Take(Used(3, 0, 6), start + seconds(6)).cpu, seconds(2));
}

TEST(UsageRecord, NeverGoesBackNorBeyondReason) {
  const Instant start{};
  UsageRecord record;
  record.Joined(start);
  record.Take(Used(5, 1, 10), start + seconds(10));
  EXPECT_EQ(record.Take(Used(4, 0, 9), start + seconds(11)).cpu, Duration(0));
  v1::Usage absurd = Used(0, 0, 0);
  absurd.set_cpu_ns(std::numeric_limits<std::uint64_t>::max());
  absurd.set_cpu_quota(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(record.Take(absurd, start + seconds(12)).cpu, Duration(0));
  EXPECT_FALSE(record.newest()->has_cpu_quota());
}

class UsageTest : public FrontendTest {
 protected:
  void Say(testing::WorkerStream& worker, const v1::Usage& usage) {
    v1::WorkerMessage message;
    *message.mutable_usage() = usage;
    worker.Say(message);
  }

  void AwaitMetric(const std::string& text) {
    for (int i = 0; i < 3000; ++i) {
      if (Get("/metrics").body.find(text) != std::string::npos) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ADD_FAILURE() << text << " is not in\n" << Get("/metrics").body;
  }
};

TEST_F(UsageTest, OfAllWorkersIsSummedAndStaysWhenTheyLeave) {
  Serve();
  const auto one = NewWorker();
  one->Join("sleep", 1, 1);
  v1::Usage usage = Used(1.5, 0.25, 0);  // as if it had just started
  usage.set_cpu_quota(0.5);
  Say(*one, usage);
  {
    const auto other = NewWorker();
    other->Join("sleep", 2, 1);
    Say(*other, Used(2, 0, 0));
    AwaitMetric("twofold_worker_cpu_seconds_total{queue=\"sleep\"} 3.5\n");
  }
  AwaitMetric("twofold_worker_processes{queue=\"sleep\"} 1\n");
  AwaitMetric("twofold_worker_cpu_seconds_total{queue=\"sleep\"} 3.5\n");
  AwaitMetric("twofold_worker_throttled_seconds_total{queue=\"sleep\"} 0.25\n");
  AwaitMetric("twofold_worker_cpu_seconds_total{queue=\"media\"} 0\n");
}

TEST_F(UsageTest, IsShownWithEachWorkerThatHasSaidIt) {
  Serve();
  const auto silent = NewWorker();
  silent->Join("sleep", 1, 1);
  const auto worker = NewWorker();
  worker->Join("sleep", 2, 1);
  v1::Usage usage = Used(1.5, 0.25, 0);
  usage.clear_throttled_ns();
  usage.set_cpu_quota(0.5);
  Say(*worker, usage);
  AwaitMetric("twofold_worker_cpu_seconds_total{queue=\"sleep\"} 1.5\n");
  const std::string json = Get("/api/v1/workers").body;
  EXPECT_THAT(json,
              HasSubstr(R"("usage":{"cpu_seconds":1.5,"cpu_quota":0.5,"uptime_seconds":0.0})"));
  EXPECT_EQ(json.find("\"usage\""), json.rfind("\"usage\""));  // once
}

}  // namespace
}  // namespace twofold::frontend
