// What a worker does that its frontend cannot hear.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "backend/agent/silence.h"
#include "tests/backend/agent/agent_fixture.h"
#include "tests/support/program.h"

namespace twofold::backend {
namespace {

using std::chrono::seconds;
using ::testing::SizeIs;

TEST(Silence, IsOverAfterTheLeaseWithAStream) {
  Silence silence;
  const Instant begin{};
  silence.Spoke(begin);
  EXPECT_FALSE(silence.IsOver(begin + std::chrono::hours(1))) << "no frontend has said a lease";
  silence.SetLimits(seconds(15), seconds(10));
  silence.Spoke(begin);
  EXPECT_FALSE(silence.IsOver(begin + seconds(15) - Duration(1)));
  EXPECT_TRUE(silence.IsOver(begin + seconds(15))) << "the process was stopped";
  silence.Spoke(begin + seconds(20));
  EXPECT_FALSE(silence.IsOver(begin + seconds(34)));
}

TEST(Silence, IsOverAfterTheGracePeriodWithoutAStream) {
  Silence silence;
  const Instant begin{};
  silence.SetLimits(seconds(15), seconds(10));
  silence.Spoke(begin);
  silence.Broke(begin + seconds(5));
  EXPECT_FALSE(silence.IsOver(begin + seconds(14)));
  EXPECT_TRUE(silence.IsOver(begin + seconds(15)));
}

TEST(Silence, IsNeverLongerThanTheLease) {
  Silence silence;
  for (const Duration grace : {Duration(seconds(30)), Duration::zero()}) {
    silence.SetLimits(seconds(15), grace);
    silence.Broke(Instant{});
    EXPECT_EQ(silence.limit(), seconds(15));
  }
}

/// An agent whose jobs run for ever, and write a file when they are stopped.
class FenceTest : public AgentTest {
 protected:
  static constexpr const char* kJob =
      R"(trap 'touch "$1/$TWOFOLD_JOB"; exit 0' TERM; touch "$1/on$TWOFOLD_JOB";)"
      " while :; do sleep 0.01; done";

  FenceTest() { durable_.set_durable(true); }

  /// Runs job 1, durable, and job 2 with a frontend whose grace period is short, and which goes
  /// away.
  void RunAlone(SelfFence self_fence) {
    options_.self_fence = self_fence;
    agent_.emplace(options_, kJob, folder_ / "");
    const auto stream = frontend_.Accept();
    stream->Receive();
    v1::FrontendMessage message;
    message.mutable_welcome()->set_lease_ns(3'600'000'000'000);
    message.mutable_welcome()->set_grace_ns(50'000'000);
    stream->Send(message);
    stream->SendAssigns(1, 1, durable_);
    stream->SendAssigns(2, 1);
    Await("on1");
    Await("on2");
    Break(*stream);
  }
  void Await(const std::string& name) {
    EXPECT_TRUE(testing::Await([&] { return std::filesystem::exists(folder_ / name); })) << name;
  }

  AgentOptions options_ = Options();
  v1::JobOptions durable_;
  testing::TempDir folder_;
  std::optional<RunningAgent> agent_;
};

TEST_F(FenceTest, DurableJobsEndWhenTheFrontendMayHaveGivenThemToOthers) {
  RunAlone(SelfFence::kDurable);
  Await("1");
  const auto again = frontend_.Accept();
  again->Welcome();
  const auto results = again->HearResults(1).results;
  EXPECT_EQ(results[0].job, 1U);
  EXPECT_TRUE(results[0].handed_back);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "2")) << "it is volatile";
  again->SendKept(1);
  again->SendCancel(2);
  EXPECT_EQ(again->HearResults(2).results[1].job, 2U);
}

TEST_F(FenceTest, AllJobsEndIfAskedFor) {
  RunAlone(SelfFence::kAll);
  Await("1");
  Await("2");
  const auto again = frontend_.Accept();
  again->Welcome();
  EXPECT_THAT(again->HearResults(2).results, SizeIs(2));
  again->SendKept(1);
}

TEST_F(FenceTest, ProcessThatIsBackInTimeStopsNothing) {
  options_.self_fence = SelfFence::kAll;
  agent_.emplace(options_, kJob, folder_ / "");
  auto stream = frontend_.Accept();
  stream->Welcome();
  stream->SendAssigns(1, 1);
  Await("on1");
  Break(*stream);
  stream = frontend_.Accept();
  EXPECT_THAT(stream->Welcome().held_jobs(), SizeIs(1));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "1"));
  stream->SendCancel(1);
  EXPECT_EQ(stream->HearResults(1).results[0].outcome, v1::OUTCOME_CANCELLED);
}

}  // namespace
}  // namespace twofold::backend
