#include "lib/validate/options.h"

#include <absl/strings/str_split.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace twofold::validate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Words Given(const std::string& positional) {
  return {.positional = absl::StrSplit(positional, ' ', absl::SkipEmpty())};
}

TEST(ValidateOptions, HaveDefaultsThatFollowTheTimeOfAJob) {
  const auto options =
      Understand(Given("scalability-tester-backend-sleep monitoring 2 s v 12 1.8"));
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_FALSE(options->local);
  EXPECT_EQ(options->queue, "sleep");
  EXPECT_THAT(options->steps, ElementsAre(1, 2, 4, 8, 12));
  EXPECT_EQ(Plain(options->cap_seconds), "400");
  EXPECT_EQ(options->timeout, std::chrono::seconds(302));
  EXPECT_EQ(options->json, "validate-scaling.json");
}

TEST(ValidateOptions, NamesOfALocalClusterDoWithoutTheirBeginning) {
  const auto options =
      Understand(Given("backend-sleep localhost 0.2 client-sleep localhost 4 1.8"));
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_TRUE(options->local);
  EXPECT_EQ(options->deployment, "scalability-tester-backend-sleep");
  EXPECT_EQ(options->service, "scalability-tester-client-sleep");
  EXPECT_EQ(options->queue, "sleep");
  EXPECT_EQ(Plain(options->cap_seconds), "60");
}

TEST(ValidateOptions, AWorkerPoolHasItsQueueFromItsName) {
  const auto options = Understand(Given("workerpool/sleep monitoring 2 s v 12 1.8"));
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->deployment, "workerpool/sleep");
  EXPECT_EQ(options->queue, "sleep");
}

TEST(ValidateOptions, LargeNumbersHaveNoExponentThatAQueryWouldChange) {
  EXPECT_EQ(Plain(100000), "100000");
  EXPECT_EQ(Plain(0.05), "0.05");
}

TEST(ValidateOptions, ACapHasPatienceOnlyIfNobodySetsIt) {
  Words words = Given("d monitoring 2 s validation 4 1.8");
  EXPECT_EQ(Understand(words)->patience_seconds, 600);
  words.cap = "auto";
  words.patience = "3600";
  EXPECT_EQ(Understand(words)->patience_seconds, 3600);
  words.patience = "5";
  EXPECT_EQ(Understand(words)->cap_seconds, 5);
  words = Given("d monitoring 2 s validation 4 1.8");
  words.cap = "30";
  EXPECT_EQ(Understand(words)->patience_seconds, 0);
}

TEST(ValidateOptions, FailuresMayBeGivenInPercentOrAsAShare) {
  Words words = Given("d monitoring 2 s validation 4 1.8");
  EXPECT_EQ(Understand(words)->allowed_failures, 0);
  for (const char* text : {"2.5%", "0.025"}) {
    words.allow_failures = text;
    EXPECT_DOUBLE_EQ(Understand(words)->allowed_failures, 0.025);
  }
}

TEST(ValidateOptions, BadArgumentsAreRefusedEachByName) {
  struct Case {
    Words words;
    const char* message;
  };
  const std::string good = "d monitoring 2 s validation 4 1.8";
  const auto with = [&](std::string Words::*word, const char* value) {
    Words words = Given(good);
    words.*word = value;
    return words;
  };
  const Case cases[] = {
      {Given(""), "7 arguments are needed, not 0"},
      {Given("d monitoring 2 s validation 4"), "7 arguments are needed, not 6"},
      {Given("d monitoring x s validation 4 1.8"), "SECS 'x' is not a number above 0"},
      {Given("d monitoring 0 s validation 4 1.8"), "SECS '0'"},
      {Given("d monitoring 1.2.3 s validation 4 1.8"), "SECS '1.2.3'"},
      {Given("d monitoring 2 s validation 0 1.8"), "LIMIT '0' is not a whole number from 1"},
      {Given("d monitoring 2 s validation 4.5 1.8"), "LIMIT '4.5'"},
      {Given("d monitoring 2 s validation 4 -1"), "SCALE '-1'"},
      {Given("d monitoring 2 s validation 4 nan"), "SCALE 'nan'"},
      {Given("a;b monitoring 2 s validation 4 1.8"), "'a;b' is not a name"},
      {Given("d localhost 2 s validation 4 1.8"), "one namespace is localhost"},
      {with(&Words::cap, "x"), "--cap 'x' is neither auto nor a number above 0"},
      {with(&Words::patience, "x"), "--patience 'x' is not a number above 0"},
      {with(&Words::patience, "1000001"), "(0.000001 to 1000000)"},
      {with(&Words::cap, "0.0000001"), "(0.000001 to 1000000)"},
      {with(&Words::allow_failures, "x"), "--allow-failures 'x' is not a share under 1"},
      {with(&Words::allow_failures, "100%"), "--allow-failures '100%'"},
      {with(&Words::timeout, "0"), "--timeout '0' is not a whole number from 1"},
      {with(&Words::repeat, "0"), "--repeat '0' is neither auto nor a whole number from 1"},
      {with(&Words::repeat, "27"), "that is 81 steps in all"},
      {with(&Words::pods, "mine"), "--pods 'mine' is neither any nor these"},
      {with(&Words::steps, "2 1"), "--steps '2 1' do not grow from 1 to 4"},
      {with(&Words::steps, "1 8"), "--steps '1 8' do not grow from 1 to 4"},
      {with(&Words::steps, " "), "--steps are empty"},
  };
  for (const Case& one : cases) {
    const auto options = Understand(one.words);
    EXPECT_THAT(std::string(options.status().message()), HasSubstr(one.message));
  }
  EXPECT_TRUE(Understand(Given(good)).ok());
}

}  // namespace
}  // namespace twofold::validate
