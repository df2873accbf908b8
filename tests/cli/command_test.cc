#include "cli/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/common/options.h"

namespace twofold::cli {
namespace {

using ::testing::HasSubstr;

std::vector<Command> AllCommands() {
  std::vector<Command> all;
  for (const auto& commands : {LocalCommands(), QueueCommands(), JobCommands(), ReplayCommands()}) {
    all.insert(all.end(), commands.begin(), commands.end());
  }
  return all;
}

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
    EXPECT_TRUE(Chooses(command.example)) << command.example;
    EXPECT_THAT(command.example, HasSubstr("twofold " + command.name));
  }
}

TEST(Commands, EveryOneHasJsonOutput) {
  for (const Command& command : AllCommands()) {
    std::string words = command.example;
    if (words.find(" --output json") == std::string::npos) {
      words.insert(("twofold " + command.name).size(), " --output json");
    }
    EXPECT_TRUE(Chooses(words)) << words;
  }
}

TEST(Commands, WrongWordsChooseNothing) {
  for (const char* words :
       {"twofold", "twofold local", "twofold local sideways", "twofold local scale x",
        "twofold local scale x -1", "twofold job submit a!b", "twofold queues --output xml"}) {
    EXPECT_FALSE(Chooses(words)) << words;
  }
}

TEST(ExitCode, IsByWhatTheUserCanDo) {
  EXPECT_EQ(ExitCode(absl::OkStatus()), 0);
  EXPECT_EQ(ExitCode(absl::InternalError("")), 1);
  EXPECT_EQ(ExitCode(absl::InvalidArgumentError("")), 2);
  EXPECT_EQ(ExitCode(absl::NotFoundError("")), 3);
  EXPECT_EQ(ExitCode(absl::UnavailableError("")), 4);
  EXPECT_EQ(ExitCode(absl::ResourceExhaustedError("")), 5);
}

}  // namespace
}  // namespace twofold::cli
