#include "lib/h2/connection_count.h"

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/googletest.h"

namespace twofold::h2 {
namespace {

using Ticket = std::shared_ptr<ConnectionCount::Ticket>;
using Names = std::vector<std::string>;

class ConnectionCountTest : public ::testing::Test {
 protected:
  void Limit(std::size_t most, std::size_t of_host) {
    count_ = std::make_shared<ConnectionCount>(most, of_host);
  }

  /// One that can be closed, which is noted by its name. Null: it was turned away, for `cause_`.
  Ticket Connect(const std::string& host, const std::string& name) {
    auto added = count_->Add(host);
    if (const auto* const closing = std::get_if<Closing>(&added)) {
      cause_ = closing->cause;
      return nullptr;
    }
    auto ticket = std::get<Ticket>(std::move(added));
    ticket->SetClose([this, name] { closed_.push_back(name); });
    return ticket;
  }

  std::shared_ptr<ConnectionCount> count_;
  Names closed_;
  Cause cause_ = Cause::kInOrder;
};

TEST_F(ConnectionCountTest, NobodyMakesRoomBelowTheLimits) {
  Limit(3, 2);
  const std::vector<Ticket> all = {Connect("a", "1"), Connect("a", "2"), Connect("b", "3")};
  EXPECT_EQ(closed_, Names());
}

TEST_F(ConnectionCountTest, AtAHostsLimitItsOldestOfNoUseMakesRoom) {
  Limit(10, 3);
  const Ticket other = Connect("b", "other");
  const Ticket works = Connect("a", "works");
  works->SetOfUse();
  std::vector<Ticket> silent = {Connect("a", "1"), Connect("a", "2")};
  silent.push_back(Connect("a", "3"));
  silent.push_back(Connect("a", "4"));
  EXPECT_EQ(closed_, Names({"1", "2"}));
}

TEST_F(ConnectionCountTest, AtTheLimitOfAllTheHostWithMostOfNoUseMakesRoom) {
  Limit(6, 6);
  std::vector<Ticket> works;
  for (int i = 0; i < 3; ++i) works.push_back(Connect("a", "works"));
  for (const Ticket& ticket : works) ticket->SetOfUse();
  const std::vector<Ticket> silent = {Connect("b", "1"), Connect("c", "2"), Connect("c", "3")};
  const std::vector<Ticket> new_ones = {Connect("d", "4"), Connect("d", "5"), Connect("d", "6")};
  EXPECT_EQ(closed_[0], "2") << "the oldest of c";
  EXPECT_EQ(closed_.size(), 3U);
  for (const Ticket& ticket : new_ones) EXPECT_NE(ticket, nullptr);
}

TEST_F(ConnectionCountTest, WhereAllAreOfUseTheNewcomerIsTurnedAway) {
  Limit(3, 2);
  std::vector<Ticket> works = {Connect("a", "1"), Connect("a", "2"), Connect("b", "3")};
  for (const Ticket& ticket : works) ticket->SetOfUse();
  EXPECT_EQ(Connect("a", "4"), nullptr);
  EXPECT_EQ(cause_, Cause::kTooMany);
  EXPECT_EQ(Connect("b", "5"), nullptr);
  EXPECT_EQ(cause_, Cause::kNoRoom);
  EXPECT_FALSE(count_->MakeRoom());
  EXPECT_EQ(closed_, Names());
  works.pop_back();
  EXPECT_NE(Connect("b", "6"), nullptr);
}

TEST_F(ConnectionCountTest, OneThatMakesRoomOnItsWayToItsServerIsClosedWhenItIsThere) {
  Limit(1, 1);
  const auto on_its_way = std::get<Ticket>(count_->Add("a"));
  const Ticket two = Connect("a", "2");
  EXPECT_NE(two, nullptr);
  EXPECT_EQ(closed_, Names());
  on_its_way->SetClose([this] { closed_.emplace_back("1"); });
  EXPECT_EQ(closed_, Names({"1"}));
}

TEST_F(ConnectionCountTest, OneThatHasMadeRoomCountsNoMoreAndIsClosedOnce) {
  Limit(1, 1);
  Ticket one = Connect("a", "1");
  Ticket two = Connect("a", "2");
  one->SetOfUse();  // a message that came too late
  one.reset();
  EXPECT_NE(Connect("a", "3"), nullptr);
  EXPECT_EQ(closed_, Names({"1", "2"}));
}

TEST_F(ConnectionCountTest, SoManyAreNotClosedYetAndNoMore) {
  Limit(2, 2);
  std::vector<Ticket> all;
  for (std::size_t i = 0; i < ConnectionCount::kMostLeaving + 2; ++i) {
    all.push_back(Connect("a", std::to_string(i)));
  }
  EXPECT_EQ(closed_.size(), ConnectionCount::kMostLeaving);
  EXPECT_EQ(Connect("a", "late"), nullptr);
  all[0].reset();
  EXPECT_NE(Connect("a", "again"), nullptr);
}

TEST_F(ConnectionCountTest, WhatTheSystemHasNoRoomForGetsIt) {
  Limit(10, 10);
  EXPECT_FALSE(count_->MakeRoom());
  const std::vector<Ticket> silent = {Connect("a", "1"), Connect("b", "2"), Connect("b", "3")};
  EXPECT_TRUE(count_->MakeRoom());
  EXPECT_TRUE(count_->MakeRoom()) << "it is not closed yet";
  EXPECT_EQ(closed_, Names({"2"}));
}

TEST_F(ConnectionCountTest, ThreadsComeAndGoAtItsLimits) {
  constexpr int kThreads = 4;
  Limit(8, 5);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([this, i] {
      std::vector<Ticket> held(4);
      for (std::size_t turn = 0; turn < 5000; ++turn) {
        auto added = count_->Add(i % 2 == 0 ? "a" : "b");
        Ticket& ticket = held[turn % held.size()];
        ticket.reset();
        if (std::holds_alternative<Closing>(added)) continue;
        ticket = std::get<Ticket>(std::move(added));
        ticket->SetClose([] {});
        if (turn % 3 == 0) ticket->SetOfUse();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<Ticket> all;
  for (int i = 0; i < 8; ++i) all.push_back(Connect(i < 4 ? "a" : "b", "new"));
  EXPECT_EQ(closed_, Names()) << "each place is free again";
}

}  // namespace
}  // namespace twofold::h2
