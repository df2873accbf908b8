// Durable jobs over deaths of frontends and workers, with real programs on a real disk.

#include <algorithm>
#include <csignal>
#include <fstream>
#include <sstream>

#include "tests/integration/durable_cluster.h"

namespace twofold::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class DurableTest : public DurableClusterTest {
 protected:
  /// A workload that writes a line when it starts and when it ends, after the seconds of its job.
  Arguments Witnessed() const {
    return {"/bin/sh", "-c",
            R"(exec >> "$0"; echo "$TWOFOLD_JOB $TWOFOLD_ATTEMPT"; sleep "$1"; echo end)",
            folder_ / "witness"};
  }
  std::string Witness() const {
    std::ostringstream text;
    text << std::ifstream(folder_ / "witness").rdbuf();
    return text.str();
  }
};

std::string Text(const v1::Job& job) { return job.ShortDebugString(); }

TEST_F(DurableTest, ResultsAreTheSameAfterARestartByIdAndByRun) {
  StartDurable();
  const auto backend = StartBackend({"sleep", "0"}, {"--slots", "4"});
  std::vector<v1::Job> ended;
  for (int i = 0; i < 5; ++i) {
    ended.push_back(AwaitEnd(SubmitOne(Durable("night"), i == 0 ? "nonsense" : "0.01")));
  }
  SubmitOne(Durable("other"), "0");
  EXPECT_EQ(ended[0].outcome(), v1::OUTCOME_FAILED);
  EXPECT_NE(ended[0].report().error(), "");
  Restart();
  for (const v1::Job& job : ended) EXPECT_EQ(Text(Job(job.id())), Text(job));
  const auto listed = List("night");
  ASSERT_THAT(listed, SizeIs(5));
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(Text(listed[i]), Text(ended[i]));
}

TEST_F(DurableTest, RunningAttemptIsAdoptedAfterARestart) {
  StartDurable();
  const auto backend = StartBackend(Witnessed());
  const std::uint64_t job = SubmitOne(Durable(), "2");
  AwaitState(job, v1::JOB_STATE_RUNNING);
  EXPECT_TRUE(Await([&] { return !Witness().empty(); }));
  const std::uint64_t ran = Job(job).run_ns();
  Restart();
  AwaitProcesses(1);
  const v1::Job adopted = Job(job);
  EXPECT_EQ(adopted.state(), v1::JOB_STATE_RUNNING);
  EXPECT_EQ(adopted.attempts(), 1);
  EXPECT_GT(adopted.run_ns(), ran);
  const v1::Job ended = AwaitEnd(job);
  EXPECT_EQ(ended.outcome(), v1::OUTCOME_SUCCEEDED) << Text(ended);
  EXPECT_EQ(ended.attempts(), 1);
  EXPECT_GE(ended.run_ns(), 2'000'000'000);
  EXPECT_EQ(Witness(), std::to_string(job) + " 1\nend\n");
  EXPECT_EQ(Finished("succeeded"), 1);
}

TEST_F(DurableTest, ResultThatEndedWhileTheFrontendWasAwayIsKept) {
  StartDurable();
  const auto backend = StartBackend(Witnessed());
  const std::uint64_t job = SubmitOne(Durable(), "0.3");
  EXPECT_TRUE(Await([&] { return !Witness().empty(); }));
  frontend_->Kill();
  EXPECT_TRUE(Await([&] { return Witness().ends_with("end\n"); }));
  StartDurable();
  const v1::Job ended = AwaitEnd(job);
  EXPECT_EQ(ended.outcome(), v1::OUTCOME_SUCCEEDED) << Text(ended);
  EXPECT_EQ(ended.attempts(), 1);
}

TEST_F(DurableTest, WorkerThatDoesNotComeBackCostsAnAttempt) {
  StartDurable();
  auto backend = StartBackend({"sleep", "600"}, {"--slots", "3"});
  v1::JobOptions twice = Durable();
  twice.set_max_attempts(2);
  const std::uint64_t lost = SubmitOne(Durable(), "600");
  const std::uint64_t retried = SubmitOne(twice, "0.3");
  AwaitState(lost, v1::JOB_STATE_RUNNING);
  AwaitState(retried, v1::JOB_STATE_RUNNING);
  AwaitEnd(SubmitOne(Durable(), "0"));  // the worker has had it, so what began before is on disk
  frontend_->Kill();
  backend->Kill();
  StartDurable({"--grace", "0.2"});
  const v1::Job gone = AwaitEnd(lost);
  EXPECT_EQ(gone.outcome(), v1::OUTCOME_LOST);
  EXPECT_EQ(gone.attempts(), 1);
  EXPECT_THAT(gone.report().error(), HasSubstr("did not come back"));
  backend = StartBackend({"sleep", "600"});
  const v1::Job ended = AwaitEnd(retried);
  EXPECT_EQ(ended.outcome(), v1::OUTCOME_SUCCEEDED) << Text(ended);
  EXPECT_EQ(ended.attempts(), 2);
}

TEST_F(DurableTest, TermWithWaitingAndRunningJobsLosesNone) {
  StartDurable();
  const auto backend = StartBackend({"sleep", "0.2"});
  SubmitStream client(client_address_);
  constexpr std::uint64_t kJobs = 20;
  for (std::uint64_t tag = 0; tag < kJobs; ++tag) client.Submit(Durable("term"), tag, Spec("0.01"));
  std::vector<std::uint64_t> jobs;
  for (std::uint64_t i = 0; i < kJobs; ++i) jobs.push_back(client.accepted.Take().job);
  frontend_->Signal(SIGTERM);
  EXPECT_EQ(frontend_->Wait(), 0) << frontend_->output();
  StartDurable();
  for (const std::uint64_t job : jobs) {
    const v1::Job ended = AwaitEnd(job);
    EXPECT_EQ(ended.outcome(), v1::OUTCOME_SUCCEEDED) << Text(ended);
    EXPECT_EQ(ended.attempts(), 1) << Text(ended);
  }
  EXPECT_THAT(List("term"), SizeIs(kJobs));
}

TEST_F(DurableTest, SecondFrontendOnTheSameStoreIsRefused) {
  StartDurable();
  Program second("twofold-frontend",
                 {"--client-address", "127.0.0.1:0", "--worker-address", "127.0.0.1:0",
                  "--http-address", "127.0.0.1:0", "--store", store(), "sleep"});
  EXPECT_EQ(second.Wait(), 2);
  const std::string output = second.output();
  EXPECT_THAT(output, HasSubstr("jobs.db is in use by another frontend (pid " +
                                std::to_string(frontend_->pid()) + ")"));
  EXPECT_EQ(std::count(output.begin(), output.end(), '\n'), 1) << output;
  SubmitOne(Durable(), "0");  // the first one is none the worse for it
}

}  // namespace
}  // namespace twofold::testing
