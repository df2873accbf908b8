#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include <algorithm>

#include "lib/common/program.h"

namespace twofold {
namespace {

TEST(Logging, AMessageIsOneLineOfTextWhateverNamesAreInIt) {
  ::testing::internal::CaptureStderr();
  InitLogging(false);
  spdlog::warn("worker {} is gone",
               "n\n2026-01-01T00:00:00.000Z info all is well\x1b]0;title\x07\u009b2J");
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(text,
              ::testing::HasSubstr(
                  "Z warning worker n 2026-01-01T00:00:00.000Z info all is well ]0;title  2J"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_THAT(text, ::testing::Not(::testing::HasSubstr("\x1b")));
}

}  // namespace
}  // namespace twofold
