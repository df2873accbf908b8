#include "lib/suite/document.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "lib/suite/json.h"
#include "lib/suite/plausible.h"

namespace twofold::suite {
namespace {

std::string Cleaned(const std::string& text) {
  std::vector<std::string> notes;
  return CleanText(text, notes).value_or("refused");
}

TEST(SuiteDocument, TextIsCleanOfWhatOthersPutAroundIt) {
  EXPECT_EQ(Cleaned("\xef\xbb\xbf"
                    "a\r\nb\rc"),
            "a\nb\nc");
  EXPECT_EQ(Cleaned("\x1b[1;31mred\x1b[0m\n"), "red\n");
  EXPECT_EQ(Cleaned("  a\n    b\n\n"), "a\n  b\n\n");
  EXPECT_EQ(Cleaned("mpirun: hello\n[1,0]<stdout>:1 2\n[1,1]<stderr>:3\n"),
            "mpirun: hello\n1 2\n3\n");
  EXPECT_EQ(Cleaned("[  5] 0.0-1.0 sec\n"), "[  5] 0.0-1.0 sec\n");
}

TEST(SuiteDocument, RunsBeginBeforeTheirFirstLinesAndWhereTheyLostThem) {
  const auto starts = [](std::string_view text) {
    return RunsBy(SignsOfLines(text, [](std::string_view line) {
      return line == "head"   ? Sign::kBefore
             : line == "run"  ? Sign::kBegins
             : line == "row"  ? Sign::kResult
             : line == "done" ? Sign::kEnds
                              : Sign::kNone;
    }));
  };
  using Starts = std::vector<std::size_t>;
  EXPECT_EQ(starts("x\nrun\nrow\ndone\n"), Starts({2}));
  EXPECT_EQ(starts("head\nx\nrun\nrow\nhead\nx\nrun\nrow\n"), Starts({0, 15}));
  EXPECT_EQ(starts("row\nrow\nrun\nrow\n"), Starts({0, 8}));
  EXPECT_EQ(starts("run\ndone\nrow\ndone\nrow\n"), Starts({0, 18}));
  EXPECT_EQ(starts("x\n"), Starts());
}

TEST(SuiteDocument, RunsAreSplitAtTheirFirstLines) {
  const std::string text = "before\nstart 1\na\nstart 2\nb\n";
  const auto starts =
      LinesWhere(text, [](std::string_view line) { return line.starts_with("start"); });
  EXPECT_EQ(SplitAtRuns(text, starts),
            (std::vector<std::string_view>{"before\nstart 1\na\n", "start 2\nb\n"}));
  const std::string message(SeveralRuns("s", text, starts).message());
  EXPECT_TRUE(message.starts_with("s: 2 runs in one document, which begin at lines 2, 4;"))
      << message;
}

TEST(SuiteJson, KeysWithTwoValuesAreKeptApartOrRefused) {
  constexpr std::string_view kText = R"({"a": {"k": 1, "k": 2, "s": 3, "s": 3}})";
  EXPECT_FALSE(FindDocument("x", kText).ok());
  const std::array<std::string_view, 1> known = {"k"};
  const auto read = FindDocument("x", kText, known);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->json.dump(), R"({"a":{"k":1,"k#2":2,"s":3}})");
}

TEST(SuiteJson, AnErrorSaysWhere) {
  EXPECT_EQ(FindDocument("x", "{\n \"a\": }\n}").status().message().substr(0, 43),
            "x: its JSON is wrong at line 2, column 7: s");
  EXPECT_EQ(FindDocument("x", "{\"a\": [1,").status().message(),
            "x: its JSON is cut off at line 1, column 10");
  EXPECT_NE(std::string(FindDocument("x", "{}\n{}\n").status().message()).find("2 runs"),
            std::string::npos);
}

TEST(SuiteJson, WhatIsNoNumberIsMissing) {
  const auto read = FindDocument("x", R"({"a": -nan, "b": inf, "c": "nan", "d": 1})");
  ASSERT_TRUE(read.ok()) << read.status();
  JsonNumbers numbers("x");
  EXPECT_EQ(numbers.Get(read->json, {"d"}), 1);
  EXPECT_TRUE(numbers.status().ok());
  numbers.Get(read->json, {"a"});
  EXPECT_FALSE(numbers.status().ok());
  EXPECT_EQ(TextAt(read->json, {"c"}), "nan");
}

TEST(SuitePlausible, SaysWhatNoNumberCanBe) {
  EXPECT_EQ(Fault(-1, "us"), "-1 us is below 0");
  EXPECT_EQ(Fault(-1, "C"), "");
  EXPECT_EQ(Fault(-1, "", true), "");
  EXPECT_NE(Fault(4294967294.0, ""), "");
  EXPECT_EQ(Fault(4294967294.0, "B"), "");
  EXPECT_NE(Fault(1e18, "us"), "");
  EXPECT_NE(Fault(std::numeric_limits<double>::quiet_NaN(), "s"), "");
}

TEST(SuitePlausible, PercentilesInNoOrderAreLeftOutTogether) {
  Measurements numbers;
  numbers.measurements = {{"latency_p50", 5, "us", Better::kLower, false, {}},
                          {"latency_p99", 2, "us", Better::kLower, false, {}},
                          {"rate", 1, "1/s", Better::kHigher, false, {}}};
  ASSERT_TRUE(KeepPlausible(numbers).ok());
  ASSERT_EQ(numbers.measurements.size(), 1U);
  EXPECT_EQ(numbers.failures.size(), 2U);
  EXPECT_EQ(FirstFault(numbers), "");
}

TEST(SuitePlausible, TheSameNumberTwiceIsOfTwoRuns) {
  Measurements numbers;
  numbers.measurements = {{"rate", 1, "1/s", Better::kNone, false, {}},
                          {"rate", 2, "1/s", Better::kNone, false, {}}};
  EXPECT_FALSE(KeepPlausible(numbers).ok());
}

TEST(SuitePlausible, ARowThatCannotBeIsNotTheBest) {
  Measurements numbers;
  const SizeTable table{{{{"size", "B"}}, {{"latency", "us", Better::kLower}, true}},
                        {{1, -3}, {2, 4}}};
  AddTable("t", table, {}, Empty::kCounts, numbers);
  EXPECT_EQ(numbers.measurements.at(0).value, 4);
  EXPECT_EQ(numbers.failures.at(0).reason, "row left out, size 1: latency -3 us is below 0");
}

TEST(SuitePlausible, RowsProveTheirMega) {
  const TimedRate imb4[] = {{4194304, 1082.94e-6, 3693.63}, {1048576, 279.06e-6, 3583.42}};
  const TimedRate imb2021[] = {{65536, 106.30e-6, 616.50}};
  const TimedRate wrong[] = {{65536, 106.30e-6, 1000}};
  EXPECT_EQ(ProvenMega(imb4), "MiB/s");
  EXPECT_EQ(ProvenMega(imb2021), "MB/s");
  EXPECT_EQ(ProvenMega(wrong), "");
}

}  // namespace
}  // namespace twofold::suite
