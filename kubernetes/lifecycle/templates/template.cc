#include "kubernetes/lifecycle/templates/template.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "kubernetes/lifecycle/moments/kind.h"
#include "lib/common/printable.h"
#include "lib/yaml/node.h"

namespace twofold::lifecycle {
namespace {

constexpr std::size_t kMostObjects = 16;
constexpr std::size_t kMostBytes = 1 << 20;  // of all objects; the API server takes 1.5 MiB
constexpr std::size_t kLongestName = 52;     // controllers add up to eleven characters for pods
constexpr std::uint32_t kMostWorkers = kMostSlots - 1;  // an MPIJob has a launcher, too
constexpr std::size_t kShown = 80;
constexpr const char* kVolumeName = "twofold";
constexpr const char* kVolumePath = "/twofold";

// Below these keys Kubernetes wants texts.
constexpr std::array<std::string_view, 7> kTexts = {
    "labels", "annotations", "nodeSelector", "matchLabels", "env", "command", "args"};

struct Field {
  std::string_view name;
  std::string text;
  std::optional<std::uint32_t> number;
};

using Fields = std::vector<Field>;

Field NumberField(std::string_view name, std::uint32_t number) {
  return {name, absl::StrCat(number), number};
}

Fields FieldsOf(const Workload& workload) {
  const v1::suites::LifecycleSpec& spec = workload.spec;
  return {{"name", workload.name, {}},
          {"namespace", workload.space, {}},
          {"run", workload.run, {}},
          NumberField("index", workload.index),
          NumberField("workers", spec.workers()),
          NumberField("others", spec.workers() - 1),
          {"gpu", spec.gpu(), {}},
          NumberField("gpus", spec.gpus()),
          {"cpu", spec.cpu(), {}},
          {"memory", spec.memory(), {}},
          {"image", spec.container_image(), {}},
          NumberField("seconds", spec.seconds()),
          {"queue", spec.queue(), {}},
          {"scheduler", spec.scheduler(), {}}};
}

// ---- checks

Status BadSetting(std::string_view name, const std::string& value, const std::string& what) {
  return absl::InvalidArgumentError(
      absl::StrCat(std::string(name), ": '", Printable(value, kShown), "' ", what));
}

bool IsDnsLabel(const std::string& text) {
  const auto plain = [](char c) { return ('a' <= c && c <= 'z') || ('0' <= c && c <= '9'); };
  return !text.empty() && plain(text.front()) && plain(text.back()) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return plain(c) || c == '-'; });
}

Status CheckWorkload(const Workload& workload) {
  for (const auto& [name, value] : {std::pair{"name", &workload.name},
                                    {"run", &workload.run},
                                    {"namespace", &workload.space}}) {
    if (!IsDnsLabel(*value) || value->size() > kLongestName) {
      return BadSetting(name, *value,
                        absl::StrCat("must be 1 to ", kLongestName,
                                     " small letters, digits and dashes, with a letter or digit at "
                                     "both ends"));
    }
  }
  if (workload.spec.workers() == 0 || workload.spec.workers() > kMostWorkers) {
    return BadSetting("workers", absl::StrCat(workload.spec.workers()),
                      absl::StrCat("must be 1 to ", kMostWorkers));
  }
  return absl::OkStatus();
}

// ---- filling in

Result<const Field*> FindField(const Fields& fields, std::string_view name) {
  std::vector<std::string> names;
  for (const Field& field : fields) {
    if (field.name == name) return &field;
    names.emplace_back(field.name);
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "${", Printable(name, kShown), "}: no such field; there are ", absl::StrJoin(names, ", ")));
}

/// `text` with its fields filled in.
Result<std::string> Filled(std::string_view text, const Fields& fields) {
  std::string filled;
  while (true) {
    const std::size_t begin = text.find("${");
    filled += text.substr(0, begin);
    if (begin == std::string_view::npos) return filled;
    text.remove_prefix(begin + 2);
    if (filled.ends_with('$')) {
      filled += '{';
      continue;
    }
    const std::size_t end = text.find('}');
    if (end == std::string_view::npos) {
      return absl::InvalidArgumentError(
          absl::StrCat("'${", Printable(text, kShown), "' has no }; write $${ for a plain ${"));
    }
    const auto field = FindField(fields, text.substr(0, end));
    if (!field.ok()) return field.status();
    filled += (*field)->text;
    text.remove_prefix(end + 1);
  }
}

/// The number, if `text` is nothing but a field of one.
std::optional<std::uint32_t> NumberIn(std::string_view text, const Fields& fields) {
  if (!text.starts_with("${") || !text.ends_with('}')) return std::nullopt;
  const auto field = FindField(fields, text.substr(2, text.size() - 3));
  return field.ok() ? (*field)->number : std::nullopt;
}

Result<Object> Fill(const yaml::Json& json, const Fields& fields, bool texts);

Result<Object> FillText(const std::string& text, const Fields& fields, bool texts) {
  const auto number = NumberIn(text, fields);
  if (number && !texts) return Object(*number);
  const auto filled = Filled(text, fields);
  if (!filled.ok()) return filled.status();
  return Object(*filled);
}

Result<Object> FillMap(const yaml::Json& json, const Fields& fields, bool texts) {
  Object map = Object::object();
  for (const auto& [key, value] : json.items()) {
    const bool below = texts || std::find(kTexts.begin(), kTexts.end(), key) != kTexts.end();
    const auto filled_key = Filled(key, fields);
    if (!filled_key.ok()) return filled_key.status();
    auto filled = Fill(value, fields, below);
    if (!filled.ok()) return filled.status();
    map[*filled_key] = *std::move(filled);
  }
  return map;
}

Result<Object> Fill(const yaml::Json& json, const Fields& fields, bool texts) {
  if (json.is_string()) return FillText(json.get<std::string>(), fields, texts);
  if (json.is_object()) return FillMap(json, fields, texts);
  if (!json.is_array()) return Object(json);
  Object list = Object::array();
  for (const yaml::Json& each : json) {
    auto filled = Fill(each, fields, texts);
    if (!filled.ok()) return filled.status();
    list.push_back(*std::move(filled));
  }
  return list;
}

// ---- making it ours

/// The map under `key`, made if there is none; nullptr: something else is there.
Object* MapAt(Object& object, const char* key) {
  Object& map = object[key];
  if (map.is_null()) map = Object::object();
  return map.is_object() ? &map : nullptr;
}

/// The list under `key`, made if there is none; nullptr: something else is there.
Object* ListAt(Object& object, const char* key) {
  Object& list = object[key];
  if (list.is_null()) list = Object::array();
  return list.is_array() ? &list : nullptr;
}

Object LabelsOf(const Workload& workload) {
  Object labels = {{std::string(kRunLabel), workload.run},
                   {std::string(kWorkloadLabel), workload.name}};
  if (!workload.phase.empty()) labels[std::string(kPhaseLabel)] = workload.phase;
  return labels;
}

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

/// "KEY[=VALUE][:EFFECT]": lets pods onto nodes with such a taint.
Object TolerationOf(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const std::string taint = text.substr(0, colon);
  const std::size_t equals = taint.find('=');
  const bool any = equals == std::string::npos || equals + 1 == taint.size();
  Object toleration = {{"key", taint.substr(0, equals)}, {"operator", any ? "Exists" : "Equal"}};
  if (!any) toleration["value"] = taint.substr(equals + 1);
  if (colon != std::string::npos && colon + 1 < text.size()) {
    toleration["effect"] = text.substr(colon + 1);
  }
  return toleration;
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

bool IsOfRunai(const Kind& kind) { return kind.own.group == "run.ai"; }

/// What Run:ai's workloads have in the place of a pod's volume.
Status GiveRunaiVolume(Object& own, const Workload& workload) {
  if (!workload.spec.has_pvc()) return absl::OkStatus();
  Object claim = {{"claimName", ""},        {"ephemeral", true},     {"existingPvc", false},
                  {"path", kVolumePath},    {"readOnly", false},     {"readOnlyMany", false},
                  {"readWriteMany", false}, {"readWriteOnce", true}, {"size", workload.spec.pvc()}};
  if (workload.spec.has_storage_class()) claim["storageClass"] = workload.spec.storage_class();
  Object* const spec = MapAt(own, "spec");
  Object* const claims = spec == nullptr ? nullptr : MapAt(*spec, "pvcs");
  Object* const items = claims == nullptr ? nullptr : MapAt(*claims, "items");
  if (items == nullptr) return absl::InvalidArgumentError("spec.pvcs.items: must be maps");
  (*items)["pvc-new-0"] = {{"value", claim}};
  return absl::OkStatus();
}

/// What was asked for pods of a template that has none must not be left out in silence.
Status CheckPods(const Kind& kind, const Workload& workload, std::size_t pods) {
  const bool wants_volume = workload.spec.has_pvc() && !IsOfRunai(kind);
  const char* const asked = !workload.spec.node_selector().empty() ? "node selector"
                            : !workload.spec.tolerations().empty() ? "tolerations"
                            : wants_volume                         ? "volume"
                                                                   : nullptr;
  if (pods > 0 || asked == nullptr) return absl::OkStatus();
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
  return BuiltInTexts()[static_cast<std::size_t>(&kind - Kinds().data())];
}

std::uint32_t SlotsOf(const Kind& kind, std::uint32_t workers) {
  return kind.own.kind == "MPIJob" ? workers + 1 : workers;
}

std::uint32_t ClaimsOf(const Kind& kind, const v1::suites::LifecycleSpec& spec) {
  if (!spec.has_pvc()) return 0;
  return IsOfRunai(kind) ? 1 : SlotsOf(kind, spec.workers());
}

Result<std::vector<Object>> Render(const Kind& kind, const std::string& text,
                                   const Workload& workload) {
  if (Status status = CheckWorkload(workload); !status.ok()) return status;
  const auto document = yaml::ParseDocument(text);
  if (!document.ok()) return document.status();
  auto filled = Fill(yaml::ToJson(**document), FieldsOf(workload), false);
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
    if (Status status = GiveRunaiVolume(objects->front(), workload); !status.ok()) return status;
  }
  if (Status status = CheckPods(kind, workload, pods); !status.ok()) return status;
  Object& own = objects->front();
  if (Status status = CheckOwn(kind, own); !status.ok()) return status;
  own["metadata"]["name"] = workload.name;
  return objects;
}

}  // namespace twofold::lifecycle
