#include "bench/peers/report.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace twofold::bench {
namespace {

using Runs = std::vector<Run>;  // in a TEST, Run is something of GoogleTest

Run RunOf(const std::string& peer, double jobs_per_s, double p99_us = 5) {
  return {.pass = 1,
          .cell = {.peer = peer, .connections = 8, .outstanding = 1024},
          .figures = {.jobs_per_s = jobs_per_s, .p99_us = p99_us}};
}

TEST(Summarize, GivesTheMedianAndTheRangeOfEachFigure) {
  const Runs runs = {RunOf("a", 30, 1), RunOf("a", 10, 9), RunOf("a", 20, 2)};
  const std::vector<Summary> summaries = Summarize(runs);
  ASSERT_EQ(summaries.size(), 1U);
  EXPECT_EQ(summaries[0].runs, 3);
  EXPECT_EQ(summaries[0].median.jobs_per_s, 20);
  EXPECT_EQ(summaries[0].lowest.jobs_per_s, 10);
  EXPECT_EQ(summaries[0].highest.jobs_per_s, 30);
  EXPECT_EQ(summaries[0].median.p99_us, 2);
  EXPECT_TRUE(std::isnan(summaries[0].median.job_bytes));
}

TEST(Summarize, AnEvenNumberHasItsMedianBetween) {
  const Runs runs = {RunOf("a", 10), RunOf("a", 20)};
  EXPECT_EQ(Summarize(runs)[0].median.jobs_per_s, 15);
}

TEST(Summarize, KeepsTheOrderInWhichCellsAppear) {
  const Runs runs = {RunOf("b", 1), RunOf("a", 1), RunOf("b", 1)};
  const std::vector<Summary> summaries = Summarize(runs);
  ASSERT_EQ(summaries.size(), 2U);
  EXPECT_EQ(summaries[0].cell.peer, "b");
  EXPECT_EQ(summaries[0].runs, 2);
}

TEST(ToMarkdown, HasATableForEachTestThatWasRun) {
  const Runs runs = {RunOf("redis", 1'234'567.4)};
  const std::string text = ToMarkdown(Summarize(runs));
  EXPECT_TRUE(text.starts_with("### Round trips, closed loop\n\n| peer | connections |")) << text;
  EXPECT_NE(
      text.find("| redis | 8+8 | 1 024 | 100 | – | 1 234 567 | 1 234 567–1 234 567 | – | 5 |"),
      text.npos)
      << text;
  EXPECT_EQ(text.find("Idle"), text.npos);
}

TEST(ToMarkdown, SaysWhenTheGeneratorWasTooLate) {
  auto run = RunOf("redis", 10'000);
  run.cell.test = TestKind::kOpenLoop;
  run.figures.late_share = kMostLate;
  EXPECT_NE(ToMarkdown(Summarize(Runs{run})).find("| yes |"), std::string::npos);
  run.figures.late_share = 0.125;
  EXPECT_NE(ToMarkdown(Summarize(Runs{run})).find("| no: 12.5 % sent late |"), std::string::npos);
}

TEST(ToChartCsv, HasMedianAndRange) {
  const Runs runs = {RunOf("a", 30), RunOf("a", 10), RunOf("a", 20)};
  EXPECT_EQ(ToChartCsv(Summarize(runs)),
            "peer,test,connections,outstanding,payload,take,runs,median,lowest,highest\n"
            "a,round-trips,8,1024,100,0,3,20,10,30\n");
}

}  // namespace
}  // namespace twofold::bench
