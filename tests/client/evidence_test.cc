#include "client/evidence.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace twofold::client {
namespace {

using ::testing::HasSubstr;

stats::StepEvidence Whole() {
  return {.workers = 4,
          .rate = {19.5, 0.0012, 11.5, 12.25},
          .jobs = 240,
          .failed = 2,
          .wait = 0.0003,
          .run = 0.2,
          .overhead = 0.0008,
          .spread = 0.0012,
          .slowest = "pod-x",
          .slowest_by = 0.3,
          .nodes = {{"node-1", 3, 180, 0.21}, {"node-2", 1, 60, std::nullopt}}};
}

std::string MistakeIn(const std::string& text) {
  return std::string(ParseEvidence(text).status().message());
}

TEST(Evidence, NeedsNoEscapesInAUrlAndBeginsWithWhatAScriptKnows) {
  EXPECT_EQ(EvidenceText(Whole()),
            "-:-:4:19.5:0.0012:11.5:12.25:240:2:0.0003:0.2:0.0008:0.0012:0.3:pod-x:"
            "node-1!3!180!0.21~node-2!1!60!-");
  stats::StepEvidence odd = Whole();
  odd.slowest = "a b/c&d=e\n" + std::string(100, 'x');
  odd.nodes.clear();
  odd.rate.degrees = 1234567.0;
  EXPECT_EQ(EvidenceText(odd),
            "-:-:4:19.5:0.0012:1.23457e06:12.25:240:2:0.0003:0.2:0.0008:0.0012:0.3:a_b_c_d_e_" +
                std::string(53, 'x') + ":-");
}

TEST(Evidence, IsReadAsItWasWritten) {
  stats::StepEvidence with_cpu = Whole();
  with_cpu.cpu = 1.98;
  with_cpu.throttled = 0.25;
  const std::string text = EvidenceText(with_cpu);
  const auto read = ParseEvidence(EvidenceText(Whole()) + "," + text);
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->size(), 2U);
  EXPECT_FALSE(read->front().cpu.has_value());
  EXPECT_EQ(read->back().cpu, 1.98);
  EXPECT_EQ(read->back().nodes.at(0).run, 0.21);
  EXPECT_FALSE(read->back().nodes.at(1).run.has_value());
  EXPECT_EQ(EvidenceText(read->back()), text);
}

TEST(Evidence, OfManyNodesHasTheFastestAndTheSlowest) {
  stats::StepEvidence step = Whole();
  step.nodes.clear();
  for (int i = 0; i < 100; ++i) {
    step.nodes.push_back({"n" + std::to_string(i), 1, 10, 1.0 + i * 7 % 100});
  }
  const auto read = ParseEvidence(EvidenceText(step));
  ASSERT_TRUE(read.ok());
  ASSERT_EQ(read->front().nodes.size(), 8U);
  EXPECT_EQ(read->front().nodes.front().run, 1.0);
  EXPECT_EQ(read->front().nodes.back().run, 100.0);
}

TEST(Evidence, NamesTheFieldThatIsWrong) {
  EXPECT_THAT(MistakeIn(""), HasSubstr("step '' is not 16 fields"));
  EXPECT_THAT(MistakeIn("x" + EvidenceText(Whole()).substr(1)), HasSubstr("cpu 'x'"));
  EXPECT_THAT(MistakeIn("-:-:0:1:1:1:1:1:1:1:1:1:1:1:-:-"), HasSubstr("workers '0'"));
  EXPECT_THAT(MistakeIn("-:-:1:1:nan:1:1:1:1:1:1:1:1:1:-:-"), HasSubstr("log_error 'nan'"));
  EXPECT_THAT(MistakeIn("-:-:1:1:1:1:1:1:1:1:1:1:1:1:-:a!1!1"), HasSubstr("NODE!WORKERS"));
  EXPECT_THAT(MistakeIn("-:-:1:1:1:1:1:1:1:1:1:1:1:1:-:a!1!1!x"), HasSubstr("run of a node 'x'"));
}

TEST(Evidence, EachNumberHasALimit) {
  for (std::size_t bad = 0; bad < 14; ++bad) {
    for (const char* value : {"1e308", "-inf", "infinity", "nan"}) {
      std::vector<std::string> fields(14, "1");
      fields[bad] = value;
      EXPECT_THAT(MistakeIn(absl::StrJoin(fields, ":") + ":-:-"),
                  HasSubstr(absl::StrCat(" '", value, "' is not a number")));
    }
  }
  EXPECT_THAT(MistakeIn("-:-:1:1:1:1:1:1:1:1:1:1:1:1:-:a!1!1!1e308"),
              HasSubstr("run of a node '1e308' is not a number 0..1e+15 or -"));
}

TEST(Evidence, WhateverIsSentIsReadOrRefused) {
  const std::string good = EvidenceText(Whole());
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const char c : {'\0', ':', ',', '-', 'e', '9', '!', '~', '\xff'}) {
      std::string bad = good;
      bad[i] = c;
      const auto evidence = ParseEvidence(good + "," + bad);
      if (evidence.ok()) stats::Explain(*evidence);
    }
  }
}

}  // namespace
}  // namespace twofold::client
