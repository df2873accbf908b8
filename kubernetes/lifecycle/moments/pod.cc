#include "kubernetes/lifecycle/moments/pod.h"

#include <absl/strings/str_cat.h>

#include <algorithm>

#include "kubernetes/lifecycle/moments/kind.h"

namespace twofold::lifecycle {
namespace {

constexpr std::array<std::string_view, kReasons> kReasonNames = {
    "quota", "gate",  "scheduler", "unschedulable", "sandbox",
    "init",  "image", "starting",  "crash",         "unseen"};

constexpr std::array<std::string_view, 7> kImageReasons = {
    "ErrImagePull",      "ImagePullBackOff",    "InvalidImageName",         "ErrImageNeverPull",
    "ImageInspectError", "RegistryUnavailable", "SignatureValidationFailed"};

/// Calls visit(status) for the status of each container of the pod proper.
template <typename Visit>
void ForEachContainer(const Object& pod, std::string_view list, Visit visit) {
  const Object* const statuses = At(pod, list);
  if (statuses == nullptr || !statuses->is_array()) return;
  for (const Object& status : *statuses) visit(status);
}

std::optional<Shown> ByCondition(const Object& pod, std::string_view type) {
  const Object* const condition = FindCondition(pod, type);
  if (!IsTrue(condition)) return std::nullopt;
  return Shown{SecondAt(*condition, "/lastTransitionTime")};
}

/// Bound without the condition: pods that were created with a node, or bound by a scheduler that
/// writes none.
std::optional<Shown> Scheduled(const Object& pod) {
  if (auto shown = ByCondition(pod, "PodScheduled")) return shown;
  if (TextAt(pod, "/spec/nodeName").empty()) return std::nullopt;
  return Shown{};
}

/// The first start of a container; a restarted one has it in its last state.
std::optional<Shown> Started(const Object& pod) {
  const std::string phase = TextAt(pod, "/status/phase");
  std::optional<Shown> started;
  if (phase == "Running" || phase == "Succeeded") started = Shown{};
  ForEachContainer(pod, "/status/containerStatuses", [&](const Object& status) {
    for (const std::string_view path :
         {"/lastState/terminated/startedAt", "/state/terminated/startedAt",
          "/state/running/startedAt"}) {
      const auto second = SecondAt(status, path);
      if (!second || *second <= 0) continue;  // a container that never ran has 1970 or nothing
      if (!started) started = Shown{};
      started->second = std::min(started->second.value_or(*second), *second);
    }
  });
  return started;
}

std::optional<Shown> Finished(const Object& pod) {
  const std::string phase = TextAt(pod, "/status/phase");
  if (phase != "Succeeded" && phase != "Failed") return std::nullopt;
  Shown finished;
  ForEachContainer(pod, "/status/containerStatuses", [&](const Object& status) {
    const auto second = SecondAt(status, "/state/terminated/finishedAt");
    if (second && *second > 0)
      finished.second = std::max(finished.second.value_or(*second), *second);
  });
  return finished;
}

/// The reason why a container waits; empty: none does.
std::string WaitingOf(const Object& pod, std::string_view list) {
  std::string reason;
  ForEachContainer(pod, list, [&](const Object& status) {
    const std::string one = TextAt(status, "/state/waiting/reason");
    const bool says_more =
        reason.empty() || reason == "ContainerCreating" || reason == "PodInitializing";
    if (!one.empty() && says_more) reason = one;
  });
  return reason;
}

Reason UnboundReason(const Object& pod) {
  const Object* const condition = FindCondition(pod, "PodScheduled");
  const std::string reason = condition == nullptr ? "" : TextAt(*condition, "/reason");
  const Object* const gates = At(pod, "/spec/schedulingGates");
  const bool gated = gates != nullptr && gates->is_array() && !gates->empty();
  if (reason == "SchedulingGated" || gated) return Reason::kGate;
  if (reason == "Unschedulable") return Reason::kUnschedulable;
  return Reason::kScheduler;
}

bool IsImage(const std::string& reason) {
  return std::find(kImageReasons.begin(), kImageReasons.end(), reason) != kImageReasons.end();
}

Reason BoundReason(const Object& pod) {
  const std::string init = WaitingOf(pod, "/status/initContainerStatuses");
  const std::string main = WaitingOf(pod, "/status/containerStatuses");
  if (IsImage(init) || IsImage(main)) return Reason::kImage;
  if (init == "CrashLoopBackOff" || main == "CrashLoopBackOff") return Reason::kCrash;
  const Object* const sandbox = FindCondition(pod, "PodReadyToStartContainers");
  if (sandbox != nullptr && !IsTrue(sandbox)) return Reason::kSandbox;
  const Object* const initialized = FindCondition(pod, "Initialized");
  if (initialized != nullptr && !IsTrue(initialized)) return Reason::kInit;
  return Reason::kStarting;
}

}  // namespace

std::string_view Name(Reason reason) { return kReasonNames[static_cast<std::size_t>(reason)]; }

PodShown ShownBy(const Object& pod) {
  PodShown shown;
  const auto put = [&](PodPhase phase, std::optional<Shown> what) {
    shown[static_cast<std::size_t>(phase)] = what;
  };
  put(PodPhase::kCreated, Shown{SecondAt(pod, "/metadata/creationTimestamp")});
  put(PodPhase::kScheduled, Scheduled(pod));
  put(PodPhase::kSandbox, ByCondition(pod, "PodReadyToStartContainers"));
  // Pods without init containers have the condition from the kubelet's first word on.
  put(PodPhase::kInitialized, ByCondition(pod, "Initialized"));
  put(PodPhase::kStarted, Started(pod));
  put(PodPhase::kReady, ByCondition(pod, "Ready"));
  put(PodPhase::kFinished, Finished(pod));
  return shown;
}

std::optional<Reason> PendingReason(const Object& pod) {
  const std::string phase = TextAt(pod, "/status/phase");
  if (phase == "Succeeded" || phase == "Failed") return std::nullopt;
  if (!Scheduled(pod)) return UnboundReason(pod);
  if (phase != "Running") return BoundReason(pod);
  const bool crashed = WaitingOf(pod, "/status/containerStatuses") == "CrashLoopBackOff";
  return crashed ? std::optional(Reason::kCrash) : std::nullopt;
}

std::uint32_t RestartsOf(const Object& pod) {
  std::uint32_t restarts = 0;
  ForEachContainer(pod, "/status/containerStatuses", [&](const Object& status) {
    const Object* const count = At(status, "/restartCount");
    if (count == nullptr || !count->is_number_integer()) return;
    constexpr std::int64_t kMost = 1'000'000;
    const auto more = std::clamp<std::int64_t>(count->get<std::int64_t>(), 0, kMost);
    restarts += static_cast<std::uint32_t>(more);
  });
  return restarts;
}

bool IsEvicted(const Object& pod) {
  return IsTrue(FindCondition(pod, "DisruptionTarget")) ||
         TextAt(pod, "/status/reason") == "Evicted";
}

std::string SlotOf(const Kind& kind, const Object& pod) {
  std::string slot;
  for (const std::string_view label : kind.slot_labels) {
    const std::string value = LabelOf(pod, label);
    if (value.empty()) return "";  // with some of its labels only, pods could look the same
    absl::StrAppend(&slot, value, " ");
    if (value == kind.leader) break;
  }
  return slot;
}

}  // namespace twofold::lifecycle
