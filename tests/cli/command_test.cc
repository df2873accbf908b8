#include "cli/command/command.h"

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <utility>

#include "lib/common/options.h"
#include "tests/support/one_word.h"

namespace twofold::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Parses the words of a command line as main does; true if a command was chosen.
bool Chooses(const std::string& words) {
  CLI::App app("", "twofold");
  app.require_subcommand(1);
  Globals globals;
  Action chosen;
  AddCommands(app, AllCommands(), globals, chosen);
  std::vector<std::string> parts = CLI::detail::split(words, ' ');
  std::vector<const char*> argv;
  for (const std::string& part : parts) argv.push_back(part.c_str());
  const auto code = ParseCommandLine(app, static_cast<int>(argv.size()), argv.data());
  return !code && chosen != nullptr;
}

TEST(Commands, EveryExampleParses) {
  for (const Command& command : AllCommands()) {
    for (const std::string& example : CLI::detail::split(command.example, '\n')) {
      EXPECT_TRUE(Chooses(example)) << example;
      EXPECT_THAT(example, HasSubstr("twofold " + command.name));
    }
  }
}

TEST(Commands, EveryOneHasJsonOutput) {
  for (const Command& command : AllCommands()) {
    std::string words = command.example.substr(0, command.example.find('\n'));
    if (words.find(" --output json") == std::string::npos) {
      words.insert(("twofold " + command.name).size(), " --output json");
    }
    EXPECT_TRUE(Chooses(words)) << words;
  }
}

/// `command`, behind the command that it stands below, if it does (`run`, of `run delete`).
std::vector<Command> WithParent(const Command& command) {
  std::vector<Command> both;
  for (const Command& each : AllCommands()) {
    if (command.name.starts_with(each.name + " ")) both.push_back(each);
  }
  both.push_back(command);
  return both;
}

TEST(Commands, EachOptionTakesOneWord) {
  for (const Command& command : AllCommands()) {
    const std::vector<Command> declared = WithParent(command);
    Globals globals;
    Action chosen;
    test::ExpectOneWordEach([&](CLI::App& app) { AddCommands(app, declared, globals, chosen); });
  }
}

TEST(Commands, WrongWordsChooseNothing) {
  for (const char* words :
       {"twofold", "twofold local", "twofold local sideways", "twofold local scale x",
        "twofold local scale x -1", "twofold job submit a!b", "twofold queues --output xml",
        "twofold job logs", "twofold worker sideways", "twofold run delete",
        "twofold run delete one two", "twofold run a.yaml --resume b"}) {
    EXPECT_FALSE(Chooses(words)) << words;
  }
}

TEST(Commands, DeletingARunNeedsNoFile) {
  EXPECT_TRUE(Chooses("twofold run delete nightly"));
  EXPECT_TRUE(Chooses("twofold run delete.yaml"));
}

TEST(Commands, OptionsOfAJobThatDoNotGoTogetherAreRefusedByName) {
  const std::pair<const char*, const char*> wrong[] = {
      {"job submit q --spread node", "--spread"},
      {"job submit q --gang-timeout 5", "--gang-timeout"},
      {"job submit q --gang 1", "--gang"},
      {"job submit q --gang 5000", "--gang"},
      {"job submit q --gang 4 --spread rack", "--spread"},
      {"job submit q --fair-weight 2", "--fair-weight"},
      {"job submit q --fair-key a --fair-weight 1001", "--fair-weight"},
      {"job submit q --key-limit 2", "--key-limit"},
      {"job submit q --delay -1", "--delay"},
      {"job submit q --deadline x", "--deadline"},
      {"job requeue 17 --run nightly", "--run"},
      {"job requeue 17 --outcome failed", "--outcome"},
      {"job requeue --run nightly --outcome sad", "--outcome"}};
  for (const auto& [words, option] : wrong) {
    testing::internal::CaptureStderr();
    EXPECT_FALSE(Chooses(absl::StrCat("twofold ", words))) << words;
    EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr(option)) << words;
  }
}

TEST(Commands, AJobMayHaveAllOptionsAtOnce) {
  EXPECT_TRUE(Chooses(
      "twofold job submit q --durable --run r --dedup-key d --delay 1.5 --deadline 60 --gang 2 "
      "--spread node --gang-timeout 5 --fair-key f --fair-weight 3 --limit-key l --key-limit 2 "
      "--limit 10 --priority -10 --attempts 3 --suite s --wait --timeout 5 -- a b"));
}

TEST(ExitCode, IsByWhatTheUserCanDo) {
  EXPECT_EQ(ExitCode(absl::OkStatus()), 0);
  EXPECT_EQ(ExitCode(absl::InternalError("")), 1);
  EXPECT_EQ(ExitCode(absl::InvalidArgumentError("")), 2);
  EXPECT_EQ(ExitCode(absl::NotFoundError("")), 3);
  EXPECT_EQ(ExitCode(absl::UnavailableError("")), 4);
  EXPECT_EQ(ExitCode(absl::ResourceExhaustedError("")), 5);
}

/// A command that ends with `status`, and has `exits`.
int ExitOf(std::vector<int> exits, const Status& status) {
  Command row{"do", "Does it", "twofold do", [&status](CLI::App&, const Globals&) -> Action {
                return [&status] { return status; };
              }};
  row.exits = std::move(exits);
  CLI::App app("", "twofold");
  Globals globals;
  Action chosen;
  AddCommands(app, {row}, globals, chosen);
  const std::vector<const char*> argv = {"twofold", "do"};
  EXPECT_FALSE(ParseCommandLine(app, 2, argv.data()));
  return ExitCode(chosen());
}

TEST(ExitCodes, ACommandEndsWithThoseThatItLists) {
  EXPECT_EQ(ExitOf({kExitNoAnswer}, absl::UnavailableError("")), 4);
  EXPECT_EQ(ExitOf({kExitNoAnswer}, absl::NotFoundError("")), 1);
  EXPECT_EQ(ExitOf({}, EndWith(kExitSpoiled, "")), 1);
  EXPECT_EQ(ExitOf({kExitSpoiled}, EndWith(kExitSpoiled, "")), 8);
  EXPECT_EQ(ExitOf({}, absl::InvalidArgumentError("")), 2);
  EXPECT_EQ(ExitOf({}, absl::OkStatus()), 0);
}

TEST(ExitCodes, ACommandWithCodesOfItsOwnEndsWithThemAlsoAfterWrongUsage) {
  CLI::App app("", "twofold");
  Globals globals;
  Action chosen;
  const std::vector<Command> rows = AllCommands();
  AddCommands(app, rows, globals, chosen);
  EXPECT_THAT(app.get_subcommand("validate")->get_footer(), HasSubstr("  201  no verdict"));
  const std::vector<const char*> argv = {"twofold", "validate", "--no-such-option"};
  EXPECT_EQ(ParseCommandLine(app, 3, argv.data()), kExitUsage);
  EXPECT_EQ(UsageExit(app, rows), 200);
}

// The codes of a help text: those of the lines "  3  meaning".
std::vector<int> CodesIn(const std::string& help) {
  std::vector<int> codes;
  for (const std::string& line : CLI::detail::split(help.substr(help.find("Exit codes:")), '\n')) {
    int code = 0;
    if (std::sscanf(line.c_str(), "  %d  ", &code) == 1) codes.push_back(code);
  }
  return codes;
}

TEST(ExitCodes, HelpOfACommandListsItsOwn) {
  CLI::App app("", "twofold");
  Globals globals;
  Action chosen;
  AddCommands(app, AllCommands(), globals, chosen);
  for (const Command& row : AllCommands()) {
    if (!row.own_exits.empty()) continue;
    const CLI::App* command = &app;
    for (const std::string& word : CLI::detail::split(row.name, ' ')) {
      command = command->get_subcommand(word);
    }
    std::vector<int> own = {0, 1, 2};
    own.insert(own.end(), row.exits.begin(), row.exits.end());
    EXPECT_EQ(CodesIn(command->get_footer()), own) << row.name;
  }
  EXPECT_THAT(app.get_subcommand("load")->get_footer(), HasSubstr("--fail-if"));
  EXPECT_THAT(app.get_subcommand("queues")->get_footer(), Not(HasSubstr("--fail-if")));
}

}  // namespace
}  // namespace twofold::cli
