#include "bench/cluster/scenarios.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace twofold::scale {
namespace {

constexpr WorldOptions kDozen = {.frontends = 12, .queues = 24, .workers = 1200};

Findings Play(const Scenario& scenario, const WorldOptions& options) {
  Findings findings;
  scenario.run(scenario, options, findings);
  return findings;
}

class ScenarioTest : public testing::TestWithParam<Scenario> {};

TEST_P(ScenarioTest, LosesNobodyAndTriesNothingTwice) {
  const Findings findings = Play(GetParam(), kDozen);
  EXPECT_EQ(findings.complaints, std::vector<std::string>());
  ASSERT_FALSE(findings.numbers.empty());
  for (const Finding& number : findings.numbers) {
    EXPECT_EQ(number.scenario, GetParam().name);
    if (number.most == 0) {
      EXPECT_EQ(number.value, 0) << number.what;
    }
  }
}

TEST_P(ScenarioTest, SameSeedGivesTheSameBytes) {
  const Findings first = Play(GetParam(), kDozen);
  const Findings second = Play(GetParam(), kDozen);
  EXPECT_EQ(ToText(kDozen, first), ToText(kDozen, second));
  EXPECT_EQ(ToJson(kDozen, first), ToJson(kDozen, second));
}

INSTANTIATE_TEST_SUITE_P(All, ScenarioTest, testing::ValuesIn(kAllScenarios),
                         [](const auto& named) {
                           std::string name(named.param.name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Scenarios, OtherSeedGivesOtherNumbers) {
  WorldOptions other = kDozen;
  other.seed = 2;
  const Scenario& scenario = *FindScenario("lose-one");
  EXPECT_NE(ToJson(kDozen, Play(scenario, kDozen)), ToJson(kDozen, Play(scenario, other)));
}

TEST(Findings, BoundThatIsNotKeptIsNotAsWanted) {
  Findings findings;
  findings.numbers.push_back({"drain", "pause", 1.0, "s", 1.0});
  EXPECT_TRUE(findings.AllWanted());
  findings.numbers.push_back({"drain", "pause", 1.01, "s", 1.0});
  EXPECT_FALSE(findings.AllWanted());
  EXPECT_NE(ToText(kDozen, findings).find("1.01 s   at most 1.00 s: NO"), std::string::npos);
  const auto json = nlohmann::json::parse(ToJson(kDozen, findings));
  EXPECT_EQ(json["numbers"][0]["as_wanted"], true);
  EXPECT_EQ(json["numbers"][1]["as_wanted"], false);
}

TEST(Findings, ComplaintIsNotAsWanted) {
  const Findings findings = {.numbers = {},
                             .complaints = {"drain: queue 3 is open on 2 frontends"}};
  EXPECT_FALSE(findings.AllWanted());
  EXPECT_NE(ToText(kDozen, findings).find("WRONG: drain: queue 3"), std::string::npos);
}

TEST(Findings, EachCostStandsAtItsPlace) {
  for (std::size_t i = 0; i < kCosts.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(kCosts[i].cost), i) << kCosts[i].what;
  }
}

}  // namespace
}  // namespace twofold::scale
