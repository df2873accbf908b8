#include "backend/peers/kept_program.h"

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <optional>

#include "lib/common/instant.h"
#include "tests/support/program.h"

namespace twofold::backend {
namespace {

constexpr const char* kKeeper = TWOFOLD_BIN "/twofold-keeper";

// Leaves its process group, its session and its parent, and does not mind SIGTERM.
constexpr const char* kDaemon =
    "setsid sh -c 'trap \"\" TERM; (sh -c \"echo \\$\\$ >$0; exec sleep 600\" &) ' \"$0\"; ";

class KeptProgramTest : public ::testing::Test {
 protected:
  std::shared_ptr<KeptProgram> Start(const std::string& text) {
    auto kept =
        KeptProgram::Start(io_, kKeeper, {{"/bin/sh", "-c", text, folder_ / "pid"}, true, true},
                           [this](KeptEnd end) { end_ = std::move(end); });
    EXPECT_TRUE(kept.ok()) << kept.status();
    return *kept;
  }
  KeptEnd Run(const std::string& text) {
    const auto kept = Start(text);
    return End();
  }
  KeptEnd End() {
    io_.restart();  // it stops when a program has ended
    while (!end_ && io_.run_one_for(std::chrono::seconds(20)) > 0) {
    }
    EXPECT_TRUE(end_);
    return end_.value_or(KeptEnd());
  }
  pid_t DaemonsNumber() {
    pid_t pid = 0;
    EXPECT_TRUE(testing::Await([&] {
      std::ifstream(folder_ / "pid") >> pid;
      return pid > 0;
    }));
    return pid;
  }
  static bool Lives(pid_t pid) { return kill(pid, 0) == 0; }

  testing::TempDir folder_;
  boost::asio::io_context io_;
  std::optional<KeptEnd> end_;
};

TEST_F(KeptProgramTest, TellsHowTheProgramEnded) {
  EXPECT_EQ(Run("exit 7").exit_code, 7);
  end_.reset();
  EXPECT_EQ(Run("kill -9 $$").signal, SIGKILL);
}

TEST_F(KeptProgramTest, TellsWhyThereIsNoProgram) {
  const auto kept = KeptProgram::Start(io_, kKeeper, {{"/no/such/program"}, true, true},
                                       [this](KeptEnd end) { end_ = std::move(end); });
  ASSERT_TRUE(kept.ok());
  EXPECT_EQ(End().error, "No such file or directory");
  EXPECT_FALSE(KeptProgram::Start(io_, "/no/such/keeper", {{"/bin/true"}}, [](KeptEnd) {}).ok());
}

TEST_F(KeptProgramTest, WhenTheProgramHasEndedItsDaemonsHave) {
  const auto kept = Start(std::string(kDaemon) + "until [ -s \"$0\" ]; do :; done");
  EXPECT_EQ(End().exit_code, 0);
  EXPECT_FALSE(Lives(DaemonsNumber()));
}

TEST_F(KeptProgramTest, StopEndsTheProgramAndItsDaemons) {
  const auto kept = Start(std::string(kDaemon) + "exec sleep 600");
  const pid_t daemon = DaemonsNumber();
  kept->Stop();
  kept->Stop();
  EXPECT_EQ(End().signal, SIGTERM);
  EXPECT_FALSE(Lives(daemon));
}

TEST_F(KeptProgramTest, ProgramThatDoesNotMindTermIsKilled) {
  const auto kept = Start("trap '' TERM; echo $$ >\"$0\"; while :; do sleep 0.1; done");
  DaemonsNumber();
  const Instant start = Now();
  kept->Stop();
  EXPECT_EQ(End().signal, SIGKILL);
  EXPECT_GE(Now() - start, std::chrono::seconds(2));
}

TEST_F(KeptProgramTest, NothingIsLeftWhenItsOwnerGoesWithoutAWord) {
  auto kept = Start(std::string(kDaemon) + "exec sleep 600");
  const pid_t daemon = DaemonsNumber();
  kept.reset();
  io_.poll();
  EXPECT_TRUE(testing::Await([&] { return !Lives(daemon); }));
}

TEST(KeptEnd, LineThatIsNoneSaysThatTheKeeperWasKilled) {
  for (const char* line : {"", "exited", "exited x\n"}) {
    EXPECT_NE(ParseKeptEnd(line).error, "") << line;
  }
  EXPECT_EQ(ParseKeptEnd("killed 9\n").signal, 9);
}

}  // namespace
}  // namespace twofold::backend
