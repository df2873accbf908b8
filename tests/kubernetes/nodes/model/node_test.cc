#include "kubernetes/nodes/model/node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "kubernetes/nodes/model/gpus.h"
#include "kubernetes/nodes/model/names.h"
#include "tests/kubernetes/nodes/model/objects.h"

namespace twofold::nodes {
namespace {

using testing::HasSubstr;

const Moment kNow = *kube::TimeOf("2026-11-23T12:00:00.123456789Z");

Json Body(const kube::Call& call) { return Json::parse(call.body); }

TEST(Node, HasCapacityTaintsLabelsAndIsReady) {
  NodeTemplate nodes;
  nodes.count = 3;
  nodes.labels = {{"topology.kubernetes.io/zone", "a"}};
  nodes.taints = {{"dedicated", "", "NoExecute"}};
  const kube::Call call = CreateNode(nodes, 2, kNow);
  ASSERT_TRUE(call.fault.ok()) << call.fault;
  const Json node = Body(call);
  EXPECT_EQ(node["metadata"]["name"], "sim-2");
  EXPECT_EQ(node["metadata"]["labels"]["topology.kubernetes.io/zone"], "a");
  EXPECT_EQ(node["metadata"]["labels"][kRunLabel], "sim");
  EXPECT_EQ(node["spec"]["taints"],
            Json::parse(R"([{"key": "twofold/simulated", "value": "sim", "effect": "NoSchedule"},
                            {"key": "dedicated", "effect": "NoExecute"}])"));
  EXPECT_FALSE(node["spec"].contains("providerID"));
  EXPECT_EQ(node["status"]["capacity"]["cpu"], "64");
  EXPECT_EQ(node["status"]["allocatable"], node["status"]["capacity"]);
  EXPECT_EQ(node["status"]["conditions"][0]["type"], "Ready");
  EXPECT_EQ(node["status"]["conditions"][0]["status"], "True");
  EXPECT_EQ(node["status"]["conditions"][0]["lastHeartbeatTime"], "2026-11-23T12:00:00Z");
}

TEST(Node, GpusAreLabelledAsByFeatureDiscovery) {
  NodeTemplate nodes;
  EXPECT_FALSE(
      Body(CreateNode(nodes, 0, kNow))["metadata"]["labels"].contains("nvidia.com/gpu.present"));
  nodes.capacity[kGpuResource] = "8";
  nodes.gpu = *FindGpu("a100");
  const Json labels = Body(CreateNode(nodes, 0, kNow))["metadata"]["labels"];
  EXPECT_EQ(labels["nvidia.com/gpu.present"], "true");
  EXPECT_EQ(labels["nvidia.com/gpu.count"], "8");
  EXPECT_EQ(labels["nvidia.com/gpu.product"], "NVIDIA-A100-SXM4-80GB");
  EXPECT_EQ(labels["nvidia.com/gpu.memory"], "81920");
  EXPECT_EQ(labels["nvidia.com/gpu.compute.major"], "8");
  EXPECT_EQ(labels["nvidia.com/gpu.compute.minor"], "0");
  EXPECT_EQ(labels["nvidia.com/gpu.sharing-strategy"], "none");
  EXPECT_EQ(labels["nvidia.com/mps.capable"], "false");
  EXPECT_EQ(labels["nvidia.com/vgpu.present"], "false");
  EXPECT_EQ(labels["nvidia.com/cuda.driver-version.full"], kDriverVersion);
  EXPECT_EQ(labels["nvidia.com/cuda.driver-version.revision"], "20");
  EXPECT_EQ(labels["nvidia.com/cuda.runtime-version.minor"], "8");
  EXPECT_FALSE(labels.contains("nvidia.com/cuda.runtime-version.revision"));
  // Of the GPU Operator, whose strategy is told of nodes without MIG as well.
  EXPECT_EQ(labels["nvidia.com/mig.strategy"], "single");
}

TEST(Node, ProductsAreNamesWithDashesForBlanks) {
  EXPECT_EQ(GpuModel().product(), "NVIDIA-H100-80GB-HBM3");
  EXPECT_EQ(FindGpu("T4")->product(), "Tesla-T4");
  EXPECT_EQ(FindGpu("nvidia-h100-80gb-hbm3")->name, "NVIDIA H100 80GB HBM3");
}

TEST(Node, NeighboursShareARackAndRacksABlock) {
  NodeTemplate nodes;
  nodes.count = 300;
  nodes.topology = *ParseTopology("rack=32,block=4,network.topology.nvidia.com/spine=2");
  const auto labels = [&](std::uint32_t index) {
    return Body(CreateNode(nodes, index, kNow))["metadata"]["labels"];
  };
  EXPECT_EQ(labels(0)["cloud.provider.com/topology-rack"], "sim-rack-0");
  EXPECT_EQ(labels(31)["cloud.provider.com/topology-rack"], "sim-rack-0");
  EXPECT_EQ(labels(32)["cloud.provider.com/topology-rack"], "sim-rack-1");
  EXPECT_EQ(labels(127)["cloud.provider.com/topology-block"], "sim-block-0");
  EXPECT_EQ(labels(128)["cloud.provider.com/topology-block"], "sim-block-1");
  EXPECT_EQ(labels(255)["network.topology.nvidia.com/spine"], "sim-spine-0");
  EXPECT_EQ(labels(256)["network.topology.nvidia.com/spine"], "sim-spine-1");
  EXPECT_EQ(Body(RefreshNode(nodes, 32, kNow))["metadata"]["labels"], labels(32));
  nodes.labels = {{"cloud.provider.com/topology-rack", "mine"}};
  EXPECT_EQ(labels(0)["cloud.provider.com/topology-rack"], "mine");
  EXPECT_EQ(ParseTopology("zone=2,region=3")->front().label, "topology.kubernetes.io/zone");
  for (const char* text : {"", "rack", "rack=0", "rack=-1", "rack=x", "row=2", "rack=2,rack=2",
                           "a/sixteen-letters-x=2", "rack=2,", "rack=1000000,block=1000000"}) {
    EXPECT_FALSE(ParseTopology(text).ok()) << text;
  }
}

TEST(Node, HasNoAddress) {
  EXPECT_FALSE(Body(CreateNode(NodeTemplate(), 0, kNow))["status"].contains("addresses"));
}

TEST(Node, ARefreshReplacesResources) {
  const Json status = Body(RefreshNode(NodeTemplate(), 0, kNow))["status"];
  EXPECT_EQ(status["capacity"]["$patch"], "replace");
  EXPECT_EQ(status["allocatable"]["$patch"], "replace");
}

TEST(Node, TaintsAreComparedButForThoseOfKubernetes) {
  NodeTemplate nodes;
  nodes.taints = {{"dedicated", "", "NoExecute"}};
  Json node = Body(CreateNode(nodes, 0, kNow));
  EXPECT_TRUE(HasTaintsOf(nodes, node));
  node["spec"]["taints"].push_back(
      {{"key", "node.kubernetes.io/unreachable"}, {"effect", "NoExecute"}});
  EXPECT_TRUE(HasTaintsOf(nodes, node));
  nodes.taints.clear();
  EXPECT_FALSE(HasTaintsOf(nodes, node));
  nodes.taints = {{"dedicated", "", "NoExecute"}, {"more", "", "NoSchedule"}};
  EXPECT_FALSE(HasTaintsOf(nodes, node));
  for (const char* text : {"null", R"({"spec": {"taints": 3}})", R"({"spec": {"taints": [3]}})"}) {
    EXPECT_FALSE(HasTaintsOf(NodeTemplate(), Json::parse(text))) << text;
  }
}

TEST(Node, LeaseTimesHaveExactlySixDigits) {
  EXPECT_EQ(In(Body(RenewLease("sim-0", kNow)), "/spec/renewTime"), "2026-11-23T12:00:00.123456Z");
  EXPECT_EQ(In(Body(RenewLease("sim-0", *kube::TimeOf("2026-11-23T12:00:00Z"))), "/spec/renewTime"),
            "2026-11-23T12:00:00.000000Z");
}

TEST(Node, KnowsItsOwnNamesOnly) {
  NodeTemplate nodes;
  nodes.count = 12;
  EXPECT_EQ(nodes.IndexOf("sim-11"), 11U);
  for (const char* name :
       {"sim-12", "sim-01", "sim-", "sim", "sim--1", "sim-+1", "sim- 1", "other-1", ""}) {
    EXPECT_EQ(nodes.IndexOf(name), std::nullopt) << name;
  }
}

TEST(Node, OptionsThatKubernetesWouldRefuseAreRefused) {
  EXPECT_TRUE(ParseLabel("a.b/c=d").ok());
  EXPECT_TRUE(ParseLabel("c=").ok());
  for (const char* text :
       {"", "c", "=d", "a/b/c=d", "A.b/c=d", "c=-d", "c=d e", "twofold/nodes=other"}) {
    EXPECT_FALSE(ParseLabel(text).ok()) << text;
  }
  EXPECT_TRUE(ParseResource("nvidia.com/gpu=8").ok());
  EXPECT_TRUE(ParseResource("ephemeral-storage=1.5Ti").ok());
  for (const char* text : {"nvidia.com/gpu=8Gi", "nvidia.com/gpu=1.5", "nvidia.com/gpu=-1", "cpu=x",
                           "cpu=", "memory=5GiB", "memory=-5Gi"}) {
    EXPECT_FALSE(ParseResource(text).ok()) << text;
  }
  EXPECT_EQ(ParseTaint("a/b=c:NoExecute").value_or(Taint{}), (Taint{"a/b", "c", "NoExecute"}));
  for (const char* text : {"", "a", "a=b", "a=b:Never", ":NoSchedule", "=b:NoSchedule"}) {
    EXPECT_FALSE(ParseTaint(text).ok()) << text;
  }
  EXPECT_TRUE(CheckRunName("sim-2").ok());
  for (const char* text : {"", "Sim", "-a", "a.b", "a_b"})
    EXPECT_FALSE(CheckRunName(text).ok()) << text;
  EXPECT_THAT(std::string(FindGpu("K80").status().message()), HasSubstr("H100"));
}

TEST(Gpus, NamesDifferByNodeAndDeviceAndStayTheSame) {
  std::set<std::string> names;
  for (int node = 0; node < 100; ++node) {
    for (std::size_t device = 0; device < 8; ++device) {
      names.insert(GpuUuid(absl::StrCat("sim-", node), device));
    }
  }
  EXPECT_EQ(names.size(), 800);
  EXPECT_EQ(GpuUuid("sim-0", 1), GpuUuid("sim-0", 1));
  EXPECT_THAT(
      GpuUuid("sim-0", 1),
      testing::MatchesRegex("GPU-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"));
}

TEST(Gpus, ADeviceIsTakenFromWhoDoesNotMind) {
  Gpus gpus(2);
  ASSERT_TRUE(gpus.Take(1, 1));
  ASSERT_TRUE(gpus.TakeDevice(2, 0));
  EXPECT_EQ(gpus.FirstOf(2), 0U);
  EXPECT_EQ(gpus.FirstOf(1), 1U);
  EXPECT_FALSE(gpus.TakeDevice(3, 0));  // nothing is free
  EXPECT_FALSE(gpus.TakeDevice(3, 2));
  EXPECT_EQ(gpus.FirstOf(3), std::nullopt);
  EXPECT_EQ(GpuBusId(0), "00000000:10:00.0");
  EXPECT_EQ(GpuBusId(127), "00000000:8F:00.0");
}

TEST(Gpus, AreGivenLowestFirst) {
  Gpus gpus(4);
  ASSERT_TRUE(gpus.Take(1, 2));
  ASSERT_TRUE(gpus.Take(2, 1));
  gpus.Give(1);
  ASSERT_TRUE(gpus.Take(3, 3));
  EXPECT_EQ(gpus.holders(), (std::vector<std::uint64_t>{3, 3, 2, 3}));
  EXPECT_FALSE(gpus.Take(4, 1));
  EXPECT_EQ(gpus.holders(), (std::vector<std::uint64_t>{3, 3, 2, 3}));
}

TEST(Pod, TolerationsFitTaintsAsKubernetesSays) {
  const Taint taint{"twofold/simulated", "sim", "NoSchedule"};
  const auto with = [](const char* toleration) {
    return Json{{"spec", {{"tolerations", Json::array({Json::parse(toleration)})}}}};
  };
  EXPECT_TRUE(Tolerates(with(R"({"operator": "Exists"})"), taint));
  EXPECT_TRUE(Tolerates(with(R"({"key": "twofold/simulated", "operator": "Exists"})"), taint));
  EXPECT_TRUE(Tolerates(
      with(R"({"key": "twofold/simulated", "value": "sim", "effect": "NoSchedule"})"), taint));
  EXPECT_FALSE(Tolerates(with(R"({"key": "twofold/simulated", "value": "other"})"), taint));
  EXPECT_FALSE(Tolerates(
      with(R"({"key": "twofold/simulated", "operator": "Exists", "effect": "NoExecute"})"), taint));
  EXPECT_FALSE(Tolerates(with(R"({"key": "other", "operator": "Exists"})"), taint));
  EXPECT_FALSE(Tolerates(Json::object(), taint));
}

TEST(Pod, WhateverTheObjectLacksIsEmpty) {
  for (const char* text :
       {"null", "{}", "[]", R"({"metadata": 3, "spec": [], "status": "x"})",
        R"({"spec": {"containers": [3, {"resources": {"limits": {"nvidia.com/gpu": []}}}]}})"}) {
    const Pod pod = ReadPod(Json::parse(text));
    EXPECT_EQ(pod.uid, "");
    EXPECT_EQ(pod.gpus, 0);
    EXPECT_FALSE(pod.is_deleted);
  }
}

TEST(Pod, GpusOfContainersAddUpThoseOfInitContainersDoNot) {
  Json pod = WithGpus(PodOn("sim-0", "a"), 2);
  pod["spec"]["containers"].push_back(
      {{"name", "b"}, {"resources", {{"limits", {{kGpuResource, "1"}}}}}});
  EXPECT_EQ(ReadPod(pod).gpus, 3);
  pod["spec"]["initContainers"] =
      Json::array({Json{{"name", "i"}, {"resources", {{"limits", {{kGpuResource, "4"}}}}}}});
  EXPECT_EQ(ReadPod(pod).gpus, 4);
}

}  // namespace
}  // namespace twofold::nodes
