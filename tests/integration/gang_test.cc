// A gang of two over two network namespaces: real workers with addresses of their own.

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "tests/integration/durable_cluster.h"

namespace twofold::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

constexpr const char* kHere = "10.77.0.1";
constexpr const char* kThere = "10.77.0.2";

/// Two hosts: the test with the frontend and one worker is the first; the other worker is the
/// second. Both namespaces have no name and hang on processes, so they go with those, however the
/// test ends.
class GangTest : public DurableClusterTest {
 protected:
  // Once, before gRPC has threads: those are born into the namespace of their parent.
  static void SetUpTestSuite() {
    isolated_ = unshare(CLONE_NEWNET) == 0;
    why_not_ = std::strerror(errno);
  }

  void SetUp() override {
    if (!isolated_) GTEST_SKIP() << "needs network namespaces: " << why_not_;
    second_host_ = std::make_unique<Program>(
        "/usr/bin/unshare", Arguments{"--net", "/bin/sh", "-c", "echo born; exec sleep 600"});
    ASSERT_TRUE(Await([&] { return second_host_->output() == "born\n"; }));
    const std::string pid = std::to_string(second_host_->pid());
    Ip("link set lo up");
    Ip("link add here type veth peer name there");
    Ip("link set there netns " + pid);
    Ip(std::string("addr add ") + kHere + "/30 dev here");
    Ip("link set here up");
    There("/sbin/ip", {"addr", "add", std::string(kThere) + "/30", "dev", "there"});
    There("/sbin/ip", {"link", "set", "there", "up"});
    worker_address_ = "0.0.0.0:0";
    StartDurable({"--grace", "0.5"});
    worker_address_.replace(0, worker_address_.rfind(':'), kHere);
  }
  void TearDown() override {
    here_.reset();
    there_.reset();
    second_host_.reset();  // and its end of the cable
  }

  void StartWorkers(const Arguments& workload) {
    const Arguments backend = {TWOFOLD_BIN "/twofold-backend",
                               "--frontend",
                               worker_address_,
                               "--queue",
                               "sleep",
                               "--backoff",
                               "0.1",
                               "--null-in",
                               "--"};
    Arguments command = backend;
    command.insert(command.end(), workload.begin(), workload.end());
    here_ = std::make_unique<Program>(command[0], Arguments(command.begin() + 1, command.end()));
    there_ = std::make_unique<Program>("/usr/bin/nsenter", InSecondHost(command));
    AwaitProcesses(2);
  }

  std::uint64_t SubmitGang(std::uint64_t limit_ns = 0) {
    v1::JobOptions options = Durable();
    options.mutable_gang()->set_size(2);
    options.set_limit_ns(limit_ns);
    v1::SubmitJobRequest request;
    *request.mutable_options() = options;
    v1::Job job;
    const grpc::Status status = Call(&v1::Clients::Stub::SubmitJob, request, job);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return job.id();
  }

  /// A gang whose members write their process numbers, then stay. Both run when this returns.
  std::uint64_t StartStayingGang(std::uint64_t limit_ns = 0) {
    StartWorkers({"/bin/sh", "-c",
                  "echo $$ > '" + folder_ / "rank" +
                      "'\"$TWOFOLD_GANG_RANK\";"
                      "[ -z \"$TWOFOLD_READY_FD\" ] || echo >&3; exec sleep 600"});
    const std::uint64_t job = SubmitGang(limit_ns);
    EXPECT_TRUE(Await([this] { return Member(0) > 0 && Member(1) > 0; }));
    return job;
  }
  pid_t Member(int rank) {
    pid_t pid = 0;
    std::ifstream(folder_ / ("rank" + std::to_string(rank))) >> pid;
    return pid;
  }
  void ExpectNobodyIsLeft() {
    for (const int rank : {0, 1}) {
      EXPECT_TRUE(Await([&] { return kill(Member(rank), 0) != 0; })) << "rank " << rank;
    }
  }

  static void Ip(const std::string& arguments) { Run("/bin/sh", {"-c", "exec ip " + arguments}); }
  void There(const std::string& program, Arguments arguments) {
    arguments.insert(arguments.begin(), program);
    Run("/usr/bin/nsenter", InSecondHost(arguments));
  }
  static void Run(const std::string& program, const Arguments& arguments) {
    Program run(program, arguments);
    ASSERT_EQ(run.Wait(), 0) << ::testing::PrintToString(arguments) << run.output();
  }
  Arguments InSecondHost(Arguments command) const {
    command.insert(command.begin(),
                   "--net=/proc/" + std::to_string(second_host_->pid()) + "/ns/net");
    return command;
  }

  std::unique_ptr<Program> second_host_;
  std::unique_ptr<Program> here_;
  std::unique_ptr<Program> there_;

 private:
  static inline bool isolated_ = false;
  static inline std::string why_not_;
};

TEST_F(GangTest, MeasuresTcpThroughputBetweenTwoHosts) {
  StartWorkers({TWOFOLD_SOURCE "/examples/gang-tcp.sh", "1"});
  const v1::Job job = AwaitEnd(SubmitGang());
  ASSERT_EQ(job.outcome(), v1::OUTCOME_SUCCEEDED) << job.ShortDebugString();
  const std::string& output = job.report().output();
  EXPECT_THAT(output, ContainsRegex("received [0-9.]+ Gbit/s in [0-9.]+ s from "));
  EXPECT_THAT(output, HasSubstr(kHere));
  EXPECT_THAT(output, HasSubstr(kThere));
  std::cout << output;
  EXPECT_EQ(job.gang_size(), 2);
}

TEST_F(GangTest, MemberWhoseWorkerIsKilledEndsTheGangWithOneReason) {
  const std::uint64_t job = StartStayingGang();
  there_->Kill();
  const v1::Job ended = AwaitEnd(job);
  EXPECT_EQ(ended.outcome(), v1::OUTCOME_LOST) << ended.ShortDebugString();
  EXPECT_THAT(ended.report().error(), ContainsRegex("^rank [01]: worker did not come back"));
  ExpectNobodyIsLeft();
  AwaitSeries("twofold_workers{queue=\"sleep\",state=\"idle\"}", 1);
}

TEST_F(GangTest, MemberWhoseProgramIsKilledEndsTheGangWithOneReason) {
  for (const int rank : {1, 0}) {
    const std::uint64_t job = StartStayingGang();
    kill(Member(rank), SIGKILL);
    const v1::Job ended = AwaitEnd(job);
    EXPECT_EQ(ended.outcome(), v1::OUTCOME_FAILED) << ended.ShortDebugString();
    EXPECT_THAT(ended.report().error(), HasSubstr("killed by signal 9"));
    EXPECT_THAT(ended.report().error(), HasSubstr(rank == 1 ? "rank 1" : ""));
    ExpectNobodyIsLeft();
    for (const int member : {0, 1}) {
      std::filesystem::remove(folder_ / ("rank" + std::to_string(member)));
    }
    here_.reset();
    there_.reset();
    AwaitProcesses(0);
  }
}

TEST_F(GangTest, CancelStopsAllMembers) {
  const std::uint64_t job = StartStayingGang();
  v1::CancelJobRequest request;
  request.set_id(job);
  v1::Job cancelled;
  EXPECT_TRUE(Call(&v1::Clients::Stub::CancelJob, request, cancelled).ok());
  EXPECT_EQ(AwaitEnd(job).outcome(), v1::OUTCOME_CANCELLED);
  ExpectNobodyIsLeft();
  AwaitSeries("twofold_workers{queue=\"sleep\",state=\"idle\"}", 2);
}

TEST_F(GangTest, LimitStopsAllMembers) {
  const std::uint64_t job = StartStayingGang(500'000'000);
  const v1::Job ended = AwaitEnd(job);
  EXPECT_EQ(ended.outcome(), v1::OUTCOME_TIMED_OUT) << ended.ShortDebugString();
  ExpectNobodyIsLeft();
  AwaitSeries("twofold_workers{queue=\"sleep\",state=\"idle\"}", 2);
}

TEST_F(GangTest, GoesOnOverARestartOfTheFrontend) {
  const std::uint64_t job = StartStayingGang();
  const std::string address = worker_address_;
  worker_address_.replace(0, worker_address_.rfind(':'), "0.0.0.0");
  Restart({"--grace", "5"});
  worker_address_ = address;
  AwaitProcesses(2);
  EXPECT_EQ(Job(job).state(), v1::JOB_STATE_RUNNING);
  EXPECT_EQ(Job(job).attempts(), 1);
  kill(Member(0), SIGTERM);
  const v1::Job ended = AwaitEnd(job);
  EXPECT_EQ(ended.outcome(), v1::OUTCOME_FAILED) << ended.ShortDebugString();
  EXPECT_EQ(ended.attempts(), 1);
  ExpectNobodyIsLeft();
}

}  // namespace
}  // namespace twofold::testing
