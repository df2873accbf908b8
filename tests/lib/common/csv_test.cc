#include "lib/common/csv.h"

#include <gmock/gmock.h>

#include "lib/common/file.h"

namespace twofold {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string CsvError(const std::string& text) {
  return std::string(Csv::Parse(text).status().message());
}

TEST(Csv, OfExcelHasAByteOrderMarkAndEndsOfLinesOfAnySystem) {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    const auto csv =
        Csv::Parse("\xEF\xBB\xBFnodes,seconds" + end + "1,10" + end + "2,\"a" + end + "b\"" + end);
    ASSERT_TRUE(csv.ok()) << csv.status();
    EXPECT_THAT(csv->columns, ElementsAre("nodes", "seconds"));
    EXPECT_THAT(csv->rows, ElementsAre(ElementsAre("1", "10"), ElementsAre("2", "a" + end + "b")));
    EXPECT_TRUE(csv->Column("nodes").ok());
  }
}

TEST(Csv, AFileThatExcelSavedIsRead) {
  const auto text = ReadFile(TWOFOLD_SOURCE "/tests/golden/csv/bom-crlf.csv", 1000);
  ASSERT_TRUE(text.ok()) << text.status();
  const auto csv = Csv::Parse(*text);
  ASSERT_TRUE(csv.ok()) << csv.status();
  EXPECT_THAT(csv->columns, ElementsAre("nodes", "seconds"));
  ASSERT_EQ(csv->rows.size(), 5U);
  EXPECT_THAT(csv->rows.back(), ElementsAre("16", "10"));
}

TEST(Csv, HasSemicolonsOrTabsIfItsFirstLineHasThem) {
  EXPECT_THAT(Csv::Parse("a;b\n1,5;2\n")->rows, ElementsAre(ElementsAre("1,5", "2")));
  EXPECT_THAT(Csv::Parse("# a;b\na\tb\n1\t2\n")->rows, ElementsAre(ElementsAre("1", "2")));
  EXPECT_THAT(Csv::Parse("\"a;b\",c\n1,2\n")->columns, ElementsAre("a;b", "c"));
}

TEST(Csv, OfExcelMayBeginWithALineThatSaysItsSeparator) {
  for (const char* first : {"sep=;\r\n", "SEP=;\n", "\xEF\xBB\xBFsep=;\n"}) {
    const auto csv = Csv::Parse(std::string(first) + "nodes;a,b\n1;2\n");
    ASSERT_TRUE(csv.ok()) << csv.status();
    EXPECT_THAT(csv->columns, ElementsAre("nodes", "a,b"));
    EXPECT_THAT(csv->rows, ElementsAre(ElementsAre("1", "2")));
    EXPECT_EQ(csv->separator, ';');
    EXPECT_THAT(csv->lines, ElementsAre(3U));
  }
  EXPECT_THAT(Csv::Parse("sep=|\na|b\n1|2\n")->columns, ElementsAre("a", "b"));
  EXPECT_THAT(Csv::Parse("sep,b\n1,2\n")->columns, ElementsAre("sep", "b"));
  EXPECT_FALSE(Csv::Parse("sep=;").ok());
}

TEST(Csv, OfPandasHasAColumnOfNumbersWithoutAName) {
  const auto csv = Csv::Parse(",nodes,seconds\n0,1,10.0\n1,2,\n");
  ASSERT_TRUE(csv.ok());
  EXPECT_THAT(csv->columns, ElementsAre("", "nodes", "seconds"));
  EXPECT_THAT(csv->rows[1], ElementsAre("1", "2", ""));
}

TEST(Csv, RowsOfEmptyFieldsAndBlanksAroundFieldsCountForNothing) {
  const auto csv = Csv::Parse("nodes, seconds\n1, \"2\" \n,\n,\r\n");
  ASSERT_TRUE(csv.ok()) << csv.status();
  EXPECT_THAT(csv->columns, ElementsAre("nodes", "seconds"));
  EXPECT_THAT(csv->rows, ElementsAre(ElementsAre("1", "2")));
}

TEST(Csv, ATextThatASpreadsheetWouldRunHasAnApostrophe) {
  EXPECT_EQ(CsvText("=1+1"), "'=1+1");
  EXPECT_EQ(CsvText("+1 job"), "'+1 job");
  EXPECT_EQ(CsvText("-inf"), "'-inf");
  EXPECT_EQ(CsvText("@SUM(A1)"), "'@SUM(A1)");
  EXPECT_EQ(CsvText("\t-5"), "'\t-5");
  EXPECT_EQ(CsvText("\r=1"), "'\r=1");
}

TEST(Csv, NumbersAndOtherTextsStayAsTheyAre) {
  for (const char* text : {"", "-5", "+2.5", "-1e-9", "a=b", "1-2", "'", "'tis", "' =1"}) {
    EXPECT_EQ(CsvText(text), text);
  }
}

TEST(Csv, ReadsTheTextBehindTheApostrophe) {
  for (const char* text : {"=1+1", "'=1+1", "''@a", "-5", "-", "-x", "+", "'", "'tis", "a"}) {
    const auto csv = Csv::Parse("\"" + CsvText(text) + "\"," + CsvText(text) + "x\na,b\n");
    ASSERT_TRUE(csv.ok()) << csv.status();
    EXPECT_EQ(csv->columns[0], text);
  }
  EXPECT_THAT(Csv::Parse("'=a,\"'@b\"\n1,'-2\n")->rows, ElementsAre(ElementsAre("1", "-2")));
  EXPECT_THAT(Csv::Parse("'=a,\"'@b\"\n1,'-2\n")->columns, ElementsAre("=a", "@b"));
}

TEST(Csv, WhatIsAmbiguousIsRefused) {
  EXPECT_EQ(CsvError("a,a\n1,2\n"), "column 'a' is there twice: rename one");
  EXPECT_THAT(CsvError(std::string("\xFF\xFE"
                                   "a\0,\0",
                                   6)),
              HasSubstr("is no UTF-8 text"));
  EXPECT_THAT(CsvError("a,b\n1,2,3\n"), HasSubstr("line 2: 3 fields"));
  EXPECT_THAT(CsvError(""), HasSubstr("no line that names columns"));
}

}  // namespace
}  // namespace twofold
