// Programs that rank 0 starts on the other host: mpirun over two network namespaces, without ssh.

#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/integration/two_hosts.h"

namespace twofold::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

/// The environment or command line of a process, NUL after each word; empty: it has gone.
std::string WordsOf(const std::string& pid, const std::string& file) {
  std::ostringstream words;
  words << std::ifstream("/proc/" + pid + "/" + file).rdbuf();
  return words.str();
}

class PeersTest : public TwoHostsTest {
 protected:
  void SetUp() override {
    for (const char* program : {"/usr/bin/mpirun", "/usr/bin/NPopenmpi"}) {
      if (access(program, X_OK) != 0) GTEST_SKIP() << program << " is not installed";
    }
    TwoHostsTest::SetUp();
  }

  // A worker that is killed leaves its own host to itself.
  void TearDown() override {
    here_.reset();
    there_.reset();
    for (const char* host : {"here", "there"}) {
      for (const std::string& left : Left(host)) kill(std::stoi(left), SIGKILL);
    }
    TwoHostsTest::TearDown();
  }

  /// A gang whose rank 0 runs `mpirun PROGRAM`, and notes in a file on which host.
  std::uint64_t StartMpi(const Arguments& program) {
    Arguments workload = {"/bin/sh", "-c",
                          "echo \"$HOST\" >" + (folder_ / "rank") +
                              "$TWOFOLD_GANG_RANK; exec " TWOFOLD_SOURCE
                              "/examples/gang-mpi.sh \"$@\"",
                          "sh"};
    workload.insert(workload.end(), program.begin(), program.end());
    setenv("GANG_MPI_NETWORK", "10.77.0.0/30", 1);
    StartWorkers(workload, {"--peers-address", ":0", "--allow-env", "HOST", "--allow-env",
                            "GANG_MPI_NETWORK"});
    return SubmitGang();
  }

  /// A gang of which both hosts run something that stays; when this returns they do.
  std::uint64_t StartStayingMpi() {
    // The daemon leaves all by which it could be found.
    const std::uint64_t job = StartMpi(
        {"/bin/sh", "-c",
         "setsid sh -c '(sleep 600 &)'; echo >" + (folder_ / "runs-$HOST") + "; exec sleep 600"});
    EXPECT_TRUE(Await([this] {
      return std::filesystem::exists(folder_ / "runs-here") &&
             std::filesystem::exists(folder_ / "runs-there");
    }));
    return job;
  }

  std::string Rank0() {
    std::string host;
    std::ifstream(folder_ / "rank0") >> host;
    return host;
  }
  std::unique_ptr<Program>& WorkerOfRank0() { return Rank0() == "here" ? here_ : there_; }
  std::unique_ptr<Program>& WorkerOfRank1() { return Rank0() == "here" ? there_ : here_; }
  std::string HostOfRank1() { return Rank0() == "here" ? "there" : "here"; }

  /// Processes of this test on `host` other than the worker itself, as their command lines.
  std::set<std::string> Left(const std::string& host) {
    std::set<std::string> left;
    const std::array markers = {std::string("HOST=") + host + '\0',
                                "TEST_FOLDER=" + folder_ / "" + '\0'};
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const std::string pid = entry.path().filename();
      if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
      const std::string environment = WordsOf(pid, "environ");
      const bool ours = std::all_of(markers.begin(), markers.end(), [&](const std::string& marker) {
        return environment.find(marker) != std::string::npos;
      });
      if (!ours) continue;
      std::string command = WordsOf(pid, "cmdline");
      std::replace(command.begin(), command.end(), '\0', ' ');
      if (command.empty() || command.find("/twofold-backend ") != std::string::npos) continue;
      left.insert(pid + ": " + command);
    }
    return left;
  }
  void ExpectNothingIsLeft(const std::string& host) {
    EXPECT_TRUE(Await([&] { return Left(host).empty(); }))
        << host << ::testing::PrintToString(Left(host));
  }
};

TEST_F(PeersTest, MpirunStartsProgramsOnBothHostsWithoutSsh) {
  const v1::Job job = AwaitEnd(
      StartMpi({"/bin/sh", "-c", "echo \"$HOST $(hostname) $(ip -o -4 addr show scope global)\""}));
  ASSERT_EQ(job.outcome(), v1::OUTCOME_SUCCEEDED) << job.ShortDebugString();
  EXPECT_THAT(job.report().output(), ContainsRegex(std::string("here [^\n]*") + kHere));
  EXPECT_THAT(job.report().output(), ContainsRegex(std::string("there there [^\n]*") + kThere));
  ExpectNothingIsLeft("here");
  ExpectNothingIsLeft("there");
}

TEST_F(PeersTest, MpiProgramMeasuresTheCableBetweenTheHosts) {
  const v1::Job job = AwaitEnd(StartMpi({"NPopenmpi", "-u", "1024", "-n", "20"}));
  ASSERT_EQ(job.outcome(), v1::OUTCOME_SUCCEEDED) << job.ShortDebugString();
  EXPECT_THAT(job.report().output(), ContainsRegex("[0-9]+ bytes +[0-9]+ times --> +[0-9.]+ Mbps"));
  ExpectNothingIsLeft("here");
  ExpectNothingIsLeft("there");
}

TEST_F(PeersTest, ExitCodeOfTheFirstRankThatFailsIsThatOfTheJob) {
  const v1::Job job = AwaitEnd(
      StartMpi({"/bin/sh", "-c", "[ \"$OMPI_COMM_WORLD_RANK\" = 0 ] || exit 7; exec sleep 600"}));
  EXPECT_EQ(job.outcome(), v1::OUTCOME_FAILED);
  EXPECT_EQ(job.report().exit_code(), 7) << job.ShortDebugString();
  ExpectNothingIsLeft("here");
  ExpectNothingIsLeft("there");
}

TEST_F(PeersTest, CancelledJobLeavesNothingOnEitherHost) {
  const std::uint64_t job = StartStayingMpi();
  v1::CancelJobRequest request;
  request.set_id(job);
  v1::Job cancelled;
  EXPECT_TRUE(Call(&v1::Clients::Stub::CancelJob, request, cancelled).ok());
  EXPECT_EQ(AwaitEnd(job).outcome(), v1::OUTCOME_CANCELLED);
  ExpectNothingIsLeft(HostOfRank1());
}

TEST_F(PeersTest, WorkerOfRank0ThatIsKilledLeavesNothingOnTheOtherHost) {
  const std::uint64_t job = StartStayingMpi();
  WorkerOfRank0()->Kill();
  ExpectNothingIsLeft(HostOfRank1());
  EXPECT_EQ(AwaitEnd(job).outcome(), v1::OUTCOME_LOST);
}

/// A frontend that waits long for a worker to come back: mpirun is the first to notice.
class PatientPeersTest : public PeersTest {
 protected:
  PatientPeersTest() { frontend_options_ = {"--grace", "50"}; }
};

TEST_F(PatientPeersTest, WorkerOfRank1ThatIsKilledEndsMpirunAndLeavesNothingBehind) {
  const std::uint64_t job = StartStayingMpi();
  WorkerOfRank1()->Kill();
  const v1::Job ended = AwaitEnd(job);
  EXPECT_EQ(ended.outcome(), v1::OUTCOME_FAILED) << ended.ShortDebugString();
  EXPECT_THAT(ended.report().error(), HasSubstr("exit code"));
  ExpectNothingIsLeft(HostOfRank1());
}

}  // namespace
}  // namespace twofold::testing
