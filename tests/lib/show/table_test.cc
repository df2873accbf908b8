#include "lib/show/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "lib/show/width.h"

namespace twofold::show {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

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

class FittedTable : public ::testing::Test {
 protected:
  ~FittedTable() override { FitTables(0); }

  const Rows rows_ = {{"ID", "REASON", "N", "M"},
                      {"a-first-column-that-is-long", std::string(60, 'x'), "10", "5"}};
};

TEST_F(FittedTable, LongTextIsCutFirstAndTheFirstColumnNever) {
  FitTables(80);
  EXPECT_EQ(Table(rows_), "ID                           REASON" + std::string(41, ' ') +
                              "N  M\na-first-column-that-is-long  " + std::string(42, 'x') +
                              "..  10  5\n");
}

TEST_F(FittedTable, WhatHasNoPlaceIsNamed) {
  FitTables(55);
  EXPECT_EQ(Table(rows_),
            "ID                           REASON\n"
            "a-first-column-that-is-long  " +
                std::string(22, 'x') +
                "..\n"
                "no place for N, M (--wide)\n");
  FitTables(5);
  EXPECT_EQ(Table(rows_),
            "ID\n"
            "a-first-column-that-is-long\n"
            "no place for REASON, N, M (--wide)\n");
}

TEST_F(FittedTable, CharactersAreNotCutInTwo) {
  FitTables(30);
  std::string text = "a";
  for (int n = 0; n < 20; ++n) text += "\u00e4";
  const std::string shown = Table({{"A", "B"}, {"1", text}});
  EXPECT_NE(shown.find("\u00e4..\n"), std::string::npos) << shown;
}

// ---- columns

const Json kThings = Json::parse(R"([
  {"name": "a|b", "times": {"wait_seconds": 0.25}, "ends": {"good": 2, "bad": 1}, "late": 0,
   "labels": {"gpu": "a100", "zone": 1}, "begun_unix_seconds": 0, "share": 0.125, "ok": true},
  {"name": "", "times": {}, "ends": {}, "late": 0, "labels": {}, "begun_unix_seconds": null}])");

const Columns kColumns = {{"NAME", "name"},
                          {.heading = "WAIT S", .path = "times.wait_seconds", .decimals = 3},
                          {.heading = "ENDS", .path = "ends+late", .name = "ends"},
                          {.heading = "LATE", .path = "late", .if_any = true},
                          {"LABELS", "labels"},
                          {.heading = "SHARE %", .path = "share", .decimals = 1, .scale = 100},
                          {"BEGUN", "begun_unix_seconds"},
                          {"OK", "ok"},
                          {"BOTH", "name labels"}};

TEST(Columns, ForPeople) {
  EXPECT_EQ(Print(Form::kText, kColumns, kThings),
            "NAME  WAIT S  ENDS  LABELS           SHARE %  BEGUN                OK   BOTH\n"
            "a|b    0.250     3  gpu=a100 zone=1     12.5  1970-01-01 00:00:00  yes  "
            "a|b gpu=a100 zone=1\n"
            "-          -     0  -                      -  -                    -    -\n");
}

// ---- one precision a column

TEST(Alike, AColumnHasOneNumberOfDecimals) {
  EXPECT_THAT(Alike({9.31, 13.0, std::nullopt}), ElementsAre("9.31", "13.00", "-"));
  EXPECT_THAT(Alike({13.0, 9.3123}), ElementsAre("13.0000", "9.3123"));
  EXPECT_THAT(Alike({1.0, 200.0}), ElementsAre("1", "200"));
  EXPECT_THAT(Alike({0.0, 0.25}), ElementsAre("0.00", "0.25"));
  EXPECT_THAT(Alike({-0.5, 12.0}, 3), ElementsAre("-0.5", "12.0"));
  EXPECT_THAT(Alike({}), IsEmpty());
}

TEST(Alike, TheGreatestIsNoMoreExactThanItsDigitsAndTheLeastHasThree) {
  EXPECT_THAT(Alike({1.0 / 3, 1234.5678}), ElementsAre("0.333", "1234.568"));
  EXPECT_THAT(Alike({98.7654, 12345.678}, 5), ElementsAre("98.8", "12345.7"));
  EXPECT_THAT(Alike({0.000231, 2.0}), ElementsAre("0.000231", "2.000000"));
}

TEST(Alike, WhatNoNumberOfDecimalsSuitsIsWrittenAsItIs) {
  EXPECT_THAT(Alike({1e-12, 5.0}), ElementsAre("1e-12", "5"));
  EXPECT_THAT(Alike({1.5e300, 0.25}), ElementsAre("1.5e+300", "0.25"));
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT(Alike({infinity, 0.5, std::nan("")}), ElementsAre("inf", "0.5", "-"));
}

TEST(Columns, NumbersOfOneKindAreWrittenAlike) {
  const Json rows = Json::parse(R"([{"what": "rate", "value": 9.31, "id": 36028797018963969},
                                    {"what": "size", "value": 4096.0, "id": 1},
                                    {"what": "rate", "value": 13.0, "id": 2},
                                    {"what": "none", "value": null, "id": 3}])");
  EXPECT_EQ(
      Print(Form::kText, {{"ID", "id"}, {.heading = "V", .path = "value", .kind = "what"}}, rows),
      "               ID      V\n"
      "36028797018963969   9.31\n"
      "                1   4096\n"
      "                2  13.00\n"
      "                3      -\n");
  EXPECT_EQ(Print(Form::kText, {{.heading = "V", .path = "value", .digits = 3, .scale = 10}}, rows),
            "      V\n   93.1\n40960.0\n  130.0\n      -\n");
}

TEST(Columns, AsMarkdown) {
  EXPECT_EQ(Print(Form::kMarkdown, {{"NAME", "name"}, {"ENDS", "ends.good+ends.bad"}}, kThings[0]),
            "| NAME | ENDS |\n"
            "| --- | ---: |\n"
            "| a\\|b | 3 |\n");
}

TEST(Columns, AsMarkdownTextFromOutsideStaysText) {
  EXPECT_EQ(Print(Form::kMarkdown, {{"<b>", "name"}},
                  {{"name", "<script>`a`|b\\ &lt; [x](y)\n*c* _d_ e_f ~~g~~"}}),
            "| \\<b> |\n"
            "| --- |\n"
            "| \\<script>\\`a\\`\\|b\\\\ \\&lt; \\[x](y) \\*c\\* \\_d\\_ e_f "
            "\\~\\~g\\~\\~ |\n");
}

TEST(Beneath, LinesAreEscapedInMarkdownAlone) {
  EXPECT_EQ(Beneath(Form::kMarkdown, "run <b>\nof `a`\n"), "run \\<b>\nof \\`a\\`\n");
  EXPECT_EQ(Beneath(Form::kText, "run <b>\n"), "run <b>\n");
}

TEST(Columns, AsCsvWithNumbersInFull) {
  EXPECT_EQ(Print(Form::kCsv, kColumns, kThings),
            "name,times.wait_seconds,ends,late,labels,share,begun_unix_seconds,ok,name labels\n"
            "a|b,0.25,3,0,gpu=a100 zone=1,0.125,0,1,a|b gpu=a100 zone=1\n"
            ",,0,0,,,,,\n");
  EXPECT_EQ(Print(Form::kCsv, {{"X", "x"}}, {{"x", "a,\"b\""}}), "x\n\"a,\"\"b\"\"\"\n");
}

TEST(Columns, AsCsvNoTextIsAFormula) {
  EXPECT_EQ(Print(Form::kCsv, {{"", "name"}, {"", "x"}, {.heading = "", .path = "x", .name = "@x"}},
                  {{"name", "=HYPERLINK(\"a\")"}, {"x", -0.5}}),
            "name,x,'@x\n\"'=HYPERLINK(\"\"a\"\")\",-0.5,-0.5\n");
}

TEST(Columns, AsJsonTheThingsAreWhole) {
  EXPECT_EQ(Print(Form::kJson, kColumns, {{"name", "\xff"}}), "{\"name\":\"\xef\xbf\xbd\"}\n");
}

TEST(Columns, AKeyMayHaveDots) {
  EXPECT_EQ(Print(Form::kCsv, {{.heading = "", .path = "varied.a.b", .name = "a.b"}},
                  {{"varied", {{"a.b", 1}}}}),
            "a.b\n1\n");
}

TEST(Columns, DigitsThatCount) {
  EXPECT_EQ(Text(1048576.0), "1048576");
  EXPECT_EQ(Text(0.000125), "0.000125");
  EXPECT_EQ(Text(9.3149, 3), "9.31");
}

}  // namespace
}  // namespace twofold::show
