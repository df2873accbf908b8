#include "client/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/common/arguments.h"
#include "lib/common/options.h"
#include "lib/rpc/limits.h"
#include "tests/support/one_word.h"

namespace twofold::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Parsed {
  Options options;
  std::optional<int> exit_code;
  std::string error;  ///< all of stderr
  Status status;
};

Parsed Parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "twofold-client");
  Parsed parsed;
  CLI::App app("test", "twofold-client");
  Bind(app, parsed.options);
  testing::internal::CaptureStderr();
  parsed.exit_code = ParseCommandLine(app, static_cast<int>(arguments.size()), arguments.data());
  parsed.error = testing::internal::GetCapturedStderr();
  if (!parsed.exit_code) parsed.status = Check(parsed.options);
  return parsed;
}

TEST(Options, HaveDefaults) {
  const Parsed parsed = Parse({"--queue", "sleep"});
  EXPECT_FALSE(parsed.exit_code) << parsed.error;
  EXPECT_TRUE(parsed.status.ok()) << parsed.status;
  EXPECT_EQ(parsed.options.frontend, "localhost:9997");
  EXPECT_EQ(parsed.options.parallel, 0U);
  EXPECT_EQ(parsed.options.parallel_max, 100'000U);
  EXPECT_EQ(parsed.options.http, (HostPort{"127.0.0.1", 9996}));
}

TEST(Options, EachTakesOneWord) {
  Options options;
  test::ExpectOneWordEach([&](CLI::App& app) { Bind(app, options); });
}

TEST(Options, ArgumentsOfJobsAreAsTheyWereGiven) {
  const Parsed parsed = Parse({"--queue", "q", "--", "--rate", "[a,b]", "{}"});
  EXPECT_THAT(parsed.options.arguments, ElementsAre("--rate", "[a,b]", "{}"));
}

TEST(Options, ALoadIsAParallelismARateOrAProfile) {
  const Parsed rate = Parse({"--queue", "q", "--rate", "5", "--arrivals", "poisson"});
  ASSERT_TRUE(rate.status.ok()) << rate.status;
  const auto load = MakeLoad(rate.options);
  ASSERT_TRUE(load.ok()) << load.status();
  EXPECT_EQ((*load)->arrivals, load::Arrivals::kPoisson);
  EXPECT_EQ(*MakeLoad(Parse({"--queue", "q"}).options), nullptr);
  EXPECT_THAT(
      std::string(Parse({"--queue", "q", "--rate", "5", "--parallel", "2"}).status.message()),
      HasSubstr("--parallel, --rate and --profile: give one of them"));
  EXPECT_THAT(
      std::string(
          MakeLoad(Parse({"--queue", "q", "--profile", "/none"}).options).status().message()),
      HasSubstr("--profile: cannot read /none"));
}

TEST(Options, SingleDashesDoAndAPortAloneIsAllInterfaces) {
  const Parsed parsed = Parse({"-queue", "sleep", "-http-address", ":0", "-parallel", "3"});
  EXPECT_TRUE(parsed.status.ok()) << parsed.error << parsed.status;
  EXPECT_EQ(parsed.options.http, (HostPort{"", 0}));
  EXPECT_EQ(parsed.options.parallel, 3U);
}

TEST(Options, WhatFollowsTwoDashesIsTheJobs) {
  const Parsed parsed =
      Parse({"--queue", "q", "--limit", "1.5", "--priority", "-3", "--", "a", "-b", "--c", ""});
  ASSERT_TRUE(parsed.status.ok()) << parsed.error << parsed.status;
  const load::JobTemplate job = MakeJob(parsed.options);
  EXPECT_THAT(*DecodeArguments(job.spec), ElementsAre("a", "-b", "--c", ""));
  EXPECT_EQ(job.options.queue(), "q");
  EXPECT_EQ(job.options.limit_ns(), 1'500'000'000U);
  EXPECT_EQ(job.options.priority(), -3);
  EXPECT_EQ(job.options.max_attempts(), 1U);
}

TEST(Options, MistakesNameTheOptionInOneLine) {
  const std::vector<std::pair<const char*, const char*>> mistakes = {
      {"--parallel", "-1"}, {"--parallel", "many"}, {"--parallel-max", "0"},
      {"--limit", "nan"},   {"--limit", "-1"},      {"--priority", "11"},
      {"--attempts", "0"},  {"--queue", "a b"},     {"--nonsense", "1"},
  };
  for (const auto& [option, value] : mistakes) {
    const Parsed parsed = Parse({"--queue", "sleep", option, value});
    EXPECT_EQ(parsed.exit_code, kExitUsage) << option << " " << value;
    EXPECT_THAT(parsed.error, HasSubstr(option));
    EXPECT_EQ(std::count(parsed.error.begin(), parsed.error.end(), '\n'), 1) << parsed.error;
  }
}

TEST(Options, AQueueIsRequired) {
  const Parsed parsed = Parse({});
  EXPECT_EQ(parsed.exit_code, kExitUsage);
  EXPECT_THAT(parsed.error, HasSubstr("--queue"));
}

TEST(Options, AddressesAreChecked) {
  for (const char* frontend : {"host", ":9997", "host:0", "host:99999", ""}) {
    const Parsed parsed = Parse({"--queue", "sleep", "--frontend", frontend});
    EXPECT_FALSE(!parsed.exit_code && parsed.status.ok()) << frontend;
    EXPECT_THAT(parsed.error + parsed.status.ToString(), HasSubstr("--frontend")) << frontend;
  }
  const Parsed parsed = Parse({"--queue", "sleep", "--http-address", "nowhere"});
  EXPECT_EQ(parsed.exit_code, kExitUsage);
  EXPECT_THAT(parsed.error, HasSubstr("--http-address"));
}

TEST(Options, ParallelMayNotPassItsMaximum) {
  const Parsed parsed = Parse({"--queue", "q", "--parallel", "11", "--parallel-max", "10"});
  EXPECT_THAT(parsed.status.ToString(), HasSubstr("--parallel"));
}

TEST(Options, TooManyBytesOfArgumentsAreAnError) {
  const std::string fits(rpc::kMaxSpecBytes - 1, 'x');  // the NUL byte behind it counts
  EXPECT_TRUE(Parse({"--queue", "q", "--", fits.c_str()}).status.ok());
  const std::string too_long(rpc::kMaxSpecBytes, 'x');
  EXPECT_THAT(Parse({"--queue", "q", "--", too_long.c_str()}).status.ToString(),
              HasSubstr("JOB ARGS"));
}

}  // namespace
}  // namespace twofold::client
