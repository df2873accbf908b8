// `twofold run` as a program, with real workers, while things are killed around it.

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "tests/integration/durable_cluster.h"

namespace twofold::testing {
namespace {

class RunTest : public DurableClusterTest {
 protected:
  void SetUp() override {
    if (access("/usr/bin/fio", X_OK) != 0) GTEST_SKIP() << "fio is not installed";
    StartDurable();
    std::ofstream(folder_ / "f.yaml")
        << "apiVersion: twofold/v1\nkind: BenchmarkSet\nmetadata: {name: set}\nspec:\n"
           "  template: {kind: Fio, spec: {size: 8M, runtime: 1s, direct: 0, ioengine: psync}}\n"
           "  permutations: {product: {rw: [read, write]}}\n  repetitions: 4\n";
    WriteSlowFio();
    for (int i = 0; i < 2; ++i) {
      workers_.push_back(StartBackend({"fio"}, {"--suite-path", folder_ / "tools"}));
    }
    AwaitProcesses(2);
  }

  /// Fio as it is, but for a rate: how fast this machine is does not matter here.
  void WriteSlowFio() const {
    std::filesystem::create_directory(folder_ / "tools");
    const std::string fio = folder_ / "tools/fio";
    std::ofstream(fio) << "#!/bin/sh\n[ ! -e job.fio ] || echo rate_iops=2 >>job.fio\n"
                       << "exec /usr/bin/fio \"$@\"\n";
    std::filesystem::permissions(fio, std::filesystem::perms::owner_all);
  }

  std::unique_ptr<Program> Twofold(Arguments words) {
    words.insert(words.end(), {"--frontend", client_address_});
    return std::make_unique<Program>("twofold", words);
  }
  std::unique_ptr<Program> StartRun() {
    return Twofold({"run", folder_ / "f.yaml", "--queue", "sleep", "--runid", "a"});
  }

  std::size_t Finished() {
    const auto jobs = List("a");
    return static_cast<std::size_t>(std::count_if(jobs.begin(), jobs.end(), [](const v1::Job& job) {
      return job.state() == v1::JOB_STATE_FINISHED;
    }));
  }
  void AwaitFinished(std::size_t count) {
    EXPECT_TRUE(Await([&] { return Finished() >= count; })) << Finished();
  }

  /// All eight have run, each once.
  void ExpectEachRanOnce() {
    std::set<std::string> names;
    const auto jobs = List("a");
    for (const v1::Job& job : jobs) {
      EXPECT_EQ(job.outcome(), v1::OUTCOME_SUCCEEDED) << job.ShortDebugString();
      names.insert(job.dedup_key());
    }
    EXPECT_EQ(jobs.size(), 8U);
    EXPECT_EQ(names.size(), 8U);
  }

  std::vector<std::unique_ptr<Program>> workers_;
};

TEST_F(RunTest, AFrontendThatIsKilledIsWaitedFor) {
  const auto run = StartRun();
  AwaitFinished(2);
  Restart();
  AwaitFinished(4);
  Restart();
  EXPECT_EQ(run->Wait(), 0) << run->output();
  EXPECT_THAT(run->output(), ::testing::HasSubstr("8 of 8 jobs succeeded"));
  ExpectEachRanOnce();
}

TEST_F(RunTest, ARunWhoseWatcherWasKilledGoesOn) {
  const auto run = StartRun();
  AwaitFinished(2);
  EXPECT_EQ(run->Kill(), -SIGKILL);
  const auto again = Twofold({"run", "--resume", "a"});
  EXPECT_EQ(again->Wait(), 0) << again->output();
  ExpectEachRanOnce();
}

}  // namespace
}  // namespace twofold::testing
