#include "kubernetes/nodes/model/pod.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <string_view>

#include "kubernetes/nodes/model/names.h"

namespace twofold::nodes {
namespace {

const Json& ListAt(const Json& object, std::string_view path) {
  static const Json empty = Json::array();
  const Json* found = kube::At(object, path);
  return found != nullptr && found->is_array() ? *found : empty;
}

std::vector<Container> ContainersAt(const Json& object, std::string_view path) {
  std::vector<Container> containers;
  for (const Json& entry : ListAt(object, path)) {
    containers.push_back({kube::TextAt(entry, "/name"), kube::TextAt(entry, "/image"),
                          kube::TextAt(entry, "/restartPolicy") == "Always"});
  }
  return containers;
}

// Devices are whole: what is no whole number is no device.
std::int64_t GpusOf(const Json& container) {
  for (const char* kind : {"limits", "requests"}) {
    const Json* list = kube::At(container, absl::StrCat("/resources/", kind));
    if (list == nullptr || !list->is_object() || !list->contains(kGpuResource)) continue;
    const Json& value = (*list)[kGpuResource];
    if (value.is_number_integer()) return value.get<std::int64_t>();
    std::int64_t count = 0;
    const std::string text = value.is_string() ? value.get<std::string>() : "";
    return absl::SimpleAtoi(text, &count) ? count : 0;
  }
  return 0;
}

// Init containers run one after the other before the rest, on the same devices.
std::int64_t GpusOfPod(const Json& object) {
  std::int64_t together = 0;
  for (const Json& entry : ListAt(object, "/spec/containers")) together += GpusOf(entry);
  for (const Json& entry : ListAt(object, "/spec/initContainers")) {
    together = std::max(together, GpusOf(entry));
  }
  return together;
}

std::map<std::string, std::string> WishesOf(const Json& object) {
  std::map<std::string, std::string> wishes;
  const Json* annotations = kube::At(object, "/metadata/annotations");
  if (annotations == nullptr || !annotations->is_object()) return wishes;
  for (const char* name : {kStartTime, kRunTime, kStopTime, kFailures, kExitCode, kEvictAfter,
                           kUtilisation, kPlanned, kReservedGpu}) {
    const auto found = annotations->find(name);
    if (found != annotations->end() && found->is_string()) wishes[name] = found->get<std::string>();
  }
  return wishes;
}

Restart RestartOf(const std::string& policy) {
  if (policy == "Never") return Restart::kNever;
  return policy == "OnFailure" ? Restart::kOnFailure : Restart::kAlways;
}

Phase PhaseOf(const std::string& phase) {
  if (phase == "Succeeded" || phase == "Failed") return Phase::kEnded;
  return phase == "Running" ? Phase::kRunning : Phase::kPending;
}

bool Covers(const Json& toleration, const Taint& taint) {
  const std::string key = kube::TextAt(toleration, "/key");
  const std::string effect = kube::TextAt(toleration, "/effect");
  const bool any_value = kube::TextAt(toleration, "/operator") == "Exists";
  if (!effect.empty() && effect != taint.effect) return false;
  if (key.empty()) return any_value;
  return key == taint.key && (any_value || kube::TextAt(toleration, "/value") == taint.value);
}

}  // namespace

Result<Taint> ParseTaint(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon != std::string::npos) {
    const std::string key = text.substr(0, colon);
    const std::size_t equals = std::min(key.find('='), key.size());
    const Taint taint{key.substr(0, equals), key.substr(std::min(equals + 1, key.size())),
                      text.substr(colon + 1)};
    const bool is_effect = taint.effect == "NoSchedule" || taint.effect == "PreferNoSchedule" ||
                           taint.effect == "NoExecute";
    if (is_effect && !taint.key.empty()) return taint;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "'", text, "' is not KEY[=VALUE]:EFFECT with NoSchedule, PreferNoSchedule or NoExecute"));
}

Pod ReadPod(const Json& object) {
  Pod pod;
  pod.uid = kube::TextAt(object, "/metadata/uid");
  pod.name = kube::NameOf(object);
  pod.node = kube::TextAt(object, "/spec/nodeName");
  pod.init = ContainersAt(object, "/spec/initContainers");
  pod.containers = ContainersAt(object, "/spec/containers");
  pod.restart = RestartOf(kube::TextAt(object, "/spec/restartPolicy"));
  pod.wishes = WishesOf(object);
  pod.gpus = GpusOfPod(object);
  pod.reserves_gpu = pod.gpus == 1 && !kube::LabelOf(object, kGpuGroupLabel).empty();
  pod.phase = PhaseOf(kube::TextAt(object, "/status/phase"));
  pod.is_deleted = !kube::TextAt(object, "/metadata/deletionTimestamp").empty();
  const Json* grace = kube::At(object, "/metadata/deletionGracePeriodSeconds");
  if (grace != nullptr && grace->is_number()) pod.grace = FromSeconds(grace->get<double>());
  pod.has_finalizers = !ListAt(object, "/metadata/finalizers").empty();
  return pod;
}

bool Tolerates(const Json& pod, const Taint& taint) {
  const Json& tolerations = ListAt(pod, "/spec/tolerations");
  return std::any_of(tolerations.begin(), tolerations.end(),
                     [&](const Json& toleration) { return Covers(toleration, taint); });
}

bool IsMeantFor(const Json& pod, const Taint& taint) {
  return Tolerates(pod, taint) || ReadPod(pod).reserves_gpu;
}

}  // namespace twofold::nodes
