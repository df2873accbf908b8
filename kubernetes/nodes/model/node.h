#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/api/call.h"
#include "kubernetes/nodes/model/moment.h"
#include "kubernetes/nodes/model/names.h"
#include "kubernetes/nodes/model/pod.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"

namespace twofold::nodes {

/// A model of GPU, as the labels and metrics of a node name it.
struct GpuModel {
  std::string name = "NVIDIA H100 80GB HBM3";  ///< as NVML says it
  std::string family = "hopper";
  std::int64_t memory_mib = 81559;
  bool mig_capable = true;
  std::string compute = "9.0";  ///< its capability

  /// The name as values of labels have it: with dashes for blanks.
  [[nodiscard]] std::string product() const;
};

inline constexpr const char* kDriverVersion = "570.133.20";  ///< of NVIDIA, knows all models
inline constexpr const char* kCudaVersion = "12.8";          ///< the newest that it runs

/// The model with this product name or the part of it that tells it apart: "H100". Case counts not.
/// kInvalidArgument: unknown, and the known ones.
Result<GpuModel> FindGpu(const std::string& name);

/// A level of the network or of the room: nodes in the order of their numbers share its units.
struct TopologyLevel {
  std::string label;        ///< "cloud.provider.com/topology-rack"
  std::string word;         ///< in its values: "rack"
  std::uint64_t nodes = 1;  ///< of a unit
};

/// Nodes that are alike.
struct NodeTemplate {
  std::string run = "sim";  ///< their names are RUN-0, RUN-1, ...; the value of kRunLabel
  std::uint32_t count = 1;
  std::map<std::string, std::string> capacity = {{"cpu", "64"}, {"memory", "512Gi"}};
  std::map<std::string, std::string> labels;
  std::vector<Taint> taints;            ///< beside their own
  std::vector<TopologyLevel> topology;  ///< the innermost first
  GpuModel gpu;

  [[nodiscard]] std::string NameOf(std::uint32_t index) const;

  /// The index of the node of this name; nullopt: it is none of these.
  [[nodiscard]] std::optional<std::uint32_t> IndexOf(const std::string& name) const;

  [[nodiscard]] std::int64_t gpus() const;

  /// The taint that only pods for simulated nodes tolerate.
  [[nodiscard]] Taint own_taint() const { return {kTaintKey, run, "NoSchedule"}; }
  [[nodiscard]] std::vector<Taint> all_taints() const;
};

/// How long a node counts as alive after a renewal, and how often it renews.
inline constexpr Duration kLeaseLife = std::chrono::seconds(40);
inline constexpr Duration kLeasePeriod = std::chrono::seconds(10);

/// NAME=VALUE with a name and value that Kubernetes takes as a label, other than that of the run.
Result<std::pair<std::string, std::string>> ParseLabel(const std::string& text);

/// LEVEL=SIZE,... from the inside out: `rack=32,block=4` are racks of 32 nodes and blocks of 4
/// racks. A level is zone, region, rack, block, or the key of a label.
Result<std::vector<TopologyLevel>> ParseTopology(const std::string& text);

/// NAME=QUANTITY of a resource: nvidia.com/gpu=8, ephemeral-storage=1Ti.
Result<std::pair<std::string, std::string>> ParseResource(const std::string& text);

/// Why `text` is not a name for a run; OK if it is: it begins names of nodes and is a label.
Status CheckRunName(const std::string& text);

/// Whether a node says that it can take pods.
bool IsReady(const Json& node);

/// The run whose label a node has; empty: none.
std::string RunOf(const Json& node);

/// Whether an existing node has the template's taints; those that Kubernetes sets do not count.
bool HasTaintsOf(const NodeTemplate& nodes, const Json& node);

/// Makes the node with all it has, conditions included.
kube::Call CreateNode(const NodeTemplate& nodes, std::uint32_t index, Moment now);

/// Makes an existing node what the template says, and ready: for one that has been taken over, or
/// comes back.
kube::Call RefreshNode(const NodeTemplate& nodes, std::uint32_t index, Moment now);

/// Which of the node's taints keeps pods away until it is ready; nullopt: none.
std::optional<std::size_t> FindNotReady(const Json& node);

/// Takes that taint off. Invalid (422): it is not at this place any more.
kube::Call RemoveNotReady(const std::string& node, std::size_t at);

/// The lease of a node of the run, which goes when the node with this uid does.
kube::Call CreateLease(const std::string& run, const std::string& node, const std::string& uid,
                       Moment now);
kube::Call RenewLease(const std::string& node, Moment now);

/// The leases of a run's nodes, whether these are there or not.
kube::Selection LeasesOf(const std::string& run);

}  // namespace twofold::nodes
