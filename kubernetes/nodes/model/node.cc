#include "kubernetes/nodes/model/node.h"

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <string_view>

namespace twofold::nodes {
namespace {

struct KnownGpu {
  const char* name;
  GpuModel model;
};

// Memory as nvidia-smi shows it, in MiB.
const std::vector<KnownGpu>& KnownGpus() {
  static const std::vector<KnownGpu> known = {
      {"T4", {"Tesla T4", "turing", 15360, false, "7.5"}},
      {"V100", {"Tesla V100-SXM2-32GB", "volta", 32768, false, "7.0"}},
      {"A100", {"NVIDIA A100-SXM4-80GB", "ampere", 81920, true, "8.0"}},
      {"L4", {"NVIDIA L4", "ada-lovelace", 23034, false, "8.9"}},
      {"L40S", {"NVIDIA L40S", "ada-lovelace", 46068, false, "8.9"}},
      {"H100", {"NVIDIA H100 80GB HBM3", "hopper", 81559, true, "9.0"}},
      {"H200", {"NVIDIA H200", "hopper", 143771, true, "9.0"}},
      {"B200", {"NVIDIA B200", "blackwell", 183359, true, "10.0"}},
  };
  return known;
}

struct KnownLevel {
  std::string_view name;
  const char* label;
};

// Zones and regions have labels of Kubernetes; racks and blocks those in examples of Kueue and KAI.
constexpr KnownLevel kLevels[] = {{"zone", "topology.kubernetes.io/zone"},
                                  {"region", "topology.kubernetes.io/region"},
                                  {"rack", "cloud.provider.com/topology-rack"},
                                  {"block", "cloud.provider.com/topology-block"}};
constexpr std::size_t kLongestLevel = 15;  // so that it fits into a label's value with the run

constexpr const char* kLeaseSpace = "kube-node-lease";
constexpr std::size_t kLongestLabel = 63;
constexpr std::size_t kLongestPrefix = 253;

bool IsEdge(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)); }
bool IsInner(char c) { return IsEdge(c) || c == '-' || c == '_' || c == '.'; }

// The rule of Kubernetes for values of labels, and for names behind their prefix.
bool IsLabelWord(std::string_view text) {
  return !text.empty() && text.size() <= kLongestLabel && IsEdge(text.front()) &&
         IsEdge(text.back()) && std::all_of(text.begin(), text.end(), IsInner);
}

bool IsDnsName(std::string_view text) {
  const auto is_inner = [](char c) {
    return absl::ascii_islower(static_cast<unsigned char>(c)) ||
           absl::ascii_isdigit(static_cast<unsigned char>(c)) || c == '-' || c == '.';
  };
  return !text.empty() && text.size() <= kLongestPrefix && IsEdge(text.front()) &&
         IsEdge(text.back()) && std::all_of(text.begin(), text.end(), is_inner);
}

bool IsKey(std::string_view key) {
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos) return IsLabelWord(key);
  return IsDnsName(key.substr(0, slash)) && IsLabelWord(key.substr(slash + 1));
}

// A number that is not negative, with a suffix of the powers of 10 or 2.
bool IsQuantity(const std::string& text) {
  static const std::vector<std::string> suffixes = {"",  "m",  "k",  "M",  "G",  "T",
                                                    "P", "Ki", "Mi", "Gi", "Ti", "Pi"};
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  double number = 0;
  return absl::SimpleAtod(text.substr(0, end), &number) &&
         std::find(suffixes.begin(), suffixes.end(), text.substr(end)) != suffixes.end();
}

std::pair<std::string, std::string> Halves(const std::string& text) {
  const std::size_t equals = std::min(text.find('='), text.size());
  return {text.substr(0, equals), text.substr(std::min(equals + 1, text.size()))};
}

// Empty: there is no such level.
std::string LabelOfLevel(const std::string& name) {
  for (const KnownLevel& level : kLevels) {
    if (level.name == name) return level.label;
  }
  return name.find('/') != std::string::npos && IsKey(name) ? name : "";
}

// "570.133.20" as PREFIX.full, .major, .minor and .revision.
void PutVersion(Json& labels, const std::string& prefix, const std::string& version) {
  constexpr const char* kParts[] = {".major", ".minor", ".revision"};
  labels[prefix + ".full"] = version;
  const std::vector<std::string> parts = absl::StrSplit(version, '.');
  for (std::size_t i = 0; i < parts.size(); ++i) labels[prefix + kParts[i]] = parts[i];
}

// What NVIDIA's feature discovery says of a node with such GPUs, none of them shared or split.
Json FoundFeatures(const GpuModel& gpu, std::int64_t count) {
  const std::vector<std::string> compute = absl::StrSplit(gpu.compute, '.');
  Json labels = {{"nvidia.com/gpu.count", absl::StrCat(count)},
                 {"nvidia.com/gpu.product", gpu.product()},
                 {"nvidia.com/gpu.family", gpu.family},
                 {"nvidia.com/gpu.memory", absl::StrCat(gpu.memory_mib)},
                 {"nvidia.com/gpu.compute.major", compute.front()},
                 {"nvidia.com/gpu.compute.minor", compute.back()},
                 {"nvidia.com/gpu.mode", "compute"},
                 {"nvidia.com/gpu.replicas", "1"},
                 {"nvidia.com/gpu.sharing-strategy", "none"},
                 {"nvidia.com/mig.capable", gpu.mig_capable ? "true" : "false"},
                 {"nvidia.com/mps.capable", "false"},
                 {"nvidia.com/vgpu.present", "false"}};
  PutVersion(labels, "nvidia.com/cuda.driver-version", kDriverVersion);
  PutVersion(labels, "nvidia.com/cuda.runtime-version", kCudaVersion);
  return labels;
}

std::string UnitOf(const NodeTemplate& nodes, const TopologyLevel& level, std::uint32_t index) {
  return absl::StrCat(nodes.run, "-", level.word, "-", index / level.nodes);
}

Json NodeLabels(const NodeTemplate& nodes, std::uint32_t index) {
  Json labels = {{"kubernetes.io/arch", "amd64"},
                 {"kubernetes.io/os", "linux"},
                 {"kubernetes.io/hostname", nodes.NameOf(index)},
                 {"node.kubernetes.io/instance-type", "twofold"},
                 {kRunLabel, nodes.run}};
  if (const std::int64_t gpus = nodes.gpus(); gpus > 0) {
    labels.update(FoundFeatures(nodes.gpu, gpus));
    // NVIDIA's GPU Operator adds the first, and asks for the second: its strategy is `single`,
    // which is said of nodes without MIG, too.
    labels.update({{"nvidia.com/gpu.present", "true"}, {"nvidia.com/mig.strategy", "single"}});
  }
  for (const TopologyLevel& level : nodes.topology) {
    labels[level.label] = UnitOf(nodes, level, index);
  }
  for (const auto& [key, value] : nodes.labels) labels[key] = value;
  return labels;
}

Json NodeCondition(const char* type, const char* status, const char* reason,
                   const std::string& now) {
  return {{"type", type},
          {"status", status},
          {"reason", reason},
          {"message", "simulated by twofold"},
          {"lastHeartbeatTime", now},
          {"lastTransitionTime", now}};
}

Json NodeStatus(const NodeTemplate& nodes, Moment moment) {
  const std::string now = InSeconds(moment);
  Json capacity = nodes.capacity;
  if (!capacity.contains("pods")) capacity["pods"] = "110";
  return {{"capacity", capacity},
          {"allocatable", capacity},
          {"conditions",
           {NodeCondition("Ready", "True", "KubeletReady", now),
            NodeCondition("MemoryPressure", "False", "KubeletHasSufficientMemory", now),
            NodeCondition("DiskPressure", "False", "KubeletHasNoDiskPressure", now),
            NodeCondition("PIDPressure", "False", "KubeletHasSufficientPID", now),
            NodeCondition("NetworkUnavailable", "False", "RouteCreated", now)}}};
  // No address: nobody shall try to connect to a node that is not there.
}

Json TaintJson(const Taint& taint) {
  Json json = {{"key", taint.key}, {"effect", taint.effect}};
  if (!taint.value.empty()) json["value"] = taint.value;
  return json;
}

Json NotReady() { return TaintJson({"node.kubernetes.io/not-ready", "", "NoSchedule"}); }

}  // namespace

Result<GpuModel> FindGpu(const std::string& name) {
  std::string known;
  for (const KnownGpu& gpu : KnownGpus()) {
    if (absl::EqualsIgnoreCase(name, gpu.name) ||
        absl::EqualsIgnoreCase(name, gpu.model.product())) {
      return gpu.model;
    }
    absl::StrAppend(&known, known.empty() ? "" : ", ", gpu.name);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("'", name, "' is not a known model of GPU: ", known));
}

std::string GpuModel::product() const { return absl::StrReplaceAll(name, {{" ", "-"}}); }

std::string NodeTemplate::NameOf(std::uint32_t index) const {
  return absl::StrCat(run, "-", index);
}

std::optional<std::uint32_t> NodeTemplate::IndexOf(const std::string& name) const {
  if (!absl::StartsWith(name, run + "-")) return std::nullopt;
  std::uint32_t index = 0;
  const bool is_ours = absl::SimpleAtoi(name.substr(run.size() + 1), &index) && index < count &&
                       name == NameOf(index);
  return is_ours ? std::optional(index) : std::nullopt;
}

std::vector<Taint> NodeTemplate::all_taints() const {
  std::vector<Taint> all = {own_taint()};
  all.insert(all.end(), taints.begin(), taints.end());
  return all;
}

std::int64_t NodeTemplate::gpus() const {
  const auto found = capacity.find(kGpuResource);
  std::int64_t count_of_gpus = 0;
  return found != capacity.end() && absl::SimpleAtoi(found->second, &count_of_gpus) ? count_of_gpus
                                                                                    : 0;
}

Result<std::pair<std::string, std::string>> ParseLabel(const std::string& text) {
  auto label = Halves(text);
  if (label.first == kRunLabel) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "': ", kRunLabel, " is the label of the run; use --run"));
  }
  const bool has_value = label.second.empty() || IsLabelWord(label.second);
  if (text.find('=') != std::string::npos && IsKey(label.first) && has_value) return label;
  return absl::InvalidArgumentError(absl::StrCat(
      "'", text, "' is not [PREFIX/]NAME=VALUE, each at most 63 letters, digits and -_."));
}

Result<std::vector<TopologyLevel>> ParseTopology(const std::string& text) {
  constexpr std::uint64_t kMost = 1'000'000'000;  // nodes of a unit
  std::vector<TopologyLevel> levels;
  std::uint64_t nodes = 1;
  const std::vector<std::string> parts = absl::StrSplit(text, ',');
  for (const std::string& part : parts) {
    const auto [name, size] = Halves(part);
    const std::string label = LabelOfLevel(name);
    const std::string word = name.substr(name.rfind('/') + 1);
    const bool is_new = std::none_of(levels.begin(), levels.end(),
                                     [&](const auto& each) { return each.label == label; });
    std::uint64_t units = 0;
    const bool has_size = absl::SimpleAtoi(size, &units) && 0 < units && units <= kMost / nodes;
    if (label.empty() || word.size() > kLongestLevel || !is_new || !has_size) {
      return absl::InvalidArgumentError(absl::StrCat(
          "'", part, "' is not LEVEL=SIZE, such as rack=32: how many nodes, or units of the level ",
          "before, are one; levels are zone, region, rack, block or a key PREFIX/NAME, its NAME "
          "of ",
          kLongestLevel, " characters at most, each once"));
    }
    nodes *= units;
    levels.push_back({label, word, nodes});
  }
  return levels;
}

Result<std::pair<std::string, std::string>> ParseResource(const std::string& text) {
  auto resource = Halves(text);
  std::int64_t count = 0;
  const bool is_device = resource.first.find('/') != std::string::npos;
  const bool is_amount = is_device ? absl::SimpleAtoi(resource.second, &count) && count >= 0
                                   : IsQuantity(resource.second);
  if (IsKey(resource.first) && is_amount) return resource;
  return absl::InvalidArgumentError(absl::StrCat(
      "'", text, "' is not NAME=QUANTITY, such as nvidia.com/gpu=8 or hugepages-2Mi=4Gi;",
      " a name with a prefix takes a whole number"));
}

Status CheckRunName(const std::string& text) {
  constexpr std::size_t kLongestRun = 40;  // leaves room for the number of the node
  if (text.size() <= kLongestRun && IsDnsName(text) && text.find('.') == std::string::npos) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat("'", text, "' is not a name of at most ",
                                                 kLongestRun, " lower-case letters, digits and -"));
}

bool IsReady(const Json& node) { return kube::IsTrue(kube::FindCondition(node, "Ready")); }

std::string RunOf(const Json& node) { return kube::LabelOf(node, kRunLabel); }

bool HasTaintsOf(const NodeTemplate& nodes, const Json& node) {
  std::vector<Taint> missing = nodes.all_taints();
  const Json* taints = kube::At(node, "/spec/taints");
  if (taints == nullptr || !taints->is_array()) return false;
  for (const Json& entry : *taints) {
    const Taint taint{kube::TextAt(entry, "/key"), kube::TextAt(entry, "/value"),
                      kube::TextAt(entry, "/effect")};
    const bool is_ours = std::erase(missing, taint) > 0;
    // Of lost and of cordoned nodes.
    if (!is_ours && !absl::StartsWith(taint.key, "node.kubernetes.io/")) return false;
  }
  return missing.empty();
}

kube::Call CreateNode(const NodeTemplate& nodes, std::uint32_t index, Moment now) {
  Json taints = Json::array();
  for (const Taint& taint : nodes.all_taints()) taints.push_back(TaintJson(taint));
  return kube::Create(
      kube::kNodes,
      {{"apiVersion", "v1"},
       {"kind", "Node"},
       {"metadata", {{"name", nodes.NameOf(index)}, {"labels", NodeLabels(nodes, index)}}},
       {"spec", {{"taints", taints}}},
       {"status", NodeStatus(nodes, now)}});
}

kube::Call RefreshNode(const NodeTemplate& nodes, std::uint32_t index, Moment now) {
  const std::string name = nodes.NameOf(index);
  Json status = NodeStatus(nodes, now);
  // Else resources that the template no longer has would stay.
  for (const char* resources : {"capacity", "allocatable"}) status[resources]["$patch"] = "replace";
  return kube::Patch(kube::kNodes, {"", name}, kube::PatchKind::kStrategic,
                     {{"metadata", {{"labels", NodeLabels(nodes, index)}}}, {"status", status}}, {},
                     "status");
}

std::optional<std::size_t> FindNotReady(const Json& node) {
  const Json* taints = kube::At(node, "/spec/taints");
  if (taints == nullptr || !taints->is_array()) return std::nullopt;
  const auto found = std::find(taints->begin(), taints->end(), NotReady());
  if (found == taints->end()) return std::nullopt;
  return static_cast<std::size_t>(found - taints->begin());
}

kube::Call RemoveNotReady(const std::string& node, std::size_t at) {
  const std::string path = absl::StrCat("/spec/taints/", at);
  return kube::Patch(kube::kNodes, {"", node}, kube::PatchKind::kJson,
                     Json::array({{{"op", "test"}, {"path", path}, {"value", NotReady()}},
                                  {{"op", "remove"}, {"path", path}}}));
}

kube::Selection LeasesOf(const std::string& run) {
  return {kube::kLeases, kLeaseSpace, absl::StrCat(kRunLabel, "=", run)};
}

kube::Call CreateLease(const std::string& run, const std::string& node, const std::string& uid,
                       Moment now) {
  const Json owner = {{"apiVersion", "v1"}, {"kind", "Node"}, {"name", node}, {"uid", uid}};
  return kube::Create(kube::kLeases,
                      {{"apiVersion", "coordination.k8s.io/v1"},
                       {"kind", "Lease"},
                       {"metadata",
                        {{"name", node},
                         {"namespace", kLeaseSpace},
                         {"labels", {{kRunLabel, run}}},
                         {"ownerReferences", Json::array({owner})}}},
                       {"spec",
                        {{"holderIdentity", node},
                         {"leaseDurationSeconds",
                          std::chrono::duration_cast<std::chrono::seconds>(kLeaseLife).count()},
                         {"renewTime", InMicroseconds(now)}}}});
}

kube::Call RenewLease(const std::string& node, Moment now) {
  return kube::Patch(kube::kLeases, {kLeaseSpace, node}, kube::PatchKind::kMerge,
                     {{"spec", {{"renewTime", InMicroseconds(now)}}}});
}

}  // namespace twofold::nodes
