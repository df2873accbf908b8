#include "lib/common/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace twofold {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(EncodeArguments, EachEndsWithNul) {
  const std::vector<std::string> arguments = {"-i", "", "a b"};
  EXPECT_EQ(EncodeArguments(arguments), std::string("-i\0\0a b\0", 8));
}

TEST(DecodeArguments, GivesBackWhatWasEncoded) {
  const std::vector<std::string> arguments = {"", "1.5", "\xff", ""};
  const std::string spec = EncodeArguments(arguments);
  EXPECT_THAT(DecodeArguments(spec).value(), ElementsAre("", "1.5", "\xff", ""));
}

TEST(DecodeArguments, NoBytesAreNoArguments) {
  EXPECT_THAT(DecodeArguments("").value(), IsEmpty());
}

TEST(DecodeArguments, ArgumentWithoutEndIsRefused) {
  EXPECT_EQ(DecodeArguments(std::string("a\0b", 3)).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace twofold
