// Ten thousand idle workers: as connections of their own, and as slots of one process.

#include <sys/resource.h>

#include <fstream>
#include <sstream>

#include "tests/fakes/streams.h"
#include "tests/integration/cluster_fixture.h"

namespace twofold::testing {
namespace {

constexpr int kWorkers = 10'000;
constexpr double kMostMiBOfAll = 600;

double ResidentMiB(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmRSS:", 0) == 0) return std::stod(line.substr(6)) / 1024;
  }
  ADD_FAILURE() << "no VmRSS of " << pid;
  return 0;
}

class ManyWorkersTest : public ClusterTest {};

TEST_F(ManyWorkersTest, ConnectionsOfTheirOwnFitIntoMemoryAndEachGetsAJob) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_max < 3 * kWorkers / 2) {  // the frontend keeps some free
    GTEST_SKIP() << "only " << files.rlim_max << " open files are allowed here";
  }
  files.rlim_cur = 1024;  // as most systems start programs
  setrlimit(RLIMIT_NOFILE, &files);
  // These workers send no heartbeats. All are of one host; the memory is deployments/frontend's.
  StartFrontend({"--lease", "600", "--memory-limit", "2048", "sleep"});
  files.rlim_cur = files.rlim_max;             // for our ends of the connections
  setrlimit(RLIMIT_NOFILE, &files);
  std::vector<std::unique_ptr<WorkerStream>> workers;
  for (int i = 1; i <= kWorkers; ++i) {
    workers.push_back(std::make_unique<WorkerStream>(worker_address_));
    workers.back()->Join("sleep", static_cast<std::uint64_t>(i), 1);
  }
  AwaitSeries("twofold_workers{queue=\"sleep\",state=\"idle\"}", kWorkers);
  const double idle = ResidentMiB(frontend_->pid());
  std::cout << "frontend: " << idle << " MiB with " << kWorkers << " connections\n";
  EXPECT_LT(idle, kMostMiBOfAll);

  SubmitStream client(client_address_);
  for (std::uint64_t tag = 0; tag < kWorkers; ++tag) client.Submit("sleep", tag);
  for (const auto& worker : workers) {
    worker->Answer(worker->assigned.Take(), v1::OUTCOME_SUCCEEDED);
  }
  for (int i = 0; i < kWorkers; ++i) {
    ASSERT_EQ(client.results.Take().outcome, v1::OUTCOME_SUCCEEDED);
  }
  // They vanish all at once, and the frontend sees it.
  frontend_->Signal(SIGTERM);
  EXPECT_EQ(frontend_->Wait(), 0);
}

TEST_F(ManyWorkersTest, SlotsOfOneProcessServeTenThousandAtOnce) {
  StartFrontend();
  const auto backend = StartBackend({"sleep", "0.1"}, {"--slots", std::to_string(kWorkers)});
  AwaitSeries("twofold_workers{queue=\"sleep\",state=\"idle\"}", kWorkers);
  EXPECT_LT(ResidentMiB(frontend_->pid()), kMostMiBOfAll / 4);
  const Client client = StartClient({"--parallel", std::to_string(kWorkers)});
  EXPECT_TRUE(Await([&] { return ClientFinished(client, "succeeded") > 3 * kWorkers; }));
  EXPECT_EQ(Stats(client)["pending"], kWorkers);
  SetParallel(client, 0);
  EXPECT_TRUE(Await([&] { return Stats(client)["pending"] == 0; }));
  EXPECT_EQ(Stats(client)["failed"], 0);
}

}  // namespace
}  // namespace twofold::testing
