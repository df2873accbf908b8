#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "lib/common/arguments.h"
#include "tests/backend/agent/program_under_test.h"
#include "tests/backend/temp_dir.h"
#include "tests/fakes/fake_workers_service.h"

namespace twofold::backend {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using WorkResult = fakes::FakeWorkStream::Result;

TEST(Program, MistakesExitWithTwoAndOneLine) {
  const std::vector<std::string> mistakes[] = {
      {},
      {"--frontend", "nowhere", "--", "sleep", "1"},
      {"--frontend", "localhost:99999", "--", "sleep", "1"},
      {"--slots", "0", "--", "sleep", "1"},
      {"--limit", "NaN", "--", "sleep", "1"},
      {"-limit", "-1", "--", "sleep", "1"},
      {"--", "sleep", "nan"},
      {"--", "sleep", "-1"},
      {"--", "/no/such/program"},
      {"--", "/etc/passwd"},
      {"--dir", "/no/such/folder", "--", "sleep", "1"},
      {"--dry-run", "--", "fio"},
      {"--once", "--dry-run", "--", "sleep", "1"},
      {"--once", "--dry-run", "--", "fio", R"({"size": "much"})"},
      {"--glob", "/no/such/*", "--", "/bin/echo", "FILENAME"},
  };
  for (const std::vector<std::string>& mistake : mistakes) {
    const Exit exit = RunProgram(mistake);
    EXPECT_EQ(exit.code, 2) << exit.output;
    EXPECT_THAT(exit.output, StartsWith("twofold-backend: "));
    EXPECT_EQ(std::count(exit.output.begin(), exit.output.end(), '\n'), 1) << exit.output;
  }
}

TEST(Program, CheckConfigSaysNothingIfAllIsWell) {
  const Exit exit = RunProgram({"--check-config", "--", "sleep", "1"});
  EXPECT_EQ(exit.code, 0);
  EXPECT_EQ(exit.output, "");
}

TEST(Program, HelpHasExamples) {
  const Exit exit = RunProgram({"-help"});
  EXPECT_EQ(exit.code, 0);
  EXPECT_THAT(exit.output, HasSubstr("Examples:"));
}

TEST(Program, OnceExitsByOutcome) {
  EXPECT_EQ(RunProgram({"--once", "--", "sleep", "0"}).code, 0);
  const Exit failed = RunProgram({"--once", "--", "/bin/sh", "-c", "echo why; exit 3"});
  EXPECT_EQ(failed.code, 1);
  EXPECT_THAT(failed.output, AllOf(StartsWith("why\nfailed after "), HasSubstr("exit code 3")));
  const Exit late = RunProgram({"--once", "--limit", "0.01", "--", "sleep", "60"});
  EXPECT_EQ(late.code, 124);
  EXPECT_THAT(late.output, HasSubstr("ran past its limit of 0.01 s"));
}

TEST(Program, ADryRunPrintsWhatASuiteWouldRunAndRunsNothing) {
  const Exit exit = RunProgram({"--once", "--dry-run", "--suite-path", "/no/such", "--", "osu",
                                R"({"ranks": 2, "ranksPerNode": 1, "tests": ["latency"]})"});
  EXPECT_EQ(exit.code, 0);
  EXPECT_THAT(exit.output, AllOf(HasSubstr("rank 1\n  serves exec\n"), HasSubstr(" mpirun "),
                                 HasSubstr(" osu_latency\n"), Not(HasSubstr("failed"))));
}

TEST(Program, ItsTokenIsNotToBeFoundByTheProgramsOfJobs) {
  ProgramUnderTest program(
      {"--once", "--allow-env", "MY_*", "--", "/bin/sh", "-c",
       "env; tr '\\0' '\\n' < /proc/$PPID/environ | grep TOKEN"},
      {"TWOFOLD_TOKEN=do-not-give-this-away", "MY_SETTING=given", "OTHER=kept", "UCX_TLS=tcp"});
  program.Wait();
  EXPECT_THAT(program.output(), HasSubstr("MY_SETTING=given"));
  EXPECT_THAT(program.output(), HasSubstr("UCX_TLS=tcp"));
  EXPECT_THAT(program.output(), HasSubstr("PATH="));
  EXPECT_THAT(program.output(), Not(HasSubstr("OTHER=")));
  EXPECT_THAT(program.output(), Not(HasSubstr("do-not-give-this-away")));
}

TEST(Program, ItsTokenIsGivenToNobodyWhateverIsAllowed) {
  ProgramUnderTest all({"--once", "--allow-env", "*", "--", "/usr/bin/env"},
                       {"TWOFOLD_TOKEN=do-not-give-this-away", "OTHER=kept"});
  EXPECT_EQ(all.Wait(), 0);
  EXPECT_THAT(all.output(), HasSubstr("OTHER=kept"));
  EXPECT_THAT(all.output(), Not(HasSubstr("do-not-give-this-away")));
  ProgramUnderTest named({"--once", "--allow-env", "TWOFOLD_TOKEN", "--", "/usr/bin/env"});
  EXPECT_EQ(named.Wait(), 2);
  EXPECT_THAT(named.output(), HasSubstr("TWOFOLD_TOKEN is never given to programs"));
}

TEST(Program, TermFinishesTheJobAtHandAndExitsWithZero) {
  fakes::FakeWorkersService frontend;
  const TempDir dir;
  ProgramUnderTest program({"--frontend", frontend.address(), "--backoff", "1", "--dir",
                            dir.Path(""), "--", "/bin/sh", "-c",
                            "touch runs; until [ -e go ]; do sleep 0.01; done; echo done"});
  const auto stream = frontend.Accept();
  EXPECT_FALSE(stream->Welcome().leave_when_empty());
  stream->SendAssigns(1, 1);
  while (!std::filesystem::exists(dir.Path("runs"))) std::this_thread::yield();
  program.Kill(SIGTERM);
  EXPECT_TRUE(stream->ReceiveDraining());
  dir.Write("go", "");
  const auto results = stream->ReceiveResults(1);
  ASSERT_THAT(results, SizeIs(1));
  EXPECT_EQ(results[0].outcome, v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(results[0].report.output(), "done\n");
  EXPECT_EQ(stream->ReceiveEnd(), 0u);
  EXPECT_EQ(program.Wait(), 0);
}

TEST(Program, SecondTermHandsTheJobBackAndExitsWithZero) {
  fakes::FakeWorkersService frontend;
  const TempDir dir;
  ProgramUnderTest program({"--frontend", frontend.address(), "--", "/bin/sh", "-c",
                            "touch \"$0\"; exec sleep 3600", dir.Path("runs")});
  const auto stream = frontend.Accept();
  EXPECT_TRUE(stream->Welcome().leave_when_empty());
  stream->SendAssigns(1, 1);
  while (!std::filesystem::exists(dir.Path("runs"))) std::this_thread::yield();
  program.Kill(SIGTERM);
  EXPECT_TRUE(stream->ReceiveDraining());
  program.Kill(SIGTERM);
  EXPECT_THAT(stream->ReceiveResults(1), ElementsAre(Field(&WorkResult::handed_back, true)));
  EXPECT_EQ(stream->ReceiveEnd(), 0u);
  EXPECT_EQ(program.Wait(), 0);
}

TEST(Program, KilledBackendTakesItsWorkloadAlong) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // the orphan becomes ours, so its end can be awaited
  const TempDir dir;
  ProgramUnderTest program({"--once", "--", "/bin/sh", "-c",
                            "echo $$ > \"$0.new\"; mv \"$0.new\" \"$0\"; exec sleep 3600",
                            dir.Path("pid")});
  while (!std::filesystem::exists(dir.Path("pid"))) std::this_thread::yield();
  const pid_t workload = std::stoi(TempDir::Read(dir.Path("pid")));
  program.Kill(SIGKILL);
  EXPECT_EQ(program.Wait(), -SIGKILL);
  int status = 0;
  EXPECT_EQ(waitpid(workload, &status, 0), workload);
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

}  // namespace
}  // namespace twofold::backend
