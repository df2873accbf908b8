// The real program, with the service of a worker in this process.

#include <gmock/gmock.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

#include "tests/backend/peers/peers_fixture.h"
#include "tests/support/certificates.h"

namespace twofold::backend {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::Program;

class RshTest : public PeersTest {
 protected:
  void SetUp() override {
    PeersTest::SetUp();
    Announce(1);
    UseGangFile();
  }
  void TearDown() override {
    unsetenv("TWOFOLD_GANG");
    PeersTest::TearDown();
  }
  void UseGangFile() {
    const auto environment = OnLoop([&] { return peers_->Environment(Seat(0)); });
    const std::string& variable = environment.at(0);
    setenv("TWOFOLD_GANG", variable.substr(variable.find('=') + 1).c_str(), 1);
  }
  std::unique_ptr<Program> Rsh(const std::vector<std::string>& arguments) {
    return std::make_unique<Program>("twofold-rsh", arguments);
  }
  /// Of a command that writes its number into the file "pid".
  pid_t Command() {
    pid_t pid = 0;
    EXPECT_TRUE(testing::Await([&] {
      std::ifstream(folder_ / "pid") >> pid;
      return pid > 0;
    }));
    return pid;
  }
  std::string Staying() const { return "echo $$ >" + (folder_ / "pid") + "; exec sleep 600"; }
};

TEST_F(RshTest, RelaysOutputAndExitCodeAsAShellWouldHaveThem) {
  const auto rsh = Rsh({"pod-1", "echo", "\"two  words\";", "echo wrong >&2; exit", "9"});
  EXPECT_EQ(rsh->Wait(), 9);
  EXPECT_THAT(rsh->output(), AllOf(HasSubstr("two  words\n"), HasSubstr("wrong\n")));
  EXPECT_EQ(Rsh({"pod-1", "kill -9 $$"})->Wait(), 137);
  EXPECT_EQ(Rsh({"pod-1", "no-such-program"})->Wait(), 127);
}

TEST_F(RshTest, RelaysInput) {
  const std::string from = folder_ / "from";
  std::ofstream(from) << std::string(300'000, 'x');
  Program shell("/bin/sh", {"-c", TWOFOLD_BIN "/twofold-rsh pod-1 wc -c <" + from});
  EXPECT_EQ(shell.Wait(), 0);
  EXPECT_EQ(shell.output(), "300000\n");
}

TEST_F(RshTest, StrangerIsToldWhichHostsThereAre) {
  const auto rsh = Rsh({"elsewhere", "true"});
  EXPECT_EQ(rsh->Wait(), 255);
  EXPECT_THAT(rsh->output(),
              HasSubstr("'elsewhere' is no host of this gang; these are: 127.0.0.1"));
}

TEST_F(RshTest, MemberThatIsNotThereIsSaid) {
  const auto rsh = Rsh({"pod-2", "true"});
  EXPECT_EQ(rsh->Wait(), 255);
  EXPECT_THAT(rsh->output(), HasSubstr("pod-2: refused: its worker does not run this attempt"));
}

TEST_F(RshTest, WorkerWithoutAPortIsSaid) {
  roster_.mutable_peers(1)->set_port(0);
  UseGangFile();
  const auto rsh = Rsh({"pod-1", "true"});
  EXPECT_EQ(rsh->Wait(), 255);
  EXPECT_THAT(rsh->output(), HasSubstr("--peers-address"));
}

TEST_F(RshTest, OutsideOfAGangItSaysSo) {
  unsetenv("TWOFOLD_GANG");
  const auto rsh = Rsh({"pod-1", "true"});
  EXPECT_EQ(rsh->Wait(), 255);
  EXPECT_THAT(rsh->output(), HasSubstr("TWOFOLD_GANG is not set"));
  setenv("TWOFOLD_GANG", "/no/such/file", 1);
  const auto without_file = Rsh({"pod-1", "true"});
  EXPECT_EQ(without_file->Wait(), 255);
  EXPECT_THAT(without_file->output(), HasSubstr("/no/such/file"));
}

TEST_F(RshTest, CommandGoesWhenItIsStoppedOrKilled) {
  for (const int signal : {SIGTERM, SIGKILL}) {
    const auto rsh = Rsh({"pod-1", Staying()});
    const pid_t command = Command();
    rsh->Signal(signal);
    EXPECT_EQ(rsh->Wait(), signal == SIGKILL ? -SIGKILL : 128 + SIGTERM);
    EXPECT_TRUE(testing::Await([&] { return kill(command, 0) != 0; })) << signal;
    std::ofstream(folder_ / "pid", std::ios::trunc);
  }
}

TEST_F(RshTest, GoesWhenTheAttemptOfRankZeroIsOver) {
  const auto rsh = Rsh({"pod-1", Staying()});
  const pid_t command = Command();
  OnLoop([&] { peers_->Forget(IdOf(Seat(0))); });
  EXPECT_EQ(rsh->Wait(), 255);
  EXPECT_THAT(rsh->output(), HasSubstr("the attempt of this gang is over"));
  EXPECT_TRUE(testing::Await([&] { return kill(command, 0) != 0; }));
}

class TlsRshTest : public RshTest {
 protected:
  PeersSecurity Security() override {
    const testing::Authority authority;
    const testing::KeyPair pair = authority.Issue("worker", false);
    testing::WriteFile(folder_ / "ca", authority.cert());
    testing::WriteFile(folder_ / "crt", pair.cert);
    testing::WriteFile(folder_ / "key", pair.key);
    security::ClientOptions options;
    options.ca = folder_ / "ca";
    options.cert = folder_ / "crt";
    options.key = folder_ / "key";
    return OpenPeersSecurity(options).value();
  }
};

TEST_F(TlsRshTest, ShowsTheCertificateOfItsWorker) {
  const auto rsh = Rsh({"pod-1", "echo hello"});
  EXPECT_EQ(rsh->Wait(), 0);
  EXPECT_EQ(rsh->output(), "hello\n");
}

}  // namespace
}  // namespace twofold::backend
