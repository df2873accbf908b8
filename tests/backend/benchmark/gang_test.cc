#include "suites/table/table.h"
#include "tests/backend/benchmark/bench.h"

// What the members of a gang do together; all are slots of one process here.
namespace twofold::backend {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr char kTwoWorkers[] = R"({
    "numWorkers": 2, "rw": "randrw", "rwmixread": 70, "bs": "4k", "iodepth": 4, "numJobs": 2,
    "direct": 0, "runtime": "1s"})";

class BenchGangTest : public BenchTest {
 protected:
  const suite::Suite& fio_ = *suite::FindSuite("fio");
  const suite::Suite& pingpong_ = *suite::FindSuite("mpi-pingpong");

  // fio that prints one sample for each worker, told apart by its folder's last digit.
  void AddFio(const std::string& more = "") {
    AddTool("fio", "case \"$*\" in *create_only*) exit;; esac\n" + more +
                       "\nif ls -d twofold-job-17-2-1 > /dev/null 2>&1; then cat " +
                       SamplePath("fio/worker1.json") + "; else cat " +
                       SamplePath("fio/worker0.json") + "; fi");
  }
};

TEST_F(BenchGangTest, RankZeroHasTheNumbersOfAll) {
  AddFio();
  const BenchEnd end = RunGang(fio_, kTwoWorkers, 2);
  EXPECT_EQ(end.outcome, v1::OUTCOME_SUCCEEDED) << end.report.error();
  ASSERT_EQ(end.result.ranks_size(), 2);
  for (const v1::RankRecord& rank : end.result.ranks()) {
    ASSERT_EQ(rank.stages_size(), 2);
    EXPECT_EQ(rank.stages(0).name(), "layout");
    EXPECT_EQ(rank.stages(1).tool_version(), "fio 1.0");
    EXPECT_NE(rank.kernel(), "");
  }
  EXPECT_THAT(peers_.stops, ElementsAre(false));  // each worker measures to its end
  EXPECT_THAT(peers_.members, IsEmpty());
  EXPECT_THAT(peers_.forgotten, Contains(0U));
}

TEST_F(BenchGangTest, AMemberThatFailsEndsTheJobInTheWordsOfItsTool) {
  AddFio("if ls -d twofold-job-17-2-1 > /dev/null 2>&1; then echo '{}'; exit 1; fi\nsleep 3600");
  const BenchEnd end = RunGang(fio_, kTwoWorkers, 2);
  EXPECT_EQ(end.outcome, v1::OUTCOME_FAILED);
  EXPECT_EQ(end.result.failed_stage(), "fio");
  EXPECT_THAT(end.report.error(), StartsWith("fio of worker 1: "));
  EXPECT_EQ(end.result.ranks(0).stages_size(), 0);
  EXPECT_EQ(end.result.ranks(0).node(), "node-0");
  EXPECT_EQ(end.result.ranks(1).stages_size(), 2);
}

TEST_F(BenchGangTest, FailedPreparationOfAMemberKeepsNobodyWaiting) {
  AddTool("fio", "ls -d twofold-job-17-2-1 > /dev/null 2>&1 && exit 1; exit 0");
  const BenchEnd end = RunGang(fio_, kTwoWorkers, 2);
  EXPECT_EQ(end.outcome, v1::OUTCOME_FAILED);
  EXPECT_EQ(end.result.failed_stage(), "layout");
}

TEST_F(BenchGangTest, AMemberThatIsNotReachedIsAFailure) {
  AddFio();
  peers_.lost = {1};
  const BenchEnd end = RunGang(fio_, kTwoWorkers, 2);
  EXPECT_EQ(end.outcome, v1::OUTCOME_FAILED);
  EXPECT_EQ(end.report.error(), "collect: rank 1 at 127.0.0.1: connection refused");
}

TEST_F(BenchGangTest, AMemberWhoseOutputWasCutFailsTheJob) {
  AddFio();
  options_.limits.record = 2000;
  const BenchEnd end = RunGang(fio_, kTwoWorkers, 2);
  EXPECT_EQ(end.outcome, v1::OUTCOME_FAILED);
  EXPECT_THAT(end.report.error(), HasSubstr("too much to read"));
}

TEST_F(BenchGangTest, MembersThatServeRankZeroAreAnnouncedBeforeTheyAreReady) {
  AddTool("mpirun", "echo \"$PEERS $TWOFOLD_GANG_RANK\" >&2; exit 1");
  AddTool("IMB-MPI1", "exit 1");
  Make(pingpong_);
  StartGang("{}", 2);
  AwaitReady(2);
  ASSERT_EQ(peers_.members.count(1), 1U);
  const FakePeerLink::Announced& member = peers_.members.at(1);
  EXPECT_TRUE(member.serves_exec);
  EXPECT_THAT(member.environment, Contains("TWOFOLD_GANG_RANK=1"));
  EXPECT_THAT(member.environment, Contains("TWOFOLD_READY_FD"));
  EXPECT_THAT(member.directory, HasSubstr(work_.Path("")));
  benchmark_->Go(0, Now());
  benchmark_->Go(1, Now());
  const BenchEnd end = EndOf(0);
  EXPECT_EQ(end.report.output(), "fake 0\n");
  EXPECT_THAT(peers_.stops, ElementsAre(true));  // the job is over when rank 0 is
  EXPECT_FALSE(recorder_->ends().contains(1));   // it waits with its record
  benchmark_->Stop(1);
  recorder_->Await(2);
  EXPECT_THAT(peers_.members, IsEmpty());
}

TEST_F(BenchGangTest, WithoutAServiceForPeersTheFlagIsNamed) {
  AddFio();
  options_.peers = nullptr;
  EXPECT_EQ(RunGang(fio_, kTwoWorkers, 2).report.error(),
            "prepare: members of gangs cannot reach this worker: give it --peers-address");
}

TEST_F(BenchGangTest, AGangOfTheWrongSizeIsAPlanError) {
  EXPECT_EQ(RunGang(fio_, kTwoWorkers, 3).report.error(),
            "plan: with this spec fio runs on 2 workers, as a gang of so many; it was given 3");
  EXPECT_EQ(RunGang(fio_, "{}", 2).report.error(),
            "plan: with this spec fio runs on 1 worker, without a gang; it was given 2");
}

TEST_F(BenchGangTest, StoppedAtTheBarrierNothingIsLeft) {
  AddFio();
  Make(fio_);
  StartGang(kTwoWorkers, 2);
  AwaitReady(2);
  benchmark_->Stop(0);
  benchmark_->Stop(1);
  recorder_->Await(2);
  EXPECT_THAT(Left(), IsEmpty());
}

}  // namespace
}  // namespace twofold::backend
