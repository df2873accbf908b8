#include "kubernetes/nodes/simulation.h"

#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "kubernetes/nodes/cluster.h"
#include "kubernetes/nodes/metrics.h"
#include "kubernetes/nodes/model/names.h"
#include "lib/metrics/family.h"
#include "tests/fakes/kube_api.h"
#include "tests/kubernetes/nodes/model/objects.h"
#include "tests/support/program.h"

namespace twofold::nodes {
namespace {

using fakes::KubeApi;
using fakes::KubeFault;
using kube::Json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr std::uint32_t kNodes = 5;

/// A run of five nodes with two GPUs each, on which pods start after 20 ms and run for 50 ms.
class SimulationTest : public ::testing::Test {
 protected:
  static SimulationPlan Settings() {
    SimulationPlan settings;
    settings.nodes.count = kNodes;
    settings.nodes.capacity[kGpuResource] = "2";
    settings.habits.start = Distribution(milliseconds(20));
    settings.habits.run = Distribution(milliseconds(50));
    return settings;
  }

  void Begin(const SimulationPlan& settings = Settings(),
             const std::vector<std::uint32_t>& existing = {}) {
    kube::WatchOptions watch;
    watch.first_wait = milliseconds(5);
    watch.longest_wait = milliseconds(50);
    simulation_ =
        std::make_unique<Simulation>(api_.access(), settings, existing, /*connections=*/3, watch);
  }

  void BeginAndAwaitNodes() {
    Begin();
    ASSERT_TRUE(testing::Await([&] { return simulation_->counts().fleet.up == kNodes; }));
  }

  void Put(Json pod) {
    pod["metadata"].erase("uid");
    api_.Put(kube::kPods, std::move(pod));
  }

  std::size_t InPhase(const std::string& phase) {
    const auto pods = api_.All(kube::kPods);
    return static_cast<std::size_t>(std::count_if(pods.begin(), pods.end(), [&](const Json& pod) {
      return kube::TextAt(pod, "/status/phase") == phase;
    }));
  }

  void PutPods(int count) {
    for (int i = 0; i < count; ++i) {
      Put(PodOn(absl::StrCat("sim-", i % static_cast<int>(kNodes)), absl::StrCat("p", i)));
    }
  }

  bool AwaitPhase(const std::string& phase, std::size_t count) {
    return testing::Await([&] { return InPhase(phase) == count; });
  }

  KubeApi api_;
  std::unique_ptr<Simulation> simulation_;
};

TEST_F(SimulationTest, NodesAreReadyAndOwnTheirLeases) {
  BeginAndAwaitNodes();
  const auto made = api_.All(kube::kNodes);
  ASSERT_EQ(made.size(), kNodes);
  const auto leases = api_.All(kube::kLeases);
  ASSERT_EQ(leases.size(), kNodes);
  for (std::size_t i = 0; i < kNodes; ++i) {
    EXPECT_TRUE(IsReady(made[i]));
    EXPECT_EQ(leases[i]["metadata"]["ownerReferences"][0]["uid"], made[i]["metadata"]["uid"]);
  }
}

TEST_F(SimulationTest, PodsSucceedAndTheirTimesArePlannedToTheNanosecond) {
  BeginAndAwaitNodes();
  PutPods(40);
  ASSERT_TRUE(AwaitPhase("Succeeded", 40));
  for (const Json& pod : api_.All(kube::kPods)) {
    const auto planned = ReadPlanned(pod["metadata"]["annotations"][kPlanned].get<std::string>());
    ASSERT_TRUE(planned && planned->end);
    EXPECT_EQ(planned->start - planned->seen, milliseconds(20));
    EXPECT_EQ(*planned->end - planned->start, milliseconds(50));
  }
  EXPECT_EQ(simulation_->counts().lives.started, 40);
  // The pod is seen before the answer to the call that made it so.
  EXPECT_TRUE(
      testing::Await([&] { return simulation_->counts().lanes[1].lateness.Count() == 80; }));
}

TEST_F(SimulationTest, PodsThatWereThereBeforeAreServedToo) {
  PutPods(3);
  Begin();
  EXPECT_TRUE(AwaitPhase("Succeeded", 3));
}

TEST_F(SimulationTest, DeletedPodsVanish) {
  BeginAndAwaitNodes();
  for (int i = 0; i < 10; ++i) Put(PodOn("sim-0", absl::StrCat("p", i), "Always"));
  ASSERT_TRUE(AwaitPhase("Running", 10));
  kube::Connection user(api_.access());
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(user.Do(kube::Delete(kube::kPods, {"default", absl::StrCat("p", i)})).ok());
  }
  EXPECT_TRUE(testing::Await([&] { return api_.All(kube::kPods).empty(); }));
  EXPECT_TRUE(testing::Await([&] { return simulation_->counts().lives.running == 0; }));
}

struct FaultRow {
  const char* name;
  KubeFault fault;
};

KubeFault Fault(KubeFault::Kind kind, const char* verb, int times) {
  KubeFault fault;
  fault.kind = kind;
  fault.verb = verb;
  fault.plural = "pods";
  fault.times = times;
  return fault;
}

std::vector<FaultRow> FaultRows() {
  using Kind = KubeFault::Kind;
  std::vector<FaultRow> rows = {
      {"watch broken in mid-line", Fault(Kind::kBreakLine, "watch", 3)},
      {"doubled events", Fault(Kind::kDouble, "watch", 1)},
      {"expired version", Fault(Kind::kExpired, "watch", 2)},
      {"watch that ends at once", Fault(Kind::kEndAtOnce, "watch", 2)},
      {"no initial events", Fault(Kind::kNoInitialEvents, "watch", 1)},
      {"patch refused by 500", Fault(Kind::kStatus, "patch", 3)},
      {"patch throttled", Fault(Kind::kThrottle, "patch", 1)},
      {"connection closed", Fault(Kind::kClose, "patch", 3)},
      {"reply lost", Fault(Kind::kLoseReply, "patch", 3)},
      {"slow", Fault(Kind::kSlow, "patch", 5)},
  };
  rows.back().fault.delay = milliseconds(30);
  return rows;
}

TEST_F(SimulationTest, EachPodSucceedsOnceWhateverFails) {
  for (const FaultRow& row : FaultRows()) {
    SCOPED_TRACE(row.name);
    api_.Add(row.fault);
    Begin();
    PutPods(10);
    EXPECT_TRUE(AwaitPhase("Succeeded", 10));
    api_.BreakWatches();
    Put(PodOn("sim-0", "late"));
    EXPECT_TRUE(AwaitPhase("Succeeded", 11));
    EXPECT_EQ(simulation_->counts().lives.replaced, 0);
    simulation_.reset();
    ASSERT_TRUE(CleanUp(api_.access(), "sim").ok());
    ASSERT_TRUE(api_.All(kube::kPods).empty());
  }
}

TEST_F(SimulationTest, CallsThatFailInTheEndCountAsThrottledToo) {
  BeginAndAwaitNodes();
  KubeFault fault = Fault(KubeFault::Kind::kStatus, "patch", 2);
  fault.plural = "pods";
  fault.status = 429;
  api_.Add(fault);
  PutPods(5);
  ASSERT_TRUE(AwaitPhase("Succeeded", 5));
  EXPECT_EQ(simulation_->counts().lanes[1].throttled, 2);
}

TEST_F(SimulationTest, APodThatTookTheNameOfAnotherLivesItsOwnLife) {
  BeginAndAwaitNodes();
  Put(PodOn("sim-0", "a", "Always"));
  ASSERT_TRUE(AwaitPhase("Running", 1));
  api_.Remove(kube::kPods, {"default", "a"});
  Put(PodOn("sim-1", "a"));
  EXPECT_TRUE(AwaitPhase("Succeeded", 1));
}

TEST_F(SimulationTest, NextUpGoesOnWithNodesAndPodsOfAKilledOne) {
  SimulationPlan settings = Settings();
  settings.habits.run = Distribution(seconds(2));
  Begin(settings);
  ASSERT_TRUE(testing::Await([&] { return simulation_->counts().fleet.up == kNodes; }));
  PutPods(5);
  ASSERT_TRUE(AwaitPhase("Running", 5));
  simulation_.reset();
  kube::Connection connection(api_.access());
  const auto existing = Examine(connection, settings.nodes);
  ASSERT_TRUE(existing.ok()) << existing.status();
  EXPECT_EQ(existing->size(), kNodes);
  Begin(settings, *existing);
  EXPECT_TRUE(AwaitPhase("Succeeded", 5));
  EXPECT_EQ(simulation_->counts().lives.started, 0);
}

TEST_F(SimulationTest, NodesThatAreTakenOverHaveTheResourcesOfThisUp) {
  BeginAndAwaitNodes();
  simulation_.reset();
  SimulationPlan settings = Settings();
  settings.nodes.capacity.erase(kGpuResource);
  settings.nodes.taints = {{"dedicated", "", "NoExecute"}};
  kube::Connection connection(api_.access());
  EXPECT_THAT(std::string(Examine(connection, settings.nodes).status().message()),
              HasSubstr("was left by an `up` with other taints"));
  settings.nodes.taints.clear();
  const auto existing = Examine(connection, settings.nodes);
  ASSERT_TRUE(existing.ok()) << existing.status();
  Begin(settings, *existing);
  ASSERT_TRUE(testing::Await([&] { return simulation_->counts().fleet.up == kNodes; }));
  for (const Json& node : api_.All(kube::kNodes)) {
    for (const char* resources : {"capacity", "allocatable"}) {
      EXPECT_EQ(node["status"][resources],
                (Json{{"cpu", "64"}, {"memory", "512Gi"}, {"pods", "110"}}));
    }
  }
}

TEST_F(SimulationTest, ANodeThatIsLostIsSilent) {
  SimulationPlan settings = Settings();
  settings.losses.planned = {{kNodes, milliseconds(400), seconds(3600)}};
  Begin(settings);
  ASSERT_TRUE(testing::Await([&] { return simulation_->counts().fleet.lost == kNodes; }));
  PutPods(5);
  ASSERT_TRUE(testing::Await([&] { return simulation_->counts().lives.waiting == 5; }));
  EXPECT_EQ(simulation_->counts().lives.started, 0);
  EXPECT_EQ(InPhase("Pending"), 5);
}

TEST_F(SimulationTest, GpusShowTheLoadOfTheirPods) {
  SimulationPlan settings = Settings();
  settings.habits.utilisation = {70, 70};
  Begin(settings);
  Put(WithGpus(PodOn("sim-1", "trainer", "Always"), 1));
  ASSERT_TRUE(AwaitPhase("Running", 1));
  ASSERT_TRUE(testing::Await([&] { return simulation_->counts().lives.running == 1; }));
  const std::string page = metrics::Page(GpuMetrics(*simulation_)).body;
  const std::string labels = absl::StrCat(R"({gpu="0",UUID=")", GpuUuid("sim-1", 0),
                                          R"(",pci_bus_id="00000000:10:00.0",device="nvidia0",)",
                                          R"(modelName="NVIDIA H100 80GB HBM3",Hostname="sim-1",)",
                                          R"(DCGM_FI_DRIVER_VERSION="570.133.20",)",
                                          R"(container="main",namespace="default",pod="trainer"})");
  EXPECT_EQ(testing::SeriesIn(page, "DCGM_FI_DEV_GPU_UTIL" + labels), 70);
  const auto used = testing::SeriesIn(page, "DCGM_FI_DEV_FB_USED" + labels);
  const auto free = testing::SeriesIn(page, "DCGM_FI_DEV_FB_FREE" + labels);
  ASSERT_TRUE(used && free);
  EXPECT_NEAR(*used + *free, 81559, 1);
  EXPECT_GT(*used, *free);
  const std::string idle =
      absl::StrCat(R"(DCGM_FI_DEV_GPU_UTIL{gpu="1",UUID=")", GpuUuid("sim-1", 1),
                   R"(",pci_bus_id="00000000:11:00.0",device="nvidia1",)",
                   R"(modelName="NVIDIA H100 80GB HBM3",Hostname="sim-1",)",
                   R"(DCGM_FI_DRIVER_VERSION="570.133.20"})");
  EXPECT_EQ(testing::SeriesIn(page, idle), 0);
}

TEST_F(SimulationTest, OwnMetricsCountCallsErrorsAndEndings) {
  BeginAndAwaitNodes();
  PutPods(4);
  ASSERT_TRUE(AwaitPhase("Succeeded", 4));
  // The last replies come after the objects have changed.
  std::string page;
  const auto is_counted = [&] {
    page = metrics::Page(OwnMetrics(simulation_->counts())).body;
    return testing::SeriesIn(page, R"(twofold_nodes_pods_ended_total{ending="succeeded"})") == 4;
  };
  ASSERT_TRUE(testing::Await(is_counted)) << page;
  EXPECT_EQ(testing::SeriesIn(page, R"(twofold_nodes_nodes{state="up"})"), 5);
  EXPECT_EQ(testing::SeriesIn(page, R"(twofold_nodes_calls_total{for="pods"})"), 8);
  EXPECT_EQ(testing::SeriesIn(page, R"(twofold_nodes_lateness_seconds_count{for="pods"})"), 8);
}

TEST_F(SimulationTest, CleanUpLeavesNothingOfTheRunAndAllElse) {
  BeginAndAwaitNodes();
  for (int i = 0; i < 20; ++i) Put(PodOn("sim-0", absl::StrCat("p", i), "Always"));
  Put(PodOn("worker", "other", "Always"));
  api_.Put(kube::kNodes, {{"metadata", {{"name", "worker"}}}});
  ASSERT_TRUE(AwaitPhase("Running", 20));
  simulation_.reset();
  const auto cleaned = CleanUp(api_.access(), "sim");
  ASSERT_TRUE(cleaned.ok()) << cleaned.status();
  EXPECT_EQ(cleaned->pods, 20);
  EXPECT_EQ(cleaned->nodes, kNodes);
  EXPECT_EQ(api_.All(kube::kPods).size(), 1);
  EXPECT_EQ(api_.All(kube::kNodes).size(), 1);
  EXPECT_TRUE(api_.All(kube::kLeases).empty());
}

TEST_F(SimulationTest, CleanUpRemovesLeasesThatNoNodeHolds) {
  const auto lease = [&](const char* name, const char* run) {
    api_.Put(kube::kLeases, {{"metadata",
                              {{"name", name},
                               {"namespace", "kube-node-lease"},
                               {"labels", {{"twofold/nodes", run}}}}}});
  };
  lease("sim-7", "sim");
  lease("other-7", "other");
  ASSERT_TRUE(CleanUp(api_.access(), "sim").ok());
  ASSERT_EQ(api_.All(kube::kLeases).size(), 1);
  EXPECT_EQ(api_.All(kube::kLeases)[0]["metadata"]["name"], "other-7");
  KubeFault fault = Fault(KubeFault::Kind::kStatus, "delete", 1000);
  fault.plural = "leases";
  fault.status = 403;
  api_.Add(fault);
  EXPECT_TRUE(CleanUp(api_.access(), "other").ok());  // the cluster does it
}

TEST_F(SimulationTest, CleanUpOfAServerThatIsAwaySaysSo) {
  BeginAndAwaitNodes();
  simulation_.reset();
  KubeFault fault = Fault(KubeFault::Kind::kStatus, "delete", 1000);
  fault.plural = "nodes";
  fault.status = 403;
  api_.Add(fault);
  const auto cleaned = CleanUp(api_.access(), "sim");
  EXPECT_EQ(cleaned.status().code(), absl::StatusCode::kPermissionDenied);
}

TEST_F(SimulationTest, StatusCountsNodesAndPodsByRun) {
  BeginAndAwaitNodes();
  Put(PodOn("sim-0", "a", "Always"));
  ASSERT_TRUE(AwaitPhase("Running", 1));
  kube::Connection connection(api_.access());
  const auto rows = StatusOf(connection);
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ(*rows, show::Json::parse(R"([{"run": "sim", "nodes": 5, "ready": 5,
      "pods": {"Pending": 0, "Running": 1, "Succeeded": 0, "Failed": 0}}])"));
}

TEST_F(SimulationTest, ForeignPodsAndNodesAreRefusedWithTheRemedy) {
  kube::Connection connection(api_.access());
  const auto refusal = [&] {
    const auto existing = Examine(connection, Settings().nodes);
    EXPECT_EQ(existing.status().code(), absl::StatusCode::kFailedPrecondition);
    return std::string(existing.status().message());
  };
  Json foreign = PodOn("sim-2", "web");
  foreign["spec"].erase("tolerations");
  Put(foreign);
  EXPECT_THAT(refusal(), HasSubstr("pod default/web is on node sim-2 and does not tolerate"));
  api_.Remove(kube::kPods, {"default", "web"});
  for (const char* labels : {"null", R"({"twofold/nodes": null})", R"({"twofold/nodes": 3})"}) {
    api_.Put(kube::kNodes, {{"metadata", {{"name", "sim-1"}, {"labels", Json::parse(labels)}}}});
    EXPECT_THAT(refusal(), HasSubstr("node sim-1 exists and is not a simulated one"));
  }
  api_.Remove(kube::kNodes, {"", "sim-1"});
  api_.Put(kube::kNodes, {{"metadata", {{"name", "sim-7"}, {"labels", {{kRunLabel, "sim"}}}}}});
  EXPECT_THAT(refusal(), HasSubstr("`twofold nodes down --run sim`"));
}

/// The program itself, with a kubeconfig for the fake server.
class NodesProgramTest : public SimulationTest {
 protected:
  std::unique_ptr<testing::Program> Start(std::vector<std::string> arguments) {
    const std::string config = folder_ / "config";
    if (FILE* file = fopen(config.c_str(), "w")) {
      fputs(absl::StrCat("{clusters: [{name: c, cluster: {server: \"", api_.url(), "\"",
                         insecure_ ? ", insecure-skip-tls-verify: true" : "",
                         "}}], users: [{name: u, user: {}}], contexts: [{name: x, context: "
                         "{cluster: c, user: u}}], current-context: x}\n")
                .c_str(),
            file);
      fclose(file);
    }
    arguments.insert(arguments.begin(), "nodes");
    arguments.insert(arguments.end(), {"--kubeconfig", config});
    return std::make_unique<testing::Program>("twofold", arguments);
  }

  std::unique_ptr<testing::Program> Up() {
    return Start({"up", "--count", "5", "--start-time", "10ms", "--run-time", "never",
                  "--http-address", "localhost:0", "--ready-file", folder_ / "ready"});
  }

  bool AwaitReady() {
    return testing::Await([&] { return std::filesystem::exists(folder_ / "ready"); });
  }

  testing::TempDir folder_;
  bool insecure_ = false;
};

TEST_F(NodesProgramTest, SigtermRemovesAll) {
  const auto up = Up();
  ASSERT_TRUE(AwaitReady()) << up->output();
  PutPods(5);
  ASSERT_TRUE(AwaitPhase("Running", 5));
  up->Signal(SIGTERM);
  EXPECT_EQ(up->Wait(), 0) << up->output();
  EXPECT_TRUE(api_.All(kube::kPods).empty());
  EXPECT_TRUE(api_.All(kube::kNodes).empty());
  EXPECT_TRUE(api_.All(kube::kLeases).empty());
  EXPECT_THAT(up->output(), HasSubstr("deleted 5 nodes and 5 pods of run sim"));
}

TEST_F(NodesProgramTest, DownRemovesAllThatAKilledUpLeft) {
  const auto up = Up();
  ASSERT_TRUE(AwaitReady()) << up->output();
  PutPods(5);
  ASSERT_TRUE(AwaitPhase("Running", 5));
  up->Kill();
  EXPECT_EQ(api_.All(kube::kNodes).size(), 5);
  const auto down = Start({"down"});
  EXPECT_EQ(down->Wait(), 0) << down->output();
  EXPECT_TRUE(api_.All(kube::kPods).empty());
  EXPECT_TRUE(api_.All(kube::kNodes).empty());
  EXPECT_TRUE(api_.All(kube::kLeases).empty());
}

TEST_F(NodesProgramTest, UpEndsWhenDownHasTakenItsNodes) {
  const auto up = Up();
  ASSERT_TRUE(AwaitReady()) << up->output();
  const auto down = Start({"down"});
  EXPECT_EQ(down->Wait(), 0) << down->output();
  EXPECT_EQ(up->Wait(), 0) << up->output();
  EXPECT_THAT(up->output(), HasSubstr("all nodes have been deleted by somebody"));
  EXPECT_TRUE(api_.All(kube::kNodes).empty());
}

TEST_F(NodesProgramTest, WarningsAreNotInTheResult) {
  insecure_ = true;
  const auto told = Start({"status", "--output", "json"});  // which writes the kubeconfig
  EXPECT_EQ(told->Wait(), 0) << told->output();
  ASSERT_THAT(told->output(), HasSubstr("INSECURE"));
  testing::Program piped("/bin/sh",
                         {"-c", "\"$0\" nodes status --output json --kubeconfig \"$1\" 2>/dev/null",
                          TWOFOLD_BIN "/twofold", folder_ / "config"});
  EXPECT_EQ(piped.Wait(), 0);
  EXPECT_EQ(Json::parse(piped.output(), nullptr, false), Json::array()) << piped.output();
}

TEST_F(NodesProgramTest, APortThatIsTakenIsFoundBeforeThereIsANode) {
  const KubeApi other;
  const auto up =
      Start({"up", "--keep", "--http-address", absl::StrCat("127.0.0.1:", other.port())});
  EXPECT_EQ(up->Wait(), 2) << up->output();
  EXPECT_THAT(up->output(), HasSubstr("--http-address: "));
  EXPECT_TRUE(api_.All(kube::kNodes).empty());
  EXPECT_TRUE(api_.used().empty());
}

TEST_F(NodesProgramTest, ReadyComesThoughNodesAreLostMeanwhile) {
  const auto up = Start({"up", "--count", "20", "--loss-after", "1ms", "--loss-time", "1h",
                         "--http-address", "localhost:0", "--ready-file", folder_ / "ready"});
  EXPECT_TRUE(AwaitReady()) << up->output();
}

TEST_F(NodesProgramTest, RefusesForeignPodsBeforeItTouchesAnything) {
  Json foreign = PodOn("sim-2", "web");
  foreign["spec"].erase("tolerations");
  Put(foreign);
  const auto up = Up();
  EXPECT_EQ(up->Wait(), 5) << up->output();
  EXPECT_THAT(up->output(), HasSubstr("does not tolerate twofold/simulated"));
  EXPECT_TRUE(api_.All(kube::kNodes).empty());
}

TEST_F(NodesProgramTest, WrongOptionsAreNamed) {
  for (const auto& [option, value] :
       std::vector<std::pair<std::string, std::string>>{{"--run-time", "soon"},
                                                        {"--taint", "x"},
                                                        {"--label", "y"},
                                                        {"--resource", "nvidia.com/gpu=1Gi"},
                                                        {"--resource", "nvidia.com/gpu=129"},
                                                        {"--run-times", folder_ / "none"},
                                                        {"--run-times", "/tmp"},
                                                        {"--run-times", "/dev/zero"},
                                                        {"--label", "twofold/nodes=x"},
                                                        {"--lose", "5"},
                                                        {"--gpu", "K80"},
                                                        {"--topology", "rack=none"},
                                                        {"--run", "A_b"},
                                                        {"--gpu-utilisation", "120"},
                                                        {"--cpu", "many"}}) {
    const auto up = Start({"up", option, value});
    EXPECT_EQ(up->Wait(), 2) << option;
    EXPECT_THAT(up->output(), HasSubstr(option + ": "));
  }
}

}  // namespace
}  // namespace twofold::nodes
