// A gang of two over two network namespaces: real workers with addresses of their own.

#include <algorithm>
#include <csignal>

#include "tests/integration/two_hosts.h"

namespace twofold::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class GangTest : public TwoHostsTest {
 protected:
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
