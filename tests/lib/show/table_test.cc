#include "lib/show/table.h"

#include <gtest/gtest.h>

namespace twofold::cli {
namespace {

TEST(Table, NumbersToTheRightTextToTheLeftNoBlanksAtTheEnd) {
  EXPECT_EQ(Table({{"NAME", "N", "NOTE"}, {"a", "10", "x"}, {"long name", "5", "yes"}}),
            "NAME        N  NOTE\n"
            "a          10  x\n"
            "long name   5  yes\n");
}

TEST(Table, ACellIsOneLineOfTextWhateverIsInIt) {
  EXPECT_EQ(Table({{"POD", "STATE"}, {"a\nb  ready", "x\x1b[31m"}}),
            "POD         STATE\n"
            "a b  ready  x [31m\n");
}

TEST(Table, HeadingAlone) { EXPECT_EQ(Table({{"A", "B"}}), "A  B\n"); }

}  // namespace
}  // namespace twofold::cli
