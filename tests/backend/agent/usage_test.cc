#include <gtest/gtest.h>

#include <atomic>
#include <memory>

#include "tests/backend/agent/agent_fixture.h"

namespace twofold::backend {
namespace {

class UsageTest : public AgentTest {
 protected:
  AgentOptions Telling() {
    AgentOptions options = Options();
    options.cpu_use = [this] {
      ++looks_;
      return process::CpuUse{.cpu = Duration(7), .throttled = Duration(3), .quota = 0.5};
    };
    return options;
  }

  std::atomic<int> looks_ = 0;
};

TEST_F(UsageTest, ComesWithTheFirstResult) {
  RunningAgent agent(Telling(), Duration::zero());
  const auto stream = frontend_.Accept();
  stream->Welcome();
  stream->SendAssigns(1, 1);
  const auto message = stream->Receive();
  ASSERT_TRUE(message && message->has_usage());
  EXPECT_EQ(message->results().jobs_size(), 1);
  EXPECT_EQ(message->usage().cpu_ns(), 7U);
  EXPECT_EQ(message->usage().throttled_ns(), 3U);
  EXPECT_EQ(message->usage().cpu_quota(), 0.5);
  EXPECT_GT(message->usage().uptime_ns(), 0U);
}

TEST_F(UsageTest, ComesAtMostOnceASecondHoweverManyJobsEnd) {
  RunningAgent agent(Telling(), Duration::zero());
  const auto stream = frontend_.Accept();
  stream->Welcome();
  const Instant start = Now();
  for (std::uint64_t job = 1; job <= 500; ++job) {
    stream->SendAssigns(job, 1);
    stream->ReceiveResults(1);
  }
  EXPECT_GE(looks_, 1);
  EXPECT_LE(looks_, 1 + ToSeconds(Now() - start));
}

TEST_F(UsageTest, ComesWithHeartbeatsOfLongJobs) {
  RunningAgent agent(Telling(), kForever);
  const auto stream = frontend_.Accept();
  stream->Welcome(std::chrono::milliseconds(30));
  stream->SendAssigns(1, 1);
  const auto message = stream->Receive();
  ASSERT_TRUE(message.has_value());
  EXPECT_TRUE(message->has_usage());
}

TEST_F(UsageTest, OfAnIdleProcessIsNotEvenLookedAt) {
  RunningAgent agent(Telling(), Duration::zero());
  const auto stream = frontend_.Accept();
  stream->Welcome(std::chrono::milliseconds(30));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // ten heartbeats of a busy one
  EXPECT_EQ(looks_, 0);
}

TEST_F(UsageTest, IsLeftOutByAnAgentThatIsNotToldHowToLook) {
  RunningAgent agent(Options(), Duration::zero());
  const auto stream = frontend_.Accept();
  stream->Welcome();
  stream->SendAssigns(1, 1);
  const auto message = stream->Receive();
  ASSERT_TRUE(message.has_value());
  EXPECT_FALSE(message->has_usage());
}

}  // namespace
}  // namespace twofold::backend
