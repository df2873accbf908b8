#include "bench/peers/client_load.h"

#include <gtest/gtest.h>

#include <vector>

namespace twofold::bench {
namespace {

using std::chrono::milliseconds;

constexpr Instant kStart{};

Cell ClosedLoop(int connections, int outstanding) {
  return {.peer = "any",
          .test = TestKind::kRoundTrips,
          .connections = connections,
          .outstanding = outstanding};
}

Cell OpenLoop(double rate) {
  return {.peer = "any", .test = TestKind::kOpenLoop, .connections = 1, .rate = rate};
}

class ClientLoadTest : public testing::Test {
 protected:
  static std::vector<std::string> TakeDue(ClientLoad& load, Instant now) {
    std::vector<std::string> jobs;
    for (std::string_view job = load.Next(now); !job.empty(); job = load.Next(now)) {
      jobs.emplace_back(job);
    }
    return jobs;
  }

  std::atomic<Phase> phase_ = Phase::kMeasure;
};

TEST_F(ClientLoadTest, ClosedLoopKeepsItsShareInFlight) {
  ClientLoad load(ClosedLoop(2, 5), 0, kStart, phase_);
  const auto jobs = TakeDue(load, kStart);
  ASSERT_EQ(jobs.size(), 3U);
  EXPECT_EQ(load.in_flight(), 3U);
  load.Finish(jobs[1], kStart);
  EXPECT_EQ(TakeDue(load, kStart).size(), 1U);
  EXPECT_EQ(load.NextDue(), Instant::max());
}

TEST_F(ClientLoadTest, SharesAddUp) {
  EXPECT_EQ(ShareOf(5, 2, 0) + ShareOf(5, 2, 1), 5);
  EXPECT_EQ(ShareOf(1, 8, 0), 1);
  EXPECT_EQ(ShareOf(1, 8, 1), 0);
}

TEST_F(ClientLoadTest, MeasuresFromTheSend) {
  ClientLoad load(ClosedLoop(1, 1), 0, kStart, phase_);
  load.Finish(TakeDue(load, kStart).at(0), kStart + milliseconds(3));
  ASSERT_EQ(load.times().Count(), 1U);
  EXPECT_EQ(*load.times().Max(), milliseconds(3));
}

TEST_F(ClientLoadTest, ResultsCountOnlyWhileMeasuring) {
  ClientLoad load(ClosedLoop(1, 2), 0, kStart, phase_);
  const auto jobs = TakeDue(load, kStart);
  phase_ = Phase::kWarmUp;
  load.Finish(jobs[0], kStart);
  phase_ = Phase::kDrain;
  load.Finish(jobs[1], kStart);
  EXPECT_EQ(load.times().Count(), 0U);
  EXPECT_EQ(load.in_flight(), 0U);
  EXPECT_EQ(load.wrong(), 0U);
}

TEST_F(ClientLoadTest, SubmitsNothingWhileDraining) {
  ClientLoad closed(ClosedLoop(1, 2), 0, kStart, phase_);
  ClientLoad open(OpenLoop(1000), 0, kStart, phase_);
  phase_ = Phase::kDrain;
  EXPECT_TRUE(closed.Next(kStart).empty());
  EXPECT_TRUE(open.Next(kStart + milliseconds(100)).empty());
  EXPECT_EQ(open.NextDue(), Instant::max());
}

TEST_F(ClientLoadTest, FindsADoubledResult) {
  ClientLoad load(ClosedLoop(1, 3), 0, kStart, phase_);
  const auto jobs = TakeDue(load, kStart);
  load.Finish(jobs[0], kStart);
  load.Finish(jobs[0], kStart);  // the oldest one: its number is gone
  load.Finish(jobs[2], kStart);
  load.Finish(jobs[2], kStart);  // its number is still there, as the one before is open
  EXPECT_EQ(load.wrong(), 2U);
  EXPECT_EQ(load.in_flight(), 1U);
  EXPECT_EQ(load.times().Count(), 2U);
}

TEST_F(ClientLoadTest, FindsAResultThatIsNotWhatWasSent) {
  ClientLoad load(ClosedLoop(2, 2), 0, kStart, phase_);
  ClientLoad other(ClosedLoop(2, 2), 1, kStart, phase_);
  std::string job(load.Next(kStart));
  load.Finish(other.Next(kStart), kStart);
  load.Finish(std::string_view(job).substr(1), kStart);
  job.back() = 'y';
  load.Finish(job, kStart);
  load.Finish("", kStart);
  EXPECT_EQ(load.wrong(), 4U);
  EXPECT_EQ(load.in_flight(), 1U);
}

TEST_F(ClientLoadTest, OpenLoopSubmitsByPlanWhateverIsInFlight) {
  ClientLoad load(OpenLoop(1000), 0, kStart, phase_);
  const Instant first = load.NextDue();
  EXPECT_TRUE(load.Next(first - Duration(1)).empty());
  EXPECT_FALSE(load.Next(first).empty());
  EXPECT_GT(load.NextDue(), first);
  EXPECT_NEAR(static_cast<double>(TakeDue(load, kStart + std::chrono::seconds(1)).size()), 1000,
              160);
}

TEST_F(ClientLoadTest, OpenLoopMeasuresFromThePlannedInstant) {
  ClientLoad load(OpenLoop(1000), 0, kStart, phase_);
  const Instant planned = load.NextDue();
  const std::string job(load.Next(planned + milliseconds(5)));
  load.Finish(job, planned + milliseconds(7));
  EXPECT_EQ(*load.times().Max(), milliseconds(7));
}

TEST_F(ClientLoadTest, CountsLateSends) {
  ClientLoad load(OpenLoop(1000), 0, kStart, phase_);
  load.Next(load.NextDue() + kLateSend);
  EXPECT_EQ(load.late(), 0U);
  load.Next(load.NextDue() + kLateSend + Duration(1));
  EXPECT_EQ(load.late(), 1U);
  EXPECT_EQ(load.sends(), 2U);
}

}  // namespace
}  // namespace twofold::bench
