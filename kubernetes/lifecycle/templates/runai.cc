#include "kubernetes/lifecycle/templates/runai.h"

#include <absl/strings/str_cat.h>

#include <string>
#include <string_view>
#include <utility>

#include "kubernetes/lifecycle/templates/parts.h"

namespace twofold::lifecycle {
namespace {

struct Placement {
  std::string_view label;  // of nodes
  const char* field;
};

constexpr Placement kPlacements[] = {{"run.ai/type", "nodeType"},
                                     {"kai.scheduler/node-pool", "nodePools"},
                                     {"runai/node-pool", "nodePools"}};

Object ValueOf(Object value) { return {{"value", std::move(value)}}; }

Status PutItem(Object& spec, const char* field, const std::string& name, Object value) {
  Object* const map = MapAt(spec, field);
  Object* const items = map == nullptr ? nullptr : MapAt(*map, "items");
  if (items == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("spec.", field, ".items: must be maps"));
  }
  (*items)[name] = ValueOf(std::move(value));
  return absl::OkStatus();
}

Status Place(Object& spec, const std::string& selector) {
  const std::size_t equals = selector.find('=');
  for (const auto& [label, field] : kPlacements) {
    if (selector.substr(0, equals) != label) continue;
    spec[field] = ValueOf(selector.substr(equals + 1));
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("node selector: '", selector,
                   "' has no field in Run:ai's workloads, which take run.ai/type=TYPE and "
                   "kai.scheduler/node-pool=POOL only"));
}

Object ClaimOf(const v1::suites::LifecycleSpec& asked) {
  Object claim = {{"claimName", ""},        {"ephemeral", true},     {"existingPvc", false},
                  {"path", kVolumePath},    {"readOnly", false},     {"readOnlyMany", false},
                  {"readWriteMany", false}, {"readWriteOnce", true}, {"size", asked.pvc()}};
  if (asked.has_storage_class()) claim["storageClass"] = asked.storage_class();
  return claim;
}

}  // namespace

bool IsOfRunai(const Kind& kind) { return kind.own.group == "run.ai"; }

Status GiveRunaiFields(Object& own, const Workload& workload) {
  Object* const spec = MapAt(own, "spec");
  if (spec == nullptr) return absl::InvalidArgumentError("spec: must be a map");
  Status status;
  const Object labels = LabelsOf(workload);
  for (const auto& [label, value] : labels.items()) {
    status.Update(PutItem(*spec, "labels", label, value));
  }
  int number = 0;
  for (const std::string& text : workload.spec.tolerations()) {
    const std::string name = absl::StrCat("twofold-", number++);
    status.Update(PutItem(*spec, "tolerations", name, TolerationOf(text)));
  }
  for (const std::string& text : workload.spec.node_selector()) status.Update(Place(*spec, text));
  if (workload.spec.has_pvc()) {
    status.Update(PutItem(*spec, "pvcs", "pvc-new-0", ClaimOf(workload.spec)));
  }
  return status;
}

}  // namespace twofold::lifecycle
