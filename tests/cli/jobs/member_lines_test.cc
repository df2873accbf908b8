#include "cli/jobs/member_lines.h"

#include <gtest/gtest.h>

namespace twofold::cli {
namespace {

TEST(MemberLines, LinesOfMembersAreNotMixed) {
  MemberLines lines;
  EXPECT_EQ(lines.Add(0, "one\ntw"), "[0] one\n");
  EXPECT_EQ(lines.Add(12, "other\n\n"), "[12] other\n[12] \n");
  EXPECT_EQ(lines.Add(0, "o\n"), "[0] two\n");
  EXPECT_EQ(lines.Rest(), "");
}

TEST(MemberLines, WhatHasNoLineBreakComesAtTheEnd) {
  MemberLines lines;
  EXPECT_EQ(lines.Add(3, "c"), "");
  EXPECT_EQ(lines.Add(1, "a"), "");
  EXPECT_EQ(lines.Rest(), "[1] a\n[3] c\n");
  EXPECT_EQ(lines.Rest(), "");
}

}  // namespace
}  // namespace twofold::cli
