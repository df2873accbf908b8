#include "cli/load/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/common/arguments.h"
#include "lib/common/options.h"

namespace twofold::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Parses the words of a command line; the error instead, if it is wrong.
std::string Parse(const std::string& words, LoadOptions& options) {
  CLI::App app("", "load");
  Declare(app, options);
  std::vector<std::string> parts = CLI::detail::split("load " + words, ' ');
  std::vector<const char*> argv;
  for (const std::string& part : parts) argv.push_back(part.c_str());
  testing::internal::CaptureStderr();
  const auto code = ParseCommandLine(app, static_cast<int>(argv.size()), argv.data());
  const std::string error = testing::internal::GetCapturedStderr();
  return code ? error : std::string(Check(options).message());
}

load::RunOptions Planned(const std::string& words) {
  LoadOptions options;
  EXPECT_EQ(Parse(words, options), "") << words;
  const auto plan = PlanLoad(options, "q", options.slots.front());
  EXPECT_TRUE(plan.ok()) << plan.status();
  return plan.value_or(load::RunOptions());
}

TEST(LoadOptions, AClosedLoopWithItsJob) {
  const auto plan = Planned("--queue q --parallel 16 --duration 1m30s --priority 3 -- 0.1 x");
  ASSERT_EQ(plan.profile.stages.size(), 1U);
  EXPECT_EQ(plan.profile.stages[0].kind, load::Stage::Kind::kParallel);
  EXPECT_EQ(plan.profile.stages[0].to, 16);
  EXPECT_EQ(plan.profile.seconds(), 90);
  EXPECT_EQ(plan.job.options.queue(), "q");
  EXPECT_EQ(plan.job.options.priority(), 3);
  EXPECT_THAT(*DecodeArguments(plan.job.spec), ElementsAre("0.1", "x"));
}

TEST(LoadOptions, WhatIsBehindDashesIsOfTheProgram) {
  LoadOptions options;
  EXPECT_EQ(Parse("--local --fail-if errors>0 -- /bin/sleep 0.1 --duration 1s -- [a,b]", options),
            "");
  EXPECT_EQ(options.limits.size(), 1U);
  EXPECT_FALSE(options.duration);
  EXPECT_THAT(options.arguments,
              ElementsAre("/bin/sleep", "0.1", "--duration", "1s", "--", "[a,b]"));
}

TEST(LoadOptions, AnOpenLoopWithItsArrivals) {
  const auto plan = Planned("--queue q --rate 12.5 --arrivals poisson --seed 7");
  EXPECT_EQ(plan.profile.stages.at(0).kind, load::Stage::Kind::kRate);
  EXPECT_EQ(plan.profile.stages.at(0).from, 12.5);
  EXPECT_EQ(plan.profile.arrivals, load::Arrivals::kPoisson);
  EXPECT_EQ(plan.profile.seed, 7U);
}

TEST(LoadOptions, EndsAfterTenSecondsOrWhenWhatWasAskedForIsThere) {
  EXPECT_EQ(Planned("--queue q --parallel 1").profile.seconds(), 10);
  EXPECT_EQ(Planned("--queue q --parallel 1 --until 2%").profile.seconds(), 60);
  EXPECT_EQ(Planned("--queue q --parallel 1 --until 2%").until, 0.02);
  EXPECT_EQ(Planned("--queue q --parallel 1 --jobs 5").profile.seconds(), load::kForever);
  EXPECT_EQ(Planned("--queue q --parallel 1 --jobs 5").jobs, 5U);
  EXPECT_EQ(Planned("--queue q --parallel 1 --warm-up 500ms").warm_up, milliseconds(500));
}

TEST(LoadOptions, AClusterOfItsOwnKeepsItsSlotsBusyAndItsProgramIsNoArgumentOfJobs) {
  const auto plan = Planned("--local --slots 8 -- ./program --fast");
  EXPECT_EQ(plan.profile.stages.at(0).to, 8);
  EXPECT_EQ(plan.job.spec, "");
}

TEST(LoadOptions, WhatIsWrongIsNamed) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"--parallel 1", "--queue: say which queue"},
      {"--queue q", "--parallel N, --rate R or --profile FILE"},
      {"--queue q --parallel 0", "--parallel"},
      {"--queue q --parallel 1 --rate 1", "--parallel excludes --rate"},
      {"--queue q --rate 0", "'0' is not a number of jobs a second"},
      {"--queue q --rate x", "'x' is not a number of jobs a second"},
      {"--queue q --parallel 1 --arrivals poisson", "--arrivals requires --rate"},
      {"--queue q --parallel 1 --duration 1x", "--duration: '1x' is not a time"},
      {"--queue q --parallel 1 --until 2", "--until: '2' is not a precision"},
      {"--queue q --parallel 1 --until 0%", "is not a precision"},
      {"--queue q --parallel 1 --duration 5s --warm-up 5s", "--warm-up: it is not shorter"},
      {"--queue q --parallel 1 --fail-if speed>1", "no metric 'speed'"},
      {"--queue q --profile f --duration 5s", "--duration: the profile says"},
      {"--queue q --parallel 1 --slots 2", "--slots requires --local"},
      {"--local --slots 4,2 -- x", "--slots: '4,2' is not"},
      {"--local --slots 1,2 --parallel 4 -- x", "--slots with several"},
      {"--local", "--local: say what to run"},
      {"--local --queue q -- x", "--queue: with --local"}};
  for (const auto& [words, message] : cases) {
    LoadOptions options;
    EXPECT_THAT(Parse(words, options), HasSubstr(message)) << words;
  }
}

TEST(LoadOptions, AProfileThatCannotBeReadIsNamed) {
  LoadOptions options;
  ASSERT_EQ(Parse("--queue q --profile /no/such.yaml", options), "");
  EXPECT_THAT(std::string(PlanLoad(options, "q", 1).status().message()),
              HasSubstr("/no/such.yaml"));
}

}  // namespace
}  // namespace twofold::cli
