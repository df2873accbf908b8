#include "cli/frontends/handover.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/frontends/lists.h"

namespace twofold::cli {
namespace {

using ::testing::HasSubstr;

std::string MessageOf(const Status& status) { return std::string(status.message()); }

TEST(FindFrontend, ByItsNameAlsoWithoutThePrefixOrWithAHint) {
  const List list = ListOf({Named("scalability-tester-frontend-0", {}), Named("frontend-1", {})});
  EXPECT_EQ(FindFrontend(list, "frontend-0")->name(), "scalability-tester-frontend-0");
  EXPECT_EQ(FindFrontend(list, "frontend-1")->name(), "frontend-1");
  const auto missing = FindFrontend(list, "frontent-1");
  EXPECT_TRUE(absl::IsNotFound(missing.status()));
  EXPECT_EQ(MessageOf(missing.status()),
            "there is no frontend 'frontent-1'; did you mean 'frontend-1'?");
}

TEST(OnlyOf, HasWhatBelongsToTheQueue) {
  const List list =
      ListOf({Named("a", {Part(0, "x"), Part(1, "y")})}, {Part(2, "x"), Part(3, "z")});
  const auto only = OnlyOf(list, "x");
  ASSERT_TRUE(only.ok()) << only.status();
  EXPECT_EQ(only->frontends(0).partitions_size(), 1);
  EXPECT_EQ(only->unowned_size(), 1);
  EXPECT_THAT(MessageOf(OnlyOf(list, "slep").status()), HasSubstr("queue: there is no 'slep'"));
}

TEST(OnlyOf, KnowsAQueueWithAllItsShardsAndEachByItself) {
  const List list =
      ListOf({Named("a", {Part(0, "x"), Part(1, "x/1"), Part(2, "xy")})}, {Part(3, "x/2")});
  EXPECT_EQ(OnlyOf(list, "x")->frontends(0).partitions_size(), 2);
  EXPECT_EQ(OnlyOf(list, "x")->unowned_size(), 1);
  EXPECT_EQ(OnlyOf(list, "x/1")->frontends(0).partitions(0).number(), 1U);
  EXPECT_EQ(OnlyOf(list, "x/0")->frontends(0).partitions_size(), 1);
  EXPECT_FALSE(OnlyOf(list, "x/3").ok());
}

TEST(LeftToMove, AllShardsOfTheQueueOrOne) {
  const Left all = LeftToMove("x", "b");
  const auto with = [](const std::vector<v1::Partition>& a, const std::vector<v1::Partition>& b) {
    return ListOf({Named("a", a), Named("b", b)});
  };
  EXPECT_EQ(all(with({Part(1, "x/1")}, {Part(0, "x")})), "a still serves x/1");
  EXPECT_EQ(all(with({}, {Part(0, "x"), Part(1, "x/1")})), "");
  EXPECT_EQ(LeftToMove("x/0", "b")(with({Part(1, "x/1")}, {Part(0, "x")})), "");
}

TEST(CheckOthers, SomebodyElseMustBeAbleToTakeQueues) {
  v1::Frontend away = Named("b", {});
  away.set_away("why");
  v1::Frontend drains = Named("c", {});
  drains.set_draining(true);
  EXPECT_EQ(MessageOf(CheckOthers(ListOf({Named("a", {})}), "a")),
            "there is one frontend, so nothing can be moved");
  const Status none = CheckOthers(ListOf({Named("a", {}), away, drains}), "a");
  EXPECT_TRUE(absl::IsFailedPrecondition(none));
  EXPECT_EQ(MessageOf(none), "no other frontend could take queues: b is away, c drains");
  EXPECT_TRUE(CheckOthers(ListOf({Named("a", {}), away, Named("d", {})}), "a").ok());
}

TEST(LeftToDrain, WhatIsStillServedAndWhatHasNoNewOwner) {
  const Left left = LeftToDrain(Named("a", {Part(0, "x"), Part(1, "y"), Part(2, "z")}));
  EXPECT_EQ(
      left(ListOf({Named("a", {Part(0, "x"), Part(1, "y")}), Named("b", {})}, {Part(2, "z")})),
      "a still serves x, y; nobody serves z");
  EXPECT_EQ(
      left(ListOf({Named("a", {}), Named("b", {Part(0, "x")})}, {Part(1, "y"), Part(9, "o")})),
      "nobody serves y, z");
  EXPECT_EQ(left(ListOf({Named("a", {}), Named("b", {Part(0, "x"), Part(1, "y")})})),
            "nobody serves z");
  const v1::Frontend heir = Named("b", {Part(0, "x"), Part(1, "y"), Part(2, "z")});
  EXPECT_EQ(left(ListOf({Named("a", {}), heir}, {Part(9, "other")})), "");
  EXPECT_EQ(LeftToDrain(Named("a", {}))(ListOf({Named("a", {})}, {Part(9, "other")})), "");
}

TEST(LeftToMove, TheNewOwnerHasToServeItAndToAnswer) {
  const Left left = LeftToMove("x", "b");
  EXPECT_EQ(left(ListOf({Named("a", {Part(0, "x")}), Named("b", {Part(1, "y")})})),
            "a still serves x");
  EXPECT_EQ(left(ListOf({Named("a", {}), Named("b", {})}, {Part(0, "x")})), "nobody serves x");
  EXPECT_EQ(left(ListOf({Named("a", {}), Named("b", {})})), "nobody serves x");
  v1::Frontend away = Named("b", {Part(0, "x")});
  EXPECT_EQ(left(ListOf({Named("a", {}), away})), "");
  away.set_away("why");
  EXPECT_EQ(left(ListOf({Named("a", {}), away})), "b is away");
}

}  // namespace
}  // namespace twofold::cli
