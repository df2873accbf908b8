#include "bench/peers/csv.h"

#include <gtest/gtest.h>

#include <cmath>

namespace twofold::bench {
namespace {

Run OneRun() {
  return {.pass = 2,
          .cell = {.peer = "nats",
                   .test = TestKind::kOpenLoop,
                   .connections = 8,
                   .payload = 1024,
                   .rate = 0.1,
                   .run_seconds = 1e-5},
          .figures = {.jobs_per_s = 123'456.75, .p50_us = 0}};
}

TEST(Csv, ReadsWhatItWrites) {
  const auto read = ParseCsv(ToCsv(OneRun()));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->pass, 2);
  EXPECT_EQ(read->cell, OneRun().cell);
  EXPECT_EQ(read->figures.jobs_per_s, 123'456.75);
  EXPECT_EQ(read->figures.p50_us, 0);
}

TEST(Csv, WhatIsNotMeasuredIsEmptyAndComesBackSo) {
  EXPECT_TRUE(ToCsv(OneRun()).ends_with(",123456.75,0,,,,,,,,,,"));
  EXPECT_TRUE(std::isnan(ParseCsv(ToCsv(OneRun()))->figures.p99_us));
}

TEST(Csv, EveryTestHasAName) {
  for (const TestKind test : kTests) EXPECT_EQ(ParseTest(ToString(test)).value(), test);
  EXPECT_FALSE(ParseTest("round trips").ok());
}

TEST(Csv, NamesTheColumnThatIsWrong) {
  std::string line = ToCsv(OneRun());
  line.replace(line.find("1024"), 4, "1k");
  EXPECT_EQ(ParseCsv(line).status(), absl::InvalidArgumentError("payload is \"1k\""));
  EXPECT_FALSE(ParseCsv("").ok());
  EXPECT_FALSE(ParseCsv(ToCsv(OneRun()) + ",").ok());
}

TEST(Csv, ReadsAFileWithAndWithoutLastLineEnd) {
  const std::string file = CsvHeader() + "\n" + ToCsv(OneRun()) + "\n" + ToCsv(OneRun());
  EXPECT_EQ(ParseCsvFile(file).value().size(), 2U);
  EXPECT_EQ(ParseCsvFile(file + "\n").value().size(), 2U);
}

TEST(Csv, RefusesAFileOfOtherColumnsAndNamesTheBadLine) {
  EXPECT_FALSE(ParseCsvFile("").ok());
  EXPECT_FALSE(ParseCsvFile("pass,peer\n").ok());
  const Status status = ParseCsvFile(CsvHeader() + "\n" + ToCsv(OneRun()) + "\nx\n").status();
  EXPECT_TRUE(status.message().find("line 3: pass") != status.message().npos) << status;
}

}  // namespace
}  // namespace twofold::bench
