#include "lib/common/printable.h"

#include <gtest/gtest.h>

namespace twofold {
namespace {

TEST(Printable, LeavesTextAsItIs) {
  EXPECT_EQ(Printable("", 10), "");
  EXPECT_EQ(Printable("12 µs ≥ 3 𝄞", 100), "12 µs ≥ 3 𝄞");
}

TEST(Printable, MakesOneLineOfUtf8) {
  EXPECT_EQ(Printable(std::string_view("a\nb\tc\0d\x7f", 8), 100), "a b c d ");
  EXPECT_EQ(Printable("\xff\xc3x\xc3", 100), "??x?");
  EXPECT_EQ(Printable("\xc0\x80\xed\xa0\x80\xf5\x80\x80\x80", 100), "?????????");
}

TEST(Printable, ControlsBeyondAsciiAreNone) {
  EXPECT_EQ(Printable("a\u009b31mb\u0080c\u00a0", 100), "a 31mb c\u00a0");
}

TEST(Printable, AnUnfinishedTailIsTheBeginningOfACharacter) {
  EXPECT_EQ(UnfinishedTail("ab"), 0U);
  EXPECT_EQ(UnfinishedTail("a\xE2\x82"), 2U);
  EXPECT_EQ(UnfinishedTail("a\xE2\x82\xAC"), 0U);
  EXPECT_EQ(UnfinishedTail("\xF0\x9F\x98"), 3U);
  EXPECT_EQ(UnfinishedTail("a\x80"), 0U);
  EXPECT_EQ(UnfinishedTail(""), 0U);
}

TEST(ValidUtf8, IsWhatComesBeforeTheFirstBadByte) {
  EXPECT_EQ(ValidUtf8("12 µs ≥ 3 𝄞"), std::string_view("12 µs ≥ 3 𝄞").size());
  EXPECT_EQ(ValidUtf8("a\xff b"), 1U);
  EXPECT_EQ(ValidUtf8("ab\xE2\x82"), 2U);
  for (const char* bad : {"\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x80"}) {
    EXPECT_EQ(ValidUtf8(bad), 0U);
  }
}

TEST(Printable, CutsBetweenCharacters) {
  EXPECT_EQ(Printable("µµµ", 5), "µµ");
  EXPECT_EQ(Printable("abc", 2), "ab");
}

}  // namespace
}  // namespace twofold
