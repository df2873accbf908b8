#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "backend/rsh/gang_file.h"

namespace twofold::gang {
namespace {

using ::testing::HasSubstr;

Gang Of(std::vector<Member> members) { return {.members = std::move(members)}; }

TEST(FindMember, AddressCountsBeforePodBeforeNode) {
  const Gang gang = Of({{"c", "b", "a", 1}, {"a", "c", "b", 1}, {"b", "a", "c", 1}});
  EXPECT_EQ(*FindMember(gang, "a"), 0U);
  EXPECT_EQ(*FindMember(gang, "b"), 1U);
  EXPECT_EQ(*FindMember(gang, "c"), 2U);
  const Gang named = Of({{"node-1", "pod-1", "10.0.0.1", 1}, {"node-2", "pod-2", "10.0.0.2", 1}});
  EXPECT_EQ(*FindMember(named, "10.0.0.2"), 1U);
  EXPECT_EQ(*FindMember(named, "pod-1"), 0U);
  EXPECT_EQ(*FindMember(named, "node-2"), 1U);
}

TEST(FindMember, FirstLabelIsEnough) {
  const Gang gang = Of(
      {{"n1.cluster", "p-0", "w-0.workers.svc", 1}, {"n2.cluster", "p-1", "w-1.workers.svc", 1}});
  EXPECT_EQ(*FindMember(gang, "w-0"), 0U);
  EXPECT_EQ(*FindMember(gang, "n2"), 1U);
}

TEST(FindMember, OfSeveralOnOneHostItIsTheLast) {
  EXPECT_EQ(*FindMember(Of({{"n", "p", "10.0.0.1", 1}, {"n", "p", "10.0.0.1", 2}}), "10.0.0.1"),
            1U);
}

TEST(FindMember, StrangerIsToldTheHostsThatThereAre) {
  const Gang two = Of({{"n1", "p1", "10.0.0.1", 1}, {"n2", "p2", "10.0.0.2", 1}});
  for (const char* host : {"10.0.0.3", "", "n"}) {
    EXPECT_THAT(std::string(FindMember(two, host).status().message()),
                HasSubstr("these are: 10.0.0.1, 10.0.0.2"))
        << host;
  }
  Gang many;
  for (int i = 0; i < 100; ++i) many.members.push_back({"n", "p", "a" + std::to_string(i), 1});
  EXPECT_THAT(std::string(FindMember(many, "x").status().message()), HasSubstr("a15, 84 more"));
}

}  // namespace
}  // namespace twofold::gang
