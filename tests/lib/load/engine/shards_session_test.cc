#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "lib/common/mutex.h"
#include "lib/load/engine/session.h"
#include "tests/fakes/fake_frontend.h"

namespace twofold::load {
namespace {

using fakes::FakeBehaviour;
using fakes::FakeEnd;
using fakes::FakeFrontend;
using fakes::Hold;
using fakes::Succeed;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;

constexpr std::uint64_t kParallelism = 20;

/// Notes the queues that jobs name.
class Queues {
 public:
  /// As `behaviour`, which notes them as well.
  FakeBehaviour Noted(FakeBehaviour behaviour) {
    return [this, behaviour](const v1::JobOptions& options, std::string_view spec) {
      const MutexLock lock(mutex_);
      names_.insert(options.queue());
      return behaviour(options, spec);
    };
  }

  std::set<std::string> names() {
    const MutexLock lock(mutex_);
    return names_;
  }

 private:
  Mutex mutex_;
  std::set<std::string> names_ ABSL_GUARDED_BY(mutex_);
};

/// A queue with two shards: `first` is the first contact and serves sleep, `second` sleep/1.
class ShardsSessionTest : public testing::Test {
 protected:
  ShardsSessionTest() {
    first.HasShards(2);
    first.SendOn("sleep/1", ToSecond());
  }

  fakes::FakeMove ToSecond() const {
    return {.epoch = 4, .addresses = {second->address()}, .queue = "sleep/1"};
  }

  void Start(std::uint32_t parallelism) {
    JobTemplate job;
    job.options.set_queue("sleep");
    session = std::make_unique<Session>(first.address(), job, generator);
    session->Start();
    generator.SetParallelism(parallelism);
  }

  /// Looks until `condition()` holds; false: it did not within 20 seconds.
  template <typename Condition>
  static bool Eventually(Condition condition) {
    const Instant deadline = Now() + seconds(20);
    while (Now() < deadline) {
      if (condition()) return true;
      std::this_thread::sleep_for(milliseconds(2));  // between looks
    }
    return false;
  }

  /// Both frontends hold jobs, `kParallelism` together, and an equal share each.
  bool AwaitShares() {
    return Eventually([&] {
      first.Release();
      const std::size_t share = second->held().size();
      return share == kParallelism / 2 &&
             first.Await([](std::uint64_t, std::size_t held) { return held == kParallelism / 2; });
    });
  }

  bool Goes(const FakeFrontend& frontend, std::uint64_t jobs = 1000) const {
    return Eventually(
        [&, before = frontend.received()] { return frontend.received() > before + jobs; });
  }

  Generator generator{"sleep", "fake", Now()};
  Queues first_queues;
  Queues second_queues;
  FakeFrontend first{first_queues.Noted(Hold())};
  std::unique_ptr<FakeFrontend> second =
      std::make_unique<FakeFrontend>(second_queues.Noted(Hold()));
  std::unique_ptr<Session> session;  // goes first
};

TEST_F(ShardsSessionTest, BothShardsGetTheirShareOfTheParallelism) {
  Start(kParallelism);
  ASSERT_TRUE(AwaitShares());
  EXPECT_THAT(first_queues.names(), ElementsAre("sleep"));
  EXPECT_THAT(second_queues.names(), ElementsAre("sleep/1"));
  EXPECT_THAT(second->epochs(), ElementsAre(4));
  const Snapshot seen = generator.Look();
  EXPECT_EQ(seen.pending, kParallelism);
  EXPECT_EQ(seen.link, Link::kConnected);
  EXPECT_EQ(seen.interruptions, 0U);
}

TEST_F(ShardsSessionTest, ManyRoundTripsOverBothLoseAndDoubleNothing) {
  first.Behave(Succeed());
  second->Behave(Succeed());
  Start(200);
  ASSERT_TRUE(Goes(first));
  ASSERT_TRUE(Goes(*second));
  session->Stop(seconds(20));
  const Snapshot seen = generator.Look();
  EXPECT_EQ(seen.pending, 0U);
  EXPECT_EQ(seen.totals.unknown_answers, 0U);
  EXPECT_EQ(seen.totals.finished[v1::OUTCOME_SUCCEEDED], first.received() + second->received());
}

TEST_F(ShardsSessionTest, WhileAShardIsAwayTheOthersGoOn) {
  Start(kParallelism);
  ASSERT_TRUE(AwaitShares());
  const std::set<std::uint64_t> waiting = second->held();
  const int port = second->port();
  second.reset();
  ASSERT_TRUE(Eventually([&] { return generator.Look().link == Link::kReconnecting; }));
  first.Behave(Succeed());
  first.Release();
  ASSERT_TRUE(Goes(first));
  EXPECT_EQ(generator.outstanding(), kParallelism);
  second = std::make_unique<FakeFrontend>(second_queues.Noted(Hold()), port);
  ASSERT_TRUE(Eventually([&] {
    const std::set<std::uint64_t> held = second->held();
    return std::includes(held.begin(), held.end(), waiting.begin(), waiting.end());
  }));
  const Snapshot seen = generator.Look();
  EXPECT_EQ(seen.interruptions, 1U);
  ASSERT_EQ(seen.spoiled.size(), 1U);
  EXPECT_EQ(seen.spoiled[0].trouble, Trouble::kLink);
}

TEST_F(ShardsSessionTest, JobsThatBelongToAShardGoThereFromThenOn) {
  first.HasShards(0);  // the name alone says it
  first.SendOn("sleep", ToSecond());
  second->Behave(second_queues.Noted(Succeed()));
  Start(3);
  ASSERT_TRUE(Goes(*second));
  EXPECT_EQ(first.received(), 0U);
  EXPECT_THAT(second_queues.names(), ElementsAre("sleep/1"));
  EXPECT_TRUE(Eventually([&] { return first.open_streams() == 1; }));  // that of sleep stays
  EXPECT_EQ(generator.Look().interruptions, 0U);
}

TEST_F(ShardsSessionTest, AShardThatMovesIsFollowedAlone) {
  Start(kParallelism);
  ASSERT_TRUE(AwaitShares());
  FakeFrontend third(Hold());
  const std::set<std::uint64_t> tags = second->held();
  fakes::FakeMove move{.epoch = 5, .addresses = {third.address()}, .queue = "sleep/1"};
  second->Move(move, {tags.begin(), tags.end()});
  ASSERT_TRUE(Eventually([&] { return third.held() == tags; }));
  EXPECT_THAT(third.epochs(), ElementsAre(5));
  EXPECT_EQ(first.held().size(), kParallelism / 2);
  EXPECT_EQ(generator.Look().interruptions, 0U);
}

TEST_F(ShardsSessionTest, ARateGoesOnWhileAShardIsAway) {
  first.Behave(Succeed());
  second->Behave(Succeed());
  Start(0);
  const Profile rate = RateProfile(2000, Arrivals::kConstant, kForever, 1);
  ASSERT_TRUE(generator.SetProfile(std::make_shared<const Profile>(rate)).ok());
  ASSERT_TRUE(Goes(*second, 100));
  second.reset();
  EXPECT_TRUE(Goes(first));
}

TEST_F(ShardsSessionTest, StopWaitsForTheAnswersOfAllShards) {
  Start(kParallelism);
  ASSERT_TRUE(AwaitShares());
  first.Behave(Succeed());  // those that come before Stop is heard
  second->Behave(Succeed());
  std::thread stopper([this] { session->Stop(seconds(20)); });
  first.Release();
  second->Release();
  stopper.join();
  EXPECT_EQ(generator.outstanding(), 0U);
  EXPECT_EQ(generator.Look().totals.unknown_answers, 0U);
}

TEST_F(ShardsSessionTest, StopEndsAllShardsWhenNobodyAnswers) {
  Start(kParallelism);
  ASSERT_TRUE(AwaitShares());
  session->Stop(milliseconds(50));
  EXPECT_EQ(generator.outstanding(), kParallelism);
}

TEST_F(ShardsSessionTest, TooManyShardsAreABadBatch) {
  first.HasShards(257);
  Start(2);
  ASSERT_TRUE(Eventually([&] { return generator.Look().totals.interruptions > 0; }));
  EXPECT_EQ(second->open_streams(), 0U);
  first.HasShards(1);
  EXPECT_TRUE(first.Await([](std::uint64_t, std::size_t held) { return held == 2; }));
}

TEST_F(ShardsSessionTest, AMoveToNoShardIsABadBatch) {
  first.SendOn("sleep", {.epoch = 4, .addresses = {second->address()}, .queue = "sleep/01"});
  Start(2);
  ASSERT_TRUE(Eventually([&] { return generator.Look().totals.interruptions > 0; }));
  first.Own();
  EXPECT_TRUE(Eventually([&] { return first.received() >= 2; }));
}

}  // namespace
}  // namespace twofold::load
