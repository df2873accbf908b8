#include "backend/workload/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <cerrno>
#include <string>

#include "lib/process/environment.h"
#include "tests/backend/temp_dir.h"
#include "tests/backend/workload/recorder.h"

namespace twofold::backend {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

// Programs under test are shell texts in an argument; the suite itself uses no shell.
class CommandTest : public ::testing::Test {
 protected:
  Recorder::End Run(const process::Program& program,
                    const std::vector<std::string_view>& arguments = {}) {
    Command command(io_, reaper_, program);
    Recorder recorder(io_, command);
    io_.restart();
    return recorder.RunOne(arguments);
  }

  Recorder::End RunShell(const std::string& text) { return Run({{"/bin/sh", "-c", text}}); }

  boost::asio::io_context io_{1};
  process::Reaper reaper_{io_};
  TempDir dir_;
};

TEST_F(CommandTest, OutputOfBothStreamsComesInOrder) {
  const auto end = RunShell("echo out; echo err >&2; echo out again");
  EXPECT_EQ(end.outcome, v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(end.report.output(), "out\nerr\nout again\n");
  EXPECT_EQ(end.report.error(), "");
}

TEST_F(CommandTest, ArgumentsOfTheJobComeLastAndMeetNoShell) {
  const auto end = Run({{"/usr/bin/printf", "<%s>"}}, {"a b", "$HOME", "", ";"});
  EXPECT_EQ(end.report.output(), "<a b><$HOME><><;>");
}

TEST_F(CommandTest, ExitCodeIsAFailureWithItsNumber) {
  const auto end = RunShell("exit 3");
  EXPECT_EQ(end.outcome, v1::OUTCOME_FAILED);
  EXPECT_EQ(end.report.exit_code(), 3);
  EXPECT_EQ(end.report.error(), "exit code 3");
}

TEST_F(CommandTest, SignalIsAFailureWithItsName) {
  const auto end = RunShell("kill -9 $$");
  EXPECT_EQ(end.outcome, v1::OUTCOME_FAILED);
  EXPECT_EQ(end.report.signal(), SIGKILL);
  EXPECT_EQ(end.report.error(), "killed by signal 9 (Killed)");
}

TEST_F(CommandTest, LongOutputKeepsTheLastFourKibibytes) {
  const auto end = RunShell("head -c 1048576 /dev/zero; echo the end");
  EXPECT_EQ(end.outcome, v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(end.report.output().size(), 4096u);
  EXPECT_THAT(end.report.output(), EndsWith("the end\n"));
}

TEST_F(CommandTest, NullOutDiscardsAndNullInIsEmpty) {
  EXPECT_EQ(Run({{"/bin/echo", "x"}, false, true}).report.output(), "");
  EXPECT_EQ(Run({{"/bin/sh", "-c", "cat; echo end"}, true, false}).report.output(), "end\n");
}

TEST_F(CommandTest, SignalsAreAsANewProgramExpectsThem) {
  const auto end = RunShell("grep -E '^Sig(Blk|Ign)' /proc/self/status");
  EXPECT_EQ(end.report.output(), "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST_F(CommandTest, MissingProgramAndNoProgramFailInTheStart) {
  EXPECT_EQ(Run({{"/no/such/program"}}).report.error(),
            "start: /no/such/program: No such file or directory");
  const std::string text = dir_.Write("text", "no program");
  EXPECT_EQ(Run({{text}}).report.error(), "start: " + text + ": Permission denied");
}

TEST_F(CommandTest, GrandchildThatHoldsThePipeDoesNotOutliveTheJob) {
  const auto end = RunShell("sleep 3600 & echo $!");
  EXPECT_EQ(end.outcome, v1::OUTCOME_SUCCEEDED);
  const pid_t grandchild = std::stoi(end.report.output());
  // It was killed with its group; as our orphan it may still have to be collected.
  while (waitpid(grandchild, nullptr, 0) < 0 && errno == EINTR) {
  }
  EXPECT_EQ(kill(grandchild, 0), -1);
  EXPECT_EQ(errno, ESRCH);
}

TEST_F(CommandTest, OneWhoLeftTheGroupAndHoldsThePipeDoesNotHangTheJob) {
  const auto end = RunShell("setsid sleep 3600 & echo $!");
  EXPECT_EQ(end.outcome, v1::OUTCOME_SUCCEEDED);
  const pid_t escaped = std::stoi(end.report.output());
  kill(escaped, SIGKILL);
  waitpid(escaped, nullptr, 0);
}

TEST_F(CommandTest, StopLetsItCleanUp) {
  Command command(io_, reaper_,
                  {{"/bin/sh", "-c",
                    "trap 'echo cleaned; exit 7' TERM; touch \"$0\"; while :; do sleep 0.01; done",
                    dir_.Path("ready")}});
  Recorder recorder(io_, command);
  recorder.Start(0, {});
  while (!std::filesystem::exists(dir_.Path("ready"))) io_.poll();
  command.Stop(0);
  recorder.Await(1);
  EXPECT_EQ(recorder.ends().at(0).report.exit_code(), 7);
  EXPECT_THAT(recorder.ends().at(0).report.output(), EndsWith("cleaned\n"));
}

TEST_F(CommandTest, StopKillsOneThatIgnoresIt) {
  Command command(io_, reaper_,
                  {{"/bin/sh", "-c", "trap '' TERM; touch \"$0\"; while :; do sleep 1; done",
                    dir_.Path("ready")}});
  Recorder recorder(io_, command);
  recorder.Start(0, {});
  while (!std::filesystem::exists(dir_.Path("ready"))) io_.poll();
  command.Stop(0);
  recorder.Await(1);
  EXPECT_EQ(recorder.ends().at(0).report.signal(), SIGKILL);
}

TEST_F(CommandTest, ManyAtOnceEachGetTheirOwnEnd) {
  constexpr Slot kSlots = 50;
  Command command(io_, reaper_, {{"/bin/sh", "-c", "echo $0; exit $0"}});
  Recorder recorder(io_, command);
  std::vector<std::string> numbers;
  for (Slot slot = 0; slot < kSlots; ++slot) {
    numbers.push_back(std::to_string(slot));
    recorder.Start(slot, {numbers.back()});
  }
  recorder.Await(kSlots);
  for (const auto& [slot, end] : recorder.ends()) {
    EXPECT_EQ(end.report.exit_code(), static_cast<int>(slot));
    EXPECT_EQ(end.report.output(), numbers[slot] + "\n");
  }
}

TEST_F(CommandTest, DestructionLeavesNoProcess) {
  pid_t pid = 0;
  {
    Command command(
        io_, reaper_,
        {{"/bin/sh", "-c", "echo $$ > \"$0.new\"; mv \"$0.new\" \"$0\"; exec sleep 3600",
          dir_.Path("pid")}});
    Recorder recorder(io_, command);
    recorder.Start(0, {});
    while (!std::filesystem::exists(dir_.Path("pid"))) io_.poll();
    pid = std::stoi(TempDir::Read(dir_.Path("pid")));
  }
  int status = 0;
  EXPECT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

TEST(CheckExecutable, SaysWhatIsWrong) {
  const TempDir dir;
  EXPECT_TRUE(process::CheckExecutable("/bin/sh").ok());
  EXPECT_THAT(process::CheckExecutable(dir.Path("x")).message(), HasSubstr("No such file"));
  EXPECT_THAT(process::CheckExecutable(dir.Path("")).message(), HasSubstr("is a directory"));
  EXPECT_THAT(process::CheckExecutable(dir.Write("text", "")).message(),
              HasSubstr("is not executable"));
}

}  // namespace
}  // namespace twofold::backend
