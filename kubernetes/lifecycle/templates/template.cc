#include "kubernetes/lifecycle/templates/template.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "kubernetes/lifecycle/moments/kind.h"
#include "kubernetes/lifecycle/templates/fields.h"
#include "kubernetes/lifecycle/templates/parts.h"
#include "kubernetes/lifecycle/templates/runai.h"
#include "lib/common/printable.h"
#include "lib/yaml/node.h"

namespace twofold::lifecycle {
namespace {

constexpr std::size_t kMostObjects = 16;
constexpr std::size_t kMostBytes = 1 << 20;  // of all objects; the API server takes 1.5 MiB
constexpr std::size_t kLongestName = 52;     // a Job adds up to eleven characters for its pods
constexpr std::size_t kLongestLabel = 63;    // of DNS
constexpr std::string_view kQueueLabel = "kueue.x-k8s.io/queue-name";
constexpr std::uint32_t kMostWorkers = kMostSlots - 1;  // an MPIJob has a launcher, too
constexpr std::size_t kShown = 80;
constexpr const char* kVolumeName = "twofold";

// ---- checks

Status BadSetting(std::string_view name, const std::string& value, const std::string& what) {
  return absl::InvalidArgumentError(
      absl::StrCat(std::string(name), ": '", Printable(value, kShown), "' ", what));
}

bool IsSmallLetter(char c) { return 'a' <= c && c <= 'z'; }

bool IsDnsLabel(const std::string& text) {
  const auto plain = [](char c) { return IsSmallLetter(c) || ('0' <= c && c <= '9'); };
  return !text.empty() && plain(text.front()) && plain(text.back()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return plain(c) || c == '-'; });
}

/// Of a workload's name: what controllers make of it must fit, too.
std::size_t LongestName(const Kind& kind, std::uint32_t workers) {
  const std::string tail =
      absl::StrReplaceAll(std::string(kind.tail), {{"#", absl::StrCat(workers - 1)}});
  return std::min(kLongestName, kLongestLabel - tail.size());
}

Status CheckNames(const Kind& kind, const Workload& workload) {
  const std::size_t longest = LongestName(kind, workload.spec.workers());
  for (const auto& [name, value, most] : {std::tuple{"name", &workload.name, longest},
                                          {"run", &workload.run, kLongestName},
                                          {"namespace", &workload.space, kLongestName}}) {
    if (!IsDnsLabel(*value) || value->size() > most) {
      return BadSetting(name, *value,
                        absl::StrCat("must be 1 to ", most,
                                     " small letters, digits and dashes, with a letter or digit at "
                                     "both ends"));
    }
  }
  if (!kind.letter_first || IsSmallLetter(workload.name.front())) return absl::OkStatus();
  return BadSetting("name", workload.name,
                    absl::StrCat("must begin with a letter, as workloads of kind '",
                                 std::string(kind.name), "' do"));
}

Status CheckWorkers(const Kind& kind, const std::string& text, const Workload& workload) {
  const std::uint32_t workers = workload.spec.workers();
  if (workers == 0 || workers > kMostWorkers) {
    return BadSetting("workers", absl::StrCat(workers),
                      absl::StrCat("must be 1 to ", kMostWorkers));
  }
  const bool makes_one = kind.one_pod && (kind.IsPod() || text == BuiltInTemplate(kind));
  if (!makes_one || workers == 1) return absl::OkStatus();
  return BadSetting(
      "workers", absl::StrCat(workers),
      absl::StrCat("are more than the one pod that workloads of kind '", std::string(kind.name),
                   "' have; use another kind", kind.IsPod() ? "" : ", or a template of your own"));
}

// ---- making it ours

Status PutLabels(Object& object, const Workload& workload) {
  Object* const metadata = MapAt(object, "metadata");
  Object* const labels = metadata == nullptr ? nullptr : MapAt(*metadata, "labels");
  if (labels == nullptr) {
    return absl::InvalidArgumentError("metadata.labels: must be a map, as it gets labels of ours");
  }
  labels->erase(std::string(kPhaseLabel));
  labels->update(LabelsOf(workload));
  return absl::OkStatus();
}

Status Place(Object& pod_spec, const v1::suites::LifecycleSpec& spec) {
  for (const std::string& text : spec.node_selector()) {  // "NAME=VALUE"
    Object* const selector = MapAt(pod_spec, "nodeSelector");
    if (selector == nullptr) return absl::InvalidArgumentError("nodeSelector: must be a map");
    const std::size_t equals = text.find('=');
    (*selector)[text.substr(0, equals)] = text.substr(equals + 1);
  }
  for (const std::string& text : spec.tolerations()) {
    Object* const list = ListAt(pod_spec, "tolerations");
    if (list == nullptr) return absl::InvalidArgumentError("tolerations: must be a list");
    list->push_back(TolerationOf(text));
  }
  return absl::OkStatus();
}

/// A generic ephemeral volume: its claim comes and goes with the pod, and has our labels.
Status GiveVolume(Object& pod_spec, const Workload& workload) {
  if (!workload.spec.has_pvc()) return absl::OkStatus();
  Object claim = {{"accessModes", {"ReadWriteOnce"}},
                  {"resources", {{"requests", {{"storage", workload.spec.pvc()}}}}}};
  if (workload.spec.has_storage_class()) claim["storageClassName"] = workload.spec.storage_class();
  const Object metadata = {{"labels", LabelsOf(workload)}};
  Object* const volumes = ListAt(pod_spec, "volumes");
  if (volumes == nullptr) return absl::InvalidArgumentError("volumes: must be a list");
  volumes->push_back(
      {{"name", kVolumeName},
       {"ephemeral", {{"volumeClaimTemplate", {{"metadata", metadata}, {"spec", claim}}}}}});
  for (Object& container : pod_spec["containers"]) {
    Object* const mounts = container.is_object() ? ListAt(container, "volumeMounts") : nullptr;
    if (mounts == nullptr) {
      return absl::InvalidArgumentError("containers: each must be a map, volumeMounts a list");
    }
    mounts->push_back({{"name", kVolumeName}, {"mountPath", kVolumePath}});
  }
  return absl::OkStatus();
}

/// Wherever a map has a spec with containers, it is a pod or a pod template. Counts them.
Status MakePodsOurs(Object& object, const Workload& workload, std::size_t& pods) {
  if (kube::At(object, "/spec/containers") != nullptr) {
    ++pods;
    Status status = PutLabels(object, workload);
    if (status.ok()) status = Place(object["spec"], workload.spec);
    if (status.ok()) status = GiveVolume(object["spec"], workload);
    return status;
  }
  if (!object.is_structured()) return absl::OkStatus();
  for (Object& each : object) {
    if (Status status = MakePodsOurs(each, workload, pods); !status.ok()) return status;
  }
  return absl::OkStatus();
}

/// What was asked for pods of a template that has none must not be left out in silence.
Status CheckPods(const Kind& kind, const Workload& workload, std::size_t pods) {
  const char* const asked = !workload.spec.node_selector().empty() ? "node selector"
                            : !workload.spec.tolerations().empty() ? "tolerations"
                            : workload.spec.has_pvc()              ? "volume"
                                                                   : nullptr;
  if (pods > 0 || asked == nullptr || IsOfRunai(kind)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      asked, ": workloads of kind '", std::string(kind.name),
      "' have no pod template that it could go to; write it into a template of your own"));
}

Status MakeOurs(Object& object, const Workload& workload, std::size_t& pods) {
  if (TextAt(object, "/apiVersion").empty() || TextAt(object, "/kind").empty()) {
    return absl::InvalidArgumentError(
        "apiVersion, kind: each object of a template must have both, as texts");
  }
  if (Status status = PutLabels(object, workload); !status.ok()) return status;
  object["metadata"]["namespace"] = workload.space;
  object["metadata"].erase("generateName");
  if (TextAt(object, "/metadata/name").empty()) object["metadata"]["name"] = workload.name;
  return MakePodsOurs(object, workload, pods);
}

Result<std::vector<Object>> ObjectsIn(Object document) {
  if (TextAt(document, "/kind") != "List") return std::vector<Object>{std::move(document)};
  const Object* const items = kube::At(document, "/items");
  const bool fits =
      items != nullptr && items->is_array() && !items->empty() && items->size() <= kMostObjects;
  if (!fits) {
    return absl::InvalidArgumentError(
        absl::StrCat("items: a List must have 1 to ", kMostObjects, " objects"));
  }
  return items->get<std::vector<Object>>();
}

/// Kueue lets in what names a queue, and asks that it be suspended until then.
Status GiveQueue(const Kind& kind, const Workload& workload, Object& own) {
  if (kind.queued.empty()) return absl::OkStatus();
  Object& labels = own["metadata"]["labels"];
  labels.emplace(std::string(kQueueLabel), QueueOf(kind, workload.spec));
  if (!kind.held) return absl::OkStatus();  // a pod: Kueue gates it
  const std::string path(kind.held->what.substr(0, kind.held->what.find('=')));
  Object* map = &own;
  const std::vector<std::string> keys = absl::StrSplit(path.substr(1), '/');
  for (std::size_t i = 0; i + 1 < keys.size(); ++i) {
    map = MapAt(*map, keys[i].c_str());
    if (map == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(path, ": what leads there must be maps"));
    }
  }
  (*map)[keys.back()] = true;
  return absl::OkStatus();
}

Status CheckOwn(const Kind& kind, const Object& own) {
  const std::string version = kube::ApiVersion(kind.own);
  if (TextAt(own, "/apiVersion") == version && TextAt(own, "/kind") == kind.own.kind) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("kind: the first object is a ", Printable(TextAt(own, "/apiVersion"), kShown),
                   " ", Printable(TextAt(own, "/kind"), kShown), ", but workloads of kind '",
                   std::string(kind.name), "' are a ", version, " ", kind.own.kind));
}

}  // namespace

const std::string& BuiltInTemplate(const Kind& kind) {
  const Kind& own = kind.queued.empty() ? kind : **FindKind(kind.queued);
  return BuiltInTexts()[static_cast<std::size_t>(&own - Kinds().data())];
}

std::uint32_t SlotsOf(const Kind& kind, std::uint32_t workers) {
  return kind.leader.empty() ? workers : workers + 1;
}

std::uint32_t ClaimsOf(const Kind& kind, const v1::suites::LifecycleSpec& spec) {
  if (!spec.has_pvc()) return 0;
  return IsOfRunai(kind) ? 1 : SlotsOf(kind, spec.workers());
}

Result<std::vector<Object>> Render(const Kind& kind, const std::string& text,
                                   const Workload& workload) {
  if (Status status = CheckWorkers(kind, text, workload); !status.ok()) return status;
  if (Status status = CheckNames(kind, workload); !status.ok()) return status;
  const auto document = yaml::ParseDocument(text);
  if (!document.ok()) return document.status();
  auto filled = FillIn(**document, kind, workload);
  if (!filled.ok()) return filled.status();
  auto objects = ObjectsIn(*std::move(filled));
  if (!objects.ok()) return objects.status();
  std::size_t bytes = 0;
  std::size_t pods = 0;
  for (Object& object : *objects) {
    if (Status status = MakeOurs(object, workload, pods); !status.ok()) return status;
    bytes += object.dump(-1, ' ', false, Object::error_handler_t::replace).size();
  }
  if (bytes > kMostBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("template: ", bytes, " bytes when filled in; ", kMostBytes, " are the most"));
  }
  if (IsOfRunai(kind)) {
    if (Status status = GiveRunaiFields(objects->front(), workload); !status.ok()) return status;
  }
  if (Status status = CheckPods(kind, workload, pods); !status.ok()) return status;
  Object& own = objects->front();
  if (Status status = CheckOwn(kind, own); !status.ok()) return status;
  own["metadata"]["name"] = workload.name;
  if (Status status = GiveQueue(kind, workload, own); !status.ok()) return status;
  return objects;
}

}  // namespace twofold::lifecycle
