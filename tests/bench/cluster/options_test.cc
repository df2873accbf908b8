#include "bench/cluster/options.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "lib/common/options.h"

namespace twofold::scale {
namespace {

/// Why these arguments are refused; empty: they are not.
std::string Refusal(std::vector<std::string> arguments, Options& options) {
  CLI::App app("", "cluster_simulation");
  Declare(app, options);
  std::reverse(arguments.begin(), arguments.end());
  try {
    app.parse(arguments);
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  return Complete(options);
}

TEST(Options, FollowingValuesAreFilledIn) {
  Options options;
  ASSERT_EQ(Refusal({"--frontends", "4", "--queues-each", "3", "--run-time", "10", "--grace", "12",
                     "--backoff", "2"},
                    options),
            "");
  EXPECT_EQ(options.world.queues, 12U);
  EXPECT_EQ(options.world.run_time, std::chrono::seconds(10));
  EXPECT_EQ(options.world.grace, std::chrono::seconds(12));
  EXPECT_EQ(options.world.pauses.first, std::chrono::seconds(2));
  EXPECT_EQ(options.world.pauses.most, std::chrono::seconds(5));
}

TEST(Options, ImpossibleOnesAreNamed) {
  Options options;
  EXPECT_EQ(Refusal({"--queues-each", "7"}, options),
            "--queues-each: 280 queues in all, at most 256 are possible");
  EXPECT_EQ(Refusal({"--queues-each", "6", "--workers", "100"}, options),
            "--workers: fewer than queues");
  EXPECT_NE(Refusal({"--scenario", "flood"}, options).find("no scenario 'flood'"),
            std::string::npos);
}

TEST(Options, ScenarioThatIsAskedForNeedsItsFrontends) {
  Options options;
  EXPECT_EQ(Refusal({"--frontends", "4", "--scenario", "lose-three"}, options),
            "--frontends: lose-three needs at least 10");
}

TEST(Options, ScenariosThatNeedMoreFrontendsAreLeftOutUnlessAskedFor) {
  Options options;
  ASSERT_EQ(Refusal({"--frontends", "4"}, options), "");
  EXPECT_TRUE(IsChosen(options, *FindScenario("lose-one")));
  EXPECT_FALSE(IsChosen(options, *FindScenario("lose-three")));
}

}  // namespace
}  // namespace twofold::scale
