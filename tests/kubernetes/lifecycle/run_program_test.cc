#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/kubernetes/lifecycle/run_fixture.h"

namespace twofold::lifecycle {
namespace {

using ::testing::HasSubstr;

std::string TextOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(RunProgramTest, ReportsWritesFilesAndRemovesAll) {
  BeginController();
  const auto run = Begin(
      {"--times", folder_ / "times.csv", "--compat", folder_ / "seed", "--fail-if", "complete<8"});
  EXPECT_EQ(run->Wait(), 0) << run->output();
  EXPECT_THAT(run->output(), HasSubstr("workloads 8, complete 8"));
  EXPECT_THAT(run->output(), HasSubstr("pod_ready"));
  EXPECT_TRUE(NothingIsLeft());
  EXPECT_TRUE(std::filesystem::exists(folder_ / "times.csv"));
  testing::Program sampled("twofold", {"lifecycle", "sampled", folder_ / "seed"});
  EXPECT_EQ(sampled.Wait(), 0);
  EXPECT_THAT(sampled.output(), HasSubstr("workloads 8"))
      << TextOf(folder_ / "times.csv") << TextOf(folder_ / "runai/sampled.json");
}

TEST_F(RunProgramTest, DrawsPicturesOfWhatIsChosen) {
  BeginController();
  const auto run = Begin({"--plots", folder_ / "plots", "--svg-only", "--tail", "3"});
  EXPECT_EQ(run->Wait(), 0) << run->output();
  EXPECT_THAT(run->output(), HasSubstr("workloads 8, complete 8"));  // the table is of all
  const std::string svg = TextOf(folder_ / "plots/general.svg");
  EXPECT_THAT(svg, HasSubstr("3 workloads of kind job, run r1"));
  EXPECT_THAT(svg, HasSubstr("r1-7: "));
  EXPECT_THAT(TextOf(folder_ / "plots/detailed.svg"), HasSubstr("Time between sent and created ("));
}

TEST_F(RunProgramTest, AThresholdThatHoldsFails) {
  BeginController();
  const auto run = Begin({"--fail-if", "pod_ready_p50>1ms"});
  EXPECT_EQ(run->Wait(), 1) << run->output();
  EXPECT_TRUE(NothingIsLeft());
}

TEST_F(RunProgramTest, AThresholdThatTooFewWorkloadsCannotJudgeIsUndecided) {
  BeginController();
  const auto run = Begin({"--fail-if", "pod_ready_p99>1h"});
  EXPECT_EQ(run->Wait(), 9) << run->output();
  EXPECT_TRUE(NothingIsLeft());
}

TEST_F(RunProgramTest, AKindThatTheClusterDoesNotHaveIsNotFound) {
  const auto run = Start({"run", "--kind", "jobset", "--name", "r1"});
  EXPECT_EQ(run->Wait(), 3) << run->output();
  EXPECT_TRUE(NothingIsLeft());
}

TEST_F(RunProgramTest, AServerThatCannotBeReachedIsNoAnswer) {
  std::ofstream(folder_ / "away")
      << "{clusters: [{name: c, cluster: {server: \"http://127.0.0.1:1\"}}], "
         "users: [{name: u, user: {}}], contexts: [{name: x, context: "
         "{cluster: c, user: u}}], current-context: x}\n";
  testing::Program run("twofold", {"lifecycle", "run", "--kind", "job", "--name", "r1",
                                   "--kubeconfig", folder_ / "away"});
  EXPECT_EQ(run.Wait(), 4) << run.output();
}

TEST_F(RunProgramTest, NoWorkloadIsAFailure) {
  std::thread spoiler([&] {
    KubeFault refusal = Fault(KubeFault::Kind::kStatus, "create", "jobs", 100);
    refusal.status = 403;
    AddOnceItBegins(api_, refusal);
  });
  const auto run = Begin();
  const int code = run->Wait();
  spoiler.join();
  EXPECT_EQ(code, 1) << run->output();
  EXPECT_THAT(
      run->output(),
      HasSubstr("no data: none of 8 workloads was created and seen, the first was refused: "));
  EXPECT_TRUE(NothingIsLeft());
}

TEST_F(RunProgramTest, ASignalEndsItWithAReportAndCleansUp) {
  BeginController({.ends = false});
  const auto run = Begin({"--settle", "3600"});
  ASSERT_TRUE(testing::Await([&] { return api_.All(kube::kPods).size() == 8; })) << run->output();
  run->Signal(SIGINT);
  EXPECT_EQ(run->Wait(), 6) << run->output();
  EXPECT_THAT(run->output(), HasSubstr("workloads 8"));
  EXPECT_TRUE(NothingIsLeft());
}

TEST_F(RunProgramTest, CleanTakesWhatAKilledRunLeft) {
  BeginController({.ends = false});
  const auto run = Begin({"--settle", "3600"});
  ASSERT_TRUE(testing::Await([&] { return api_.All(kube::kPods).size() == 8; })) << run->output();
  run->Kill();
  const auto status = Start({"status"});
  EXPECT_EQ(status->Wait(), 0);
  EXPECT_THAT(status->output(), HasSubstr("jobs.batch"));
  const auto clean = Start({"clean", "--run", "r1"});
  EXPECT_EQ(clean->Wait(), 0) << clean->output();
  EXPECT_TRUE(NothingIsLeft());
  EXPECT_EQ(Start({"clean", "--run", "r1"})->Wait(), 3);
}

TEST_F(RunProgramTest, KeepLeavesTheObjectsAndTheNameTaken) {
  BeginController();
  EXPECT_EQ(Begin({"--keep"})->Wait(), 0);
  EXPECT_EQ(api_.All(kube::kJobs).size(), 8);
  const auto again = Begin();
  EXPECT_EQ(again->Wait(), 5) << again->output();
  EXPECT_EQ(api_.All(kube::kJobs).size(), 8);
}

TEST_F(RunProgramTest, WavesFillAndVolumesAreOptions) {
  BeginController();
  const auto run = Begin({"--wave", "4", "--delay", "0.01", "--fill", "3", "--fill-rate", "100",
                          "--pvc", "--storage-class", "fast", "--times", folder_ / "times.csv"});
  EXPECT_EQ(run->Wait(), 0) << run->output();
  EXPECT_THAT(run->output(), HasSubstr("workloads 8, complete 8"));
  EXPECT_THAT(run->output(), HasSubstr("fill: 3 workloads, created "));
  EXPECT_THAT(run->output(), HasSubstr("volume_bind"));
  EXPECT_THAT(TextOf(folder_ / "times.csv"), HasSubstr("name,namespace,state,wave,"));
  EXPECT_TRUE(NothingIsLeft());
}

TEST_F(RunProgramTest, AFullStoreIsAStateInWhichNothingIsCreated) {
  api_.SetStorage(std::uint64_t{100} << 20);
  const auto run = Begin({"--etcd-quota", "120Mi"});
  EXPECT_EQ(run->Wait(), 5) << run->output();
  EXPECT_THAT(run->output(), HasSubstr("--etcd-quota"));
  EXPECT_TRUE(NothingIsLeft());
}

TEST_F(RunProgramTest, DryRunStoresNothing) {
  const auto run = Begin({"--dry-run"});
  EXPECT_EQ(run->Wait(), 0) << run->output();
  EXPECT_THAT(run->output(), HasSubstr("in a dry run"));
  EXPECT_TRUE(NothingIsLeft());
}

TEST_F(RunProgramTest, WrongOptionsAreNamed) {
  for (const auto& [option, value] :
       std::vector<std::pair<std::string, std::string>>{{"--tolerate", "=x"},
                                                        {"--node-selector", "x"},
                                                        {"--template", folder_ / "none"},
                                                        {"--audit", folder_ / "none"},
                                                        {"--name", "A_b"},
                                                        {"--wave", "0"},
                                                        {"--fill", "0"},
                                                        {"--pvc", "much"},
                                                        {"--etcd-quota", "full"},
                                                        {"--rate", "0"},
                                                        {"--rate", "nan"},
                                                        {"--parallel", "0"},
                                                        {"--workers", "20000"},
                                                        {"--kind", "thing"},
                                                        {"--until", "never"}}) {
    const auto run = Start({"run", "--kind", "job", option, value});
    EXPECT_EQ(run->Wait(), 2) << option;
    EXPECT_THAT(run->output(), HasSubstr(option + ":")) << option;
  }
}

TEST_F(RunProgramTest, OptionsThatMeanNothingWithoutAnotherNameIt) {
  for (const auto& [option, value, other] :
       std::vector<std::array<std::string, 3>>{{"--delay", "1", "needs wave"},
                                               {"--fill-rate", "1", "needs fill"},
                                               {"--storage-class", "x", "needs pvc"}}) {
    const auto run = Start({"run", "--kind", "job", option, value});
    EXPECT_EQ(run->Wait(), 2) << option;
    EXPECT_THAT(run->output(), HasSubstr(other)) << option;
  }
}

TEST_F(RunProgramTest, WhoOnlySubmitsCannotTellWhenTheClusterIsFull) {
  const auto submit = Start({"submit", "--kind", "job", "--fill", "5"});
  EXPECT_EQ(submit->Wait(), 2);
  EXPECT_THAT(submit->output(), HasSubstr("--fill: "));
  EXPECT_TRUE(NothingIsLeft());
}

}  // namespace
}  // namespace twofold::lifecycle
