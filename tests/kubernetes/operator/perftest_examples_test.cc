// Workers of their own for the examples of kube-perftest.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <vector>

#include "kubernetes/operator/own_workers.h"
#include "tests/kubernetes/operator/perftest_pods.h"

namespace twofold::benchmarks {
namespace {

using kube::Json;
using ::testing::HasSubstr;

class PerftestExamplesTest : public PerftestPods {};

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

TEST_F(PerftestExamplesTest, OfEachExampleAreAsManyAsItsLargestJobTakes) {
  std::map<std::string, std::int64_t> found;
  for (const std::string& file : FilesOfExamples()) {
    const auto workers = WorkersOf(ExampleOf(file));
    ASSERT_TRUE(workers.ok()) << file << ": " << workers.status();
    found[file] = (*workers)["replicas"];
  }
  EXPECT_EQ(found, kWorkersOfExamples);
}

TEST_F(PerftestExamplesTest, OfEachExampleHaveItsNetworkAndItsDevice) {
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

TEST_F(PerftestExamplesTest, OfEachExampleOfFioHaveItsVolume) {
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

TEST_F(PerftestExamplesTest, OfEachExampleMakeAPoolWhoseWorkersHaveWhatItsJobsAskFor) {
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

}  // namespace
}  // namespace twofold::benchmarks
