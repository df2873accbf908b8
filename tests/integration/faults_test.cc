// What happens when processes are killed, stopped, or come back: real programs, real signals.

#include <csignal>
#include <filesystem>

#include "lib/common/arguments.h"
#include "lib/common/instant.h"
#include "tests/fakes/streams.h"
#include "tests/integration/cluster_fixture.h"

namespace twofold::testing {
namespace {

using ::testing::HasSubstr;

class FaultsTest : public ClusterTest {
 protected:
  // Ends the load: nothing stays outstanding, and no job has failed.
  void ExpectSettles(const Client& client) {
    SetParallel(client, 0);
    EXPECT_TRUE(Await([&] { return Stats(client)["pending"] == 0; }));
    const auto stats = Stats(client);
    EXPECT_EQ(stats["failed"], 0) << stats;
  }
};

TEST_F(FaultsTest, FrontendKilledUnderLoadAndRestartedCostsNoJobAndNoCount) {
  StartFrontend();
  const auto backend1 = StartBackend({"sleep", "0.02"}, {"--slots", "4"});
  const auto backend2 = StartBackend({"sleep", "0.02"}, {"--slots", "4"});
  const Client client = StartClient({"--parallel", "50"});
  EXPECT_TRUE(Await([&] { return ClientFinished(client, "succeeded") > 100; }));
  for (int round = 1; round <= 3; ++round) {
    EXPECT_EQ(frontend_->Kill(), -SIGKILL);
    const double before = ClientFinished(client, "succeeded");
    StartFrontend();
    EXPECT_TRUE(Await([&] { return ClientFinished(client, "succeeded") > before + 200; }));
    AwaitProcesses(2);
    const auto stats = Stats(client);
    EXPECT_EQ(stats["interruptions_since_start"], round);
    EXPECT_EQ(stats["pending"], 50);
    EXPECT_EQ(stats["failed"], 0) << stats;
    // All that the new frontend knows is what the client has outstanding: nothing twice, nothing
    // old.
    EXPECT_EQ(stats["parallelism"], 50);
    EXPECT_LE(Series("twofold_wanted_workers{queue=\"sleep\"}"), 50);
  }
  ExpectSettles(client);
  AwaitSeries("twofold_wanted_workers{queue=\"sleep\"}", 0);
  AwaitSeries("twofold_workers{queue=\"sleep\",state=\"idle\"}", 8);
}

TEST_F(FaultsTest, KilledWorkersJobIsLostWhenItHadOneAttempt) {
  StartFrontend({"--grace", "0.2", "sleep"});
  const auto backend = StartBackend({"sleep", "600"});
  const Client client = StartClient({"--parallel", "1"});
  AwaitSeries("twofold_jobs{queue=\"sleep\",state=\"running\"}", 1);
  SetParallel(client, 0);
  backend->Kill();
  EXPECT_TRUE(Await([&] { return ClientFinished(client, "lost") == 1; }));
  const auto stats = Stats(client);
  EXPECT_EQ(stats["pending"], 0);
  EXPECT_EQ(stats["failed"], 1);
  EXPECT_THAT(stats["errors"].dump(), HasSubstr("did not come back"));
  EXPECT_EQ(Finished("lost"), 1);
}

TEST_F(FaultsTest, KilledWorkersJobRunsElsewhereWhileAttemptsAreLeft) {
  StartFrontend({"--grace", "0.2", "sleep"});
  const auto killed = StartBackend({"sleep", "600"});
  const Client client = StartClient({"--parallel", "1", "--attempts", "2"});
  AwaitSeries("twofold_jobs{queue=\"sleep\",state=\"running\"}", 1);
  SetParallel(client, 0);
  const auto other = StartBackend({"sleep", "0.01"});
  AwaitProcesses(2);
  killed->Kill();
  EXPECT_TRUE(Await([&] { return ClientFinished(client, "succeeded") == 1; }));
  ExpectSettles(client);
  EXPECT_EQ(Series("twofold_attempts_requeued_total{queue=\"sleep\"}"), 1);
}

TEST_F(FaultsTest, StoppedWorkersJobRunsElsewhereAndIsCountedOnce) {
  StartFrontend({"--lease", "2", "sleep"});
  const auto stopped = StartBackend({"sleep", "1"});
  const Client client = StartClient({"--parallel", "1", "--attempts", "2"});
  AwaitSeries("twofold_jobs{queue=\"sleep\",state=\"running\"}", 1);
  SetParallel(client, 0);
  stopped->Signal(SIGSTOP);
  AwaitSeries("twofold_attempts_requeued_total{queue=\"sleep\"}", 1);
  const auto other = StartBackend({"sleep", "0.01"});
  EXPECT_TRUE(Await([&] { return ClientFinished(client, "succeeded") == 1; }));
  stopped->Signal(SIGCONT);
  // It answers for the attempt that no longer counts, and its slot is of use again.
  AwaitSeries("twofold_workers{queue=\"sleep\",state=\"idle\"}", 2);
  EXPECT_EQ(ClientFinished(client, "succeeded"), 1);
  EXPECT_EQ(Finished("succeeded"), 1);
  ExpectSettles(client);
}

TEST_F(FaultsTest, KilledClientsWaitingJobsAreDroppedAndCounted) {
  StartFrontend();
  const auto backend = StartBackend({"sleep", "600"});
  AwaitProcesses(1);
  const Client client = StartClient({"--parallel", "100"});
  AwaitSeries("twofold_jobs{queue=\"sleep\",state=\"waiting\"}", 99);
  client.program->Kill();
  AwaitSeries("twofold_jobs{queue=\"sleep\",state=\"waiting\"}", 0);
  AwaitSeries("twofold_jobs{queue=\"sleep\",state=\"running\"}", 0);
  EXPECT_EQ(Finished("abandoned"), 100);
  AwaitSeries("twofold_clients", 0);
  // The worker was told to stop: it is free long before its 600 seconds are over.
  AwaitSeries("twofold_workers{queue=\"sleep\",state=\"idle\"}", 1);
}

TEST_F(FaultsTest, FullQueueMakesTheClientBackOffAndLosesNothing) {
  StartFrontend({"--queue-limit", "10", "sleep"});
  const Client client = StartClient({"--parallel", "100"});
  AwaitSeries("twofold_jobs{queue=\"sleep\",state=\"waiting\"}", 10);
  const auto backend = StartBackend({"sleep", "0"}, {"--slots", "5"});
  EXPECT_TRUE(Await([&] { return ClientFinished(client, "succeeded") > 300; }));
  EXPECT_GT(Finished("rejected"), 0);
  ExpectSettles(client);
}

TEST_F(FaultsTest, TermLetsAWorkerFinishAndNoRequestFails) {
  StartFrontend();
  auto leaving = StartBackend({"sleep", "0.3"});
  const Client client = StartClient({"--parallel", "2"});
  AwaitSeries("twofold_jobs{queue=\"sleep\",state=\"running\"}", 1);
  const auto staying = StartBackend({"sleep", "0.05"});
  leaving->Signal(SIGTERM);
  EXPECT_EQ(leaving->Wait(), 0) << leaving->output();
  AwaitProcesses(1);
  ExpectSettles(client);
}

TEST_F(FaultsTest, SecondTermHandsTheJobBackAndItRunsElsewhere) {
  StartFrontend();
  // The job says itself that it runs: the frontend counts it as running before the worker has heard
  // of it, and a worker that is told to leave then hands it back at once.
  const std::string begun = folder_ / "begun";
  auto leaving = StartBackend({"/bin/sh", "-c", "echo > '" + begun + "'; exec sleep 600"});
  const Client client = StartClient({"--parallel", "1"});
  ASSERT_TRUE(Await([&] { return std::filesystem::exists(begun); }));
  SetParallel(client, 0);
  leaving->Signal(SIGTERM);
  AwaitSeries("twofold_workers{queue=\"sleep\",state=\"draining\"}", 1);
  leaving->Signal(SIGTERM);
  EXPECT_EQ(leaving->Wait(), 0) << leaving->output();
  const auto other = StartBackend({"sleep", "0.01"});
  EXPECT_TRUE(Await([&] { return ClientFinished(client, "succeeded") == 1; }));
  ExpectSettles(client);
}

TEST_F(FaultsTest, WorkersWithoutBackoffEndWithTheQueue) {
  StartFrontend();
  const Client client = StartClient({"--parallel", "5"});
  AwaitSeries("twofold_jobs{queue=\"sleep\",state=\"waiting\"}", 5);
  SetParallel(client, 0);
  const auto backend = StartBackendWith({"--backoff", "0"}, {"sleep", "0.01"});
  EXPECT_EQ(backend->Wait(), 0) << backend->output();
  EXPECT_EQ(ClientFinished(client, "succeeded"), 5);
}

TEST_F(FaultsTest, AnIdleWorkerThatHangsIsNoCapacityUntilItGoesOn) {
  StartFrontend({"--idle-lease", "1", "sleep"});
  const auto backend = StartBackend({"sleep", "0.01"}, {"--slots", "3"});
  const std::string idle = "twofold_workers{queue=\"sleep\",state=\"idle\"}";
  AwaitSeries(idle, 3);
  backend->Signal(SIGSTOP);
  AwaitSeries(idle, 0);
  backend->Signal(SIGCONT);
  AwaitSeries(idle, 3);
  const Client client = StartClient({"--parallel", "1"});
  EXPECT_TRUE(Await([&] { return ClientFinished(client, "succeeded") > 2; }));
}

TEST_F(FaultsTest, TimeInWhichTheFrontendStoodStillIsNobodysSilence) {
  StartFrontend({"--lease", "1", "--idle-lease", "1", "sleep"});
  const auto idle = StartBackend({"sleep", "600"});
  const auto busy = StartBackend({"sleep", "600"});
  AwaitProcesses(2);
  const Client client = StartClient({"--parallel", "1"});
  AwaitSeries("twofold_jobs{queue=\"sleep\",state=\"running\"}", 1);
  frontend_->Signal(SIGSTOP);
  const Instant end = Now() + std::chrono::seconds(3);
  EXPECT_TRUE(Await([&] { return Now() >= end; }));
  frontend_->Signal(SIGCONT);
  const Instant later = Now() + std::chrono::seconds(3);
  EXPECT_TRUE(Await([&] { return Now() >= later; }));
  EXPECT_EQ(Series("twofold_attempts_requeued_total{queue=\"sleep\"}"), 0);
  EXPECT_EQ(Finished("lost"), 0);
  EXPECT_EQ(Series("twofold_workers{queue=\"sleep\",state=\"idle\"}"), 1);
}

TEST_F(FaultsTest, AFrontendThatIsToldToEndLetsARunningJobEnd) {
  StartFrontend();
  const auto backend = StartBackend({"sleep", "600"});
  SubmitStream client(client_address_);
  v1::JobOptions options;
  options.set_queue("sleep");
  client.Submit(options, 1, EncodeArguments(std::vector<std::string>{"1"}));
  AwaitSeries("twofold_jobs{queue=\"sleep\",state=\"running\"}", 1);
  frontend_->Signal(SIGTERM);
  EXPECT_EQ(client.results.Take().outcome, v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(frontend_->Wait(), 0) << frontend_->output();
}

TEST_F(FaultsTest, ASecondSignalEndsAFrontendWhateverRuns) {
  StartFrontend({"--stop-grace", "3600", "sleep"});
  const auto backend = StartBackend({"sleep", "600"});
  const Client client = StartClient({"--parallel", "1"});
  AwaitSeries("twofold_jobs{queue=\"sleep\",state=\"running\"}", 1);
  frontend_->Signal(SIGTERM);
  AwaitSeries("twofold_queue_paused{queue=\"sleep\"}", 1);
  frontend_->Signal(SIGTERM);
  EXPECT_EQ(frontend_->Wait(), 0) << frontend_->output();
}

TEST_F(FaultsTest, AFrontendThatStandsStillShowsInTheTimesOfAnOpenLoop) {
  StartFrontend();
  const auto backend = StartBackend({"sleep", "0.001"}, {"--slots", "16"});
  AwaitProcesses(1);
  const Client client = StartClient({"--rate", "100"});
  EXPECT_TRUE(Await([&] { return ClientFinished(client, "succeeded") > 20; }));
  Get(client.url + "/reset");
  frontend_->Signal(SIGSTOP);
  // 150 jobs are due meanwhile, and they are sent or waiting.
  const double before = SeriesAt(client.url, "twofold_client_sent_jobs_total{queue=\"sleep\"}");
  EXPECT_TRUE(Await([&] {
    return SeriesAt(client.url, "twofold_client_sent_jobs_total{queue=\"sleep\"}") >= before + 150;
  }));
  frontend_->Signal(SIGCONT);
  EXPECT_TRUE(Await([&] { return Stats(client)["pending"] < 50; }));
  const auto stats = Stats(client);
  EXPECT_GE(stats["latency_seconds"]["from_plan"]["max"], 1.3) << stats;
  EXPECT_GE(stats["latency_seconds"]["from_plan"]["p50"], 0.1) << stats;
  EXPECT_EQ(stats["failed"], 0);
}

TEST_F(FaultsTest, AClientThatStandsStillSendsLateAndSaysSo) {
  StartFrontend();
  const auto backend = StartBackend({"sleep", "0.001"}, {"--slots", "16"});
  AwaitProcesses(1);
  const Client client = StartClient({"--rate", "100"});
  EXPECT_TRUE(Await([&] { return ClientFinished(client, "succeeded") > 20; }));
  Get(client.url + "/reset");
  client.program->Signal(SIGSTOP);
  const double before = Finished("succeeded");
  const Instant end = Now() + std::chrono::seconds(1);
  EXPECT_TRUE(Await([&] { return Now() >= end; }));
  EXPECT_LE(Finished("succeeded"), before + 20);
  client.program->Signal(SIGCONT);
  EXPECT_TRUE(Await([&] { return Stats(client)["sent_late"] >= 80; }));
  EXPECT_TRUE(Await([&] { return Stats(client)["pending"] < 50; }));
  const auto stats = Stats(client);
  EXPECT_GE(stats["latency_seconds"]["from_plan"]["max"], 0.9) << stats;
  EXPECT_EQ(stats["steady"], false);
  EXPECT_THAT(stats["reason"].get<std::string>(), HasSubstr("more than 10 ms late"));
}

TEST_F(FaultsTest, ProgramIsNotLeftBehindByAKilledWorker) {
  StartFrontend({"--grace", "0.2", "sleep"});
  const std::string mark = folder_ / "pid";
  const auto backend = StartBackend({"/bin/sh", "-c", "echo $$ > '" + mark + "'; exec sleep 600"});
  const Client client = StartClient({"--parallel", "1"});
  EXPECT_TRUE(
      Await([&] { return std::filesystem::exists(mark) && std::filesystem::file_size(mark) > 0; }));
  pid_t child = 0;
  std::ifstream(mark) >> child;
  ASSERT_GT(child, 0);
  SetParallel(client, 0);
  backend->Kill();
  EXPECT_TRUE(Await([&] { return kill(child, 0) != 0; }));
}

}  // namespace
}  // namespace twofold::testing
