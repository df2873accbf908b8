#include "cli/command/time_text.h"

#include <gtest/gtest.h>

namespace twofold::cli {
namespace {

TEST(TimeText, IsShort) {
  EXPECT_EQ(TimeText(std::chrono::milliseconds(1)), "1 s");
  EXPECT_EQ(TimeText(std::chrono::seconds(59)), "59 s");
  EXPECT_EQ(TimeText(std::chrono::seconds(61)), "2 min");
  EXPECT_EQ(TimeText(std::chrono::minutes(65)), "1 h 5 min");
}

}  // namespace
}  // namespace twofold::cli
