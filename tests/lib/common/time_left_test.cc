#include "lib/common/time_left.h"

#include <gtest/gtest.h>

namespace twofold {
namespace {

TEST(TimeLeft, IsShort) {
  EXPECT_EQ(TimeLeftText(std::chrono::milliseconds(1)), "1 s");
  EXPECT_EQ(TimeLeftText(std::chrono::seconds(59)), "59 s");
  EXPECT_EQ(TimeLeftText(std::chrono::seconds(61)), "2 min");
  EXPECT_EQ(TimeLeftText(std::chrono::minutes(65)), "1 h 5 min");
}

}  // namespace
}  // namespace twofold
