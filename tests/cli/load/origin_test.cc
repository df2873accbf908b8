#include "cli/load/origin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace twofold::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Origin, ArgumentsEndWithZeroBytesAndMayBeEmpty) {
  EXPECT_THAT(ArgumentsIn(std::string("twofold\0load\0\0--\0x\0", 19)),
              ElementsAre("twofold", "load", "", "--", "x"));
  EXPECT_THAT(ArgumentsIn(""), IsEmpty());
  EXPECT_EQ(ArgumentsIn(std::string(5000, '\0')).size(), 1000U);
  EXPECT_THAT(ArgumentsIn(std::string("a\xff\0", 3)), ElementsAre("a?"));
}

TEST(Origin, TheCpuIsThatOfTheFirstProcessor) {
  EXPECT_EQ(CpuIn("processor\t: 0\nmodel name\t: Fast CPU @ 3 GHz\nmodel name\t: other\n"),
            "Fast CPU @ 3 GHz");
  EXPECT_EQ(CpuIn("processor\t: 0\n"), "");
}

TEST(Origin, SaysWhereThisProcessRuns) {
  const v1::Origin origin = OriginHere("host:1");
  EXPECT_THAT(origin.program(), HasSubstr("twofold "));
  EXPECT_GT(origin.argv_size(), 0);
  EXPECT_EQ(origin.frontend(), "host:1");
  EXPECT_FALSE(origin.node().empty());
  EXPECT_THAT(origin.kernel(), HasSubstr("Linux"));
  EXPECT_THAT(origin.began(), testing::MatchesRegex("....-..-..T..:..:..Z"));
}

}  // namespace
}  // namespace twofold::cli
