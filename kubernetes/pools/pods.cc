#include "kubernetes/pools/pods.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "kubernetes/controller/ownership.h"

namespace twofold::pools {
namespace {

using kube::Json;

constexpr std::int64_t kMostReplicas = 100'000;
constexpr std::int64_t kLongestDrain = 30 * 24 * 3600;
constexpr std::int64_t kLastSecond = 9'000'000'000;  // in 2255: a UnixTime can hold it

/// FNV-1a: the same in each version of the operator.
std::uint64_t StableHash(std::string_view text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211U;
  }
  return hash;
}

/// Ten of them, without vowels, so without words.
std::string Letters(std::uint64_t hash) {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  std::string text;
  for (int i = 0; i < 10; ++i, hash /= kLetters.size()) text += kLetters[hash % kLetters.size()];
  return text;
}

Result<std::int64_t> NumberAt(const Json& pool, const char* path, std::int64_t standard,
                              std::int64_t least, std::int64_t most) {
  const Json* value = kube::At(pool, path);
  if (value == nullptr) return standard;
  const bool fits = value->is_number_integer() && *value >= least && *value <= most;
  if (fits) return value->get<std::int64_t>();
  std::string field(path + 1);
  std::replace(field.begin(), field.end(), '/', '.');
  return absl::InvalidArgumentError(
      absl::StrCat(field, ": must be a whole number from ", least, " to ", most));
}

constexpr const char* kContainerLists[] = {"/status/initContainerStatuses",
                                           "/status/containerStatuses"};

/// Why a container of it does not run; empty: none says so.
std::string WaitingOf(const Json& pod) {
  for (const char* path : kContainerLists) {
    const Json* containers = kube::At(pod, path);
    if (containers == nullptr || !containers->is_array()) continue;
    for (const Json& each : *containers) {
      const std::string reason = kube::TextAt(each, "/state/waiting/reason");
      if (!reason.empty() && reason != "ContainerCreating" && reason != "PodInitializing") {
        return reason;
      }
    }
  }
  return "";
}

std::string UnschedulableOf(const Json& pod) {
  const Json* scheduled = kube::FindCondition(pod, "PodScheduled");
  if (scheduled == nullptr || kube::TextAt(*scheduled, "/status") != "False") return "";
  const std::string message = kube::TextAt(*scheduled, "/message");
  return message.empty() ? "no node takes it" : message;
}

/// Anybody who may label pods can have written it: what is no time of ours counts as none.
std::optional<kube::UnixTime> LeavingSince(const Json& pod) {
  std::int64_t second = 0;
  if (!absl::SimpleAtoi(kube::LabelOf(pod, kLeavingLabel), &second)) return std::nullopt;
  if (second < 0 || second > kLastSecond) return std::nullopt;
  return kube::UnixTime(std::chrono::seconds(second));
}

Json TemplateOf(const Json& pool) {
  const Json* value = kube::At(pool, "/spec/template");
  return value == nullptr ? Json::object() : *value;
}

/// What MakePod adds to must be maps; the rest the API server checks.
Status CheckTemplate(const Json& pool) {
  const Json around = {{"template", TemplateOf(pool)}};
  for (const char* path :
       {"/template", "/template/metadata", "/template/metadata/labels", "/template/spec"}) {
    const Json* value = kube::At(around, path);
    if (value != nullptr && !value->is_object()) {
      return absl::InvalidArgumentError(
          "spec.template: it and its metadata, labels and spec must be maps");
    }
  }
  if (kube::TextAt(around, "/template/spec/restartPolicy") == "Always") {
    return absl::InvalidArgumentError(
        "spec.template.spec.restartPolicy: must be OnFailure or Never: a drained worker ends well, "
        "and must not begin anew");
  }
  return absl::OkStatus();
}

}  // namespace

std::string PoolNameFor(const Json& owner) {
  const std::string unique = Letters(StableHash(kube::TextAt(owner, "/metadata/uid")));
  std::string name = kube::NameOf(owner).name.substr(0, kLongestPoolName - 1 - unique.size());
  std::replace(name.begin(), name.end(), '.', '-');  // names of pods are host names
  return absl::StrCat(name, "-", unique);
}

std::string SelectorOf(const std::string& pool) {
  return absl::StrCat(kPoolLabel, "=", pool, ",!", kLeavingLabel);
}

Result<PoolSpec> SpecOf(const Json& pool) {
  const auto replicas = NumberAt(pool, "/spec/replicas", 1, 0, kMostReplicas);
  const auto drain = NumberAt(pool, "/spec/drainSeconds", 3600, 0, kLongestDrain);
  const auto surge = NumberAt(pool, "/spec/maxSurge", 0, 0, kMostReplicas);
  const auto unavailable = NumberAt(pool, "/spec/maxUnavailable", 1, 0, kMostReplicas);
  for (const auto* each : {&replicas, &drain, &surge, &unavailable}) {
    if (!each->ok()) return each->status();
  }
  if (*surge == 0 && *unavailable == 0) {
    return absl::InvalidArgumentError(
        "spec.maxUnavailable: one of it and spec.maxSurge must be above 0");
  }
  PoolSpec spec;
  spec.queue = kube::TextAt(pool, "/spec/queue");
  if (spec.queue.empty()) return absl::InvalidArgumentError("spec.queue: must name a queue");
  if (Status status = CheckTemplate(pool); !status.ok()) return status;
  spec.replicas = static_cast<std::size_t>(*replicas);
  spec.drain = std::chrono::seconds(*drain);
  spec.surge = static_cast<std::size_t>(*surge);
  spec.unavailable = static_cast<std::size_t>(*unavailable);
  spec.hash = Letters(StableHash(TemplateOf(pool).dump()));
  return spec;
}

Json PartOfPod(const Json& pod) {
  Json part = Json::object();
  const auto keep = [&](const std::string& path) {
    const Json* value = kube::At(pod, path);
    if (value != nullptr) part[Json::json_pointer(path)] = *value;
  };
  for (const char* field : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp",
                            "deletionTimestamp", "ownerReferences"}) {
    keep(absl::StrCat("/metadata/", field));
  }
  for (const char* label : {kPoolLabel, kTemplateLabel, kLeavingLabel}) {
    const std::string value = kube::LabelOf(pod, label);
    if (!value.empty()) part["metadata"]["labels"][label] = value;
  }
  keep("/spec/nodeName");
  keep("/status/phase");
  for (const char* type : {"Ready", "PodScheduled"}) {
    const Json* condition = kube::FindCondition(pod, type);
    if (condition != nullptr) part["status"]["conditions"].push_back(*condition);
  }
  const std::string waiting = WaitingOf(pod);
  if (!waiting.empty()) {
    part["status"]["containerStatuses"] =
        Json::array({{{"state", {{"waiting", {{"reason", waiting}}}}}}});
  }
  return part;
}

PodSeen PodOf(const Json& pod) {
  const std::string phase = kube::TextAt(pod, "/status/phase");
  PodSeen seen;
  seen.name = kube::NameOf(pod).name;
  seen.node = kube::TextAt(pod, "/spec/nodeName");
  seen.hash = kube::LabelOf(pod, kTemplateLabel);
  seen.made = kube::TimeAt(pod, "/metadata/creationTimestamp").value_or(kube::UnixTime());
  seen.leaving = LeavingSince(pod);
  seen.ready = kube::IsTrue(kube::FindCondition(pod, "Ready"));
  seen.ended = phase == "Succeeded" || phase == "Failed";
  seen.deleted = controller::IsBeingDeleted(pod);
  if (seen.node.empty()) seen.unschedulable = UnschedulableOf(pod);
  if (!seen.ready && !seen.ended) seen.waiting = WaitingOf(pod);
  seen.version = kube::TextAt(pod, "/metadata/resourceVersion");
  seen.uid = kube::TextAt(pod, "/metadata/uid");
  return seen;
}

bool Owns(const Json& pool, const Json& pod) {
  const Json* owners = kube::At(pod, "/metadata/ownerReferences");
  if (owners == nullptr || !owners->is_array()) return false;
  const std::string uid = kube::TextAt(pool, "/metadata/uid");
  return std::any_of(owners->begin(), owners->end(), [&](const Json& owner) {
    return owner.value("controller", false) && kube::TextAt(owner, "/uid") == uid;
  });
}

std::string NameOfPod(const Json& pool, std::uint64_t number) {
  const std::string unique = absl::StrCat(kube::TextAt(pool, "/metadata/uid"), "/", number);
  return absl::StrCat(kube::NameOf(pool).name, "-", Letters(StableHash(unique)));
}

std::string PoolOfPod(const std::string& pod) { return pod.substr(0, pod.rfind('-')); }

Json MakePod(const Json& pool, const PoolSpec& spec, const std::string& name) {
  Json pod = TemplateOf(pool);
  pod["apiVersion"] = "v1";
  pod["kind"] = "Pod";
  Json& metadata = pod["metadata"];
  metadata["name"] = name;
  metadata["namespace"] = kube::NameOf(pool).space;
  metadata["labels"][kPoolLabel] = kube::NameOf(pool).name;
  metadata["labels"][kTemplateLabel] = spec.hash;
  metadata["ownerReferences"] = Json::array({controller::OwnerReference(pool)});
  if (!pod["spec"].contains("restartPolicy")) pod["spec"]["restartPolicy"] = "OnFailure";
  return pod;
}

kube::Call MarkAsLeaving(const kube::ObjectName& pod, const std::string& uid, kube::UnixTime now,
                         const kube::WriteOptions& options) {
  const auto second = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
  const Json patch = {
      {"metadata", {{"uid", uid}, {"labels", {{kLeavingLabel, absl::StrCat(second)}}}}}};
  return kube::Patch(kube::kPods, pod, kube::PatchKind::kMerge, patch, options);
}

}  // namespace twofold::pools
