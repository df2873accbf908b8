#include "kubernetes/target/kube_target.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "kubernetes/api/call.h"
#include "kubernetes/api/fields.h"
#include "kubernetes/api/list.h"
#include "kubernetes/pools/pods.h"

namespace twofold::targets {
namespace {

using kube::Json;
using kube::TextAt;

constexpr Duration kPollPods = std::chrono::seconds(1);
constexpr int kClientPort = 9996;
constexpr int kFrontendPort = 9998;
constexpr const char* kFrontendService = "scalability-tester-frontend";
constexpr const char* kFrontendPods =
    "app.kubernetes.io/part-of=twofold,app.kubernetes.io/component=frontend";
constexpr int kLinesOfCrash = 20;
constexpr int kLinesOfPodLog = 5;

std::string NameOfPod(const Json& pod) { return TextAt(pod, "/metadata/name"); }
std::string PhaseOf(const Json& pod) { return TextAt(pod, "/status/phase"); }
bool IsEnding(const Json& pod) {
  return kube::At(pod, "/metadata/deletionTimestamp") != nullptr ||
         !kube::LabelOf(pod, pools::kLeavingLabel).empty();
}
bool IsReady(const Json& pod) {
  return !IsEnding(pod) && kube::IsTrue(kube::FindCondition(pod, "Ready"));
}
bool HasEnded(const Json& pod) { return PhaseOf(pod) == "Failed" || PhaseOf(pod) == "Succeeded"; }

/// The statuses of all containers of a pod, those that run first before the others.
std::vector<Json> ContainersOf(const Json& pod) {
  std::vector<Json> containers;
  for (const char* path : {"/status/initContainerStatuses", "/status/containerStatuses"}) {
    const Json* list = kube::At(pod, path);
    if (list == nullptr || !list->is_array()) continue;
    containers.insert(containers.end(), list->begin(), list->end());
  }
  return containers;
}

int RestartsOf(const Json& container) {
  const Json* count = kube::At(container, "/restartCount");
  return count != nullptr && count->is_number_integer() ? count->get<int>() : 0;
}

/// Why containers of a pod wait, with a blank before each reason.
std::string WaitsOf(const Json& pod) {
  std::string reasons;
  for (const Json& container : ContainersOf(pod)) {
    const std::string reason = TextAt(container, "/state/waiting/reason");
    if (!reason.empty()) absl::StrAppend(&reasons, " ", reason);
  }
  return reasons;
}

bool IsCrashing(const Json& pod) {
  return !IsEnding(pod) && WaitsOf(pod).find(" CrashLoopBackOff") != std::string::npos;
}

std::string Describe(const Json& pod) {
  const std::string waits = WaitsOf(pod);
  return absl::StrCat("pod ", NameOfPod(pod), ": ", PhaseOf(pod), ", ",
                      IsEnding(pod) ? "terminating" : "not Ready",
                      waits.empty() ? "" : "," + waits);
}

/// What is scaled.
struct Scaled {
  kube::Resource resource;
  std::string name;
};

Scaled ScaledBy(const Parts& parts) {
  if (!parts.deployment.starts_with(kPoolPrefix)) return {kube::kDeployments, parts.deployment};
  return {pools::kWorkerPools, parts.deployment.substr(std::string_view(kPoolPrefix).size())};
}

/// A selector of all of its pods, as lists take it: "a=x,b=y".
std::string SelectorOf(const Json& deployment) {
  const Json* labels = kube::At(deployment, "/spec/selector/matchLabels");
  std::vector<std::string> pairs;
  if (labels != nullptr && labels->is_object()) {
    for (const auto& [key, value] : labels->items()) {
      if (value.is_string()) pairs.push_back(absl::StrCat(key, "=", value.get<std::string>()));
    }
  }
  return absl::StrJoin(pairs, ",");
}

class KubeTarget final : public Target {
 public:
  KubeTarget(kube::Access access, Parts parts, std::optional<Page> client,
             std::optional<Page> frontend)
      : connection_(std::move(access)),
        parts_(std::move(parts)),
        scaled_(ScaledBy(parts_)),
        client_(std::move(client)),
        frontend_(std::move(frontend)) {}

  Status Check() override {
    if (Status status = FindPods(); !status.ok()) return status;
    const auto service =
        connection_.Do(kube::Get(kube::kServices, {parts_.service_space, parts_.service}));
    if (!service.ok()) {
      return Lacks("service", parts_.service, parts_.service_space, service.status());
    }
    FindFrontends();
    return CheckScalers();
  }

  Status Scale(int workers) override {
    return connection_
        .Do(kube::Patch(scaled_.resource, {parts_.space, scaled_.name}, kube::PatchKind::kMerge,
                        {{"spec", {{"replicas", workers}}}}, {}, "scale"))
        .status();
  }

  Result<Workers> Look() override {
    const auto pods = Pods();
    if (!pods.ok()) return pods.status();
    Workers workers;
    for (const Json& pod : *pods) {
      workers.crashing = workers.crashing || IsCrashing(pod);
      if (!HasEnded(pod)) ++(IsReady(pod) ? workers.ready : workers.others);
    }
    return workers;
  }

  Result<std::string> Team() override {
    const auto pods = Pods();
    if (!pods.ok()) return pods.status();
    std::string team;
    for (const Json& pod : *pods) {
      absl::StrAppend(&team, NameOfPod(pod), " ", TextAt(pod, "/metadata/deletionTimestamp"),
                      kube::LabelOf(pod, pools::kLeavingLabel));
      for (const Json& container : ContainersOf(pod)) {
        absl::StrAppend(&team, " ", RestartsOf(container));
      }
      team += "\n";
    }
    return team;
  }

  std::vector<std::string> Problems() override {
    auto pods = Pods();
    if (!pods.ok()) return {std::string(pods.status().message())};
    std::vector<std::string> lines;
    for (const Json& pod : *pods) {
      if (!IsReady(pod)) lines.push_back(Describe(pod));
    }
    AddLog(*std::move(pods), lines);
    return lines;
  }

  Result<std::string> AskClient(const std::string& target) override {
    if (client_) return Fetch(*client_, target);
    return connection_.GetText(kube::GetThrough(
        kube::kServices, {parts_.service_space, parts_.service}, kClientPort, target));
  }

  Result<std::string> Metrics() override {
    if (frontend_) return Fetch(*frontend_, "/metrics");
    if (frontends_.size() > 1) return MetricsOfAll();
    return connection_.GetText(kube::GetThrough(kube::kServices, {parts_.space, kFrontendService},
                                                kFrontendPort, "/metrics"));
  }

  [[nodiscard]] Duration poll() const override { return kPollPods; }

 private:
  static Status Lacks(const char* kind, const std::string& name, const std::string& space,
                      const Status& why) {
    if (!absl::IsNotFound(why)) return why;
    return absl::NotFoundError(absl::StrCat("no ", kind, " ", name, " in namespace ", space));
  }

  Status FindPods() {
    const std::string kind = absl::AsciiStrToLower(scaled_.resource.kind);
    const auto scaled = connection_.Do(kube::Get(scaled_.resource, {parts_.space, scaled_.name}));
    if (!scaled.ok()) return Lacks(kind.c_str(), scaled_.name, parts_.space, scaled.status());
    const bool is_pool = scaled_.resource == pools::kWorkerPools;
    selector_ =
        is_pool ? absl::StrCat(pools::kPoolLabel, "=", scaled_.name) : SelectorOf(scaled->body);
    if (!selector_.empty()) return absl::OkStatus();
    return absl::FailedPreconditionError(
        absl::StrCat(kind, " ", scaled_.name, " has no spec.selector.matchLabels"));
  }

  // Those of a StatefulSet, whose names stay (deployments/cluster). One alone is behind its
  // Service.
  void FindFrontends() {
    if (frontend_) return;
    const auto pods = kube::ListAll(connection_, {kube::kPods, parts_.space, kFrontendPods});
    if (!pods.ok()) return;
    for (const Json& pod : *pods) frontends_.push_back(NameOfPod(pod));
  }

  // KEDA makes an HPA as well.
  Status CheckScalers() {
    const auto scalers =
        kube::ListAll(connection_, {kube::kHorizontalPodAutoscalers, parts_.space});
    if (!scalers.ok()) return absl::OkStatus();
    std::vector<std::string> names;
    for (const Json& scaler : *scalers) {
      const std::string kind = TextAt(scaler, "/spec/scaleTargetRef/kind");
      const bool is_ours = TextAt(scaler, "/spec/scaleTargetRef/name") == scaled_.name &&
                           (kind.empty() || kind == scaled_.resource.kind);
      if (is_ours) names.push_back(kube::NameOf(scaler).name);
    }
    if (names.empty()) return absl::OkStatus();
    return absl::FailedPreconditionError(
        absl::StrCat(parts_.deployment, " is scaled by the HPA ", absl::StrJoin(names, " "),
                     ", too: delete that (or its ScaledObject) first"));
  }

  Result<std::vector<Json>> Pods() {
    return kube::ListAll(connection_, {kube::kPods, parts_.space, selector_});
  }

  // A frontend that is away does not matter if another one answers.
  Result<std::string> MetricsOfAll() {
    std::string pages;
    Status last = absl::OkStatus();
    for (const std::string& pod : frontends_) {
      const auto page = connection_.GetText(
          kube::GetThrough(kube::kPods, {parts_.space, pod}, kFrontendPort, "/metrics"));
      if (page.ok()) {
        absl::StrAppend(&pages, *page, "\n");
      } else {
        last = page.status();
      }
    }
    if (pages.empty()) return last;
    return pages;
  }

  // Of the first container that was started again, one of a pod that keeps crashing before others;
  // else of the first pod that runs and is not ready.
  void AddLog(std::vector<Json> pods, std::vector<std::string>& lines) {
    std::stable_partition(pods.begin(), pods.end(), IsCrashing);
    for (const Json& pod : pods) {
      for (const Json& container : ContainersOf(pod)) {
        if (RestartsOf(container) == 0) continue;
        const std::string name = TextAt(container, "/name");
        lines.push_back(absl::StrCat("end of the log of ", NameOfPod(pod), " -c ", name, ":"));
        return AddText({parts_.space, NameOfPod(pod)},
                       {.container = name, .previous = true, .lines = kLinesOfCrash}, lines);
      }
    }
    for (const Json& pod : pods) {
      if (PhaseOf(pod) != "Running" || IsEnding(pod) || IsReady(pod)) continue;
      lines.push_back(absl::StrCat("end of the log of ", NameOfPod(pod), ":"));
      return AddText({parts_.space, NameOfPod(pod)}, {.lines = kLinesOfPodLog}, lines);
    }
  }

  void AddText(const kube::ObjectName& pod, const kube::LogOptions& options,
               std::vector<std::string>& lines) {
    const auto log = connection_.GetText(kube::GetLog(pod, options));
    const std::string text = log.ok() ? *log : std::string(log.status().message());
    for (std::string& line : LastLines(text, static_cast<std::size_t>(options.lines))) {
      lines.push_back(std::move(line));
    }
  }

  kube::Connection connection_;
  const Parts parts_;
  const Scaled scaled_;
  const std::optional<Page> client_;
  const std::optional<Page> frontend_;
  std::string selector_;                // of the workers' pods; after Check
  std::vector<std::string> frontends_;  // pods
};

}  // namespace

std::unique_ptr<Target> MakeKubeTarget(kube::Access access, Parts parts, std::optional<Page> client,
                                       std::optional<Page> frontend) {
  return std::make_unique<KubeTarget>(std::move(access), std::move(parts), std::move(client),
                                      std::move(frontend));
}

}  // namespace twofold::targets
