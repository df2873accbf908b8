#include "lib/common/command_tree.h"

#include <absl/strings/str_split.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "lib/common/completion.h"
#include "lib/common/manual.h"
#include "lib/common/options.h"

namespace twofold {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// A program with a group of commands.
struct Tool {
  Tool() {
    app_.footer("Exit codes: 0 done");
    CLI::App* const group = app_.add_subcommand("local", "A cluster.")->require_subcommand(1);
    for (const char* name : {"up", "down"}) {
      CLI::App* const command =
          group->add_subcommand(name, "Does it - '" + std::string(name) + "'");
      command->add_option("--output", output_, "How it is shown")
          ->check(CLI::IsMember({"text", "json"}));
      command->footer(".example of " + std::string(name) + "\nExit codes: 0 done");
    }
    CLI::App* const up = group->get_subcommand("up");
    up->add_option("-r,--replicas", replicas_, "How many")->capture_default_str();
    up->add_flag("--wait", wait_, "Until ready");
    up->add_option("QUEUE", queue_, "Which");
    group->add_subcommand("secret", "Hidden")->group("");
  }

  CLI::App app_{"Does it all.", "tool"};
  std::string output_;
  std::string queue_;
  int replicas_ = 1;
  bool wait_ = false;
};

class Program : public ::testing::Test, protected Tool {};

TEST_F(Program, HasItsCommandsInOrder) {
  std::vector<std::string> words;
  for (const CommandNode& node : CommandsOf(app_)) words.push_back(node.words);
  EXPECT_THAT(words, ElementsAre("", "local", "local up", "local down"));
}

TEST_F(Program, OptionsSayWhatTheyTake) {
  const CLI::App& up = *app_.get_subcommand("local")->get_subcommand("up");
  EXPECT_THAT(ChoicesOf(*up.get_option("--output")), ElementsAre("text", "json"));
  EXPECT_THAT(ChoicesOf(*up.get_option("--replicas")), IsEmpty());
  EXPECT_THAT(NamesOf(*up.get_option("--replicas")), ElementsAre("--replicas", "-r"));
  EXPECT_THAT(NamesOf(*up.get_option("QUEUE")), IsEmpty());
  EXPECT_TRUE(TakesValue(*up.get_option("--replicas")));
  EXPECT_FALSE(TakesValue(*up.get_option("--wait")));
}

TEST_F(Program, ManualHasEachCommandAndCommonOptionsOnce) {
  const std::string page = ManualPage(app_);
  EXPECT_THAT(page, HasSubstr(".TH \"TOOL\" 1"));
  EXPECT_THAT(page, HasSubstr(".SH NAME\ntool \\- Does it all\n"));
  EXPECT_THAT(page, HasSubstr(".SS \"tool local up [OPTIONS] [QUEUE]\"\nDoes it \\- 'up'."));
  EXPECT_THAT(page, HasSubstr(".B \"\\-r,\\-\\-replicas INT=1\"\nHow many\n"));
  EXPECT_THAT(page, HasSubstr("And \\-\\-output.\n"));
  EXPECT_EQ(page.find("How it is shown"), page.rfind("How it is shown"));
  EXPECT_EQ(page.find("Exit codes: 0"), page.rfind("Exit codes: 0"));
  EXPECT_THAT(page, HasSubstr("\n\\&.example of up\n")) << "a full stop begins no request";
  EXPECT_THAT(page, Not(HasSubstr("secret")));
}

TEST_F(Program, CompletionHasCommandsOptionsAndChoices) {
  for (const std::string& shell : CompletionShells()) {
    const std::string script = Completion(app_, shell);
    for (const char* word : {"local up", "replicas", "text json", "tool"}) {
      EXPECT_THAT(script, HasSubstr(word)) << shell;
    }
    EXPECT_THAT(script, Not(HasSubstr("secret"))) << shell;
  }
}

/// What bash offers after these words and a Tab, one a line.
std::string OffersOfBash(const std::string& script, const std::string& words) {
  const std::string path = ::testing::TempDir() + "completion." + std::to_string(getpid());
  std::ofstream(path) << script << "COMP_WORDS=(" << words << " '')\n"
                      << "COMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_tool\n"
                      << "printf '%s\\n' \"${COMPREPLY[@]}\"\n";
  FILE* const bash = popen(("bash " + path).c_str(), "r");
  std::string offers;
  for (int c = 0; (c = std::fgetc(bash)) != EOF;) offers += static_cast<char>(c);
  EXPECT_EQ(pclose(bash), 0);
  std::remove(path.c_str());
  return offers;
}

TEST_F(Program, CompletionOffersNoOptionsOfOursBehindDashes) {
  const std::string script = Completion(app_, "bash");
  EXPECT_THAT(OffersOfBash(script, "tool local up"), HasSubstr("--replicas"));
  EXPECT_EQ(OffersOfBash(script, "tool local up --"), "\n");
  EXPECT_EQ(OffersOfBash(script, "tool local up -- --output"), "\n");
}

/// What is printed to stderr for these words.
std::string ErrorOf(CLI::App& app, std::vector<const char*> words) {
  words.insert(words.begin(), "tool");
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(ParseCommandLine(app, static_cast<int>(words.size()), words.data()), kExitUsage);
  return ::testing::internal::GetCapturedStderr();
}

/// The same of a tool that is told nothing else; one is parsed once.
std::string ErrorOf(const std::vector<const char*>& words) {
  Tool tool;
  tool.app_.require_subcommand(1);
  return ErrorOf(tool.app_, words);
}

TEST_F(Program, AMistypedCommandHasAHint) {
  app_.require_subcommand(1);
  EXPECT_EQ(ErrorOf(app_, {"locl"}),
            "tool: there is no 'locl'; did you mean 'local'? (try --help)\n");
}

TEST_F(Program, WithoutACommandThereIsAListOfThem) {
  app_.require_subcommand(1);
  EXPECT_EQ(ErrorOf(app_, {}), "tool: a command is missing: local (try --help)\n");
}

TEST_F(Program, TwoLettersThatChangedPlacesHaveAHint) {
  EXPECT_THAT(ErrorOf(app_, {"lcoal"}), HasSubstr("did you mean 'local'?"));
}

TEST_F(Program, AMistypedCommandOfAGroupHasAHint) {
  EXPECT_THAT(ErrorOf(app_, {"local", "dwn"}), HasSubstr("did you mean 'down'?"));
}

TEST_F(Program, AMistypedOptionHasAHint) {
  EXPECT_THAT(ErrorOf(app_, {"local", "up", "--replica=3"}),
              HasSubstr("there is no '--replica=3'; did you mean '--replicas'?"));
}

TEST_F(Program, AnOptionBeforeItsCommandIsToldWhereItBelongs) {
  EXPECT_EQ(ErrorOf({"--replicas", "3", "local", "up"}),
            "tool: '--replicas' belongs behind 'tool local up': tool local up --replicas 3 "
            "(try --help)\n");
  EXPECT_THAT(ErrorOf({"local", "--replicas=3", "up"}),
              HasSubstr("'--replicas' belongs behind 'tool local up': tool local up --replicas=3"));
  EXPECT_THAT(ErrorOf({"-r", "3", "local", "up"}), HasSubstr(": tool local up -r 3"));
  EXPECT_THAT(ErrorOf({"--wait", "local", "up"}), HasSubstr(": tool local up --wait ("));
}

TEST_F(Program, EachOptionOfACommandIsToldWhereItBelongs) {
  for (const CommandNode& node : CommandsOf(app_)) {
    for (const CLI::Option* option : OptionsOf(*node.app)) {
      for (const std::string& name : NamesOf(*option)) {
        if (node.words.empty() || name == "--help" || name == "-h") continue;
        std::vector<const char*> words = {name.c_str()};
        if (TakesValue(*option)) words.push_back("text");
        const std::vector<std::string> command = absl::StrSplit(node.words, ' ');
        for (const std::string& word : command) words.push_back(word.c_str());
        EXPECT_THAT(ErrorOf(words), HasSubstr(": tool " + node.words + " " + name));
      }
    }
  }
}

TEST_F(Program, AnOptionWhoseCommandIsMissingNamesOneThatHasIt) {
  EXPECT_THAT(ErrorOf({"--replicas", "3"}), HasSubstr(": tool local up --replicas 3"));
}

TEST_F(Program, AnOptionOfTheProgramBehindACommandIsToldWhereItBelongs) {
  EXPECT_THAT(ErrorOf({"local", "up", "--manual"}),
              HasSubstr("'--manual' belongs behind 'tool': tool --manual ("));
}

TEST_F(Program, AnOptionLikeNoOtherHasNoHint) {
  EXPECT_EQ(ErrorOf(app_, {"local", "up", "--xyz"}), "tool: there is no '--xyz' (try --help)\n");
}

TEST_F(Program, AnErrorIsJsonIfTheOutputIs) {
  EXPECT_EQ(ErrorOf(app_, {"local", "up", "--\"x\\", "--output", "json"}),
            "{\"error\": {\"code\": \"INVALID_ARGUMENT\", \"message\": "
            "\"there is no '--\\\"x\\\\' (try --help)\"}}\n");
}

}  // namespace
}  // namespace twofold
