#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "kubernetes/commands/run_store.h"
#include "lib/http/client.h"
#include "lib/results/run_reader.h"
#include "lib/spec/sweep.h"
#include "suites/table/table.h"
#include "tests/fakes/kube_api.h"
#include "tests/kubernetes/lifecycle/controller.h"
#include "tests/support/program.h"

namespace twofold::lifecycle {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

RunFacts FactsOfARun() {
  RunFacts facts{.name = "r1", .spec = {}};
  facts.spec.set_kind("job");
  facts.spec.set_count(40);
  facts.spec.set_rate(12.5);
  facts.spec.set_container_image("a: \"b\" # c");
  facts.spec.add_tolerations("x");
  facts.server = "v1.36.1";
  return facts;
}

Report ReportOfARun() {
  Report report;
  report.kind = "job";
  report.spans = {Summarize("pod_ready", {{0.2, 0.2}, {0.3, 0.3}})};
  report.counts = {{"workloads", 2}, {"complete", 2}};
  report.pending = {{"scheduler", 0.1}};
  return report;
}

TEST(RunStore, TheDefinitionIsABenchmarkFileThatDoesTheSameAgain) {
  const RunFacts facts = FactsOfARun();
  const auto sweep = spec::ReadSweep("r1.yaml", DefinitionOf(facts), suite::Kinds());
  ASSERT_TRUE(sweep.ok()) << sweep.status();
  EXPECT_EQ(sweep->name, "r1");
  EXPECT_EQ(sweep->kind->name, suite::lifecycle::kKind);
  EXPECT_THAT(DefinitionOf(facts), HasSubstr("count: 40"));
  EXPECT_THAT(DefinitionOf(facts), HasSubstr(R"(containerImage: "a: \"b\" # c")"));
  EXPECT_THAT(DefinitionOf(facts), Not(HasSubstr("seconds")));
}

TEST(RunStore, WhatIsKeptIsReadAsARunOfAFrontendIs) {
  const testing::TempDir folder;
  const std::string path = folder / "runs.db";
  {
    auto store = RunStore::Open(path, "r1");
    ASSERT_TRUE(store.ok()) << store.status();
    ASSERT_TRUE(store->Keep(FactsOfARun(), ReportOfARun(), absl::OkStatus()).ok());
  }
  const auto reader = results::RunReader::Open(path);
  ASSERT_TRUE(reader.ok()) << reader.status();
  const auto run = (*reader)->Find("r1");
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(run->kind(), "Lifecycle");
  EXPECT_EQ(run->labels().at("lifecycle.server"), "v1.36.1");
  EXPECT_EQ(run->counts().ended().at("succeeded"), 1U);
  EXPECT_EQ(run->definition(), DefinitionOf(FactsOfARun()));
}

TEST(RunStore, AFailureKeepsItsNumbers) {
  const testing::TempDir folder;
  const std::string path = folder / "runs.db";
  {
    auto store = RunStore::Open(path, "r1");
    ASSERT_TRUE(store.ok()) << store.status();
    const Status ended = absl::InternalError("--fail-if complete<3: it is 2");
    ASSERT_TRUE(store->Keep(FactsOfARun(), ReportOfARun(), ended).ok());
  }
  const auto reader = results::RunReader::Open(path);
  ASSERT_TRUE(reader.ok()) << reader.status();
  EXPECT_EQ((*reader)->Find("r1")->counts().ended().at("failed"), 1U);
  const auto jobs = (*reader)->FinishedJobs(*(*reader)->NumberOf("r1"), {}, 10);
  ASSERT_TRUE(jobs.ok() && jobs->size() == 1) << jobs.status();
  const auto& ended = std::get<results::JobEnded>(jobs->front().state);
  EXPECT_EQ(ended.reason, "--fail-if complete<3: it is 2");
  ASSERT_NE(ended.benchmark.get(), nullptr);
  EXPECT_GT(ended.benchmark.get()->measurements_size(), 0);
}

TEST(RunStore, ANameThatIsTakenIsKnownBeforeTheRun) {
  const testing::TempDir folder;
  const std::string path = folder / "runs.db";
  {
    auto store = RunStore::Open(path, "r1");
    ASSERT_TRUE(store.ok()) << store.status();
    ASSERT_TRUE(store->Keep(FactsOfARun(), ReportOfARun(), absl::OkStatus()).ok());
  }
  EXPECT_TRUE(absl::IsFailedPrecondition(RunStore::Open(path, "r1").status()));
  EXPECT_TRUE(RunStore::Open(path, "r2").ok());
  EXPECT_THAT(std::string(RunStore::Open(folder / "none/x.db", "r1").status().message()),
              HasSubstr("--store: "));
}

// ---- the programs themselves, with a server in memory

std::string TextOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class LifecyclePrograms : public ::testing::Test {
 protected:
  LifecyclePrograms() {
    std::ofstream(folder_ / "config")
        << "{clusters: [{name: c, cluster: {server: \"" << api_.url()
        << "\"}}], users: [{name: u, user: {}}], contexts: [{name: x, context: {cluster: c, user: "
           "u, namespace: load}}], current-context: x}\n";
    setenv("KUBECONFIG", (folder_ / "config").c_str(), 1);
  }
  ~LifecyclePrograms() override { unsetenv("KUBECONFIG"); }

  static std::string Run(std::vector<std::string> arguments, int code = 0,
                         const char* program = "twofold") {
    testing::Program run(program, std::move(arguments));
    EXPECT_EQ(run.Wait(), code) << run.output();
    return run.output();
  }

  std::string RunInto(const std::string& store, const std::string& name,
                      std::vector<std::string> more = {}, int code = 0) {
    std::vector<std::string> arguments = {"lifecycle", "run", "--kind", "job", "--count", "8",
                                          "--rate",    "100", "--name", name,  "--store", store};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Run(std::move(arguments), code);
  }

  bool NothingIsLeft() {
    return api_.All(kube::kJobs).empty() && api_.All(kube::kPods).empty() &&
           api_.All(kube::kConfigMaps).empty();
  }

  /// Runs a job of the suite as a worker does.
  std::string Work(const std::string& spec, std::vector<std::string> more = {}, int code = 0) {
    std::vector<std::string> arguments = {"--once", "--allow-env=KUBECONFIG", "--work-dir",
                                          folder_ / ""};
    arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.insert(arguments.end(), {"--", "lifecycle", spec});
    return Run(std::move(arguments), code, "twofold-backend");
  }

  testing::TempDir folder_;
  fakes::KubeApi api_;
  FakeController controller_{api_, {}};
};

TEST_F(LifecyclePrograms, ARunIsKeptAndComparedLikeOthers) {
  const std::string store = folder_ / "runs.db";
  RunInto(store, "first");
  RunInto(store, "second");
  EXPECT_THAT(Run({"results", "second", "--store", store}), HasSubstr("pod_ready"));
  EXPECT_THAT(Run({"compare", "first", "@last", "--store", store}), HasSubstr("complete"));
  EXPECT_THAT(Run({"compare", "first", "second", "--store", store, "--fail-if", "worse"}, 9),
              HasSubstr("too few values to tell a change from chance"));
  EXPECT_THAT(RunInto(store, "second", {}, 5), HasSubstr("has a run second already"));
  EXPECT_TRUE(NothingIsLeft());
}

TEST_F(LifecyclePrograms, NightsAreComparedWithTheLastGoodOne) {
  const std::string all = folder_ / "all.db";
  const std::string good = folder_ / "good.db";
  const std::vector<std::string> compare = {
      "compare",   "@last",        "@last", "--store",
      all,         "--base-store", good,    "--base-may-be-missing",
      "--fail-if", "worse>900%"};
  RunInto(all, "night-1");
  EXPECT_THAT(Run(compare), HasSubstr("nothing to compare with"));
  Run({"results", "export", "@last", folder_ / "one.db", "--store", all});
  Run({"results", "import", folder_ / "one.db", "--store", good});
  RunInto(all, "night-2");
  EXPECT_THAT(Run(compare), HasSubstr("pod_ready"));
  auto strict = compare;
  strict.back() = "worse>0%";
  strict[1] = "night-1";
  strict[2] = "night-1";
  EXPECT_THAT(Run(strict), HasSubstr("pod_ready")) << "a run is not worse than itself";
  strict.back() = "better";
  EXPECT_THAT(Run(strict, 2), HasSubstr("--fail-if"));
}

TEST_F(LifecyclePrograms, AThresholdThatHoldsIsAFailureInTheStoreToo) {
  const std::string store = folder_ / "runs.db";
  RunInto(store, "slow", {"--fail-if", "pod_ready_p50>1ms"}, 1);
  EXPECT_THAT(Run({"results", "slow", "--store", store}), HasSubstr("1 failed"));
}

TEST_F(LifecyclePrograms, MetricsAreServedWhileItRuns) {
  const std::string ready = folder_ / "ready.json";
  testing::Program run(
      "twofold", {"lifecycle", "run", "--kind", "job", "--count", "2000", "--rate", "50", "--name",
                  "r1", "--http-address", "localhost:0", "--ready-file", ready});
  ASSERT_TRUE(testing::Await([&] { return !TextOf(ready).empty(); })) << run.output();
  const std::string address = kube::TextAt(kube::Json::parse(TextOf(ready)), "/http");
  std::string page;
  const auto value = [&](const char* series) {
    return testing::SeriesIn(page, series).value_or(-1);
  };
  ASSERT_TRUE(testing::Await([&] {
    const auto reply = http::Get("http://" + address + "/metrics", std::chrono::seconds(10));
    if (reply.ok() && reply->status == 200) page = reply->body;
    return value("twofold_lifecycle_moment_seconds_count{moment=\"complete\"}") > 2;
  })) << run.output()
      << page;
  EXPECT_EQ(value("twofold_lifecycle_planned"), 2000);
  EXPECT_GT(value("twofold_lifecycle_created_total"), 2);
  EXPECT_GT(value("twofold_lifecycle_workloads{state=\"complete\"}"), 2);
  run.Signal(SIGTERM);
  EXPECT_EQ(run.Wait(), 6) << run.output();
  EXPECT_TRUE(NothingIsLeft());
}

TEST_F(LifecyclePrograms, APortThatIsTakenIsKnownBeforeTheRun) {
  const std::string taken = api_.url().substr(std::string("http://").size());
  EXPECT_THAT(RunInto(folder_ / "x.db", "r1", {"--http-address", taken}, 2),
              HasSubstr("--http-address: "));
  EXPECT_TRUE(api_.All(kube::kConfigMaps).empty());
}

TEST_F(LifecyclePrograms, TheServerSaysItsVersion) {
  EXPECT_EQ(Run({"lifecycle", "server"}), "v1.36.1\n");
}

TEST_F(LifecyclePrograms, AWorkerRunsItAsAJob) {
  const std::string output = Work(R"({"kind": "job", "count": 8, "rate": 100})");
  EXPECT_THAT(output, HasSubstr("succeeded"));
  EXPECT_THAT(output, ContainsRegex("pod_ready kind=job count=8 rate=100 stat=p99: [0-9.]+ s"));
  EXPECT_TRUE(NothingIsLeft());
}

TEST_F(LifecyclePrograms, AJobCannotReachBeyondWhatItsWorkerAllows) {
  const char* const spec = R"({"kind": "job", "namespace": "elsewhere"})";
  EXPECT_THAT(Work(spec, {}, 1), HasSubstr("--allow-value 'namespace=elsewhere'"));
  EXPECT_TRUE(api_.used().empty() || api_.All(kube::kConfigMaps).empty());
  Work(spec, {"--allow-value=namespace=else*"});
}

TEST_F(LifecyclePrograms, AJobThatIsStoppedRemovesItsWorkloads) {
  testing::Program worker("twofold-backend", {"--once", "--allow-env=KUBECONFIG", "--limit=2",
                                              "--work-dir", folder_ / "", "--", "lifecycle",
                                              R"({"kind": "job", "count": 100000, "rate": 50})"});
  EXPECT_EQ(worker.Wait(), 124) << worker.output();
  const auto used = api_.used();
  EXPECT_TRUE(used.contains({"create", "batch", "jobs", "load"}));
  EXPECT_TRUE(NothingIsLeft());
}

TEST_F(LifecyclePrograms, AWorkerWithoutAServerDoesNotOfferIt) {
  std::ofstream(folder_ / "config") << "{}";
  EXPECT_THAT(
      Run({"--once", "--allow-env=KUBECONFIG", "--", "lifecycle", "{}"}, 2, "twofold-backend"),
      HasSubstr("lifecycle"));
}

}  // namespace
}  // namespace twofold::lifecycle
