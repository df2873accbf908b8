#include "kubernetes/operator/own_workers.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "cli/runs/run_record.h"
#include "kubernetes/controller/ownership.h"
#include "kubernetes/operator/gang_scheduler.h"
#include "kubernetes/pools/pods.h"
#include "lib/spec/schema.h"

namespace twofold::benchmarks {
namespace {

using kube::Json;

constexpr const char* kLabels = "TWOFOLD_LABELS";  // by which a worker says what it is
constexpr std::int64_t kReadySeconds = 600;
constexpr std::size_t kMostClaims = 16;
/// Of a pool: they do not come right by themselves.
constexpr std::string_view kFinal[] = {"InvalidSpec", "Forbidden", "PodSecurityRefused",
                                       "PodInvalid"};

Json ValueAt(const Json& object, const char* path, const Json& otherwise) {
  const Json* value = kube::At(object, path);
  return value == nullptr ? otherwise : *value;
}

const GangScheduler* SchedulerOf(const Json& object) {
  return FindGangScheduler(kube::TextAt(object, "/spec/workers/scheduling"));
}

Gang GangOf(const Json& object) {
  return {.name = pools::PoolNameFor(object),
          .members = ValueAt(object, "/spec/workers/replicas", 1).get<std::int64_t>(),
          .queue = kube::TextAt(object, "/spec/workers/schedulingQueue")};
}

Status CheckScheduling(const Json& object) {
  const std::string name = kube::TextAt(object, "/spec/workers/scheduling");
  const GangScheduler* scheduler = SchedulerOf(object);
  if (scheduler == nullptr && !name.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("spec.workers.scheduling: there is no ", name));
  }
  if (scheduler == nullptr || !scheduler->needs_queue || !GangOf(object).queue.empty()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("spec.workers.schedulingQueue: must name a queue of ", name));
}

Json ClaimsOf(const Json& object) { return ValueAt(object, "/spec/workers/claims", Json::array()); }

/// Of a claim that volumes call `name`.
std::string ClaimName(const Json& object, const std::string& name) {
  return absl::StrCat(pools::PoolNameFor(object), "-", name);
}

Status CheckClaims(const Json& object) {
  const Json claims = ClaimsOf(object);
  bool are_good = claims.is_array() && claims.size() <= kMostClaims;
  for (const Json& each : are_good ? claims : Json::array()) {
    const Json* spec = kube::At(each, "/spec");
    are_good =
        are_good && !kube::TextAt(each, "/name").empty() && spec != nullptr && spec->is_object();
  }
  if (are_good) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("spec.workers.claims: must be a list of at most ",
                                                 kMostClaims, " maps with a name and a spec"));
}

/// Volumes name claims of all workers as spec.workers does.
void NameClaims(const Json& object, Json& pod) {
  const Json claims = ClaimsOf(object);
  if (!pod.contains("volumes")) return;
  for (Json& volume : pod["volumes"]) {
    const std::string name = kube::TextAt(volume, "/persistentVolumeClaim/claimName");
    const bool is_ours = std::any_of(claims.begin(), claims.end(), [&](const Json& claim) {
      return kube::TextAt(claim, "/name") == name;
    });
    if (is_ours) volume["persistentVolumeClaim"]["claimName"] = ClaimName(object, name);
  }
}

/// REQUIRES: the template is one that pools::SpecOf takes.
Status Complete(const RunOrder& order, Json& pods) {
  Json& spec = pods["spec"];
  NameClaims(order.of, spec);
  pods["metadata"]["labels"][kBenchmarkLabel] = RunKindOf(order.of);
  if (!spec.contains("automountServiceAccountToken")) spec["automountServiceAccountToken"] = false;
  for (Json& container : spec["containers"]) {
    Status status = AddWorkerLabel(cli::LabelOfRun(order.id), container);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

/// What is added to must be there. The definition sees to that, where the API server has it.
Status CheckPods(const Json& pods) {
  const Json* annotations = kube::At(pods, "/metadata/annotations");
  if (annotations != nullptr && !annotations->is_object()) {
    return absl::InvalidArgumentError("spec.workers.template.metadata.annotations: must be a map");
  }
  const Json* containers = kube::At(pods, "/spec/containers");
  bool are_good = containers != nullptr && containers->is_array() && !containers->empty();
  for (const Json& each : are_good ? *containers : Json::array()) {
    const Json* variables = kube::At(each, "/env");
    are_good = are_good && each.is_object() && (variables == nullptr || variables->is_array());
  }
  if (are_good) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "spec.workers.template.spec.containers: must be a list of maps, one at least, whose env is a "
      "list");
}

}  // namespace

Status AddWorkerLabel(const std::string& label, Json& container) {
  Json& variables = container["env"];
  if (variables.is_null()) variables = Json::array();
  for (Json& each : variables) {
    if (kube::TextAt(each, "/name") != kLabels) continue;
    if (each.contains("valueFrom")) {
      return absl::InvalidArgumentError(absl::StrCat("spec.workers.template: ", kLabels,
                                                     " must be a value: a label is added to it"));
    }
    const std::string value = kube::TextAt(each, "/value");
    each["value"] = absl::StrCat(value, value.empty() ? "" : ",", label);
    return absl::OkStatus();
  }
  variables.push_back({{"name", kLabels}, {"value", label}});
  return absl::OkStatus();
}

bool HasOwnWorkers(const Json& object) {
  const Json* workers = kube::At(object, "/spec/workers");
  return workers != nullptr && workers->is_object();
}

Result<Json> OwnPool(const RunOrder& order) {
  Json pods = ValueAt(order.of, "/spec/workers/template", nullptr);
  Json pool = {{"apiVersion", kube::ApiVersion(pools::kWorkerPools)},
               {"kind", pools::kWorkerPools.kind},
               {"metadata",
                {{"name", pools::PoolNameFor(order.of)},
                 {"namespace", kube::NameOf(order.of).space},
                 {"labels", {{"app.kubernetes.io/part-of", "twofold"}}},
                 {"ownerReferences", Json::array({controller::OwnerReference(order.of)})}}},
               {"spec",
                {{"queue", order.queue},
                 {"replicas", ValueAt(order.of, "/spec/workers/replicas", 1)},
                 {"template", pods}}}};
  if (const auto spec = pools::SpecOf(pool); !spec.ok()) {
    std::string why(spec.status().message());
    if (why.starts_with("spec.")) why.replace(0, 5, "spec.workers.");
    return absl::InvalidArgumentError(why);
  }
  if (Status status = CheckPods(pods); !status.ok()) return status;
  if (Status status = CheckScheduling(order.of); !status.ok()) return status;
  if (Status status = CheckClaims(order.of); !status.ok()) return status;
  if (Status status = Complete(order, pods); !status.ok()) return status;
  if (const auto* scheduler = SchedulerOf(order.of)) scheduler->mark(GangOf(order.of), pods);
  pool["spec"]["template"] = std::move(pods);
  const std::string frontend = kube::TextAt(order.of, absl::StrCat("/spec/", spec::kFrontendField));
  if (!frontend.empty()) pool["spec"][spec::kFrontendField] = frontend;
  return pool;
}

std::vector<OwnedObject> NeedsOf(const RunOrder& order, const Json& pool) {
  std::vector<OwnedObject> needs;
  const auto add = [&](const kube::Resource& resource, const std::string& name, Json spec) {
    needs.push_back({resource,
                     {{"apiVersion", kube::ApiVersion(resource)},
                      {"kind", resource.kind},
                      {"metadata",
                       {{"name", name},
                        {"namespace", kube::NameOf(order.of).space},
                        {"ownerReferences", Json::array({controller::OwnerReference(pool)})}}},
                      {"spec", std::move(spec)}}});
  };
  const GangScheduler* scheduler = SchedulerOf(order.of);
  if (scheduler != nullptr && scheduler->spec != nullptr) {
    const Gang gang = GangOf(order.of);
    add(scheduler->group, gang.name, scheduler->spec(gang));
  }
  for (const Json& claim : ClaimsOf(order.of)) {
    add(kube::kPersistentVolumeClaims, ClaimName(order.of, kube::TextAt(claim, "/name")),
        claim.at("spec"));
  }
  return needs;
}

Duration ReadyLimit(const Json& object) {
  const Json seconds = ValueAt(object, "/spec/workers/readySeconds", kReadySeconds);
  return std::chrono::seconds(seconds.is_number_integer() ? seconds.get<std::int64_t>()
                                                          : kReadySeconds);
}

std::optional<kube::UnixTime> MissingSince(const Json& pool) {
  const Json* ready = kube::FindCondition(pool, "Ready");
  if (ready == nullptr || kube::IsTrue(ready)) return std::nullopt;
  return kube::TimeAt(*ready, "/lastTransitionTime");
}

std::optional<Lack> LackOf(const Json& pool) {
  if (kube::IsTrue(kube::FindCondition(pool, "Ready"))) return std::nullopt;
  const std::string name = absl::StrCat("WorkerPool ", kube::NameOf(pool).name);
  for (const char* type : {"Accepted", "PodsCreated", "Scheduled", "Ready"}) {
    const Json* condition = kube::FindCondition(pool, type);
    if (condition == nullptr || kube::TextAt(*condition, "/status") != "False") continue;
    const std::string reason = kube::TextAt(*condition, "/reason");
    return Lack{reason, absl::StrCat(name, ": ", kube::TextAt(*condition, "/message")),
                std::find(std::begin(kFinal), std::end(kFinal), reason) != std::end(kFinal)};
  }
  return Lack{"WorkersMissing", absl::StrCat(name, ": its pods are made")};
}

}  // namespace twofold::benchmarks
