#include "kubernetes/operator/frontend_kind.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "kubernetes/api/fields.h"
#include "kubernetes/operator/definition.h"
#include "kubernetes/operator/own_workers.h"
#include "kubernetes/pools/pods.h"
#include "lib/spec/schema.h"

namespace twofold::benchmarks {
namespace {

using kube::Json;

/// In a list of what is allowed: all.
constexpr const char* kAll = "*";
/// Its queue is one of the cluster's batch system, which guards it itself.
constexpr const char* kLifecycleTest = "LifecycleTest";

/// The items of a list; none where there is no list.
std::vector<Json> ItemsAt(const Json& object, std::string_view path) {
  const Json* list = kube::At(object, path);
  if (list == nullptr || !list->is_array()) return {};
  return {list->begin(), list->end()};
}

/// What `frontend` says of a namespace; nullopt: it does not list it.
std::optional<Json> GrantOf(const Json& frontend, const std::string& space) {
  for (Json& each : ItemsAt(frontend, "/spec/namespaces")) {
    if (kube::TextAt(each, "/name") == space) return std::move(each);
  }
  return std::nullopt;
}

bool Lists(const Json& grant, std::string_view list, const std::string& what) {
  const auto items = ItemsAt(grant, list);
  return std::any_of(items.begin(), items.end(),
                     [&](const Json& each) { return each == kAll || each == what; });
}

/// What runs, and the pool of a run's own workers.
std::vector<std::string> RunKindsOf(const Json& object) {
  std::vector<std::string> kinds = {RunKindOf(object)};
  if (HasOwnWorkers(object)) kinds.emplace_back(pools::kWorkerPools.kind);
  return kinds;
}

std::string NamedQueueOf(const Json& object) {
  if (kube::TextAt(object, "/kind") == kLifecycleTest) return "";
  return kube::TextAt(object, "/spec/queue");
}

/// What the object says of a field of benchmarks, in whatever place its kind has that, also where
/// it is varied.
std::vector<Json> ValuesOf(const Json& object, const std::string& field) {
  std::vector<Json> maps = ItemsAt(object, "/spec/permutations/explicit");
  for (const char* path : {"/spec", "/spec/template/spec", "/spec/workers/template/spec"}) {
    if (const Json* map = kube::At(object, path)) maps.push_back(*map);
  }
  std::vector<Json> values = ItemsAt(object, "/spec/permutations/product/" + field);
  for (const Json& map : maps) {
    const Json* value = kube::At(map, "/" + field);
    if (value != nullptr && !value->is_null()) values.push_back(*value);
  }
  return values;
}

bool AsksForHostNetwork(const Json& object) {
  const auto values = ValuesOf(object, "hostNetwork");
  return std::any_of(values.begin(), values.end(),
                     [](const Json& value) { return value != false && value != "false"; });
}

std::string SelectorText(const Json& value) {
  return value.is_string() ? value.get<std::string>() : "";
}

/// Names, patterns and labels (NAME=VALUE) by which the object chooses nodes.
std::vector<std::string> NodesOf(const Json& object) {
  std::vector<std::string> nodes;
  for (const Json& each : ItemsAt(object, "/spec/nodes/select"))
    nodes.push_back(SelectorText(each));
  for (const Json& selector : ValuesOf(object, "nodeSelector")) {
    if (selector.is_array()) {
      for (const Json& each : selector) nodes.push_back(SelectorText(each));
    }
    if (selector.is_object()) {  // of pods
      for (const auto& [label, value] : selector.items()) {
        nodes.push_back(absl::StrCat(label, "=", SelectorText(value)));
      }
    }
  }
  return nodes;
}

}  // namespace

std::string FrontendOf(const Json& object) {
  std::string name = kube::TextAt(object, absl::StrCat("/spec/", spec::kFrontendField));
  return name.empty() ? kDefaultFrontend : name;
}

std::string WhyForbidden(const Json& frontend, const Json& object) {
  const std::string space = kube::NameOf(object).space;
  const auto may_not = [&](const std::string& what, const std::string& why) {
    return absl::StrCat("namespace ", space, " may not ", what, " at Frontend ",
                        kube::NameOf(frontend).name, ": ", why);
  };
  const std::optional<Json> grant = GrantOf(frontend, space);
  if (!grant) return may_not("run anything", "namespaces does not list it");
  for (const std::string& kind : RunKindsOf(object)) {
    if (!Lists(*grant, "/kinds", kind)) return may_not("run " + kind, "kinds does not list it");
  }
  const std::string queue = NamedQueueOf(object);
  if (!queue.empty() && !Lists(*grant, "/queues", queue)) {
    return may_not("use queue " + queue, "queues does not list it");
  }
  for (const std::string& nodes : NodesOf(object)) {
    if (Lists(*grant, "/nodes", nodes)) continue;
    return may_not("choose nodes by " + nodes, "nodes does not list it");
  }
  const Json* host = kube::At(*grant, "/hostNetwork");
  if ((host == nullptr || *host != true) && AsksForHostNetwork(object)) {
    return may_not("use the network of hosts", "hostNetwork is not true");
  }
  return "";
}

}  // namespace twofold::benchmarks
