#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cerrno>
#include <filesystem>
#include <string>

#include "backend/workload/job.h"
#include "tests/backend/agent/agent_fixture.h"
#include "tests/backend/temp_dir.h"

namespace twofold::backend {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using WorkResult = fakes::FakeWorkStream::Result;

// ---- Rows

v1::AssignBatch BatchOf(std::uint32_t rows) {
  v1::AssignBatch batch;
  for (std::uint32_t row = 0; row < rows; ++row) batch.add_jobs(row + 1);
  return batch;
}

void AddMember(v1::AssignBatch& batch, std::uint32_t row, std::uint32_t rank, int peers) {
  v1::GangMember& member = *batch.add_members();
  member.set_row(row);
  member.set_gang(static_cast<std::uint32_t>(batch.gangs_size()));
  member.set_rank(rank);
  v1::GangRoster& gang = *batch.add_gangs();
  for (int i = 0; i < peers; ++i) gang.add_peers();
}

TEST(GangRows, SomeRowsAreMembersAndOthersAreNot) {
  v1::AssignBatch batch = BatchOf(3);
  AddMember(batch, 2, 1, 2);
  const auto gangs = GangRows::Of(batch);
  ASSERT_TRUE(gangs.ok());
  EXPECT_EQ(gangs->At(0), nullptr);
  ASSERT_NE(gangs->At(2), nullptr);
  EXPECT_EQ(gangs->At(2)->gang, &batch.gangs(0));
  EXPECT_EQ(gangs->At(2)->rank, 1U);
}

TEST(GangRows, WhatDoesNotFitIsRefused) {
  const auto error = [](std::uint32_t row, std::uint32_t rank) {
    v1::AssignBatch batch = BatchOf(2);
    AddMember(batch, 0, 0, 2);
    AddMember(batch, row, rank, 2);
    return std::string(GangRows::Of(batch).status().message());
  };
  EXPECT_EQ(error(1, 1), "");
  EXPECT_EQ(error(2, 1), "members names row 2 of 2");
  EXPECT_EQ(error(1, 2), "members has rank 2 among 2 peers");
  EXPECT_EQ(error(0, 1), "members has row 0 twice");
  v1::AssignBatch batch = BatchOf(1);
  AddMember(batch, 0, 0, 2);
  batch.mutable_members(0)->set_gang(1);
  EXPECT_EQ(GangRows::Of(batch).status().message(), "members names gang 1 of 1");
}

// ---- The barrier

class GangTest : public AgentTest {
 protected:
  // An agent whose programs are a shell text with $1 as a folder, the other end of its stream.
  std::shared_ptr<fakes::FakeWorkStream> Start(const std::string& text) {
    agent_.emplace(options_, text, dir_.Path(""));
    const auto stream = frontend_.Accept();
    stream->Welcome();
    return stream;
  }

  // Go has been read when this returns: the job after it, which makes no sense, has been answered.
  static void Go(fakes::FakeWorkStream& stream, std::uint64_t job) {
    stream.SendGo(job);
    stream.SendAssigns(99, 1, {}, "no end");
    EXPECT_EQ(stream.HearResults(1).results[0].job, 99u);
  }

  bool Exists(const std::string& name) const { return std::filesystem::exists(dir_.Path(name)); }

  // The process that has written its number to that file runs no more.
  void ExpectGone(const std::string& name) const {
    EXPECT_EQ(kill(std::stoi(TempDir::Read(dir_.Path(name))), 0), -1);
    EXPECT_EQ(errno, ESRCH);
  }

  AgentOptions options_ = Options();
  TempDir dir_;
  std::optional<RunningAgent> agent_;
};

// Rank 0 succeeds if the other one has said that it listens; that one waits to be stopped.
constexpr char kServerAndClient[] = R"(cd "$1"; echo $$ > pid.$TWOFOLD_GANG_RANK
if [ $TWOFOLD_GANG_RANK = 0 ]; then [ -e listens ]; exit; fi
until [ -e may-listen ]; do sleep 0.01; done; touch listens; echo >&$TWOFOLD_READY_FD
exec sleep 3600)";

TEST_F(GangTest, RankZeroStartsWhenTheOthersListen) {
  const auto stream = Start(kServerAndClient);
  stream->SendMember(1, 0, 2);
  stream->SendMember(2, 1, 2);
  EXPECT_THAT(stream->HearReady(1).ready, ElementsAre(1));  // rank 0 needs nothing
  dir_.Write("may-listen", "");
  EXPECT_THAT(stream->HearReady(2).ready, ElementsAre(1, 2));
  EXPECT_FALSE(Exists("pid.0"));
  stream->SendGo(2);
  stream->SendGo(1);
  const auto first = stream->HearResults(1).results;
  EXPECT_THAT(first, ElementsAre(AllOf(Field(&WorkResult::job, 1u),
                                       Field(&WorkResult::outcome, v1::OUTCOME_SUCCEEDED))));
  stream->SendCancel(2);  // as rank 0 is done
  const WorkResult second = stream->HearResults(2).results[1];
  EXPECT_EQ(second.outcome, v1::OUTCOME_CANCELLED);
  EXPECT_EQ(second.report.error(), "stopped");
  ExpectGone("pid.0");
  ExpectGone("pid.1");
}

TEST_F(GangTest, GoThatComesTwiceStartsOnce) {
  const auto stream = Start(R"(cd "$1"; mkdir once && until [ -e done ]; do sleep 0.01; done)");
  stream->SendMember(1, 0, 2);
  stream->HearReady(1);
  stream->SendGo(1);
  stream->SendGo(1);
  stream->SendGo(99);  // of nobody
  dir_.Write("done", "");
  EXPECT_EQ(stream->HearResults(1).results[0].outcome, v1::OUTCOME_SUCCEEDED);
}

TEST_F(GangTest, ClosedDescriptorIsReadyToo) {
  const auto stream = Start("exec 3>&-; exec sleep 3600");
  stream->SendMember(2, 1, 2);
  EXPECT_THAT(stream->HearReady(1).ready, ElementsAre(2));
}

TEST_F(GangTest, OneThatSaysMoreThanReadyLivesOn) {
  const auto stream = Start(
      "printf 'listening\\n' >&3; until [ -e $1/end ]; do echo more >&3; sleep 0.01; "
      "done");
  stream->SendMember(2, 1, 2);
  EXPECT_THAT(stream->HearReady(1).ready, ElementsAre(2));
  Go(*stream, 2);
  dir_.Write("end", "");
  EXPECT_EQ(stream->HearResults(2).results[1].outcome, v1::OUTCOME_SUCCEEDED);
}

TEST_F(GangTest, RunTimeCountsFromGo) {
  const auto stream = Start("sleep 0.05; echo >&3; until [ -e $1/done ]; do sleep 0.01; done");
  stream->SendMember(2, 1, 2);
  stream->HearReady(1);
  const Instant go = Now();
  Go(*stream, 2);
  dir_.Write("done", "");
  const WorkResult result = stream->HearResults(2).results[1];
  EXPECT_EQ(result.outcome, v1::OUTCOME_SUCCEEDED);
  EXPECT_LE(Duration(static_cast<Duration::rep>(result.run_ns)), Now() - go);
}

TEST_F(GangTest, OneThatDiesBeforeItIsReadyFailsAndSaysSo) {
  const auto stream = Start("exit $TWOFOLD_ATTEMPT");
  stream->SendMember(2, 1, 2);
  const auto heard = stream->HearResults(1);
  EXPECT_EQ(heard.results[0].outcome, v1::OUTCOME_FAILED);
  EXPECT_EQ(heard.results[0].report.error(),
            "rank 1 of the gang ended before it was ready: exit code 3");
  EXPECT_EQ(heard.results[0].run_ns, 0u);
  EXPECT_THAT(heard.ready, IsEmpty());
}

TEST_F(GangTest, OneThatEndsInPeaceBeforeTheStartHasFailedAsWell) {
  const auto stream = Start("echo >&3; until [ -e $1/end ]; do sleep 0.01; done");
  stream->SendMember(2, 1, 2);
  stream->HearReady(1);
  dir_.Write("end", "");
  const WorkResult result = stream->HearResults(1).results[0];
  EXPECT_EQ(result.outcome, v1::OUTCOME_FAILED);
  EXPECT_EQ(result.report.error(), "rank 1 of the gang ended before the gang started");
}

TEST_F(GangTest, OneThatIsNeverReadyFailsAtTheLimit) {
  options_.ready_limit = milliseconds(30);
  const auto stream = Start("echo $$ > $1/pid; exec sleep 3600");
  stream->SendMember(2, 1, 2);
  v1::JobOptions shorter;
  shorter.set_limit_ns(10'000'000);
  stream->SendMember(4, 3, 4, shorter);
  const auto& results = stream->HearResults(2).results;
  EXPECT_THAT(results[0].report.error(), HasSubstr("rank 3 of the gang was not ready within 0.01"));
  EXPECT_EQ(results[1].outcome, v1::OUTCOME_FAILED);
  EXPECT_THAT(results[1].report.error(),
              AllOf(HasSubstr("rank 1 of the gang was not ready within 0.03 s"),
                    HasSubstr("TWOFOLD_READY_FD")));
  ExpectGone("pid");
}

TEST_F(GangTest, LimitOfTheJobCountsFromGo) {
  v1::JobOptions limited;
  limited.set_limit_ns(50'000'000);
  options_.ready_limit = milliseconds(20);
  RunningAgent agent(options_, kForever);
  const auto stream = frontend_.Accept();
  stream->Welcome();
  stream->SendMember(1, 0, 2, limited);
  stream->HearReady(1);
  // Ready: no limit holds any more. A job of the same limit that starts now ends meanwhile.
  stream->SendAssigns(9, 1, limited);
  EXPECT_EQ(stream->HearResults(1).results[0].job, 9u);
  stream->SendGo(1);
  const WorkResult result = stream->HearResults(2).results[1];
  EXPECT_EQ(result.outcome, v1::OUTCOME_TIMED_OUT);
  EXPECT_GE(result.run_ns, limited.limit_ns());
}

TEST_F(GangTest, CancelDuringTheBarrierStopsEachAndLeavesNothing) {
  const auto stream = Start(
      "cd $1; echo $$ > new.$TWOFOLD_GANG_RANK; mv new.$TWOFOLD_GANG_RANK pid.$TWOFOLD_GANG_RANK; "
      "[ $TWOFOLD_GANG_RANK = 1 ] && "
      "echo >&3; exec sleep 3600");
  for (const std::uint32_t rank : {0U, 1U, 2U}) stream->SendMember(rank + 1, rank, 3);
  EXPECT_THAT(stream->HearReady(2).ready, UnorderedElementsAre(1, 2));
  dir_.Await("pid.2");  // it runs, and is not ready
  for (const std::uint64_t job : {1U, 2U, 3U}) stream->SendCancel(job);
  stream->SendGo(1);  // crossed the cancel
  for (const WorkResult& result : stream->HearResults(3).results) {
    EXPECT_EQ(result.outcome, v1::OUTCOME_CANCELLED);
    EXPECT_EQ(result.run_ns, 0u);
  }
  EXPECT_FALSE(Exists("pid.0"));
  ExpectGone("pid.1");
  ExpectGone("pid.2");
}

TEST_F(GangTest, ReadyIsSaidAgainAfterAReconnectAlsoByThoseThatRun) {
  RunningAgent agent(options_, kForever);
  const auto first = frontend_.Accept();
  first->Welcome();
  first->SendMember(1, 0, 2);
  first->SendMember(2, 1, 2);
  EXPECT_THAT(first->HearReady(2).ready, ElementsAre(1, 2));
  first->SendGo(2);
  first->SendAssigns(9, 1, {}, std::string("0\0", 2));  // its result: go has been read
  first->HearResults(1);
  Break(*first);

  const auto second = frontend_.Accept();
  EXPECT_THAT(second->Welcome().held_jobs(), UnorderedElementsAre(1, 2));
  EXPECT_THAT(second->HearReady(2).ready, UnorderedElementsAre(1, 2));
  second->SendGo(1);
  second->SendGo(2);  // which goes on as it was
  second->SendAssigns(10, 1, {}, std::string("0\0", 2));  // its result: go has been read
  second->HearResults(1);
  second->SendCancel(1);
  EXPECT_GT(second->HearResults(2).results[1].run_ns, 0u);
}

TEST_F(GangTest, ReadyWhileTheFrontendIsAwayIsSaidWhenItIsBack) {
  const auto first = Start(
      "touch $1/runs; until [ -e $1/go ]; do sleep 0.01; done; echo >&3;"
      "touch $1/ready; exec sleep 3600");
  first->SendMember(2, 1, 2);
  dir_.Await("runs");
  Break(*first);
  const auto second = frontend_.Accept();  // not welcome yet
  dir_.Write("go", "");
  dir_.Await("ready");
  second->Welcome();
  EXPECT_THAT(second->HearReady(1).ready, ElementsAre(2));
}

TEST_F(GangTest, ShutdownHandsTheMembersBack) {
  const auto stream = Start("exec sleep 3600");
  stream->SendMember(1, 0, 2);
  stream->SendMember(2, 1, 2);
  stream->HearReady(1);
  agent_->Shutdown();
  agent_->Shutdown();
  for (const WorkResult& result : stream->HearResults(2).results) EXPECT_TRUE(result.handed_back);
  stream->ReceiveEnd();
  EXPECT_EQ(agent_->ExitCode(), 0);
}

TEST_F(GangTest, BrokenMembersEndTheWorker) {
  RunningAgent agent(options_, kForever);
  const auto stream = frontend_.Accept();
  stream->Welcome();
  stream->SendMember(1, 2, 2);
  EXPECT_EQ(agent.ExitCode(), 1);
}

// ---- What the programs are told

// Prints the variables of a job; whoever runs the tests may have others of ours.
const std::string kVariables = "env | grep -E '^TWOFOLD_(ATTEMPT|JOB|GANG_.*|.*_FD)=' | sort";

TEST_F(GangTest, ProgramsKnowTheirGang) {
  const auto stream = Start(kVariables + "; echo >&3; until [ -e $1/end ]; do sleep 0.01; done");
  stream->SendMember(2, 1, 2);
  stream->HearReady(1);
  Go(*stream, 2);
  dir_.Write("end", "");
  EXPECT_EQ(stream->HearResults(2).results[1].report.output(),
            "TWOFOLD_ATTEMPT=3\nTWOFOLD_GANG_NODES=- -\nTWOFOLD_GANG_PEERS=10.0.0.1 10.0.0.2\n"
            "TWOFOLD_GANG_RANK=1\nTWOFOLD_GANG_SECRET=01ab\nTWOFOLD_GANG_SIZE=2\n"
            "TWOFOLD_JOB=700\nTWOFOLD_PROGRESS_FD=4\nTWOFOLD_READY_FD=3\n");
}

TEST_F(GangTest, ProgramsWithoutGangKnowTheirJobAndNoGang) {
  setenv("TWOFOLD_GANG_RANK", "5", 1);  // as if this backend were a job of another one
  const auto stream = Start(kVariables);
  stream->SendAssigns(4, 1);
  EXPECT_EQ(stream->HearResults(1).results[0].report.output(),
            "TWOFOLD_ATTEMPT=1\nTWOFOLD_JOB=4\nTWOFOLD_PROGRESS_FD=4\n");
  unsetenv("TWOFOLD_GANG_RANK");
}

}  // namespace
}  // namespace twofold::backend
