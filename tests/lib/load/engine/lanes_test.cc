#include "lib/load/engine/lanes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <optional>
#include <vector>

namespace twofold::load {
namespace {

constexpr Instant kLanesBegin = Instant(std::chrono::seconds(7));
constexpr Instant kLater = Instant(std::chrono::seconds(9));

/// Counts what it gets.
class CountingSink final : public JobSink {
 public:
  void Add(std::span<const LoadLoop::Tag> tags, const JobTemplate*) override {
    batches.push_back(tags.size());
  }
  void Flush() override { ++flushes; }

  std::vector<std::size_t> batches;
  int flushes = 0;
};

std::shared_ptr<CountingSink> Connect(Lanes& lanes, Lanes::Number lane) {
  auto sink = std::make_shared<CountingSink>();
  lanes.Connected(lane, sink, kLanesBegin);
  return sink;
}

void Send(LoadLoop& loop, Lanes::Number lane, int count) {
  for (int i = 0; i < count; ++i) loop.Send(kLanesBegin, kLanesBegin, 0, lane);
}

TEST(Lanes, TheNextJobGoesToTheFirstOfThoseWithTheFewestThatAreUp) {
  Lanes lanes;
  lanes.Open(3);
  for (const Lanes::Number lane : std::vector<Lanes::Number>{0, 1, 3}) Connect(lanes, lane);
  LoadLoop loop;
  EXPECT_EQ(lanes.Choose(loop, 0), 0);
  EXPECT_EQ(lanes.Choose(loop, 1), 1);
  EXPECT_EQ(lanes.Choose(loop, 2), 3);
  Send(loop, 3, 1);
  EXPECT_EQ(lanes.Choose(loop, 2), 0);
  Send(loop, 0, 2);
  EXPECT_EQ(lanes.Choose(loop, 0), 1);
  Send(loop, 1, 2);
  EXPECT_EQ(lanes.Choose(loop, 0), 3);
  lanes.Close(3);
  EXPECT_EQ(lanes.Choose(loop, 2), 0);
}

TEST(Lanes, JobsAreHandedOverByKindToTheStreamsThatGetAny) {
  Lanes lanes;
  lanes.Open(2);
  Kinds kinds;
  Profile profile;
  profile.jobs.emplace_back().job.spec = "1";
  ASSERT_EQ(*kinds.Of(profile), std::vector<std::uint32_t>{1});
  const auto first = Connect(lanes, 0);
  const auto second = Connect(lanes, 1);
  for (const std::size_t kind : {0U, 1U, 1U, 0U, 0U}) lanes.Jobs(1, kind).push_back(42);
  lanes.Jobs(2, 0).push_back(43);  // which is not up
  FlushList flushes;
  lanes.HandOver(kinds, flushes);
  for (const auto& sink : flushes) sink->Flush();
  EXPECT_EQ(second->flushes, 1);
  EXPECT_THAT(second->batches, testing::ElementsAre(3, 2));
  EXPECT_THAT(first->batches, testing::IsEmpty());
  EXPECT_EQ(first->flushes, 0);
  const auto third = Connect(lanes, 2);
  lanes.HandOver(kinds, flushes);
  EXPECT_THAT(second->batches, testing::SizeIs(2));
  EXPECT_THAT(third->batches, testing::IsEmpty());
}

TEST(Lanes, TheWorstLinkIsThatOfAll) {
  Lanes lanes;
  EXPECT_EQ(lanes.link(), Link::kConnecting);
  EXPECT_FALSE(lanes.AnyIsUp());
  lanes.Open(2);
  Connect(lanes, 0);
  EXPECT_EQ(lanes.link(), Link::kConnected);  // whatever connects for the first time
  Connect(lanes, 1);
  lanes.Close(1);
  lanes.Moved(1);
  EXPECT_EQ(lanes.link(), Link::kMoving);
  EXPECT_TRUE(lanes.Lost(2, kLater));
  EXPECT_EQ(lanes.link(), Link::kReconnecting);
  EXPECT_TRUE(lanes.AnyIsUp());
}

TEST(Lanes, ALossGoesOnUntilAFrontendHasAnswered) {
  Lanes lanes;
  Connect(lanes, 0);
  lanes.Close(0);
  EXPECT_TRUE(lanes.Lost(0, kLanesBegin));
  EXPECT_FALSE(lanes.Lost(0, kLater));
  EXPECT_EQ(lanes.Connected(0, std::make_shared<CountingSink>(), kLanesBegin), kLanesBegin);
  EXPECT_FALSE(lanes.lost_since());
  lanes.Close(0);
  lanes.Moved(0);
  EXPECT_EQ(lanes.lost_since(), kLanesBegin);
  EXPECT_EQ(lanes.link(), Link::kReconnecting);
  Connect(lanes, 0);
  lanes.Answered(0, {}, kLanesBegin);
  lanes.Close(0);
  lanes.Moved(0);
  EXPECT_FALSE(lanes.lost_since());
}

TEST(Lanes, TheEarliestLossIsThatOfAll) {
  Lanes lanes;
  lanes.Open(1);
  lanes.Lost(0, kLater);
  lanes.Lost(1, kLanesBegin);
  EXPECT_EQ(lanes.lost_since(), kLanesBegin);
}

TEST(Lanes, EachHasItsTurn) {
  Lanes lanes;
  EXPECT_EQ(lanes.Turn(), 0);
  EXPECT_EQ(lanes.Turn(), 0);
  lanes.Open(1);
  EXPECT_EQ(lanes.Turn(), 1);
  EXPECT_EQ(lanes.Turn(), 0);
}

// ---- who is at work

std::vector<Instant> AtWork(std::vector<Instant> sent,
                            const std::optional<v1::Standing>& standing) {
  Lanes lanes;
  v1::SubmitReply reply;
  if (standing) *reply.mutable_standing() = *standing;
  lanes.Answered(0, reply, kLanesBegin);
  std::vector<Instant> at_work;
  lanes.AddAtWork(0, sent, at_work);
  std::sort(at_work.begin(), at_work.end());
  return at_work;
}

std::vector<Instant> Seconds(std::initializer_list<int> since_zero) {
  std::vector<Instant> instants;
  for (const int second : since_zero) instants.push_back(kLanesBegin + std::chrono::seconds(second));
  return instants;
}

v1::Standing Says(std::uint64_t waiting, std::uint64_t running, Duration waited,
                  std::uint64_t most_running) {
  v1::Standing standing;
  standing.set_waiting(waiting);
  standing.set_running(running);
  standing.set_waited_ns(static_cast<std::uint64_t>(waited.count()));
  standing.set_most_running(most_running);
  return standing;
}

TEST(Lanes, WithoutAWordAllJobsAreAtWork) {
  EXPECT_EQ(AtWork(Seconds({3, 1, 2}), std::nullopt), Seconds({1, 2, 3}));
}

TEST(Lanes, OfThoseThatWaitNoneIsAtWork) {
  const v1::Standing standing = Says(3, 2, std::chrono::seconds(8), 2);
  EXPECT_EQ(AtWork(Seconds({5, 3, 1, 2, 4}), standing), Seconds({5, 6}));
}

TEST(Lanes, WhatWasSentWhenNoneWaitedIsAtWork) {
  const v1::Standing standing = Says(0, 1, std::chrono::seconds(0), 3);
  EXPECT_EQ(AtWork(Seconds({1, 2, 3}), standing), Seconds({1, 2, 3}));
}

TEST(Lanes, NoMoreAreAtWorkThanEverWere) {
  const v1::Standing standing = Says(0, 1, std::chrono::seconds(0), 1);
  EXPECT_EQ(AtWork(Seconds({1, 2, 3}), standing), Seconds({1}));
}

TEST(Lanes, AWaitWithoutEndCarriesNoInstantOverTheEndOfTheClock) {
  const v1::Standing standing = Says(1, 1, Duration::max(), 1);
  const std::vector<Instant> at_work = AtWork(Seconds({1, 2}), standing);
  ASSERT_EQ(at_work.size(), 1U);
  EXPECT_GT(at_work[0], kLanesBegin);
}

TEST(Lanes, MoreAtWorkThanThereAreIsNotBelieved) {
  const v1::Standing standing = Says(1, 1000, std::chrono::seconds(0), 1000);
  EXPECT_EQ(AtWork(Seconds({1, 2}), standing), Seconds({1, 2}));
}

}  // namespace
}  // namespace twofold::load
