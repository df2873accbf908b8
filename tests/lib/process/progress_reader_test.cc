#include <gtest/gtest.h>

#include "lib/process/process.h"

namespace twofold::process {
namespace {

TEST(ParseProgress, FractionAndText) {
  EXPECT_EQ(ParseProgress("0.25 frame 100 of 400"), (ProgressLine{0.25F, "frame 100 of 400"}));
  EXPECT_EQ(ParseProgress("1"), (ProgressLine{1, ""}));
  EXPECT_EQ(ParseProgress("0\t  a"), (ProgressLine{0, "a"}));
}

TEST(ParseProgress, WhatIsNoProgressIsIgnored) {
  for (const char* junk : {"", " ", "x", "50%", "1.5 too much", "-0.1 less", "nan", "inf x",
                           " 0.5 blank first", "0.5x", "frame 100"}) {
    EXPECT_EQ(ParseProgress(junk), std::nullopt) << junk;
  }
}

TEST(ParseProgress, TextIsMadeFitForPeopleAndProtocols) {
  EXPECT_EQ(ParseProgress("0 a\x1b[2Jb\x7f")->text, "a [2Jb ");
  EXPECT_EQ(ParseProgress("0 \xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80")->text,
            "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
  // Alone, cut off, overlong, a surrogate, beyond the last one.
  EXPECT_EQ(ParseProgress("0 \x80 \xe2\x82 \xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80")->text,
            "? ?? ?? ??? ????");
}

TEST(ParseProgress, TextIsCutAtTwoHundredBytesAndNotInsideOfACharacter) {
  EXPECT_EQ(ParseProgress("0 " + std::string(300, 'x'))->text, std::string(200, 'x'));
  const std::string text = std::string(199, 'x') + "\xc3\xa4";
  EXPECT_EQ(ParseProgress("0 " + text)->text, std::string(199, 'x'));
}

TEST(ProgressReader, NewestOfTheEndedLinesCounts) {
  ProgressReader reader;
  EXPECT_EQ(reader.Append("0.1 a\n0.2 b\njunk\n0.3 c")->text, "b");
  EXPECT_EQ(reader.Append(" and"), std::nullopt);
  EXPECT_EQ(reader.Append(" d\n")->text, "c and d");
}

TEST(ProgressReader, LineWithoutEndIsCutAndTheNextOneCounts) {
  ProgressReader reader;
  for (int i = 0; i < 100; ++i) EXPECT_EQ(reader.Append(std::string(10'000, '5')), std::nullopt);
  EXPECT_EQ(reader.Append("\n0.5 next\n")->text, "next");
}

}  // namespace
}  // namespace twofold::process
