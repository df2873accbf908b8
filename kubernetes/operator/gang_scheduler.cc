#include "kubernetes/operator/gang_scheduler.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <vector>

namespace twofold::benchmarks {
namespace {

using kube::Json;

Json VolcanoSpec(const Gang& gang) {
  Json spec = {{"minMember", gang.members}};
  if (!gang.queue.empty()) spec["queue"] = gang.queue;
  return spec;
}

void MarkForVolcano(const Gang& gang, Json& pods) {
  pods["metadata"]["annotations"]["scheduling.k8s.io/group-name"] = gang.name;
  pods["spec"]["schedulerName"] = "volcano";
}

Json CoschedulingSpec(const Gang& gang) { return {{"minMember", gang.members}}; }

/// Which scheduler has the plug-in, the template says.
void MarkForCoscheduling(const Gang& gang, Json& pods) {
  pods["metadata"]["labels"]["scheduling.x-k8s.io/pod-group"] = gang.name;
}

void MarkForKueue(const Gang& gang, Json& pods) {
  Json& metadata = pods["metadata"];
  metadata["labels"]["kueue.x-k8s.io/queue-name"] = gang.queue;
  metadata["labels"]["kueue.x-k8s.io/pod-group-name"] = gang.name;
  metadata["annotations"]["kueue.x-k8s.io/pod-group-total-count"] = absl::StrCat(gang.members);
}

Json NativeSpec(const Gang& gang) {
  return {{"schedulingPolicy", {{"gang", {{"minCount", gang.members}}}}}};
}

void MarkForNative(const Gang& gang, Json& pods) {
  pods["spec"]["schedulingGroup"] = {{"podGroupName", gang.name}};
}

kube::Resource PodGroups(const char* group, const char* version) {
  return {group, version, "podgroups", "PodGroup", true};
}

}  // namespace

std::span<const GangScheduler> GangSchedulers() {
  static const std::vector<GangScheduler> schedulers = {
      {"volcano", PodGroups("scheduling.volcano.sh", "v1beta1"), false, VolcanoSpec,
       MarkForVolcano},
      {"coscheduling", PodGroups("scheduling.x-k8s.io", "v1alpha1"), false, CoschedulingSpec,
       MarkForCoscheduling},
      {"kueue", {}, true, nullptr, MarkForKueue},
      // Of Kubernetes 1.36: those before and after have others.
      {"native", PodGroups("scheduling.k8s.io", "v1alpha2"), false, NativeSpec, MarkForNative},
  };
  return schedulers;
}

const GangScheduler* FindGangScheduler(std::string_view name) {
  const auto all = GangSchedulers();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace twofold::benchmarks
