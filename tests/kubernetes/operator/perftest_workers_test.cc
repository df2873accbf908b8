// Workers of their own for objects of kube-perftest.

#include "kubernetes/operator/perftest_workers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <vector>

#include "kubernetes/operator/own_workers.h"
#include "kubernetes/pools/pods.h"
#include "tests/kubernetes/operator/manifest.h"
#include "tests/kubernetes/operator/perftest_objects.h"

namespace twofold::benchmarks {
namespace {

using kube::Json;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// What an admin has for all kinds.
Json PoolForAll() {
  return {
      {"apiVersion", "twofold.dev/v1alpha1"},
      {"kind", "WorkerPool"},
      {"metadata",
       {{"name", "all"},
        {"namespace", "monitoring"},
        {"annotations", {{"twofold.dev/kinds", "*"}}}}},
      {"spec",
       {{"queue", "bench"},
        {"replicas", 0},
        {"template",
         {{"spec",
           {{"containers",
             {{{"name", "backend"},
               {"image", "here/worker:1"},
               {"env",
                {{{"name", "IMAGE"}, {"value", "here/worker:1"}},
                 {{"name", "TWOFOLD_LABELS"}, {"value", "hostNetwork=false,zone=a"}}}},
               {"resources",
                {{"requests", {{"cpu", "1"}, {"memory", "64Mi"}}}, {"limits", {{"cpu", "2"}}}}}}}},
            {"volumes",
             {{{"name", "tmp"}, {"emptyDir", Json::object()}},
              {{"name", "scratch"}, {"emptyDir", Json::object()}}}}}}}}}}};
}

Result<Json> WorkersOf(Json object, const Json& pool = PoolForAll()) {
  object["metadata"]["uid"] = "u-1";
  return PerftestWorkers(OrderOf(object), pool);
}

/// The template of the pods; fails if there is none.
Json PodsOf(const Json& object, const Json& pool = PoolForAll()) {
  const auto workers = WorkersOf(object, pool);
  EXPECT_TRUE(workers.ok()) << workers.status();
  return workers.ok() ? (*workers)["template"] : Json::object();
}
Json ContainerOf(const Json& object, const Json& pool = PoolForAll()) {
  return PodsOf(object, pool)["spec"]["containers"][0];
}

Json IPerf(Json more = Json::object()) {
  more.update({{"duration", 30}, {"streams", 8}});
  return PerftestObject("IPerf", std::move(more));
}

std::string VariableOf(const Json& container, const std::string& name) {
  for (const Json& each : container["env"]) {
    if (each["name"] == name) return each["value"];
  }
  return "";
}

Json VolumeOf(const Json& pods) {
  for (const Json& each : pods["spec"]["volumes"]) {
    if (each["name"] == "scratch") return each;
  }
  return Json();
}

std::string Complaint(const Json& object, const Json& pool = PoolForAll()) {
  return std::string(WorkersOf(object, pool).status().message());
}

// ---- the examples of kube-perftest's users

/// A file of ours as theirs, which operator-on-cluster.sh has an API server take.
Json ExampleOf(const std::string& file) {
  const std::string path = "examples/benchmarks/" + file + ".yaml";
  const auto document = yaml::ParseDocument(TextOfFile(path.c_str()));
  EXPECT_TRUE(document.ok()) << document.status();
  if (!document.ok()) return Json::object();
  const Json read = Json::parse(yaml::ToJson(**document).dump());
  Json object = PerftestObject(read["kind"], read["spec"]);
  object["metadata"]["name"] = read["metadata"]["name"];
  if (object["spec"].contains("template")) {
    object["spec"]["template"]["apiVersion"] = object["apiVersion"];
  }
  return object;
}

const std::map<std::string, std::int64_t> kWorkersOfExamples = {
    {"cni/iperf-set", 2},
    {"cni/mpi-pingpong-set", 2},
    {"cni/openfoam-set", 48},
    {"hostnet/iperf-set", 2},
    {"hostnet/mpi-pingpong-set", 2},
    {"hostnet/openfoam", 2},
    {"accelerated/iperf-set", 2},
    {"accelerated/mpi-pingpong-set", 2},
    {"accelerated/openfoam-set", 12},
    {"accelerated/rdma-bw-set", 2},
    {"accelerated/rdma-lat-set", 2},
    {"macvlan/iperf-set", 2},
    {"macvlan/mpi-pingpong-set", 2},
    {"macvlan/openfoam-set", 12},
    {"macvlan/rdma-bw-set", 2},
    {"macvlan/rdma-lat-set", 2},
    {"sriov/iperf-set", 2},
    {"sriov/mpi-pingpong-set", 2},
    {"sriov/openfoam-set", 12},
    {"sriov/rdma-bw-set", 2},
    {"sriov/rdma-lat-set", 2},
    {"filesystem/fio-csi-cinder-nvme-set", 4},
    {"filesystem/fio-csi-cinder-set", 4},
    {"filesystem/fio-local-path-set", 1},
    {"filesystem/fio-rook-nfs-nvme", 1},
};

/// Network and device of a folder's files.
struct Fabric {
  std::string network;
  std::string device;
};
const std::map<std::string, Fabric> kFabrics = {
    {"accelerated", {"mlnx-net", "mellanox.com/mlnxnet"}},
    {"macvlan", {"default/shared-network", "rdma/rdma_shared_device_a"}},
    {"sriov", {"default/mlnx-net", "nvidia.com/mlnxnet"}},
};

std::vector<std::string> FilesOfExamples() {
  std::vector<std::string> files;
  const std::filesystem::path folder = TWOFOLD_SOURCE "/examples/benchmarks";
  for (const auto& each : std::filesystem::recursive_directory_iterator(folder)) {
    if (each.path().extension() != ".yaml") continue;
    files.push_back(std::filesystem::relative(each.path(), folder).replace_extension());
  }
  return files;
}

TEST(PerftestWorkers, OfEachExampleAreAsManyAsItsLargestJobTakes) {
  std::map<std::string, std::int64_t> found;
  for (const std::string& file : FilesOfExamples()) {
    const auto workers = WorkersOf(ExampleOf(file));
    ASSERT_TRUE(workers.ok()) << file << ": " << workers.status();
    found[file] = (*workers)["replicas"];
  }
  EXPECT_EQ(found, kWorkersOfExamples);
}

TEST(PerftestWorkers, OfEachExampleHaveItsNetworkAndItsDevice) {
  for (const auto& [file, count] : kWorkersOfExamples) {
    SCOPED_TRACE(file);
    const Json pods = PodsOf(ExampleOf(file));
    const std::string folder = file.substr(0, file.find('/'));
    const bool is_on_host = folder == "hostnet";
    EXPECT_EQ(pods["spec"].contains("hostNetwork"), is_on_host);
    if (is_on_host) {
      EXPECT_EQ(pods["spec"]["hostNetwork"], true);
      EXPECT_EQ(pods["spec"]["dnsPolicy"], "ClusterFirstWithHostNet");
    }
    const auto fabric = kFabrics.find(folder);
    ASSERT_EQ(pods.contains("metadata"), fabric != kFabrics.end());
    if (fabric == kFabrics.end()) continue;
    EXPECT_EQ(pods["metadata"]["annotations"]["v1.multus-cni.io/default-network"],
              fabric->second.network);
    EXPECT_EQ(pods["spec"]["containers"][0]["resources"]["limits"][fabric->second.device], 1);
  }
}

TEST(PerftestWorkers, OfEachExampleOfFioHaveItsVolume) {
  const std::map<std::string, std::string> classes = {{"filesystem/fio-csi-cinder-nvme-set", "5Gi"},
                                                      {"filesystem/fio-csi-cinder-set", "5Gi"},
                                                      {"filesystem/fio-local-path-set", ""},
                                                      {"filesystem/fio-rook-nfs-nvme", "50Gi"}};
  for (const auto& [file, size] : classes) {
    SCOPED_TRACE(file);
    const auto workers = WorkersOf(ExampleOf(file));
    ASSERT_TRUE(workers.ok()) << workers.status();
    const Json volume = VolumeOf((*workers)["template"]);
    const bool is_shared = file == "filesystem/fio-rook-nfs-nvme";
    ASSERT_EQ(volume.contains("persistentVolumeClaim"), is_shared);
    const Json& claim = is_shared ? (*workers)["claims"][0]["spec"]
                                  : volume["ephemeral"]["volumeClaimTemplate"]["spec"];
    EXPECT_EQ(claim["accessModes"][0], is_shared ? "ReadWriteMany" : "ReadWriteOnce");
    if (!size.empty()) {
      EXPECT_EQ(claim["resources"]["requests"]["storage"], size);
    }
    EXPECT_FALSE(kube::TextAt(claim, "/storageClassName").empty());
  }
}

TEST(PerftestWorkers, OfEachExampleMakeAPoolWhoseWorkersHaveWhatItsJobsAskFor) {
  for (const auto& [file, count] : kWorkersOfExamples) {
    SCOPED_TRACE(file);
    Json object = ExampleOf(file);
    object["metadata"]["uid"] = "u-1";
    RunOrder order = OrderOf(object);
    const auto workers = PerftestWorkers(order, PoolForAll());
    ASSERT_TRUE(workers.ok()) << workers.status();
    order.of["spec"]["workers"] = *workers;
    const auto pool = OwnPool(order);
    ASSERT_TRUE(pool.ok()) << pool.status();
    const Json& container = (*pool)["spec"]["template"]["spec"]["containers"][0];
    const std::string labels = VariableOf(container, "TWOFOLD_LABELS");
    EXPECT_THAT(labels, HasSubstr(",twofold/run=" + order.id));
    const Json& spec = object["spec"];
    const Json& fields = spec.contains("template") ? spec["template"]["spec"] : spec;
    for (const char* field : {"networkName", "hostNetwork"}) {
      if (!fields.contains(field)) continue;
      const std::string text =
          fields[field].is_string() ? fields[field].get<std::string>() : fields[field].dump();
      EXPECT_THAT(labels, HasSubstr(std::string(",") + field + "=" + text));
    }
  }
}

// ---- one wish each

TEST(PerftestWorkers, ANetworkOfTheHostIsTheObjectsToAskFor) {
  Json pool = PoolForAll();
  pool["spec"]["template"]["spec"]["hostNetwork"] = true;
  EXPECT_FALSE(PodsOf(IPerf(), pool)["spec"].contains("hostNetwork"));
}

TEST(PerftestWorkers, AnMtuIsSetBeforeTheWorkerStarts) {
  const Json pods = PodsOf(IPerf({{"mtu", 9000}}));
  const Json& setter = pods["spec"]["initContainers"][0];
  EXPECT_EQ(setter["command"], Json({"ip", "link", "set", "dev", "eth0", "mtu", "9000"}));
  EXPECT_EQ(setter["image"], "here/worker:1");
  EXPECT_EQ(setter["securityContext"]["capabilities"]["add"], Json({"NET_ADMIN"}));
  EXPECT_THAT(VariableOf(pods["spec"]["containers"][0], "TWOFOLD_LABELS"), HasSubstr("mtu=9000"));
  EXPECT_FALSE(PodsOf(IPerf())["spec"].contains("initContainers"));
}

TEST(PerftestWorkers, AnMtuIsNeverThatOfANode) {
  EXPECT_THAT(Complaint(IPerf({{"mtu", 9000}, {"hostNetwork", true}})),
              HasSubstr("does not go with hostNetwork"));
}

TEST(PerftestWorkers, OfResourcesTheObjectSaysAllThatItNames) {
  const Json asked = {{"requests", {{"memory", "1Gi"}}}, {"limits", {{"cpu", 8}, {"gpu", 1}}}};
  const Json resources = ContainerOf(IPerf({{"resources", asked}}))["resources"];
  EXPECT_EQ(resources["requests"], Json({{"memory", "1Gi"}})) << "cpu has a limit now";
  EXPECT_EQ(resources["limits"], Json({{"cpu", 8}, {"gpu", 1}}));
  EXPECT_EQ(ContainerOf(IPerf())["resources"]["limits"]["cpu"], "2");
}

TEST(PerftestWorkers, AnImageOfTheObjectIsUsedAsItIs) {
  const Json container =
      ContainerOf(IPerf({{"image", "theirs/iperf:3"}, {"imagePullPolicy", "Never"}}));
  EXPECT_EQ(container["image"], "theirs/iperf:3");
  EXPECT_EQ(container["imagePullPolicy"], "Never");
  EXPECT_EQ(VariableOf(container, "IMAGE"), "theirs/iperf:3");
}

TEST(PerftestWorkers, TheDefaultImageIsThatOfTheTemplate) {
  EXPECT_EQ(ContainerOf(IPerf())["image"], "here/worker:1");
  EXPECT_FALSE(ContainerOf(IPerf()).contains("imagePullPolicy"));
  EXPECT_EQ(ContainerOf(IPerf({{"imagePullPolicy", "Always"}}))["imagePullPolicy"], "Always");
  Json pool = PoolForAll();
  pool["spec"]["template"]["spec"]["containers"][0].erase("image");
  EXPECT_EQ(ContainerOf(IPerf(), pool)["image"], PerftestImage("IPerf"));
}

TEST(PerftestWorkers, TellTheTemplateWhichSuiteTheyRun) {
  EXPECT_EQ(VariableOf(ContainerOf(PerftestObject("RDMALatency", Json::object())), "TWOFOLD_SUITE"),
            "rdma-latency");
}

TEST(PerftestWorkers, MayLockMemoryWhereTheyUseRdmaAndNowhereElse) {
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

TEST(PerftestWorkers, AVolumeOfTheObjectNeedsAPlaceInTheTemplate) {
  Json pool = PoolForAll();
  pool["spec"]["template"]["spec"].erase("volumes");
  const Json fio = PerftestObject("Fio", {{"volumeClaimTemplate", {{"accessModes", {"X"}}}}});
  EXPECT_THAT(Complaint(fio, pool), HasSubstr("pods by WorkerPool all: template.spec.volumes"));
  EXPECT_EQ(Complaint(PerftestObject("Fio", Json::object()), pool), "");
}

TEST(PerftestWorkers, AreScheduledAsTheTemplateSays) {
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

TEST(PerftestWorkers, OfPairsAreOnNodesWithoutAnyOtherPodOfARun) {
  const Json others = OthersOf(PodsOf(IPerf()));
  EXPECT_EQ(others["topologyKey"], "kubernetes.io/hostname");
  EXPECT_EQ(others["namespaceSelector"], Json::object()) << "of all namespaces";
  EXPECT_EQ(others["labelSelector"]["matchExpressions"],
            Json::array({{{"key", "twofold.dev/benchmark"}, {"operator", "Exists"}}}));
}

TEST(PerftestWorkers, OfOthersSpreadOverNodesWithoutPodsOfOtherRuns) {
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

TEST(PerftestWorkers, ChooseNodesAsTheTemplateDoesAsWell) {
  Json pool = PoolForAll();
  Json& affinity = pool["spec"]["template"]["spec"]["affinity"];
  affinity["nodeAffinity"] = {{"x", 1}};
  affinity["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"] = {{{"y", 1}}};
  const Json made = PodsOf(PerftestObject("Fio", Json::object()), pool)["spec"]["affinity"];
  EXPECT_EQ(made["nodeAffinity"], affinity["nodeAffinity"]);
  EXPECT_EQ(made["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"].size(), 2U);
}

// ---- what does not go

TEST(PerftestWorkers, AreTheSameForAllJobsOfASet) {
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

TEST(PerftestWorkers, ALabelHasOneValue) {
  const Json claim = {{"accessModes", {"ReadWriteOnce", "ReadWriteMany"}}};
  EXPECT_THAT(Complaint(PerftestObject("Fio", {{"volumeClaimTemplate", claim}})),
              HasSubstr("spec.volumeClaimTemplate.accessModes: must be one value"));
}

TEST(PerftestWorkers, ATemplateThatIsNoneIsSaid) {
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
    Json pool = PoolForAll();
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

TEST(PerftestPool, IsTheFirstThatListsTheKindElseTheFirstForAll) {
  EXPECT_EQ(NameOfPoolFor(IPerf(), {{"a", "*"}, {"b", "Fio, IPerf"}, {"c", "IPerf"}}), "b");
  EXPECT_EQ(NameOfPoolFor(IPerf(), {{"a", "Fio"}, {"b", "*"}, {"c", "*"}}), "b");
  EXPECT_EQ(NameOfPoolFor(IPerf(), {{"a", "Fio"}, {"b", ""}}), "");
  EXPECT_EQ(NameOfPoolFor(ExampleOf("cni/openfoam-set"), {{"a", "IPerf"}, {"b", "OpenFOAM"}}), "b")
      << "of a set it is that of its template";
}

TEST(PerftestPool, WithoutAnAnnotationIsForNone) {
  Json pool = PoolForAll();
  pool["metadata"].erase("annotations");
  EXPECT_EQ(PoolFor(IPerf(), std::vector{std::make_shared<const Json>(pool)}), nullptr);
}

}  // namespace
}  // namespace twofold::benchmarks
