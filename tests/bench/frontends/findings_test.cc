#include "bench/frontends/findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace twofold::budgets {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr Machine kMachine{.cores = 2, .load = 1.5};

Finding Of(std::vector<double> rounds, Budget budget = {}) {
  return {.scenario = "move",
          .what = "pause",
          .rounds = std::move(rounds),
          .unit = "s",
          .budget = budget};
}

TEST(Finding, MedianOfOneOfAnOddAndOfAnEvenNumber) {
  EXPECT_EQ(Of({3}).Median(), 3);
  EXPECT_EQ(Of({9, 1, 2}).Median(), 2);
  EXPECT_EQ(Of({4, 1, 2, 9}).Median(), 3);
}

TEST(Finding, MedianAtTheBudgetKeepsIt) {
  EXPECT_TRUE(Of({1}, AtMost(1)).Kept());
  EXPECT_TRUE(Of({1}, AtLeast(1)).Kept());
  EXPECT_FALSE(Of({1.01}, AtMost(1)).Kept());
  EXPECT_FALSE(Of({0.99}, AtLeast(1)).Kept());
  EXPECT_TRUE(Of({0.99}).Kept()) << "there is none";
}

TEST(Findings, TextHasVerdictRangeAndWhatWasNotMeasured) {
  const Findings findings{.numbers = {Of({0.5, 2, 3}, AtMost(1)), Of({104'000})},
                          .troubles = {"idle: no database"}};
  const std::string text = ToText(kMachine, findings);
  EXPECT_THAT(text, HasSubstr("0.500 .. 3.000"));
  EXPECT_THAT(text, HasSubstr("<= 1.000: MISSED"));
  EXPECT_THAT(text, HasSubstr("104 000 s"));
  EXPECT_THAT(text, HasSubstr("NOT MEASURED: idle: no database"));
  EXPECT_THAT(text, Not(HasSubstr("kept")));
}

TEST(Findings, JsonHasAllRoundsAndTheBudget) {
  const Findings findings{.numbers = {Of({1, 2}, AtLeast(1)), Of({7})}, .troubles = {}};
  const auto json = nlohmann::json::parse(ToJson(kMachine, findings));
  EXPECT_EQ(json["cores"], 2);
  EXPECT_EQ(json["not_measured"], nlohmann::json::array());
  const auto& first = json["numbers"][0];
  EXPECT_EQ(first["rounds"], nlohmann::json::array({1.0, 2.0}));
  EXPECT_EQ(first["median"], 1.5);
  EXPECT_EQ(first["at_least"], 1.0);
  EXPECT_EQ(first["kept"], true);
  EXPECT_FALSE(json["numbers"][1].contains("kept"));
}

}  // namespace
}  // namespace twofold::budgets
