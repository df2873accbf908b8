#include "bench/cluster/world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace twofold::scale {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr WorldOptions kSmall = {.frontends = 4, .queues = 8, .workers = 1000};

WorldOptions With(Duration grace) {
  WorldOptions options = kSmall;
  options.grace = grace;
  return options;
}

Duration Longest(const std::vector<Duration>& values) {
  return values.empty() ? Duration{} : *std::max_element(values.begin(), values.end());
}

TEST(World, BeginsWithAnOwnerOfEachQueueAndAJobOfEachWorker) {
  const World world(kSmall);
  EXPECT_EQ(world.Complaint(), "");
  for (std::size_t i = 0; i < kSmall.frontends; ++i) {
    EXPECT_EQ(world.QueuesOf(i), 2U);
    EXPECT_EQ(world.WorkersOf(i), 250U);
    EXPECT_EQ(world.UnfinishedOf(i), 500U);
  }
}

TEST(World, JobsEndAsOftenAsTheirRunTimeSays) {
  World world(kSmall);
  world.Run(seconds(120));
  EXPECT_NEAR(static_cast<double>(world.ledger().ended), 2000, 120);
  EXPECT_EQ(world.Complaint(), "");
}

TEST(World, ComplainsWhileAQueueHasNoOwner) {
  World world(kSmall);
  world.LoseHost(1);
  world.Run(seconds(1));
  EXPECT_NE(world.Complaint(), "");
  EXPECT_EQ(world.WorkersAway(), 250U);
}

TEST(World, LostHostIsTakenOverAfterTheTtlAndWorkersKeepTheirAttempts) {
  World world(kSmall);
  world.LoseHost(1);
  world.Run(seconds(80));
  const Ledger& ledger = world.ledger();
  EXPECT_EQ(world.Complaint(), "");
  ASSERT_EQ(ledger.owned.size(), 2U);
  EXPECT_GE(Longest(ledger.owned), seconds(6));
  EXPECT_LE(Longest(ledger.owned), seconds(8));
  EXPECT_EQ(ledger.back.size(), 250U);
  EXPECT_GE(Longest(ledger.back), TimeOf(Cost::kBreakLeast));
  EXPECT_EQ(ledger.given_up, 0U);
  EXPECT_EQ(ledger.second_tries, 0U);
}

// So the check above can fail.
TEST(World, ShortGracePeriodLosesAttempts) {
  World world(With(seconds(1)));
  world.LoseHost(1);
  world.Run(seconds(80));
  EXPECT_GT(world.ledger().given_up, 0U);
  EXPECT_GT(world.ledger().second_tries, 0U);
  EXPECT_EQ(world.Complaint(), "");
}

TEST(World, ProcessThatComesBackClaimsItsQueuesAtOnce) {
  World world(kSmall);
  world.Kill(2);
  world.Run(seconds(2));
  world.Start(2);
  world.Run(seconds(30));
  EXPECT_EQ(world.Complaint(), "");
  EXPECT_EQ(world.QueuesOf(2), 2U);
  EXPECT_LE(Longest(world.ledger().owned), seconds(2) + milliseconds(50));
}

TEST(World, DrainedFrontendEndsWithoutQueuesAndBreaksNoStream) {
  World world(kSmall);
  world.Drain(0);
  world.Run(seconds(20));
  EXPECT_FALSE(world.frontends().IsUp(0));
  EXPECT_EQ(world.Complaint(), "");
  EXPECT_EQ(world.ledger().back.size(), 250U);
  EXPECT_EQ(world.ledger().unanswered, 0U);
  EXPECT_EQ(world.ledger().dials, 250U) << "each worker was sent to the next owner itself";
  EXPECT_EQ(world.ledger().second_tries, 0U);
}

TEST(World, ResultsWaitWhileTheDatabaseIsAwayAndQueuesStay) {
  World world(kSmall);
  world.SetDatabaseUp(false);
  world.Run(seconds(30));
  EXPECT_GT(world.ledger().results_waiting, 0U);
  EXPECT_EQ(world.ledger().suspended.size(), kSmall.queues);
  world.SetDatabaseUp(true);
  world.Run(seconds(10));
  EXPECT_EQ(world.ledger().results_waiting, 0U);
  EXPECT_EQ(world.ledger().resumed.size(), kSmall.queues);
  EXPECT_TRUE(world.ledger().owned.empty());
  EXPECT_EQ(world.Complaint(), "");
}

TEST(World, TlsCostsMore) {
  WorldOptions options = kSmall;
  options.tls = true;
  World plain(kSmall);
  World secure(options);
  for (World* world : {&plain, &secure}) {
    world->Drain(0);
    world->Run(seconds(20));
  }
  EXPECT_GT(Longest(secure.ledger().connect_cpu), Longest(plain.ledger().connect_cpu));
}

}  // namespace
}  // namespace twofold::scale
