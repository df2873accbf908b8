#include "lib/queue/placement.h"

#include <gtest/gtest.h>

namespace twofold::queue {
namespace {

constexpr std::string_view kLabels = "disk=ssd\nmtu=9000\n";

TEST(Suits, NoLineIsAnywhere) { EXPECT_TRUE(Suits("", "", "")); }

TEST(Suits, EveryLabelHasToBeThere) {
  EXPECT_TRUE(Suits("label mtu=9000\n", kLabels, "a"));
  EXPECT_TRUE(Suits("label mtu=9000\nlabel disk=ssd\n", kLabels, "a"));
  EXPECT_FALSE(Suits("label mtu=9000\nlabel gpu=1\n", kLabels, "a"));
  EXPECT_FALSE(Suits("label mtu=9000\n", "", "a"));
}

TEST(Suits, ALabelIsTheWholeLine) {
  EXPECT_FALSE(Suits("label mtu=900\n", kLabels, "a"));
  EXPECT_FALSE(Suits("label mtu=90001\n", kLabels, "a"));
  EXPECT_FALSE(Suits("label tu=9000\n", kLabels, "a"));
}

TEST(Suits, OneOfTheNodesIsEnough) {
  EXPECT_TRUE(Suits("node a\n", "", "a"));
  EXPECT_TRUE(Suits("node b\nnode a\n", "", "a"));
  EXPECT_FALSE(Suits("node ab\nnode \n", "", "a"));
  EXPECT_FALSE(Suits("label mtu=9000\nnode b\n", kLabels, "a"));
}

TEST(TakeLine, TakesLinesUntilNothingIsLeft) {
  std::string_view text = "one\n\nthree";
  EXPECT_EQ(TakeLine(text), "one");
  EXPECT_EQ(TakeLine(text), "");
  EXPECT_EQ(TakeLine(text), "three");
  EXPECT_TRUE(text.empty());
}

}  // namespace
}  // namespace twofold::queue
