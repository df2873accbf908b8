#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "backend/rsh/gang_file.h"
#include "tests/backend/rsh/rosters.h"

namespace twofold::gang {
namespace {

using ::testing::HasSubstr;

struct Member {
  const char* node;
  const char* pod;
  std::string address;
};

v1::GangRoster Of(const std::vector<Member>& members) {
  v1::GangRoster roster;
  for (const Member& member : members) AddPeer(roster, member.node, member.pod, member.address, 1);
  return roster;
}

TEST(FindMember, AddressCountsBeforePodBeforeNode) {
  const auto gang = Of({{"c", "b", "a"}, {"a", "c", "b"}, {"b", "a", "c"}});
  EXPECT_EQ(*FindMember(gang, "a"), 0U);
  EXPECT_EQ(*FindMember(gang, "b"), 1U);
  EXPECT_EQ(*FindMember(gang, "c"), 2U);
  const auto named = Of({{"node-1", "pod-1", "10.0.0.1"}, {"node-2", "pod-2", "10.0.0.2"}});
  EXPECT_EQ(*FindMember(named, "10.0.0.2"), 1U);
  EXPECT_EQ(*FindMember(named, "pod-1"), 0U);
  EXPECT_EQ(*FindMember(named, "node-2"), 1U);
}

TEST(FindMember, FirstLabelIsEnough) {
  const auto gang =
      Of({{"n1.cluster", "p-0", "w-0.workers.svc"}, {"n2.cluster", "p-1", "w-1.workers.svc"}});
  EXPECT_EQ(*FindMember(gang, "w-0"), 0U);
  EXPECT_EQ(*FindMember(gang, "n2"), 1U);
}

TEST(FindMember, AnIpv6AddressIsKnownByItsWord) {
  const auto gang = Of({{"n", "p-0", "fd00::1"}, {"n", "p-1", "fd00::12"}});
  EXPECT_EQ(*FindMember(gang, "fd00--12"), 1U);
  EXPECT_EQ(*FindMember(gang, "fd00::1"), 0U);
}

TEST(FindMember, OfSeveralOnOneHostItIsTheLast) {
  EXPECT_EQ(*FindMember(Of({{"n", "p", "10.0.0.1"}, {"n", "p", "10.0.0.1"}}), "10.0.0.1"), 1U);
}

TEST(FindMember, StrangerIsToldTheHostsThatThereAre) {
  const auto two = Of({{"n1", "p1", "10.0.0.1"}, {"n2", "p2", "10.0.0.2"}});
  for (const char* host : {"10.0.0.3", "", "n"}) {
    EXPECT_THAT(std::string(FindMember(two, host).status().message()),
                HasSubstr("these are: 10.0.0.1, 10.0.0.2"))
        << host;
  }
  std::vector<Member> many;
  for (int i = 0; i < 100; ++i) many.push_back({"n", "p", "a" + std::to_string(i)});
  EXPECT_THAT(std::string(FindMember(Of(many), "x").status().message()), HasSubstr("a15, 84 more"));
}

}  // namespace
}  // namespace twofold::gang
