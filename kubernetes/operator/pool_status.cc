#include "kubernetes/operator/pool_status.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "kubernetes/api/errors.h"

namespace twofold::benchmarks {
namespace {

using controller::StatusCondition;
using controller::Truth;

/// What of the API server's text says why pods are refused.
struct Refusal {
  const char* text;
  const char* reason;
};
constexpr Refusal kRefusals[] = {
    {"exceeded quota", "QuotaExceeded"},
    {"violates PodSecurity", "PodSecurityRefused"},
};

kube::Json NodesJson(std::vector<pools::NodeCount> nodes) {
  std::stable_sort(nodes.begin(), nodes.end(),
                   [](const auto& a, const auto& b) { return a.pods > b.pods; });
  kube::Json list = kube::Json::array();
  for (const pools::NodeCount& node : nodes) {
    if (list.size() == kMostNodes) break;
    list.push_back({{"name", node.node},
                    {"pods", node.pods},
                    {"ready", node.ready},
                    {"busy", node.busy},
                    {"draining", node.draining}});
  }
  return list;
}

StatusCondition ScheduledCondition(const pools::PoolCounts& counts) {
  if (counts.unschedulable == 0) return {"Scheduled", Truth::kTrue, "NodesFound", ""};
  return {"Scheduled", Truth::kFalse, "Unschedulable",
          absl::StrCat(counts.unschedulable, " of ", counts.replicas,
                       " pods: ", counts.unschedulable_why)};
}

StatusCondition ReadyCondition(const pools::PoolSpec& spec, const pools::PoolCounts& counts) {
  const std::string text = absl::StrCat(counts.ready, " of ", spec.replicas, " workers are ready");
  if (counts.ready >= spec.replicas) return {"Ready", Truth::kTrue, "WorkersReady", text};
  return {"Ready", Truth::kFalse, "WorkersMissing",
          counts.waiting_why.empty() ? text : absl::StrCat(text, "; ", counts.waiting_why)};
}

StatusCondition UpdatedCondition(const pools::PoolCounts& counts) {
  if (counts.updated >= counts.replicas) return {"Updated", Truth::kTrue, "AllUpdated", ""};
  return {"Updated", Truth::kFalse, "Updating",
          absl::StrCat(counts.replicas - counts.updated, " of ", counts.replicas,
                       " pods are of another template")};
}

const char* TroubleReason(const Status& status) {
  if (absl::IsNotFound(status)) return "NoSuchQueue";
  const bool is_refused = absl::IsPermissionDenied(status) || absl::IsUnauthenticated(status) ||
                          absl::IsFailedPrecondition(status);
  return is_refused ? "FrontendRefuses" : "FrontendAway";
}

}  // namespace

bool IsRefusal(const Status& status) {
  return absl::IsPermissionDenied(status) || absl::IsInvalidArgument(status) ||
         absl::IsNotFound(status) || kube::HttpStatusOf(status) == 500;
}

bool IsInvalidObject(const Status& status) { return kube::HttpStatusOf(status) == 422; }

StatusCondition CreationCondition(const Status& status) {
  if (status.ok()) return {"PodsCreated", Truth::kTrue, "Created", ""};
  const std::string why(status.message());
  for (const Refusal& each : kRefusals) {
    if (absl::StrContains(why, each.text)) return {"PodsCreated", Truth::kFalse, each.reason, why};
  }
  if (IsInvalidObject(status)) return {"PodsCreated", Truth::kFalse, "PodInvalid", why};
  if (absl::IsResourceExhausted(status)) return {"PodsCreated", Truth::kFalse, "TooManyPods", why};
  return {"PodsCreated", Truth::kFalse, "PodsRefused", why};
}

StatusCondition KnownCondition(const Status& frontend, const pools::PoolSpec& spec,
                               const pools::PoolCounts& counts) {
  if (!frontend.ok()) {
    return {"WorkersKnown", Truth::kUnknown, TroubleReason(frontend),
            absl::StrCat(std::string(frontend.message()), "; no worker is sent home meanwhile")};
  }
  if (counts.unknown == 0) return {"WorkersKnown", Truth::kTrue, "WorkersFound", ""};
  return {"WorkersKnown", Truth::kFalse, "NotNamedAfterPod",
          absl::StrCat(counts.unknown, " ready pods, such as ", counts.unknown_pod,
                       ": no worker of queue ", spec.queue,
                       " has their name; see its --queue and --pod-env")};
}

void SetPoolCounts(const pools::PoolSpec& spec, const pools::PoolCounts& counts,
                   StatusDraft& draft) {
  const std::pair<const char*, std::size_t> fields[] = {
      {"replicas", counts.replicas}, {"ready", counts.ready},
      {"updated", counts.updated},   {"busy", counts.busy},
      {"draining", counts.draining}, {"nodesInAll", counts.nodes.size()}};
  for (const auto& [name, count] : fields) draft.SetField(name, count);
  draft.SetField("nodes", NodesJson(counts.nodes));
  draft.Set(ScheduledCondition(counts));
  draft.Set(ReadyCondition(spec, counts));
  draft.Set(UpdatedCondition(counts));
}

bool DifferInMoreThanWork(kube::Json a, kube::Json b) {
  for (kube::Json* each : {&a, &b}) {
    each->erase("busy");
    each->erase("nodes");
  }
  return a != b;
}

}  // namespace twofold::benchmarks
