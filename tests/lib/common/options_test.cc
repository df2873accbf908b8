#include "lib/common/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace twofold {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> Normalise(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "program");
  return NormaliseArguments(static_cast<int>(arguments.size()), arguments.data());
}

TEST(NormaliseArguments, SingleDashLongOptionBecomesDoubleDash) {
  EXPECT_THAT(Normalise({"-backoff", "0", "-v", "--limit", "2"}),
              ElementsAre("--backoff", "0", "-v", "--limit", "2"));
}

TEST(NormaliseArguments, NegativeNumberStaysWithItsOption) {
  EXPECT_THAT(Normalise({"-limit", "-1", "--x=2", "-.5"}),
              ElementsAre("--limit=-1", "--x=2", "-.5"));
}

TEST(NormaliseArguments, NothingAfterDoubleDashIsTouched) {
  EXPECT_THAT(Normalise({"-queue", "q", "--", "-long", "-1"}),
              ElementsAre("--queue", "q", "--", "-long", "-1"));
}

TEST(Seconds, RefusesNegativeNanInfinityAndText) {
  const CLI::Validator seconds = Seconds();
  for (const char* bad : {"-1", "nan", "inf", "1e300", "x", "", "PT1S", "1s1h"}) {
    EXPECT_THAT(seconds(bad), HasSubstr("is not a number of seconds")) << bad;
  }
  for (const char* good : {"0", "0.25", "1e3", "300ms"})
    EXPECT_THAT(seconds(good), IsEmpty()) << good;
}

TEST(Seconds, TimesWithUnitsBecomeSeconds) {
  std::string text = "1h30m";
  EXPECT_THAT(Seconds()(text), IsEmpty());
  EXPECT_EQ(text, "5400");
}

TEST(WholeNumber, KeepsItsBounds) {
  const CLI::Validator number = WholeNumber(1, 100);
  for (const char* bad : {"0", "101", "1.5", "-3", "99999999999999999999", ""}) {
    EXPECT_THAT(number(bad), HasSubstr("from 1 to 100")) << bad;
  }
  for (const char* good : {"1", "100"}) EXPECT_THAT(number(good), IsEmpty()) << good;
}

TEST(RemoteAddress, NeedsAHostAndAPort) {
  const CLI::Validator address = RemoteAddress();
  for (const char* good : {"localhost:9999", "10.0.0.1:1", "[::1]:65535", "a.b-c:9"}) {
    EXPECT_THAT(address(good), IsEmpty()) << good;
  }
  for (const char* bad : {"", "host", ":9999", "host:", "host:0", "host:65536", "host:x", "::1:9",
                          "h h:9", "http://x:9"}) {
    EXPECT_THAT(address(bad), HasSubstr("is not HOST:PORT")) << bad;
  }
}

TEST(CheckQueueName, AcceptsLabelValuesOnly) {
  for (const char* good : {"sleep", "10bit-4k-av1-to-fullhd-hevc", "a", "A_b.c"}) {
    EXPECT_THAT(CheckQueueName(good), IsEmpty()) << good;
  }
  for (const char* bad : {"", "-a", "a-", "a b", "a/b", "\xff"}) {
    EXPECT_THAT(CheckQueueName(bad), HasSubstr("is not a queue name")) << bad;
  }
  EXPECT_THAT(CheckQueueName(std::string(64, 'a')), HasSubstr("1 to 63"));
}

TEST(QueueOrShard, TakesWhatPeopleCallAShard) {
  const CLI::Validator check = QueueOrShard();
  for (const char* good : {"sleep", "sleep/0", "sleep/1", "a.b/255"}) {
    EXPECT_THAT(check(good), IsEmpty()) << good;
  }
  for (const char* bad : {"sleep/", "sleep/256", "sleep/-1", "sleep/x", "sleep/1/2"}) {
    EXPECT_THAT(check(bad), HasSubstr("QUEUE/0 to QUEUE/255")) << bad;
  }
  EXPECT_THAT(check("-/1"), HasSubstr("is not a queue name"));
}

/// A program with an option that may come several times, and words for somebody else.
class Repeated : public ::testing::Test {
 protected:
  void Parse(std::vector<const char*> words) {
    CLI::App app{"", "program"};
    CLI::App* command = app.add_subcommand("run", "");
    command->add_option("--label", labels_);
    command->add_option("--state", states_)->delimiter(',');
    command->add_flag("--fast", fast_);
    AddWords(*command, "ARGS", words_, "");
    words.insert(words.begin(), {"program", "run"});
    EXPECT_FALSE(ParseCommandLine(app, static_cast<int>(words.size()), words.data()));
  }

  std::vector<std::string> labels_;
  std::vector<std::string> states_;
  std::vector<std::string> words_;
  bool fast_ = false;
};

TEST_F(Repeated, OptionTakesOneWordEachTime) {
  Parse({"--label", "a", "b", "--label", "[c,d]", "--label=e"});
  EXPECT_THAT(labels_, ElementsAre("a", "[c,d]", "e"));
  EXPECT_THAT(words_, ElementsAre("b"));
}

TEST_F(Repeated, OptionWithAListTakesTheListAndNoMore) {
  Parse({"--state", "a,b", "c", "--state", "d"});
  EXPECT_THAT(states_, ElementsAre("a", "b", "d"));
  EXPECT_THAT(words_, ElementsAre("c"));
}

TEST_F(Repeated, OptionBeforeDashesLeavesThemAndWhatIsBehind) {
  Parse({"--label", "a", "--", "program", "0.1", "--fast", "-label", "x", "--", "-1"});
  EXPECT_THAT(labels_, ElementsAre("a"));
  EXPECT_THAT(words_, ElementsAre("program", "0.1", "--fast", "-label", "x", "--", "-1"));
  EXPECT_FALSE(fast_);
}

TEST_F(Repeated, WordsBehindDashesAreAsTheyWereGiven) {
  Parse({"--", "[a,b]", "{}", "", "%%", "[", "\x01", "\x01[a]"});
  EXPECT_THAT(words_, ElementsAre("[a,b]", "{}", "", "%%", "[", "\x01", "\x01[a]"));
  Parse({"--", "{}"});
  EXPECT_THAT(words_, ElementsAre("{}"));
  Parse({"--", "[]"});
  EXPECT_THAT(words_, ElementsAre("[]"));
}

TEST(ParseCommandLine, ErrorNamesTheOptionAndExitsWithTwo) {
  CLI::App app{"", "program"};
  double limit = 0;
  app.add_option("--limit", limit)->check(Seconds());
  const std::vector<const char*> arguments = {"program", "-limit", "-1"};
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(ParseCommandLine(app, 3, arguments.data()), kExitUsage);
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr("program: --limit: '-1' is not"), HasSubstr("--help")));
}

}  // namespace
}  // namespace twofold
