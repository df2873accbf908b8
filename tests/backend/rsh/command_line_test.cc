#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "backend/rsh/relay.h"

namespace twofold::rsh {
namespace {

struct Parsed {
  std::optional<int> code;
  Call call;
};

Parsed Parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "twofold-rsh");
  Parsed parsed;
  parsed.code = ParseCall(static_cast<int>(arguments.size()), arguments.data(), parsed.call);
  return parsed;
}

// As Open MPI 4.1.4 calls its agent (plm_rsh): the first word begins with a space, and values have
// quotes of the shell.
TEST(CommandLine, WordsOfMpirunBecomeOneTextForTheShell) {
  const Parsed parsed = Parse({"10.1.2.3", " orted", "-mca", "orte_leave_session_attached", "\"1\"",
                               "-mca", "ess_base_vpid", "1", "-mca", "pmix", "\"^s1,s2\""});
  EXPECT_FALSE(parsed.code);
  EXPECT_EQ(parsed.call.host, "10.1.2.3");
  EXPECT_EQ(parsed.call.command,
            " orted -mca orte_leave_session_attached \"1\" -mca ess_base_vpid 1 -mca pmix "
            "\"^s1,s2\"");
  EXPECT_FALSE(parsed.call.no_input);
}

TEST(CommandLine, OptionsOfSshThatMeanSomethingAndThoseThatDoNot) {
  const Parsed parsed = Parse({"-x", "-n", "-T", "-q", "host", "ls", "-n", "--", "-x"});
  EXPECT_FALSE(parsed.code);
  EXPECT_TRUE(parsed.call.no_input);
  EXPECT_EQ(parsed.call.command, "ls -n -- -x");
}

TEST(CommandLine, WithoutHostOrCommandItIsAMistake) {
  EXPECT_EQ(Parse({}).code, 2);
  EXPECT_EQ(Parse({"host"}).code, 2);
  EXPECT_EQ(Parse({"-p", "22", "host", "ls"}).code, 2);
  EXPECT_EQ(Parse({"--help"}).code, 0);
  EXPECT_EQ(Parse({"--version"}).code, 0);
  EXPECT_EQ(Parse({"--completion", "bash"}).code, 0);
  EXPECT_EQ(Parse({"--completion=bash"}).code, 0);
  EXPECT_EQ(Parse({"--manual"}).code, 0);
}

TEST(Explain, ExitCodesAreThoseOfAShell) {
  v1::ExecExit exit;
  exit.set_code(7);
  EXPECT_EQ(ExitCodeOf(exit), 7);
  exit.set_code(0);
  exit.set_signal(9);
  EXPECT_EQ(ExitCodeOf(exit), 137);
  exit.set_error("No such file or directory");
  EXPECT_EQ(ExitCodeOf(exit), kOwnFailure);
}

TEST(Explain, EndWithoutAnExitHasAReason) {
  EXPECT_NE(Explain(absl::OkStatus()), "");
  EXPECT_NE(Explain(absl::UnauthenticatedError("")), "");
  EXPECT_EQ(Explain(absl::UnavailableError("why")), "why");
}

}  // namespace
}  // namespace twofold::rsh
