#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "lib/load/engine/session.h"
#include "tests/fakes/fake_frontend.h"

namespace twofold::load {
namespace {

using fakes::FakeFrontend;
using fakes::Hold;
using fakes::Succeed;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::SizeIs;

/// Looks until `condition()` holds; false: it did not within 20 seconds.
template <typename Condition>
bool Eventually(Condition condition) {
  const Instant deadline = Now() + seconds(20);
  while (Now() < deadline) {
    if (condition()) return true;
    std::this_thread::sleep_for(milliseconds(2));  // between looks
  }
  return false;
}

bool AwaitHeld(FakeFrontend& frontend, std::size_t count) {
  return frontend.Await([count](std::uint64_t, std::size_t held) { return held == count; });
}

std::vector<std::uint64_t> Some(const std::set<std::uint64_t>& tags, std::size_t count) {
  return {tags.begin(), std::next(tags.begin(), static_cast<std::ptrdiff_t>(count))};
}

/// A session whose first contact is `first`.
class MovedSessionTest : public testing::Test {
 protected:
  void Start(std::uint32_t parallelism, Duration left_patience = seconds(60)) {
    JobTemplate job;
    job.options.set_queue("sleep");
    SessionOptions options;
    options.left_patience = left_patience;
    session = std::make_unique<Session>(first.address(), job, generator, options);
    session->Start();
    generator.SetParallelism(parallelism);
  }

  /// Sends the load on from `first`, which holds it.
  void MoveTo(FakeFrontend& to, std::uint64_t epoch, const std::vector<std::uint64_t>& tags) {
    first.Move({.epoch = epoch, .addresses = {to.address()}}, tags);
  }

  std::uint64_t succeeded() const {
    return generator.Look().totals.finished[v1::OUTCOME_SUCCEEDED];
  }

  Generator generator{"sleep", "fake", Now()};
  FakeFrontend first{Hold()};
  std::unique_ptr<FakeFrontend> owner = std::make_unique<FakeFrontend>(Hold());
  std::unique_ptr<Session> session;  // goes first
};

TEST_F(MovedSessionTest, AllJobsGoToTheOwnerThatIsNamed) {
  first.Move({.epoch = 5, .addresses = {owner->address()}});
  Start(10);
  ASSERT_TRUE(AwaitHeld(*owner, 10));
  EXPECT_EQ(owner->received(), 10U);
  EXPECT_THAT(first.epochs(), ElementsAre(0));
  EXPECT_THAT(owner->epochs(), ElementsAre(5));
  EXPECT_EQ(first.received(), 0U);
  const Snapshot seen = generator.Look();
  EXPECT_EQ(seen.link, Link::kConnected);
  EXPECT_EQ(seen.interruptions, 0U);
  EXPECT_TRUE(Eventually([&] { return first.open_streams() == 0; }));
}

TEST_F(MovedSessionTest, WhatIsGivenBackMovesOnceAndWhatRunsEndsWhereItIs) {
  Start(10);
  ASSERT_TRUE(AwaitHeld(first, 10));
  const std::vector<std::uint64_t> given_back = Some(first.held(), 4);
  MoveTo(*owner, 5, given_back);
  ASSERT_TRUE(AwaitHeld(*owner, 4));
  EXPECT_THAT(owner->held(), testing::UnorderedElementsAreArray(given_back));
  EXPECT_EQ(first.held().size(), 6U);
  EXPECT_EQ(first.open_streams(), 1U);
  first.Release();
  ASSERT_TRUE(AwaitHeld(*owner, 10));  // six new ones
  EXPECT_EQ(owner->received(), 10U);
  EXPECT_EQ(succeeded(), 6U);
  EXPECT_TRUE(Eventually([&] { return first.open_streams() == 0; }));
  const Snapshot seen = generator.Look();
  EXPECT_EQ(seen.interruptions, 0U);
  EXPECT_THAT(seen.spoiled, SizeIs(0));
  EXPECT_EQ(seen.totals.unknown_answers, 0U);
}

TEST_F(MovedSessionTest, ManyMovesUnderLoadLoseAndDoubleNothing) {
  first.Behave(Succeed());
  owner->Behave(Succeed());
  Start(200);
  FakeFrontend* at = &first;
  FakeFrontend* next = owner.get();
  const auto serves = [](const FakeFrontend& frontend) {
    return Eventually(
        [&, before = frontend.received()] { return frontend.received() > before + 1000; });
  };
  for (std::uint64_t epoch = 1; epoch <= 10; ++epoch) {
    ASSERT_TRUE(serves(*at));
    next->Own();
    at->Move({.epoch = epoch, .addresses = {next->address()}});
    std::swap(at, next);
  }
  ASSERT_TRUE(serves(*at));
  session->Stop(seconds(20));
  const Snapshot seen = generator.Look();
  EXPECT_EQ(seen.pending, 0U);
  EXPECT_EQ(succeeded(), first.received() + owner->received());
  EXPECT_EQ(seen.totals.unknown_answers, 0U);
  EXPECT_EQ(seen.totals.interruptions, 0U);
}

TEST_F(MovedSessionTest, WhileNobodyServesTheFirstContactIsAskedAgain) {
  Start(5);
  ASSERT_TRUE(AwaitHeld(first, 5));
  const std::set<std::uint64_t> tags = first.held();
  first.Move({.epoch = 6}, Some(tags, 5));
  ASSERT_TRUE(Eventually([&] { return first.epochs().size() >= 3; }));
  EXPECT_EQ(first.received(), 5U);
  EXPECT_EQ(generator.Look().interruptions, 0U);
  first.Own();
  ASSERT_TRUE(AwaitHeld(first, 5));
  EXPECT_EQ(first.held(), tags);
  EXPECT_EQ(first.received(), 10U);
  EXPECT_THAT(first.epochs(), Each(0));
}

TEST_F(MovedSessionTest, FrontendsThatNameEachOtherEndInPauses) {
  first.Move({.epoch = 5, .addresses = {owner->address()}});
  owner->Move({.epoch = 5, .addresses = {first.address()}});
  const Instant begin = Now();
  Start(5);
  // Three hops, then a pause of up to 0.1 s, then of up to 0.2, 0.4 ... s.
  constexpr std::size_t kReturns = 5;
  ASSERT_TRUE(Eventually(
      [&] { return first.epochs().size() + owner->epochs().size() >= 4 * kReturns + 1; }));
  EXPECT_GT(Now() - begin, milliseconds(100));  // 1.5 s on average
  owner->Own();
  ASSERT_TRUE(AwaitHeld(*owner, 5));
  EXPECT_EQ(owner->received(), 5U);
  EXPECT_LE(first.open_streams() + owner->open_streams(), ShardSession::kMostLeft + 2);
}

TEST_F(MovedSessionTest, AfterTheOwnersDeathTheFirstContactKnowsTheNextOne) {
  FakeFrontend heir(Hold());
  first.Move({.epoch = 5, .addresses = {owner->address()}});
  Start(7);
  ASSERT_TRUE(AwaitHeld(*owner, 7));
  const std::set<std::uint64_t> tags = owner->held();
  first.Move({.epoch = 6, .addresses = {heir.address()}});
  owner.reset();
  ASSERT_TRUE(AwaitHeld(heir, 7));
  EXPECT_EQ(heir.held(), tags);
  EXPECT_THAT(heir.epochs(), ElementsAre(6));
  const Snapshot seen = generator.Look();
  EXPECT_EQ(seen.interruptions, 1U);
  ASSERT_THAT(seen.spoiled, SizeIs(1));
  EXPECT_EQ(seen.spoiled[0].trouble, Trouble::kLink);
}

TEST_F(MovedSessionTest, AnOwnerThatCannotBeReachedIsGivenUp) {
  first.Move({.epoch = 5, .addresses = {"127.0.0.1:1"}});
  Start(3);
  ASSERT_TRUE(Eventually([&] { return first.epochs().size() >= 2; }));
  EXPECT_EQ(generator.Look().totals.interruptions, 1U);
  first.Move({.epoch = 6, .addresses = {owner->address()}});
  EXPECT_TRUE(AwaitHeld(*owner, 3));
}

TEST_F(MovedSessionTest, AnOlderEpochDoesNotLeadAway) {
  first.Move({.epoch = 9, .addresses = {owner->address()}});
  owner->Move({.epoch = 3, .addresses = {first.address()}});
  Start(3);
  ASSERT_TRUE(Eventually([&] { return owner->epochs().size() >= 2; }));
  owner->Own();
  ASSERT_TRUE(AwaitHeld(*owner, 3));
  EXPECT_EQ(first.epochs().size(), 1U);
  EXPECT_THAT(owner->epochs(), Each(9));
}

TEST_F(MovedSessionTest, AnOldStreamThatNeverEndsIsGivenUp) {
  Start(5, milliseconds(100));
  ASSERT_TRUE(AwaitHeld(first, 5));
  const std::set<std::uint64_t> tags = first.held();
  MoveTo(*owner, 5, Some(tags, 2));
  ASSERT_TRUE(AwaitHeld(*owner, 5));
  EXPECT_EQ(owner->held(), tags);
  EXPECT_EQ(owner->received(), 5U);
  EXPECT_TRUE(Eventually([&] { return first.open_streams() == 0; }));
  EXPECT_EQ(generator.Look().interruptions, 1U);
  EXPECT_EQ(generator.Look().link, Link::kConnected);
}

TEST_F(MovedSessionTest, WhatRanOnAnOldStreamThatBreaksIsSubmittedAgain) {
  Start(5);
  ASSERT_TRUE(AwaitHeld(first, 5));
  const std::set<std::uint64_t> tags = first.held();
  MoveTo(*owner, 5, Some(tags, 2));
  ASSERT_TRUE(AwaitHeld(*owner, 2));
  first.EndStreams(absl::UnavailableError("drained"));
  ASSERT_TRUE(AwaitHeld(*owner, 5));
  EXPECT_EQ(owner->held(), tags);
  EXPECT_EQ(owner->received(), 5U);
  EXPECT_EQ(owner->epochs().size(), 1U);  // the new stream stays
}

TEST_F(MovedSessionTest, JobsOnAnOldStreamDoNotMoveWhenTheNewOneBreaks) {
  Start(5);
  ASSERT_TRUE(AwaitHeld(first, 5));
  MoveTo(*owner, 5, Some(first.held(), 2));
  ASSERT_TRUE(AwaitHeld(*owner, 2));
  const std::set<std::uint64_t> on_owner = owner->held();
  owner->EndStreams(absl::UnavailableError("restart"));
  ASSERT_TRUE(owner->Await(
      [](std::uint64_t received, std::size_t held) { return received == 4 && held == 2; }));
  EXPECT_EQ(owner->held(), on_owner);
  EXPECT_EQ(first.held().size(), 3U);
}

TEST_F(MovedSessionTest, AMoveOfAnotherQueueEndsTheStream) {
  Start(2);
  ASSERT_TRUE(AwaitHeld(first, 2));
  first.Move({.epoch = 5, .addresses = {owner->address()}, .queue = "media"});
  first.Own();
  ASSERT_TRUE(Eventually([&] { return first.epochs().size() >= 2; }));
  EXPECT_THAT(owner->epochs(), SizeIs(0));
  EXPECT_EQ(generator.Look().interruptions, 1U);
}

TEST_F(MovedSessionTest, StopWaitsForAnswersOnOldStreamsToo) {
  Start(5);
  ASSERT_TRUE(AwaitHeld(first, 5));
  MoveTo(*owner, 5, Some(first.held(), 2));
  ASSERT_TRUE(AwaitHeld(*owner, 2));
  owner->Behave(Succeed());  // those that come before Stop is heard
  std::thread stopper([this] { session->Stop(seconds(20)); });
  first.Release();
  owner->Release();
  stopper.join();
  EXPECT_EQ(generator.outstanding(), 0U);
  EXPECT_EQ(succeeded(), owner->received() + 3);
}

TEST_F(MovedSessionTest, StopEndsOldStreamsThatDoNot) {
  Start(5);
  ASSERT_TRUE(AwaitHeld(first, 5));
  MoveTo(*owner, 5, {});
  ASSERT_TRUE(Eventually([&] { return owner->open_streams() == 1; }));
  session->Stop(milliseconds(50));
  EXPECT_EQ(generator.outstanding(), 5U);
}

}  // namespace
}  // namespace twofold::load
