#include "lib/common/match.h"

#include <gtest/gtest.h>

namespace twofold {
namespace {

constexpr std::string_view kKnown[] = {"read", "write"};

TEST(Hint, NamesTheNearestOrAll) {
  EXPECT_EQ(Hint("raed", kKnown), "; did you mean 'read'?") << "two letters that changed places";
  EXPECT_EQ(Hint("dear", kKnown), "; known: read, write");
  EXPECT_EQ(Hint("READ", kKnown), "; did you mean 'read'?");
  EXPECT_EQ(Hint("wrte", kKnown), "; did you mean 'write'?");
  EXPECT_EQ(Hint(std::string(1000, 'x'), kKnown), "; known: read, write");
  EXPECT_EQ(Hint("", kKnown), "; known: read, write");
}

TEST(Nearest, IsNothingForAWordOfItsOwn) {
  EXPECT_EQ(Nearest("writes", kKnown), "write");
  EXPECT_EQ(Nearest("verify", kKnown), "");
  EXPECT_EQ(Nearest("read", {}), "");
}

}  // namespace
}  // namespace twofold
