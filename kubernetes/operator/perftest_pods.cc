#include "kubernetes/operator/perftest_pods.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "kubernetes/operator/own_workers.h"
#include "kubernetes/operator/perftest_crds.h"
#include "kubernetes/pools/pods.h"

namespace twofold::benchmarks {
namespace {

using kube::Json;

/// No two pods of runs on one node; those of others keep to nodes without pods of other runs.
constexpr std::string_view kAlone[] = {"IPerf", "RDMABandwidth", "RDMALatency"};
constexpr const char* kMultusNetwork = "v1.multus-cni.io/default-network";
constexpr const char* kControlPlane = "node-role.kubernetes.io/control-plane";
constexpr const char* kDefaultPolicy = "IfNotPresent";  // stands in each object

/// What is added to, and what it has to be where it is there.
struct Shape {
  const char* path;
  bool is_list;
};
constexpr Shape kShapes[] = {
    {"/metadata", false},
    {"/metadata/annotations", false},
    {"/spec", false},
    {"/spec/volumes", true},
    {"/spec/initContainers", true},
    {"/spec/topologySpreadConstraints", true},
    {"/spec/affinity", false},
    {"/spec/affinity/podAntiAffinity", false},
    {"/spec/affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution", true},
    {"/spec/containers", true},
    {"/spec/containers/0", false},
    {"/spec/containers/0/env", true},
    {"/spec/containers/0/resources", false},
    {"/spec/containers/0/resources/requests", false},
    {"/spec/containers/0/resources/limits", false},
    {"/spec/containers/0/securityContext", false},
    {"/spec/containers/0/securityContext/capabilities", false},
    {"/spec/containers/0/securityContext/capabilities/add", true},
};

Status CheckShapes(const Json& pods) {
  if (!pods.is_object()) return absl::InvalidArgumentError("template: must be a map");
  for (const auto& [path, is_list] : kShapes) {
    const Json* value = kube::At(pods, path);
    if (value == nullptr || (is_list ? value->is_array() : value->is_object())) continue;
    std::string field(path);
    std::replace(field.begin(), field.end(), '/', '.');
    return absl::InvalidArgumentError(
        absl::StrCat("template", field, ": must be a ", is_list ? "list" : "map"));
  }
  if (kube::At(pods, "/spec/containers/0") != nullptr) return absl::OkStatus();
  return absl::InvalidArgumentError("template.spec.containers: must have one, which is the worker");
}

/// Empty: nothing of the kind is asked for.
std::string LabelOf(const PodWishes& wishes, std::string_view name) {
  for (const spec::Requirement& each : wishes.labels) {
    if (each.label == name) return each.value;
  }
  return "";
}

/// Adds a variable, unless the template has it.
void AddVariable(const char* name, const std::string& value, Json& container) {
  Json& variables = container["env"];
  const bool is_there = std::any_of(variables.begin(), variables.end(), [&](const Json& each) {
    return kube::TextAt(each, "/name") == name;
  });
  if (!is_there) variables.push_back({{"name", name}, {"value", value}});
}

// ---- steps, each about one wish

/// What the object says of the host's network holds, and not the template.
Status SetNetwork(const PodWishes& wishes, Json& pods) {
  Json& spec = pods["spec"];
  spec.erase("hostNetwork");
  if (LabelOf(wishes, "hostNetwork") == "true") {
    spec["hostNetwork"] = true;
    spec["dnsPolicy"] = "ClusterFirstWithHostNet";
    return absl::OkStatus();
  }
  const std::string network = LabelOf(wishes, "networkName");
  if (!network.empty()) pods["metadata"]["annotations"][kMultusNetwork] = network;
  return absl::OkStatus();
}

/// A variable that says which image the template has says the other one, too.
Status SetImage(const PodWishes& wishes, Json& pods) {
  Json& container = pods["spec"]["containers"][0];
  const std::string before = kube::TextAt(container, "/image");
  std::string image = LabelOf(wishes, "image");
  const bool is_of_object = !image.empty();
  if (image.empty()) image = before.empty() ? PerftestImage(wishes.kind) : before;
  container["image"] = image;
  for (Json& each : container["env"]) {
    if (!before.empty() && kube::TextAt(each, "/value") == before) each["value"] = image;
  }
  const bool says_policy = is_of_object || wishes.pull_policy != kDefaultPolicy;
  if (says_policy && !wishes.pull_policy.empty()) container["imagePullPolicy"] = wishes.pull_policy;
  return absl::OkStatus();
}

/// Of a resource that the object names the template says nothing more.
Status SetResources(const PodWishes& wishes, Json& pods) {
  if (!wishes.resources.is_object()) return absl::OkStatus();
  constexpr const char* kParts[] = {"requests", "limits"};
  Json& resources = pods["spec"]["containers"][0]["resources"];
  for (const char* part : kParts) {
    const Json* asked = kube::At(wishes.resources, absl::StrCat("/", part));
    if (asked == nullptr || !asked->is_object()) continue;
    for (const auto& [name, quantity] : asked->items()) {
      for (const char* each : kParts) {
        if (resources.contains(each)) resources[each].erase(name);
      }
    }
  }
  for (const char* part : kParts) {
    const Json* asked = kube::At(wishes.resources, absl::StrCat("/", part));
    if (asked != nullptr && asked->is_object()) resources[part].update(*asked);
  }
  return absl::OkStatus();
}

/// Kubernetes gives capabilities to root alone, and mpirun asks twice before it runs as root.
Status LetLockMemory(const PodWishes& wishes, Json& pods) {
  if (!wishes.uses_rdma) return absl::OkStatus();
  Json& container = pods["spec"]["containers"][0];
  Json& security = container["securityContext"];
  security["runAsNonRoot"] = false;
  security["runAsUser"] = 0;
  security["capabilities"]["add"].push_back("IPC_LOCK");
  AddVariable("OMPI_ALLOW_RUN_AS_ROOT", "1", container);
  AddVariable("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", container);
  return absl::OkStatus();
}

/// Before the worker starts. On the network of a node it would be the node's: specs that ask for
/// both are refused.
Status SetMtu(const PodWishes& wishes, Json& pods) {
  const std::string mtu = LabelOf(wishes, "mtu");
  if (mtu.empty()) return absl::OkStatus();
  const Json& worker = pods["spec"]["containers"][0];
  Json setter = {{"name", "mtu"},
                 {"image", worker["image"]},
                 {"command", {"ip", "link", "set", "dev", "eth0", "mtu", mtu}},
                 {"resources",
                  {{"requests", {{"cpu", "10m"}, {"memory", "16Mi"}}},
                   {"limits", {{"cpu", "200m"}, {"memory", "32Mi"}}}}},
                 {"securityContext",
                  {{"runAsNonRoot", false},
                   {"runAsUser", 0},
                   {"allowPrivilegeEscalation", false},
                   {"readOnlyRootFilesystem", true},
                   {"capabilities", {{"drop", {"ALL"}}, {"add", {"NET_ADMIN"}}}}}}};
  if (worker.contains("imagePullPolicy")) setter["imagePullPolicy"] = worker["imagePullPolicy"];
  Json& first = pods["spec"]["initContainers"];
  if (first.is_null()) first = Json::array();
  first.insert(first.begin(), std::move(setter));
  return absl::OkStatus();
}

/// The worker is what its jobs ask for, also against what the template says it is.
Status SetLabels(const PodWishes& wishes, Json& pods) {
  Json& container = pods["spec"]["containers"][0];
  AddVariable("TWOFOLD_SUITE", wishes.suite, container);
  for (const auto& [name, value] : wishes.labels) {
    if (value.find(',') != std::string::npos) {
      return absl::InvalidArgumentError(
          absl::StrCat("spec.", name, ": must be one value, as workers have it for a label"));
    }
    if (Status status = AddWorkerLabel(absl::StrCat(name, "=", value), container); !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

constexpr Status (*kSteps[])(const PodWishes&, Json&) = {SetNetwork,    SetImage, SetResources,
                                                         LetLockMemory, SetMtu,   SetLabels};

// ---- what is about all pods

/// Against pods of all namespaces. Nodes whose taints keep the pods away do not count for the
/// skew, so that there can be more pods than nodes that take some.
void PlaceOnNodes(const PodWishes& wishes, const std::string& pool, Json& spec) {
  const bool is_alone =
      std::find(std::begin(kAlone), std::end(kAlone), wishes.kind) != std::end(kAlone);
  Json others = Json::array({{{"key", kBenchmarkLabel}, {"operator", "Exists"}}});
  if (!is_alone) {
    others.push_back(
        {{"key", pools::kPoolLabel}, {"operator", "NotIn"}, {"values", Json::array({pool})}});
  }
  Json& affinity = spec["affinity"];
  affinity["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"].push_back(
      {{"topologyKey", "kubernetes.io/hostname"},
       {"namespaceSelector", Json::object()},
       {"labelSelector", {{"matchExpressions", std::move(others)}}}});
  if (is_alone) return;
  spec["topologySpreadConstraints"].push_back(
      {{"maxSkew", 1},
       {"topologyKey", "kubernetes.io/hostname"},
       {"whenUnsatisfiable", "DoNotSchedule"},
       {"nodeTaintsPolicy", "Honor"},
       {"labelSelector", {{"matchLabels", {{pools::kPoolLabel, pool}}}}}});
  if (affinity.contains("nodeAffinity")) return;
  const Json worker = {{"key", kControlPlane}, {"operator", "DoesNotExist"}};
  affinity["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"] =
      Json::array({{{"matchExpressions", Json::array({worker})}}});
}

bool IsShared(const Json& claim) {
  const Json* modes = kube::At(claim, "/accessModes");
  return modes != nullptr && modes->is_array() &&
         std::find(modes->begin(), modes->end(), "ReadWriteMany") != modes->end();
}

/// One volume of all pods, or one for each.
Status SetVolume(const Json& claim, Json& workers) {
  if (!claim.is_object() || claim.empty()) return absl::OkStatus();
  Json& volumes = workers["template"]["spec"]["volumes"];
  const auto scratch = std::find_if(volumes.begin(), volumes.end(), [](const Json& each) {
    return kube::TextAt(each, "/name") == kScratchVolume;
  });
  if (scratch == volumes.end()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "template.spec.volumes: must have one called ", kScratchVolume,
        ", where the worker has its --work-dir: that of volumeClaimTemplate takes its place"));
  }
  if (IsShared(claim)) {
    *scratch = {{"name", kScratchVolume},
                {"persistentVolumeClaim", {{"claimName", kScratchVolume}}}};
    workers["claims"].push_back({{"name", kScratchVolume}, {"spec", claim}});
  } else {
    *scratch = {{"name", kScratchVolume},
                {"ephemeral", {{"volumeClaimTemplate", {{"spec", claim}}}}}};
  }
  return absl::OkStatus();
}

}  // namespace

Status Fulfil(const PodWishes& wishes, const std::string& pool, Json& workers) {
  Json& pods = workers["template"];
  if (Status status = CheckShapes(pods); !status.ok()) return status;
  for (const auto step : kSteps) {
    if (Status status = step(wishes, pods); !status.ok()) return status;
  }
  PlaceOnNodes(wishes, pool, pods["spec"]);
  return SetVolume(wishes.claim, workers);
}

}  // namespace twofold::benchmarks
