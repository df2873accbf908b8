#include "backend/benchmark/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/suite/text.h"
#include "tests/backend/benchmark/printed.h"

namespace twofold::backend {
namespace {

using ::testing::HasSubstr;

// A suite whose tool prints a number; "sick" lines are parts that have failed.
std::optional<double> NumberIn(const std::string& out) {
  const auto lines = suite::Lines(out);
  return lines.empty() ? std::nullopt : suite::ToNumber(lines[0]);
}

Result<suite::Measurements> Parse(const suite::Outputs& outputs) {
  suite::Measurements numbers;
  for (const suite::StageOutput& output : outputs.stages) {
    if (const std::string end = suite::BadEnd(output); !end.empty()) {
      return suite::ToolFailed(output.stage, end);
    }
    const auto number = NumberIn(output.out);
    if (output.out == "sick") {
      numbers.failures.push_back({output.stage, "it was sick"});
    } else if (number) {
      numbers.measurements.push_back({"number",
                                      *number,
                                      "\xff/s",
                                      suite::Better::kHigher,
                                      true,
                                      {{"rank", std::to_string(output.rank)}}});
    } else {
      return suite::Unreadable(output.stage, "no number");
    }
  }
  return numbers;
}

constexpr suite::Suite kSuite = {.name = "number", .kind = "Number", .parse = &Parse};

class VerdictTest : public ::testing::Test {
 protected:
  void AddRank(const std::string& out, std::uint64_t keep = 1000) {
    plan_.ranks.push_back({.stages = {{.name = "tool"}}});
    v1::StageRecord& stage = *result_.add_ranks()->add_stages();
    stage.set_name("tool");
    *stage.mutable_out() = Keep("stdout", *Printed(out), keep);
  }
  v1::StageRecord& Stage(int rank) { return *result_.mutable_ranks(rank)->mutable_stages(0); }
  Verdict Judged() { return Judge({kSuite, spec_, plan_, 1000}, result_); }

  const std::string spec_;
  suite::GangPlan plan_;
  v1::BenchmarkResult result_;
};

TEST_F(VerdictTest, NumbersOfAllRanksAreTheResult) {
  AddRank("1.5\n");
  AddRank("2\n");
  EXPECT_EQ(Judged().error, "");
  ASSERT_EQ(result_.measurements_size(), 2);
  EXPECT_EQ(result_.measurements(1).value(), 2);
  EXPECT_EQ(result_.measurements(1).dimensions(0).value(), "1");
  EXPECT_EQ(result_.measurements(1).better(), v1::BETTER_HIGHER);
  EXPECT_EQ(result_.measurements(1).unit(), "?/s");  // protobuf takes UTF-8 only
  EXPECT_EQ(Text(result_), "* number rank=0: 1.5 ?/s\n* number rank=1: 2 ?/s\n");
}

TEST_F(VerdictTest, WhatParseRefusesIsTheError) {
  AddRank("nothing");
  const Verdict verdict = Judged();
  EXPECT_EQ(verdict.stage, "tool");
  EXPECT_EQ(verdict.error, "tool: no number");
}

TEST_F(VerdictTest, APartThatFailedFailsTheJobWhichKeepsItsNumbers) {
  AddRank("1");
  AddRank("sick");
  EXPECT_EQ(Judged().error, "tool: it was sick");
  EXPECT_EQ(result_.measurements_size(), 1);
  EXPECT_THAT(Text(result_), HasSubstr("! tool: it was sick\n"));
}

TEST_F(VerdictTest, WhyAPartWasStoppedCountsMoreThanItsOutput) {
  for (const char* out : {"1", "sick", "no number"}) {
    plan_ = {};
    result_.Clear();
    AddRank(out);
    Stage(0).set_error("ran past its limit of 2 s");
    EXPECT_EQ(Judged().error, "tool: ran past its limit of 2 s");
    EXPECT_LE(result_.failures_size(), 1);
  }
}

TEST_F(VerdictTest, AnOutputThatIsNotWholeIsNotRead) {
  AddRank("1");
  AddRank("22222", 4);
  EXPECT_EQ(Judged().error, "tool: stdout has 5 bytes, of which 1 were not kept: too much to read");
  EXPECT_EQ(result_.measurements_size(), 0);
  plan_.ranks[1].stages[0].phase = suite::Phase::kServe;
  EXPECT_EQ(Judged().error, "");
}

TEST_F(VerdictTest, BrokenRecordsOfPeersAreErrors) {
  AddRank("1");
  Stage(0).mutable_out()->set_zstd("broken");
  EXPECT_EQ(Judged().error, "tool: stdout: not compressed by zstd");
}

TEST_F(VerdictTest, OneRankIsJudgedWithoutTheOthers) {
  AddRank("1");
  AddRank("1");
  const Case job{kSuite, spec_, plan_, 1000};
  EXPECT_EQ(JudgeRank(job, 1, result_.ranks(1)).error, "");
  Stage(1).set_exit_code(3);
  EXPECT_EQ(JudgeRank(job, 1, result_.ranks(1)).error, "tool: exit code 3");
}

TEST_F(VerdictTest, ErrorsAreALineOfUtf8) {
  EXPECT_EQ(Because("server", "two\nlines \xff").error, "server: two lines ?");
  EXPECT_LE(Because("server", std::string(10'000, 'x')).error.size(), 1000U);
}

}  // namespace
}  // namespace twofold::backend
