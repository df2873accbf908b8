#include "frontend/scalers/cost_writer.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <random>
#include <utility>

#include "kubernetes/api/call.h"
#include "kubernetes/api/errors.h"
#include "lib/metrics/family.h"

namespace twofold::scalers {
namespace {

constexpr const char* kAnnotation = "controller.kubernetes.io/pod-deletion-cost";

// A call that is told to wait fails at once: when its turn comes again the cost may be another one.
constexpr kube::ConnectionOptions kConnection = {
    .timeout = std::chrono::seconds(10), .max_reply = 4 << 20, .max_throttled = 1};

DeletionCost CostOf(const queue::Process& process) {
  if (process.busy() > 0) return DeletionCost::kBusy;
  return process.able() ? DeletionCost::kIdle : DeletionCost::kUseless;
}

kube::Call CallOf(const DeletionCosts::Patch& patch, const std::string& space) {
  const std::string cost = absl::StrCat(static_cast<int>(patch.cost));
  return kube::Patch(kube::kPods, {space, patch.pod}, kube::PatchKind::kMerge,
                     {{"metadata", {{"annotations", {{kAnnotation, cost}}}}}},
                     {.field_manager = "twofold-frontend"});
}

/// Policies and webhooks judge a pod; "admission webhook "x" denied the request". All other
/// refusals of that status are about the account.
bool IsByAdmission(const Status& status) {
  const absl::string_view text = status.message();
  return absl::IsPermissionDenied(status) && (absl::StrContains(text, "denied the request") ||
                                              absl::StrContains(text, "denied request"));
}

/// The pod is the reason, so others may do.
bool IsAboutPod(const Status& status) {
  return absl::IsNotFound(status) || absl::IsInvalidArgument(status) || IsByAdmission(status);
}

/// The server has tried it with this pod, and may do better with others: a webhook that fails, a
/// pod that many change.
bool IsFailureWithPod(const Status& status) {
  return absl::IsAborted(status) || kube::HttpStatusOf(status) == 500;
}

/// What helps, to be read after the error.
const char* AdviceOn(const Status& status) {
  if (absl::IsPermissionDenied(status) && !IsByAdmission(status)) {
    return ". The frontend's account needs the right to patch these pods "
           "(deployments/frontend/deletion-cost); the next try is in a minute";
  }
  if (absl::IsNotFound(status)) {
    return ". Workers name their pod by --pod-env, and --deletion-cost names its namespace";
  }
  return "";
}

}  // namespace

CostWriter::CostWriter(Options options, const frontend::QueueSet& queues)
    : options_(std::move(options)),
      queues_(queues),
      connection_(options_.access, kConnection),
      costs_(std::random_device{}()),
      thread_([this] { Run(); }) {}

CostWriter::~CostWriter() {
  end_.Interrupt();
  connection_.Interrupt();
  thread_.join();
}

void CostWriter::Run() {
  Instant next_look = Now();
  for (Instant wake = next_look; end_.Pause(wake); wake = std::min(next_look, costs_.Due())) {
    if (Now() >= next_look) {
      costs_.See(Look(), Now());
      next_look = Now() + options_.period;
    }
    if (const auto patch = costs_.Next(Now())) Send(*patch);
    const MutexLock lock(mutex_);
    pending_ = costs_.pending();
  }
}

/// A pod with several workers is as busy as the busiest.
DeletionCosts::Pods CostWriter::Look() const {
  DeletionCosts::Pods pods;
  const auto visit = [&](const frontend::QueueHost::Turn::WorkerView& worker) {
    const DeletionCost cost = CostOf(worker.process);
    const auto [pod, is_new] = pods.try_emplace(worker.identity.pod, cost);
    if (!is_new) pod->second.cost = std::max(pod->second.cost, cost);
    pod->second.workers += static_cast<std::uint64_t>(worker.process.key);
  };
  for (const auto& host : queues_.all()) {
    std::size_t from = 0;
    do {
      const frontend::QueueHost::Turn turn(*host, Now());
      from = turn.ListWorkers({}, from, visit);
    } while (from != 0);
  }
  return pods;
}

void CostWriter::Send(const DeletionCosts::Patch& patch) {
  const auto reply = connection_.Do(CallOf(patch, options_.space));
  const Status& status = reply.status();
  if (absl::IsCancelled(status)) return;  // the end
  if (status.ok()) {
    costs_.Written(patch);
  } else if (IsAboutPod(status)) {
    costs_.Refused(patch);
  } else if (IsFailureWithPod(status)) {
    costs_.Failed(patch, Now());
  } else if (absl::IsPermissionDenied(status)) {
    costs_.AllFailed(patch, Now(), options_.right_missing);
  } else {
    costs_.AllFailed(patch, Now(), kube::RetryAfterOf(status).value_or(Duration(0)));
  }
  Tell(status);
  Count(status.ok() ? reply->status : kube::HttpStatusOf(status));
}

/// Logs an error if it is the first of its kind: about pods ever, else since a patch has succeeded.
void CostWriter::Tell(const Status& status) {
  if (status.ok()) {
    std::erase_if(told_, [](absl::StatusCode code) { return !IsAboutPod(Status(code, "")); });
  } else if (told_.insert(status.code()).second) {
    spdlog::warn("a deletion cost was not written: {}{}", std::string(status.message()),
                 AdviceOn(status));
  }
}

void CostWriter::Count(int code) {
  const MutexLock lock(mutex_);
  ++patches_[code];
}

std::vector<prometheus::MetricFamily> CostWriter::Families() const {
  using metrics::Family;
  using metrics::MetricType;
  Family patches("twofold_deletion_cost_patches_total",
                 "Deletion costs of pods that were sent to the API server, by the status that came "
                 "back; 0: none came, or the name of the pod cannot be one.",
                 MetricType::Counter);
  Family pending("twofold_deletion_costs_pending",
                 "Pods whose deletion cost has changed and is not written yet.", MetricType::Gauge);
  const MutexLock lock(mutex_);
  for (const auto& [code, count] : patches_) patches.Add({{"code", absl::StrCat(code)}}, count);
  pending.Add({}, pending_);
  return {patches.Take(), pending.Take()};
}

}  // namespace twofold::scalers
