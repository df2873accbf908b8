#include "frontend/queues/directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace twofold::frontend {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Duration kOwnerPatience = std::chrono::seconds(6);

Owner Of(const std::string& name, std::uint64_t epoch) {
  return {.epoch = epoch, .peer = {name, name + ":1", name + ":2"}};
}

class DirectoryTest : public ::testing::Test {
 protected:
  void Publish(std::map<std::string, Owner> owners, Duration later = Duration(0)) {
    directory_.Publish(std::move(owners), {}, Now() + later);
  }

  /// What was told, in order.
  void Await(const std::string& queue, std::uint64_t newest_known = 0, std::size_t bytes = 0) {
    const auto tell = [this](v1::Moved moved) {
      (void)directory_.Others();  // hangs if it is called with the lock held
      told_.push_back(std::move(moved));
    };
    directory_.Await(queue, newest_known, tell, bytes);
  }

  Directory directory_{kOwnerPatience};
  std::vector<v1::Moved> told_;
};

TEST_F(DirectoryTest, KnownOwnerIsToldAtOnce) {
  Publish({{"sleep", Of("a", 3)}});
  Await("sleep");
  ASSERT_THAT(told_, SizeIs(1));
  EXPECT_EQ(told_[0].queue(), "sleep");
  EXPECT_EQ(told_[0].epoch(), 3U);
  ASSERT_EQ(told_[0].shards_size(), 1);
  EXPECT_EQ(told_[0].shards(0).client_address(), "a:1");
  EXPECT_EQ(told_[0].shards(0).worker_address(), "a:2");
}

TEST_F(DirectoryTest, QueueThatIsAboutToLeaveIsAwaitedElsewhere) {
  Owner here = Of("me", 3);
  here.here = true;
  Publish({{"sleep", here}, {"media", here}});
  directory_.Leave("sleep");
  EXPECT_FALSE(directory_.Find("sleep").here);
  EXPECT_EQ(directory_.Find("sleep").epoch, 3U);
  EXPECT_TRUE(directory_.Find("media").here);
  Await("sleep");
  EXPECT_THAT(told_, IsEmpty());
  Publish({{"sleep", Of("a", 4)}});
  EXPECT_THAT(told_, SizeIs(1));
}

TEST_F(DirectoryTest, OwnerIsAwaitedUntilThereIsOne) {
  Await("sleep");
  Publish({{"sleep", {.epoch = 4}}, {"media", Of("b", 1)}});
  EXPECT_THAT(told_, IsEmpty());
  Publish({{"sleep", Of("a", 5)}});
  ASSERT_THAT(told_, SizeIs(1));
  EXPECT_EQ(told_[0].epoch(), 5U);
  Publish({{"sleep", Of("a", 6)}});
  EXPECT_THAT(told_, SizeIs(1)) << "once";
}

TEST_F(DirectoryTest, OwnerOfAnOlderEpochThanTheCallerKnowsDoesNotCount) {
  Publish({{"sleep", Of("a", 3)}});
  Await("sleep", 4);
  Publish({{"sleep", Of("a", 3)}});
  EXPECT_THAT(told_, IsEmpty());
  Publish({{"sleep", Of("b", 4)}});
  ASSERT_THAT(told_, SizeIs(1));
  EXPECT_EQ(told_[0].shards(0).client_address(), "b:1");
}

TEST_F(DirectoryTest, PatienceEndsWithoutShards) {
  Publish({{"sleep", {.epoch = 4}}});
  Await("sleep");
  Publish({{"sleep", {.epoch = 4}}}, kOwnerPatience / 2);
  EXPECT_THAT(told_, IsEmpty());
  Publish({{"sleep", {.epoch = 4}}}, kOwnerPatience + std::chrono::minutes(1));
  ASSERT_THAT(told_, SizeIs(1));
  EXPECT_EQ(told_[0].queue(), "sleep");
  EXPECT_EQ(told_[0].epoch(), 4U);
  EXPECT_EQ(told_[0].shards_size(), 0);
}

TEST_F(DirectoryTest, StopTellsAllWhoWaitAndAllWhoCome) {
  Publish({{"media", Of("a", 1)}});
  Await("sleep");
  Await("media", 2);
  directory_.Stop();
  ASSERT_THAT(told_, SizeIs(2));
  Await("media");
  Await("unknown");
  ASSERT_THAT(told_, SizeIs(4));
  for (const v1::Moved& moved : told_) EXPECT_EQ(moved.shards_size(), 0) << moved.queue();
}

TEST_F(DirectoryTest, JobsThatHaveNoRoomToWaitAreToldAtOnceThatThereIsNobody) {
  Publish({{"sleep", {.epoch = 4}}});
  Await("sleep", 0, kMostWaitingBytes);
  EXPECT_THAT(told_, IsEmpty()) << "they fill it";
  Await("sleep", 0, 1);
  ASSERT_THAT(told_, SizeIs(1));
  EXPECT_EQ(told_[0].queue(), "sleep");
  EXPECT_EQ(told_[0].epoch(), 4U);
  EXPECT_EQ(told_[0].shards_size(), 0);
  Await("sleep");
  EXPECT_THAT(told_, SizeIs(1)) << "who brings no jobs waits";
}

TEST_F(DirectoryTest, JobsThatAreToldGiveTheirRoomBack) {
  Await("sleep", 0, kMostWaitingBytes);
  Publish({{"sleep", Of("a", 1)}});
  ASSERT_THAT(told_, SizeIs(1));
  Await("media", 0, kMostWaitingBytes);
  EXPECT_THAT(told_, SizeIs(1));
}

TEST_F(DirectoryTest, WhoIsToldMayAskAgain) {
  bool told_again = false;
  directory_.Await("sleep", 0, [&](const v1::Moved&) {
    directory_.Await("sleep", 0, [&](const v1::Moved&) { told_again = true; });
  });
  Publish({{"sleep", Of("a", 1)}});
  EXPECT_TRUE(told_again);
}

TEST_F(DirectoryTest, FindsWhatWasPublishedLast) {
  EXPECT_EQ(directory_.Find("sleep").peer.name, "");
  Owner mine = Of("a", 1);
  mine.here = true;
  directory_.Publish({{"sleep", mine}}, {{"b", "b:1", "b:2"}}, Now());
  EXPECT_TRUE(directory_.Find("sleep").here);
  EXPECT_EQ(directory_.Find("media").peer.name, "");
  ASSERT_THAT(directory_.Others(), SizeIs(1));
  Publish({});
  EXPECT_FALSE(directory_.Find("sleep").here);
  EXPECT_THAT(directory_.Others(), IsEmpty());
}

}  // namespace
}  // namespace twofold::frontend
