#include "lib/rpc/route.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace twofold::rpc {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Lt;
using ::testing::SizeIs;

constexpr const char* kFirst = "frontend:9999";
constexpr const char* kOne = "frontend-1.frontend:9999";
constexpr const char* kTwo = "frontend-2.frontend:9999";
constexpr RoutePauses kPauses;
constexpr Instant kStart = Instant(hours(1));

class RouteTest : public ::testing::Test {
 protected:
  Dial Follow(std::uint64_t epoch, const std::vector<std::string_view>& addresses) {
    return route_.Follow(epoch, addresses, now_);
  }

  void ServeFor(Duration duration) { ServeFor(route_, duration); }
  void ServeFor(Route& route, Duration duration) {
    route.Served(now_);
    now_ += duration;
  }

  /// Of the pauses that `last` of many routes gives; so many that it is near the longest possible.
  template <typename Last>
  Duration LongestPause(Last&& last) {
    Duration longest{};
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      Route route(kFirst, seed);
      const Dial dial = last(route);
      longest = std::max(longest, dial.at - now_);
    }
    return longest;
  }

  Instant now_ = kStart;
  Route route_{kFirst, 1};
};

TEST_F(RouteTest, BeginsAtTheFirstContactWithoutAPause) {
  EXPECT_EQ(route_.dial().address, kFirst);
  EXPECT_FALSE(route_.dial().named);
  EXPECT_EQ(route_.dial().epoch, 0);
  EXPECT_LE(route_.dial().at, now_);
}

TEST_F(RouteTest, FollowsWhoeverIsNamedAndSaysByWhichEpoch) {
  const Dial dial = Follow(5, {kOne});
  EXPECT_EQ(dial.address, kOne);
  EXPECT_TRUE(dial.named);
  EXPECT_EQ(dial.epoch, 5);
  EXPECT_GE(dial.at, now_);
  EXPECT_LE(dial.at, now_ + kPauses.hop);
  EXPECT_EQ(route_.dial().address, kOne);
}

TEST_F(RouteTest, TakesEachOfSeveralAddressesEquallyOften) {
  int ones = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const std::string taken = Route(kFirst, seed).Follow(1, {kOne, kTwo}, now_).address;
    if (taken == kOne) ++ones;
  }
  EXPECT_NEAR(ones, 500, 80);  // five standard deviations
}

TEST_F(RouteTest, ReturnsToTheFirstContactInsteadOfAFourthHop) {
  for (std::uint64_t epoch = 1; epoch <= 3; ++epoch) EXPECT_TRUE(Follow(epoch, {kOne}).named);
  const Dial dial = Follow(4, {kOne});
  EXPECT_EQ(dial.address, kFirst);
  EXPECT_FALSE(dial.named);
  EXPECT_EQ(dial.epoch, 0);
  EXPECT_EQ(Follow(4, {kTwo}).address, kTwo) << "hops are counted anew";
}

TEST_F(RouteTest, ReturnsToTheFirstContactWhenAStreamBreaks) {
  Follow(1, {kOne});
  ServeFor(hours(1));
  const Dial dial = route_.Lost(now_);
  EXPECT_EQ(dial.address, kFirst);
  EXPECT_FALSE(dial.named);
  EXPECT_GE(dial.at, now_);
}

TEST_F(RouteTest, PausesDoubleUpToTheMostWithFullJitter) {
  Duration span = kPauses.first;
  for (int losses = 1; losses <= 10; ++losses) {
    const Duration longest = LongestPause([&](Route& route) {
      for (int i = 1; i < losses; ++i) route.Lost(now_);
      return route.Lost(now_);
    });
    EXPECT_LE(longest, span) << losses;
    EXPECT_GT(longest, span * 9 / 10) << losses;
    span = std::min(span * 2, kPauses.most);
  }
}

TEST_F(RouteTest, PausesStartOverAfterAStreamThatWorked) {
  const Duration longest = LongestPause([&](Route& route) {
    for (int i = 0; i < 10; ++i) route.Lost(now_);
    ServeFor(route, kPauses.settled);
    return route.Lost(now_);
  });
  EXPECT_LE(longest, kPauses.first);
}

TEST_F(RouteTest, PausesGoOnGrowingWhenStreamsAreAcceptedAndSoonBroken) {
  const Duration longest = LongestPause([&](Route& route) {
    for (int i = 0; i < 10; ++i) {
      ServeFor(route, kPauses.settled - milliseconds(1));
      route.Lost(now_);
    }
    return route.Lost(now_);
  });
  EXPECT_GT(longest, kPauses.most / 2);
}

TEST_F(RouteTest, HopsStartOverAfterAStreamThatWorked) {
  for (std::uint64_t epoch = 1; epoch < 20; ++epoch) {
    EXPECT_TRUE(Follow(epoch, {kOne}).named);
    ServeFor(kPauses.settled);
  }
}

TEST_F(RouteTest, HopsGoOnCountingWhenStreamsAreAcceptedAndSoonSentOn) {
  for (int hops = 0; hops < Route::kMaxHops; ++hops) {
    EXPECT_TRUE(Follow(1, {kOne}).named);
    ServeFor(kPauses.settled - milliseconds(1));
  }
  EXPECT_FALSE(Follow(1, {kTwo}).named);
}

TEST_F(RouteTest, AcceptedAgainDoesNotMakeAStreamYounger) {
  for (int i = 0; i < 10; ++i) route_.Lost(now_);
  ServeFor(kPauses.settled);
  route_.Served(now_);
  EXPECT_LE(route_.Lost(now_).at, now_ + kPauses.first);
}

TEST_F(RouteTest, AsksTheFirstContactAgainWhileNobodyOwnsTheQueue) {
  Follow(1, {kOne});
  EXPECT_EQ(Follow(2, {}).address, kFirst);
  EXPECT_EQ(Follow(2, {}).address, kFirst);
  EXPECT_EQ(Follow(3, {kTwo}).address, kTwo);
}

TEST_F(RouteTest, PausesGrowWhileNobodyOwnsTheQueue) {
  const Duration longest = LongestPause([&](Route& route) {
    for (int i = 0; i < 10; ++i) route.Follow(2, {}, now_);
    return route.Follow(2, {}, now_);
  });
  EXPECT_GT(longest, kPauses.most / 2);
}

TEST_F(RouteTest, AsksTheSameFrontendAgainAfterAnOutdatedMoved) {
  Follow(5, {kOne});
  const Dial dial = Follow(4, {kTwo});
  EXPECT_EQ(dial.address, kOne);
  EXPECT_TRUE(dial.named);
  EXPECT_EQ(dial.epoch, 5);
  EXPECT_GE(dial.at, now_);
}

TEST_F(RouteTest, PausesGrowWhileMovedsAreOutdated) {
  const Duration longest = LongestPause([&](Route& route) {
    route.Follow(5, {kOne}, now_);
    for (int i = 0; i < 9; ++i) route.Lost(now_);
    return route.Follow(4, {kTwo}, now_);
  });
  EXPECT_GT(longest, kPauses.most / 2);
}

TEST_F(RouteTest, AnEquallyOldMovedCounts) {
  Follow(5, {kOne});
  EXPECT_EQ(Follow(5, {kTwo}).address, kTwo);
}

TEST_F(RouteTest, BelievesTheThirdOutdatedMovedInARow) {
  Follow(5, {kOne});
  EXPECT_EQ(Follow(2, {kTwo}).address, kOne);
  EXPECT_EQ(Follow(4, {kTwo}).address, kOne);
  const Dial dial = Follow(3, {kTwo});
  EXPECT_EQ(dial.address, kTwo);
  EXPECT_EQ(dial.epoch, 3);
  EXPECT_EQ(Follow(4, {kOne}).address, kOne) << "it is newer than the one that was believed";
}

TEST_F(RouteTest, OutdatedMovedsOfDifferentFrontendsAreARow) {
  Follow(5, {kOne});
  Follow(4, {kTwo});
  route_.Lost(now_);
  Follow(4, {kTwo});
  route_.Lost(now_);
  EXPECT_EQ(Follow(4, {kTwo}).address, kTwo);
}

TEST_F(RouteTest, ANewerMovedEndsARowOfOutdatedOnes) {
  Follow(5, {kOne});
  for (const std::uint64_t epoch : {4U, 4U, 5U, 4U, 4U}) EXPECT_EQ(Follow(epoch, {kOne}).epoch, 5);
}

TEST_F(RouteTest, AnAcceptedStreamEndsARowOfOutdatedMoveds) {
  Follow(5, {kOne});
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(Follow(4, {kTwo}).address, kOne);
    ServeFor(seconds(1));
  }
}

TEST_F(RouteTest, AMovedWithoutAddressesHasAnEpochToo) {
  Follow(5, {});
  EXPECT_FALSE(Follow(4, {kOne}).named);
  EXPECT_TRUE(Follow(5, {kOne}).named);
}

TEST_F(RouteTest, SkipsAddressesThatCannotBeDialled) {
  const std::string longest = std::string(253, 'a') + ":65535";
  const std::string too_long = "a" + longest;
  for (const std::string_view bad : std::initializer_list<std::string_view>{
           "", "frontend", ":9999", "frontend:0", "frontend:65536", "a b:9999", "[1]:9999",
           "unix:/run/socket", "dns:///frontend:9999", too_long}) {
    const Dial dial = Route(kFirst, 1).Follow(1, {bad, kOne, bad}, now_);
    EXPECT_EQ(dial.address, kOne) << bad;
    EXPECT_THAT(dial.skipped, HasSubstr("skipped 2 of 3 addresses of the queue: ")) << bad;
  }
  for (const std::string_view good :
       std::initializer_list<std::string_view>{"10.0.0.1:1", "[fd00::1]:9999", longest}) {
    const Dial dial = Route(kFirst, 1).Follow(1, {good}, now_);
    EXPECT_EQ(dial.address, good);
    EXPECT_THAT(dial.skipped, IsEmpty());
  }
}

TEST_F(RouteTest, SaysWhyTheFirstBadAddressIsSkipped) {
  EXPECT_EQ(Follow(1, {kOne, "a\nb:1", ""}).skipped,
            "skipped 2 of 3 addresses of the queue: 'a b:1' is not host:port or [ipv6]:port");
  const std::string long_name(1000, 'a');
  EXPECT_THAT(Follow(1, {long_name}).skipped,
              EndsWith("one has 1000 bytes, at most 259 are allowed"));
  const std::string long_nonsense(259, '!');
  EXPECT_THAT(Follow(1, {long_nonsense}).skipped, SizeIs(Lt(200U)));
  EXPECT_THAT(route_.Lost(now_).skipped, IsEmpty());
}

TEST_F(RouteTest, NoUsableAddressIsAsNone) {
  EXPECT_EQ(Follow(1, {"", ":9999"}).address, kFirst);
  EXPECT_THAT(route_.dial().skipped, HasSubstr("skipped 2 of 2"));
}

TEST_F(RouteTest, AddressesBeyondTheLimitDoNotCount) {
  std::vector<std::string_view> addresses(Route::kMaxAddresses, kOne);
  addresses.resize(100'000, kTwo);
  std::set<std::string> taken;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    taken.insert(Route(kFirst, seed).Follow(1, addresses, now_).address);
  }
  EXPECT_THAT(taken, ::testing::ElementsAre(kOne));
  EXPECT_THAT(Follow(1, addresses).skipped,
              HasSubstr("skipped 99744 of 100000 addresses of the queue: only the first 256"));
}

TEST_F(RouteTest, TheSameSeedGivesTheSameWay) {
  Route other{kFirst, 1};
  for (std::uint64_t epoch = 1; epoch < 50; ++epoch) {
    const Dial dial = Follow(epoch, {kOne, kTwo});
    const Dial same = other.Follow(epoch, {kOne, kTwo}, now_);
    EXPECT_EQ(dial.address, same.address);
    EXPECT_EQ(dial.at, same.at);
  }
}

}  // namespace
}  // namespace twofold::rpc
