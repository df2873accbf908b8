// Workers of their own for objects of kube-perftest.

#include "kubernetes/operator/perftest_workers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <vector>

#include "kubernetes/pools/pods.h"
#include "tests/kubernetes/operator/perftest_pods.h"

namespace twofold::benchmarks {
namespace {

using kube::Json;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PerftestWorkersTest : public PerftestPods {};
class PerftestPoolTest : public PerftestPods {};

// ---- one wish each

TEST_F(PerftestWorkersTest, ANetworkOfTheHostIsTheObjectsToAskFor) {
  Json pool = PoolForAll();
  pool["spec"]["template"]["spec"]["hostNetwork"] = true;
  EXPECT_FALSE(PodsOf(IPerf(), pool)["spec"].contains("hostNetwork"));
}

TEST_F(PerftestWorkersTest, AnMtuIsSetBeforeTheWorkerStarts) {
  const Json pods = PodsOf(IPerf({{"mtu", 9000}}));
  const Json& setter = pods["spec"]["initContainers"][0];
  EXPECT_EQ(setter["command"], Json({"ip", "link", "set", "dev", "eth0", "mtu", "9000"}));
  EXPECT_EQ(setter["image"], "here/worker:1");
  EXPECT_EQ(setter["securityContext"]["capabilities"]["add"], Json({"NET_ADMIN"}));
  EXPECT_THAT(VariableOf(pods["spec"]["containers"][0], "TWOFOLD_LABELS"), HasSubstr("mtu=9000"));
  EXPECT_FALSE(PodsOf(IPerf())["spec"].contains("initContainers"));
}

TEST_F(PerftestWorkersTest, AnMtuIsNeverThatOfANode) {
  EXPECT_THAT(Complaint(IPerf({{"mtu", 9000}, {"hostNetwork", true}})),
              HasSubstr("does not go with hostNetwork"));
}

TEST_F(PerftestWorkersTest, OfResourcesTheObjectSaysAllThatItNames) {
  const Json asked = {{"requests", {{"memory", "1Gi"}}}, {"limits", {{"cpu", 8}, {"gpu", 1}}}};
  const Json resources = ContainerOf(IPerf({{"resources", asked}}))["resources"];
  EXPECT_EQ(resources["requests"], Json({{"memory", "1Gi"}})) << "cpu has a limit now";
  EXPECT_EQ(resources["limits"], Json({{"cpu", 8}, {"gpu", 1}}));
  EXPECT_EQ(ContainerOf(IPerf())["resources"]["limits"]["cpu"], "2");
}

TEST_F(PerftestWorkersTest, AnImageOfTheObjectIsUsedAsItIs) {
  const Json container =
      ContainerOf(IPerf({{"image", "theirs/iperf:3"}, {"imagePullPolicy", "Never"}}));
  EXPECT_EQ(container["image"], "theirs/iperf:3");
  EXPECT_EQ(container["imagePullPolicy"], "Never");
  EXPECT_EQ(VariableOf(container, "IMAGE"), "theirs/iperf:3");
}

TEST_F(PerftestWorkersTest, TheDefaultImageIsThatOfTheTemplate) {
  EXPECT_EQ(ContainerOf(IPerf())["image"], "here/worker:1");
  EXPECT_FALSE(ContainerOf(IPerf()).contains("imagePullPolicy"));
  EXPECT_EQ(ContainerOf(IPerf({{"imagePullPolicy", "Always"}}))["imagePullPolicy"], "Always");
  Json pool = PoolForAll();
  pool["spec"]["template"]["spec"]["containers"][0].erase("image");
  EXPECT_EQ(ContainerOf(IPerf(), pool)["image"], PerftestImage("IPerf"));
}

TEST_F(PerftestWorkersTest, TellTheTemplateWhichSuiteTheyRun) {
  EXPECT_EQ(VariableOf(ContainerOf(PerftestObject("RDMALatency", Json::object())), "TWOFOLD_SUITE"),
            "rdma-latency");
}

TEST_F(PerftestWorkersTest, MayLockMemoryWhereTheyUseRdmaAndNowhereElse) {
  const auto adds = [](const std::string& kind, const Json& spec) {
    const Json container = ContainerOf(PerftestObject(kind, spec));
    const Json* added = kube::At(container, "/securityContext/capabilities/add");
    return added == nullptr ? Json::array() : *added;
  };
  EXPECT_THAT(adds("RDMABandwidth", Json::object()), Contains("IPC_LOCK"));
  EXPECT_THAT(adds("MPIPingPong", {{"transport", "RDMA"}}), Contains("IPC_LOCK"));
  EXPECT_THAT(adds("MPIPingPong", Json::object()), IsEmpty());
  const Json container = ContainerOf(ExampleOf("accelerated/openfoam-set"));
  EXPECT_THAT(container["securityContext"]["capabilities"]["add"], Contains("IPC_LOCK"));
}

TEST_F(PerftestWorkersTest, AVolumeOfTheObjectNeedsAPlaceInTheTemplate) {
  Json pool = PoolForAll();
  pool["spec"]["template"]["spec"].erase("volumes");
  const Json fio = PerftestObject("Fio", {{"volumeClaimTemplate", {{"accessModes", {"X"}}}}});
  EXPECT_THAT(Complaint(fio, pool), HasSubstr("pods by WorkerPool all: template.spec.volumes"));
  EXPECT_EQ(Complaint(PerftestObject("Fio", Json::object()), pool), "");
}

TEST_F(PerftestWorkersTest, AreScheduledAsTheTemplateSays) {
  Json pool = PoolForAll();
  pool["metadata"]["annotations"]["twofold.dev/scheduling"] = "volcano";
  pool["metadata"]["annotations"]["twofold.dev/scheduling-queue"] = "q";
  const auto workers = WorkersOf(IPerf(), pool);
  ASSERT_TRUE(workers.ok()) << workers.status();
  EXPECT_EQ((*workers)["scheduling"], "volcano");
  EXPECT_EQ((*workers)["schedulingQueue"], "q");
}

// ---- which nodes

Json OthersOf(const Json& pods) {
  return pods["spec"]["affinity"]["podAntiAffinity"]
             ["requiredDuringSchedulingIgnoredDuringExecution"][0];
}

TEST_F(PerftestWorkersTest, OfPairsAreOnNodesWithoutAnyOtherPodOfARun) {
  const Json others = OthersOf(PodsOf(IPerf()));
  EXPECT_EQ(others["topologyKey"], "kubernetes.io/hostname");
  EXPECT_EQ(others["namespaceSelector"], Json::object()) << "of all namespaces";
  EXPECT_EQ(others["labelSelector"]["matchExpressions"],
            Json::array({{{"key", "twofold.dev/benchmark"}, {"operator", "Exists"}}}));
}

TEST_F(PerftestWorkersTest, OfOthersSpreadOverNodesWithoutPodsOfOtherRuns) {
  Json object = PerftestObject("OpenFOAM", {{"numNodes", 3}, {"numProcs", 3}});
  object["metadata"]["uid"] = "u-1";
  const std::string pool = pools::PoolNameFor(object);
  const Json pods = PodsOf(object);
  EXPECT_EQ(OthersOf(pods)["labelSelector"]["matchExpressions"][1],
            Json({{"key", "twofold.dev/pool"}, {"operator", "NotIn"}, {"values", {pool}}}));
  const Json& spread = pods["spec"]["topologySpreadConstraints"][0];
  EXPECT_EQ(spread["labelSelector"]["matchLabels"]["twofold.dev/pool"], pool);
  EXPECT_EQ(spread["whenUnsatisfiable"], "DoNotSchedule");
  EXPECT_EQ(spread["nodeTaintsPolicy"], "Honor") << "nodes that take none do not count";
  EXPECT_THAT(pods["spec"]["affinity"]["nodeAffinity"].dump(), HasSubstr("control-plane"));
}

TEST_F(PerftestWorkersTest, ChooseNodesAsTheTemplateDoesAsWell) {
  Json pool = PoolForAll();
  Json& affinity = pool["spec"]["template"]["spec"]["affinity"];
  affinity["nodeAffinity"] = {{"x", 1}};
  affinity["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"] = {{{"y", 1}}};
  const Json made = PodsOf(PerftestObject("Fio", Json::object()), pool)["spec"]["affinity"];
  EXPECT_EQ(made["nodeAffinity"], affinity["nodeAffinity"]);
  EXPECT_EQ(made["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"].size(), 2U);
}

// ---- what does not go

TEST_F(PerftestWorkersTest, AreTheSameForAllJobsOfASet) {
  const auto set = [](const Json& product) {
    return PerftestObject("BenchmarkSet", {{"template",
                                            {{"apiVersion", "perftest.stackhpc.com/v1alpha1"},
                                             {"kind", "IPerf"},
                                             {"spec", {{"duration", 1}, {"streams", 1}}}}},
                                           {"permutations", {{"product", product}}}});
  };
  EXPECT_THAT(
      Complaint(set({{"hostNetwork", {false, true}}})),
      HasSubstr("spec.permutations: hostNetwork of permutation 2 is not that of the first"));
  EXPECT_THAT(Complaint(set({{"mtu", {1500, 9000}}, {"streams", {1, 2}}})), HasSubstr("mtu of"));
  EXPECT_EQ(PodsOf(set({{"hostNetwork", {true}}, {"streams", {1, 2}}}))["spec"]["hostNetwork"],
            true);
}

TEST_F(PerftestWorkersTest, ALabelHasOneValue) {
  const Json claim = {{"accessModes", {"ReadWriteOnce", "ReadWriteMany"}}};
  EXPECT_THAT(Complaint(PerftestObject("Fio", {{"volumeClaimTemplate", claim}})),
              HasSubstr("spec.volumeClaimTemplate.accessModes: must be one value"));
}

TEST_F(PerftestWorkersTest, ATemplateThatIsNoneIsSaid) {
  const std::pair<const char*, Json> wrong[] = {
      {"/spec/template", 7},
      {"/spec/template/spec", "x"},
      {"/spec/template/spec/containers", Json::array()},
      {"/spec/template/spec/containers/0", "x"},
      {"/spec/template/spec/containers/0/env", 7},
      {"/spec/template/spec/containers/0/resources/limits", Json::array()},
      {"/spec/template/spec/volumes", "x"},
      {"/spec/template/spec/affinity", "x"}};
  for (const auto& [path, value] : wrong) {
    Json pool = PoolForAll();
    pool[Json::json_pointer(path)] = value;
    EXPECT_THAT(Complaint(IPerf(), pool), HasSubstr("pods by WorkerPool all: template")) << path;
  }
  Json pool = PoolForAll();
  pool["spec"].erase("template");
  EXPECT_THAT(Complaint(IPerf(), pool), HasSubstr("template: must be a map"));
}

// ---- which template

std::vector<controller::Snapshot> PoolsWith(const std::map<std::string, std::string>& kinds) {
  std::vector<controller::Snapshot> pools;
  for (const auto& [name, list] : kinds) {
    Json pool = PerftestPods::PoolForAll();
    pool["metadata"]["name"] = name;
    pool["metadata"]["annotations"]["twofold.dev/kinds"] = list;
    pools.push_back(std::make_shared<const Json>(std::move(pool)));
  }
  return pools;
}

std::string NameOfPoolFor(const Json& object, const std::map<std::string, std::string>& kinds) {
  const auto pool = PoolFor(object, PoolsWith(kinds));
  return pool == nullptr ? "" : kube::NameOf(*pool).name;
}

TEST_F(PerftestPoolTest, IsTheFirstThatListsTheKindElseTheFirstForAll) {
  EXPECT_EQ(NameOfPoolFor(IPerf(), {{"a", "*"}, {"b", "Fio, IPerf"}, {"c", "IPerf"}}), "b");
  EXPECT_EQ(NameOfPoolFor(IPerf(), {{"a", "Fio"}, {"b", "*"}, {"c", "*"}}), "b");
  EXPECT_EQ(NameOfPoolFor(IPerf(), {{"a", "Fio"}, {"b", ""}}), "");
  EXPECT_EQ(NameOfPoolFor(ExampleOf("cni/openfoam-set"), {{"a", "IPerf"}, {"b", "OpenFOAM"}}), "b")
      << "of a set it is that of its template";
}

TEST_F(PerftestPoolTest, WithoutAnAnnotationIsForNone) {
  Json pool = PoolForAll();
  pool["metadata"].erase("annotations");
  EXPECT_EQ(PoolFor(IPerf(), std::vector{std::make_shared<const Json>(pool)}), nullptr);
}

}  // namespace
}  // namespace twofold::benchmarks
