#include "lib/common/limited_log.h"

#include <gtest/gtest.h>

#include <optional>

namespace twofold {
namespace {

using std::chrono::milliseconds;

TEST(LimitedLog, OneASecondAndHowManyWereLeftOut) {
  LimitedLog log;
  const Instant start = Instant(std::chrono::hours(1));
  EXPECT_EQ(log.Admit(start), "");
  for (int i = 0; i < 41; ++i) EXPECT_EQ(log.Admit(start + milliseconds(20 * i)), std::nullopt);
  EXPECT_EQ(log.Admit(start + milliseconds(1000)), " (41 before it were left out)");
  EXPECT_EQ(log.Admit(start + milliseconds(1999)), std::nullopt);
  EXPECT_EQ(log.Admit(start + milliseconds(5000)), " (1 before it were left out)");
  EXPECT_EQ(log.Admit(start + milliseconds(6000)), "");
}

}  // namespace
}  // namespace twofold
