#include "lib/suite/text.h"

#include <gtest/gtest.h>

namespace twofold::suite {
namespace {

using Views = std::vector<std::string_view>;

TEST(SuiteText, LinesEndWithEitherSign) {
  EXPECT_EQ(Lines("a\r\nb\rc\n\nd"), (Views{"a", "b", "c", "d"}));
  EXPECT_EQ(Lines(""), Views{});
  EXPECT_EQ(Words("  a\tb  c "), (Views{"a", "b", "c"}));
}

TEST(SuiteText, ANumberIsAllOfTheText) {
  EXPECT_EQ(ToNumber("1.5"), 1.5);
  EXPECT_EQ(ToNumber("-2e3"), -2000);
  for (const char* text : {"", "1,5", "1.5x", " 1", "inf", "nan", "1e999", "+1", "0x10"}) {
    EXPECT_EQ(ToNumber(text), std::nullopt) << text;
  }
}

TEST(SuiteText, TakingANumberLeavesWhatFollows) {
  std::string_view text = "60.1x";
  EXPECT_EQ(TakeNumber(text), 60.1);
  EXPECT_EQ(text, "x");
  EXPECT_EQ(TakeNumber(text), std::nullopt);
  EXPECT_EQ(text, "x");
}

TEST(SuiteText, NumbersReadBackAsTheSame) {
  for (const double value : {0.1, 13.91719270777437, 4194304.0, 1e-300}) {
    EXPECT_EQ(ToNumber(NumberText(value)), value);
  }
  EXPECT_EQ(NumberText(4194304), "4194304");
}

TEST(SuiteText, WhatOthersSayIsOneLineOfPrintableText) {
  EXPECT_EQ(Quoted(" a\nb\x01 "), "a\\nb\\001");
  EXPECT_EQ(Quoted(Quoted("a\nb")), "a\\nb");
  EXPECT_EQ(Quoted(R"(fio's "\t")"), R"(fio's "\t")");
  EXPECT_EQ(Quoted(std::string(300, 'x')).size(), 203U);
  EXPECT_EQ(Quoted(Quoted(std::string(300, 'x'))), Quoted(std::string(300, 'x')));
}

TEST(SuiteText, AStageEndsBadlyByCodeOrSignal) {
  StageOutput output;
  EXPECT_EQ(BadEnd(output), "");
  output.exit_code = 0;
  EXPECT_EQ(BadEnd(output), "");
  output.exit_code = 3;
  EXPECT_EQ(BadEnd(output), "exit code 3");
  output.signal = 9;
  EXPECT_EQ(BadEnd(output), "killed by signal 9");
}

TEST(Text, TheVersionIsTheFirstLineThatIsNotEmpty) {
  EXPECT_EQ(VersionIn("\nfio-3.33\nmore"), "fio-3.33");
  EXPECT_EQ(VersionIn(""), "");
}

}  // namespace
}  // namespace twofold::suite
