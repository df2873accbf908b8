// The program runs and says something; how fast anything is, is no matter of a test.

#include "tests/support/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/support/postgres_server.h"

namespace twofold::testing {
namespace {

using ::testing::Each;
using ::testing::Gt;
using ::testing::HasSubstr;

/// What was printed after the lines that say how far it is.
nlohmann::json JsonIn(const std::string& output) {
  return nlohmann::json::parse(output.substr(output.find("{\n")));
}

TEST(FrontendsBenchmark, QuickRunMeasuresWhatItIsAskedFor) {
  if (!PostgresServer::IsInstalled()) GTEST_SKIP() << "PostgreSQL is not installed";
  Program program("frontends_benchmark", {"--quick", "--json", "--only", "redirect,durable"});
  EXPECT_EQ(program.Wait(), 0) << program.output();
  const nlohmann::json json = JsonIn(program.output());
  EXPECT_TRUE(json["not_measured"].empty()) << json;
  std::set<std::string> scenarios;
  for (const nlohmann::json& number : json["numbers"]) {
    scenarios.insert(number["scenario"]);
    EXPECT_FALSE(number["what"].get<std::string>().empty());
    EXPECT_FALSE(number.contains("kept")) << "a moment proves nothing";
    const std::string unit = number["unit"];
    if (unit != "jobs/s") continue;
    EXPECT_THAT(number["rounds"].get<std::vector<double>>(), Each(Gt(0))) << number;
  }
  EXPECT_EQ(scenarios, (std::set<std::string>{"redirect", "durable"}));
}

TEST(FrontendsBenchmark, UnknownScenarioIsWrongUsage) {
  Program program("frontends_benchmark", {"--only", "redirect,speed"});
  EXPECT_EQ(program.Wait(), 2);
  EXPECT_THAT(program.output(), HasSubstr("no scenario 'speed'; --help has a list"));
}

TEST(FrontendsBenchmark, HelpListsTheScenarios) {
  Program program("frontends_benchmark", {"--help"});
  EXPECT_EQ(program.Wait(), 0);
  for (const char* name : {"redirect", "idle", "takeover", "workers", "move", "durable", "results",
                           "cores", "relay", "outage"}) {
    EXPECT_THAT(program.output(), HasSubstr(name));
  }
}

}  // namespace
}  // namespace twofold::testing
