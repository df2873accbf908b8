#include "lib/load/window.h"

#include <gtest/gtest.h>

#include <cmath>

namespace twofold::load {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Instant kWindowStart = Instant() + seconds(1000);

JobEntry Job(Instant sent, Instant ended, v1::Outcome outcome = v1::OUTCOME_SUCCEEDED) {
  return {.planned = sent, .sent = sent, .ended = ended, .run = ended - sent, .outcome = outcome};
}

constexpr v1::Outcome kFailed = v1::OUTCOME_FAILED;

Snapshot Describe(const Window& window, Instant now, const InFlight& in_flight = {}) {
  Snapshot snapshot;
  window.Describe(now, in_flight, snapshot);
  return snapshot;
}

stats::Histogram RoundTrip(const Snapshot& snapshot) { return snapshot.times.from_send.ended; }

TEST(Window, KnowsNothingAtItsStart) {
  const Snapshot seen = Describe(Window(kWindowStart), kWindowStart);
  EXPECT_EQ(seen.estimate.throughput, 0.0);
  EXPECT_FALSE(seen.estimate.steady);
  EXPECT_FALSE(RoundTrip(seen).Min());
}

TEST(Window, AJobSubmittedBeforeCountsButIsNotInTheLatencies) {
  Window window(kWindowStart);
  window.places().Find("n", "p", "");
  window.Ended(Job(kWindowStart - seconds(1), kWindowStart + seconds(1)), "");
  window.Ended(Job(kWindowStart - seconds(1), kWindowStart + seconds(1), kFailed), "exit code 1");
  const Snapshot seen = Describe(window, kWindowStart + seconds(2));
  EXPECT_EQ(seen.estimate.succeeded, 1U);
  EXPECT_EQ(seen.estimate.failed, 1U);
  EXPECT_EQ(seen.places.front().succeeded, 1U);
  EXPECT_FALSE(RoundTrip(seen).Max());
}

TEST(Window, AJobSubmittedBeforeCountsForThroughputByItsShare) {
  Window window(kWindowStart);
  window.places().Find("n", "p", "");
  window.Ended(Job(kWindowStart - seconds(3), kWindowStart + seconds(1)), "");
  EXPECT_NEAR(Describe(window, kWindowStart + seconds(1)).estimate.throughput, 0.25, 1e-6);
}

TEST(Window, AJobSubmittedAtItsStartIsInTheLatencies) {
  Window window(kWindowStart);
  window.places().Find("n", "p", "");
  window.Ended(Job(kWindowStart, kWindowStart + milliseconds(5)), "");
  EXPECT_EQ(RoundTrip(Describe(window, kWindowStart + seconds(1))).Max(), milliseconds(5));
}

TEST(Window, WorkersThatDifferShowInTheSpreadWhateverTheWait) {
  Window window(kWindowStart);
  for (const char* pod : {"p1", "p2"}) window.places().Find("n", pod, "");
  for (int i = 0; i < 4; ++i) {
    // The second takes 10 % longer, and what either waits is not its own.
    JobEntry one = Job(kWindowStart, kWindowStart + milliseconds(1000));
    JobEntry other = Job(kWindowStart, kWindowStart + milliseconds(1600));
    other.wait = milliseconds(500);
    other.place = 1;
    window.Ended(one, "");
    window.Ended(other, "");
  }
  const Snapshot seen = Describe(window, kWindowStart + seconds(2));
  EXPECT_EQ(seen.spread.degrees, 1.0);
  EXPECT_NEAR(std::sqrt(seen.spread.variance), std::log(1.1) / std::sqrt(2.0), 1e-6);
  EXPECT_EQ(seen.measured.groups, 2U);  // each job is credited to its worker
}

TEST(Window, AWaitLongerThanTheRoundTripIsNotBelieved) {
  Window window(kWindowStart);
  for (const char* pod : {"p1", "p2"}) window.places().Find("n", pod, "");
  for (const std::uint32_t place : {0U, 1U, 0U, 1U}) {
    JobEntry job = Job(kWindowStart, kWindowStart + seconds(1));
    job.wait = place == 0 ? Duration::max() : Duration(0);
    job.place = place;
    window.Ended(job, "");
  }
  EXPECT_EQ(Describe(window, kWindowStart + seconds(2)).spread.variance, 0.0);
}

TEST(Window, FailedJobsAreNotInTheLatencies) {
  Window window(kWindowStart);
  window.places().Find("n", "p", "");
  window.Ended(Job(kWindowStart, kWindowStart + milliseconds(5), kFailed), "exit code 1");
  const Snapshot seen = Describe(window, kWindowStart + seconds(1));
  EXPECT_FALSE(RoundTrip(seen).Max());
  EXPECT_EQ(seen.errors.at("exit code 1"), 1U);
}

TEST(Window, RejectedJobsAreCountedApart) {
  Window window(kWindowStart);
  window.Refused("the queue is full");
  const Snapshot seen = Describe(window, kWindowStart + seconds(1));
  EXPECT_EQ(seen.refused, 1U);
  EXPECT_EQ(seen.estimate.failed, 0U);
  EXPECT_EQ(seen.errors.at("the queue is full"), 1U);
}

// One lane of jobs of a second, seen for a minute.
Window Steady() {
  Window window(kWindowStart);
  window.places().Find("n", "p", "");
  for (int i = 0; i < 60; ++i) {
    window.Ended(Job(kWindowStart + seconds(i), kWindowStart + seconds(i + 1)), "");
  }
  return window;
}

TEST(Window, IsSteadyWhenNothingDisturbsIt) {
  const Snapshot seen = Describe(Steady(), kWindowStart + seconds(60));
  EXPECT_TRUE(seen.estimate.steady) << seen.estimate.reason;
  EXPECT_NEAR(seen.estimate.throughput, 1.0, 1e-6);
}

TEST(Window, IsNotSteadyAfterAnInterruption) {
  Window window = Steady();
  window.Interrupted();
  const Snapshot seen = Describe(window, kWindowStart + seconds(60));
  EXPECT_FALSE(seen.estimate.steady);
  EXPECT_EQ(seen.estimate.reason, "interrupted: the frontend was lost 1 time in this window");
  EXPECT_EQ(seen.interruptions, 1U);
}

TEST(Window, IsNotSteadyWhenParallelismChanges) {
  Window window = Steady();
  window.ParallelismChanged();
  const Snapshot seen = Describe(window, kWindowStart + seconds(60));
  EXPECT_FALSE(seen.estimate.steady);
  EXPECT_EQ(seen.estimate.reason, "the parallelism was changed in this window");
}

}  // namespace
}  // namespace twofold::load
