#include "tests/fakes/kube_objects.h"

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_replace.h>
#include <absl/strings/str_split.h>
#include <absl/time/clock.h>
#include <absl/time/time.h>

#include <algorithm>
#include <array>
#include <utility>

namespace twofold::fakes {
namespace {

using kube::NameOf;
using kube::TextAt;

constexpr const char* kForeground = "foregroundDeletion";

/// The lists of objects whose elements a strategic patch merges by a key; others are replaced.
const std::map<std::string, std::string> kListKeys = {
    {"conditions", "type"},     {"containers", "name"},
    {"initContainers", "name"}, {"env", "name"},
    {"volumes", "name"},        {"ports", "containerPort"},
    {"podIPs", "ip"},           {"hostIPs", "ip"},
    {"addresses", "type"},      {"ownerReferences", "uid"},
    {"taints", "key"},          {"volumeMounts", "mountPath"},
};

std::string NowText(absl::Duration later = absl::ZeroDuration()) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::Now() + later, absl::UTCTimeZone());
}

std::string GroupKind(const Resource& resource) {
  return resource.group.empty() ? resource.kind : absl::StrCat(resource.kind, ".", resource.group);
}

/// "jobs.batch", as messages name resources.
std::string Qualified(const Resource& resource) {
  return resource.group.empty() ? resource.plural
                                : absl::StrCat(resource.plural, ".", resource.group);
}

Json Details(const Resource& resource, const std::string& name) {
  return {{"name", name}, {"group", resource.group}, {"kind", resource.plural}};
}

Refusal NotFound(const Resource& resource, const std::string& name) {
  return {404, "NotFound", absl::StrCat(Qualified(resource), " \"", name, "\" not found"),
          Details(resource, name)};
}

Refusal Invalid(const Resource& resource, const std::string& name, const std::string& what) {
  return {422, "Invalid", absl::StrCat(GroupKind(resource), " \"", name, "\" is invalid: ", what),
          Details(resource, name)};
}

Refusal Conflict(const Resource& resource, const std::string& name, const std::string& what) {
  return {409, "Conflict",
          absl::StrCat("Operation cannot be fulfilled on ", Qualified(resource), " \"", name,
                       "\": ", what),
          Details(resource, name)};
}

Refusal BadRequest(const std::string& what) { return {400, "BadRequest", what}; }

/// Whether clients write the status only through its subresource.
bool HasStatus(const Resource& resource) {
  return resource != kube::kConfigMaps && resource != kube::kLeases && resource != kube::kEvents;
}

bool IsName(const std::string& name) {
  return !name.empty() && name.size() <= 253 && std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_islower(static_cast<unsigned char>(c)) ||
           absl::ascii_isdigit(static_cast<unsigned char>(c)) || c == '-' || c == '.';
  });
}

Json Strategic(const Json& base, const Json& patch, const std::string& field);

Json MergeList(Json base, const Json& patch, const std::string& key) {
  if (!base.is_array()) base = Json::array();
  for (const Json& element : patch) {
    const auto same = std::find_if(base.begin(), base.end(), [&](const Json& other) {
      return other.is_object() && element.is_object() && other.contains(key) &&
             element.contains(key) && other[key] == element[key];
    });
    const bool removes = TextAt(element, "/$patch") == "delete";
    if (same != base.end() && removes) {
      base.erase(same);
    } else if (same != base.end()) {
      *same = Strategic(*same, element, "");
    } else if (!removes) {
      base.push_back(element);
    }
  }
  return base;
}

/// `field` is where both stand.
Json Strategic(const Json& base, const Json& patch, const std::string& field) {
  const auto key = kListKeys.find(field);
  if (patch.is_array() && key != kListKeys.end()) return MergeList(base, patch, key->second);
  if (!patch.is_object()) return patch;
  if (TextAt(patch, "/$patch") == "replace") {
    Json whole = patch;
    whole.erase("$patch");
    return whole;
  }
  Json merged = base.is_object() ? base : Json::object();
  for (const auto& [name, value] : patch.items()) {
    if (value.is_null()) {
      merged.erase(name);
    } else {
      merged[name] = Strategic(merged.contains(name) ? merged[name] : Json(), value, name);
    }
  }
  return merged;
}

/// The values in `object`, by path; lists count as values.
void Leaves(const Json& object, const std::string& path, std::map<std::string, Json>& leaves) {
  if (!object.is_object() || object.empty()) {
    leaves[path] = object;
    return;
  }
  for (const auto& [name, value] : object.items()) {
    if (path.empty() && (name == "apiVersion" || name == "kind")) continue;
    std::string escaped = absl::StrReplaceAll(name, {{"~", "~0"}, {"/", "~1"}});
    const std::string next = absl::StrCat(path, "/", escaped);
    if (next == "/metadata/name" || next == "/metadata/namespace") continue;
    Leaves(value, next, leaves);
  }
}

/// Without what the server writes by itself.
Json Essence(Json object) {
  object["metadata"].erase("resourceVersion");
  object["metadata"].erase("managedFields");
  object["metadata"].erase("generation");
  return object;
}

void NoteManager(Json& object, const Resource& resource, const Writing& writing,
                 const char* operation) {
  Json& managers = object["metadata"]["managedFields"];
  if (!managers.is_array()) managers = Json::array();
  for (Json& entry : managers) {
    if (TextAt(entry, "/manager") == writing.manager && TextAt(entry, "/operation") == operation &&
        TextAt(entry, "/subresource") == writing.subresource) {
      entry["time"] = NowText();
      return;
    }
  }
  Json entry = {{"manager", writing.manager.empty() ? "unknown" : writing.manager},
                {"operation", operation},
                {"apiVersion", kube::ApiVersion(resource)},
                {"time", NowText()},
                {"fieldsType", "FieldsV1"}};
  if (!writing.subresource.empty()) entry["subresource"] = writing.subresource;
  managers.push_back(entry);
}

bool IsFinished(const Json& pod) {
  const std::string phase = TextAt(pod, "/status/phase");
  return phase == "Succeeded" || phase == "Failed";
}

/// Seconds until a pod is gone; 0: at once.
std::int64_t GraceOf(const Json& pod, const Json& options) {
  if (TextAt(pod, "/spec/nodeName").empty() || IsFinished(pod)) return 0;
  if (const Json* asked = kube::At(options, "/gracePeriodSeconds"))
    return asked->get<std::int64_t>();
  const Json* own = kube::At(pod, "/spec/terminationGracePeriodSeconds");
  return own == nullptr ? 30 : own->get<std::int64_t>();
}

bool HasFinalizers(const Json& object) {
  const Json* finalizers = kube::At(object, "/metadata/finalizers");
  return finalizers != nullptr && !finalizers->empty();
}

void CheckLease(const Resource& resource, const Json& object) {
  if (resource != kube::kLeases) return;
  const std::string time = TextAt(object, "/spec/renewTime");
  const std::size_t dot = time.find('.');
  if (time.empty() || (dot != std::string::npos && time.size() == dot + 8 && time.back() == 'Z')) {
    return;
  }
  throw BadRequest(
      absl::StrCat("Lease in version \"v1\" cannot be handled as a Lease: parsing time "
                   "\"",
                   time, "\" as \"2006-01-02T15:04:05.000000Z07:00\""));
}

/// What each new object has, and what clients cannot set.
void Initialise(const Resource& resource, Json& object) {
  if (HasStatus(resource) && resource != kube::kNodes) object.erase("status");
  if (resource == kube::kPods)
    object["status"] = {{"phase", "Pending"}, {"qosClass", "BestEffort"}};
  if (resource == kube::kNamespaces) object["status"] = {{"phase", "Active"}};
  if (resource == kube::kNodes && kube::At(object, "/status/capacity") != nullptr &&
      kube::At(object, "/status/allocatable") == nullptr) {
    object["status"]["allocatable"] = object["status"]["capacity"];
  }
}

struct Requirement {
  std::string key;
  std::string op;  ///< = != in notin exists !
  std::vector<std::string> values;
};

/// Cuts at commas outside parentheses.
std::vector<std::string> Parts(const std::string& selector) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : selector) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

Requirement ParseRequirement(const std::string& text) {
  const std::string part(absl::StripAsciiWhitespace(text));
  if (const std::size_t open = part.find('('); open != std::string::npos) {
    const std::vector<std::string> words =
        absl::StrSplit(part.substr(0, open), ' ', absl::SkipEmpty());
    if (words.size() != 2 || part.back() != ')')
      throw BadRequest("unable to parse requirement: " + part);
    Requirement made{words[0], words[1], {}};
    for (const auto value : absl::StrSplit(part.substr(open + 1, part.size() - open - 2), ',')) {
      made.values.emplace_back(absl::StripAsciiWhitespace(value));
    }
    return made;
  }
  for (const std::string op : {"!=", "==", "="}) {
    const std::size_t at = part.find(op);
    if (at == std::string::npos) continue;
    return {part.substr(0, at), op == "!=" ? "notin" : "in", {part.substr(at + op.size())}};
  }
  if (part.starts_with('!')) return {part.substr(1), "!", {}};
  return {part, "exists", {}};
}

bool Holds(const Requirement& requirement, const std::optional<std::string>& value) {
  if (requirement.op == "exists") return value.has_value();
  if (requirement.op == "!") return !value.has_value();
  const bool listed = value && std::find(requirement.values.begin(), requirement.values.end(),
                                         *value) != requirement.values.end();
  return requirement.op == "notin" ? !listed : listed;
}

}  // namespace

Json ToJson(const Refusal& refusal) {
  return {{"kind", "Status"},           {"apiVersion", "v1"},         {"metadata", Json::object()},
          {"status", "Failure"},        {"message", refusal.message}, {"reason", refusal.reason},
          {"details", refusal.details}, {"code", refusal.status}};
}

bool MatchesLabels(const Json& object, const std::string& selector) {
  if (selector.empty()) return true;
  const Json* labels = kube::At(object, "/metadata/labels");
  for (const std::string& part : Parts(selector)) {
    const Requirement requirement = ParseRequirement(part);
    std::optional<std::string> value;
    if (labels != nullptr && labels->contains(requirement.key)) {
      value = labels->at(requirement.key).get<std::string>();
    }
    if (!Holds(requirement, value)) return false;
  }
  return true;
}

bool MatchesFields(const Json& object, const std::string& selector) {
  if (selector.empty()) return true;
  for (const std::string& part : Parts(selector)) {
    const Requirement requirement = ParseRequirement(part);
    const std::string path = "/" + absl::StrReplaceAll(requirement.key, {{".", "/"}});
    if (!Holds(requirement, TextAt(object, path))) return false;
  }
  return true;
}

KubeObjects::KubeObjects(std::vector<Resource> custom,
                         std::map<std::string, std::set<std::string>> spec_fields)
    : resources_({kube::kConfigMaps, kube::kEvents, kube::kJobs, kube::kLeases, kube::kNamespaces,
                  kube::kNodes, kube::kPods}),
      built_in_(resources_.size()),
      spec_fields_(std::move(spec_fields)) {
  resources_.insert(resources_.end(), custom.begin(), custom.end());
}

const Resource& KubeObjects::At(const std::string& group, const std::string& version,
                                const std::string& plural) const {
  for (const Resource& resource : resources_) {
    if (resource.group == group && resource.version == version && resource.plural == plural) {
      return resource;
    }
  }
  throw Refusal{404, "NotFound", "the server could not find the requested resource"};
}

const Resource* KubeObjects::ResourceOf(const Key& key) const {
  const auto found = std::find_if(resources_.begin(), resources_.end(),
                                  [&](const Resource& resource) { return KeyOf(resource) == key; });
  return found == resources_.end() ? nullptr : &*found;
}

/// The new state of an object: gets a version, and watchers learn of it.
Json KubeObjects::Store(const Resource& resource, Json object, const char* type, bool dry_run) {
  if (dry_run) return object;
  object["metadata"]["resourceVersion"] = std::to_string(++version_);
  object["apiVersion"] = kube::ApiVersion(resource);
  object["kind"] = resource.kind;
  const Place where{KeyOf(resource), NameOf(object)};
  Json& place = objects_[where.first][where.second];
  Index(where, place, false);
  Index(where, object, true);
  history_.push_back({version_, type, resource.plural, resource.group, place, object});
  place = object;
  return object;
}

/// Owners and dependents find each other without looking at all objects: a clean-up that deletes
/// all of many would take the square of the time.
void KubeObjects::Index(const Place& place, const Json& object, bool is_there) {
  const std::string uid = TextAt(object, "/metadata/uid");
  if (!uid.empty() && is_there) by_uid_[uid] = place;
  if (!is_there) by_uid_.erase(uid);
  const Json* owners = kube::At(object, "/metadata/ownerReferences");
  if (owners == nullptr) return;
  for (const Json& owner : *owners) {
    const std::string of = TextAt(owner, "/uid");
    auto& dependents = dependents_[of];
    if (is_there) dependents.insert(place);
    if (!is_there) dependents.erase(place);
    if (dependents.empty()) dependents_.erase(of);
  }
}

void KubeObjects::Erase(const Resource& resource, const ObjectName& name) {
  Objects& objects = objects_[KeyOf(resource)];
  const auto found = objects.find(name);
  if (found == objects.end()) return;
  Json last = std::move(found->second);
  objects.erase(found);
  Index({KeyOf(resource), name}, last, false);
  Json before = last;
  last["metadata"]["resourceVersion"] = std::to_string(++version_);
  history_.push_back(
      {version_, "DELETED", resource.plural, resource.group, std::move(before), last});
  const std::string uid = TextAt(last, "/metadata/uid");
  owners_.erase(uid);
  DropDependents(uid, "Background");
  // An owner that waits for its dependents may have lost the last one.
  const Json* owners = kube::At(last, "/metadata/ownerReferences");
  if (owners == nullptr) return;
  for (const Json& owner : *owners) {
    const auto place = by_uid_.find(TextAt(owner, "/uid"));
    if (place == by_uid_.end()) continue;
    const auto [key, owner_name] = place->second;  // which Settle may erase
    Settle(*ResourceOf(key), owner_name);
  }
}

/// Erases what is being deleted and waits for nothing any more.
void KubeObjects::Settle(const Resource& resource, const ObjectName& name) {
  const Json* object = Find(resource, name);
  if (object == nullptr || TextAt(*object, "/metadata/deletionTimestamp").empty()) return;
  Json left = *object;
  Json& finalizers = left["metadata"]["finalizers"];
  if (finalizers.is_array() && Dependents(TextAt(left, "/metadata/uid")).empty()) {
    finalizers.erase(std::remove(finalizers.begin(), finalizers.end(), Json(kForeground)),
                     finalizers.end());
  }
  const bool on_node = resource == kube::kPods && !TextAt(left, "/spec/nodeName").empty();
  const Json* grace = kube::At(left, "/metadata/deletionGracePeriodSeconds");
  const bool running = on_node && grace != nullptr && *grace != 0;
  if (!HasFinalizers(left) && !running) Erase(resource, name);
}

std::vector<std::pair<Resource, ObjectName>> KubeObjects::Dependents(const std::string& uid) const {
  std::vector<std::pair<Resource, ObjectName>> found;
  const auto dependents = dependents_.find(uid);
  if (dependents == dependents_.end()) return found;
  for (const auto& [key, name] : dependents->second) found.emplace_back(*ResourceOf(key), name);
  return found;
}

void KubeObjects::DropDependents(const std::string& uid, const std::string& policy) {
  for (const auto& [resource, name] : Dependents(uid)) {
    const Json* object = Find(resource, name);
    if (object == nullptr) continue;
    if (policy != "Orphan") {
      Delete(resource, name, {{"propagationPolicy", "Background"}});
      continue;
    }
    Json orphan = *object;
    Json& owners = orphan["metadata"]["ownerReferences"];
    owners.erase(std::remove_if(owners.begin(), owners.end(),
                                [&](const Json& owner) { return TextAt(owner, "/uid") == uid; }),
                 owners.end());
    Store(resource, std::move(orphan), "MODIFIED", false);
  }
}

void KubeObjects::CheckFields(const Resource& resource, const Json& object,
                              const Writing& writing) const {
  const auto known = spec_fields_.find(resource.kind);
  const Json* spec = kube::At(object, "/spec");
  if (!writing.strict || known == spec_fields_.end() || spec == nullptr || !spec->is_object())
    return;
  std::vector<std::string> unknown;
  for (const auto& [field, value] : spec->items()) {
    if (!known->second.contains(field)) unknown.push_back("unknown field \"spec." + field + "\"");
  }
  if (unknown.empty()) return;
  throw BadRequest(absl::StrCat(resource.kind, " in version \"", resource.version,
                                "\" cannot be handled as a ", resource.kind,
                                ": strict decoding error: ", absl::StrJoin(unknown, ", ")));
}

Json KubeObjects::Create(const Resource& resource, const std::string& space, Json object,
                         const Writing& writing) {
  if (!object.is_object() || TextAt(object, "/kind") != resource.kind) {
    throw BadRequest(absl::StrCat(TextAt(object, "/kind"), " in version \"", resource.version,
                                  "\" cannot be handled as a ", resource.kind));
  }
  Json& metadata = object["metadata"];
  if (!metadata.is_object()) metadata = Json::object();
  if (resource.namespaced) {
    if (metadata.contains("namespace") && metadata["namespace"] != space) {
      throw BadRequest(
          "the namespace of the provided object does not match the namespace sent on "
          "the request");
    }
    metadata["namespace"] = space;
  }
  std::string name = TextAt(metadata, "/name");
  if (name.empty() && metadata.contains("generateName")) {
    name = absl::StrCat(TextAt(metadata, "/generateName"), absl::Hex(0xb0000 + ++made_));
    metadata["name"] = name;
  }
  if (name.empty()) {
    throw Invalid(resource, "", "metadata.name: Required value: name or generateName is required");
  }
  if (!IsName(name)) {
    throw Invalid(resource, name,
                  absl::StrCat("metadata.name: Invalid value: \"", name,
                               "\": a lowercase RFC 1123 subdomain must consist of "
                               "lower case alphanumeric characters, '-' or '.'"));
  }
  CheckFields(resource, object, writing);
  CheckLease(resource, object);
  if (Find(resource, NameOf(object)) != nullptr) {
    throw Refusal{409, "AlreadyExists",
                  absl::StrCat(Qualified(resource), " \"", name, "\" already exists"),
                  Details(resource, name)};
  }
  Initialise(resource, object);
  const std::string uid =
      absl::StrCat("00000000-0000-4000-8000-", absl::Dec(++made_, absl::kZeroPad12));
  metadata["uid"] = uid;
  metadata["creationTimestamp"] = NowText();
  metadata["generation"] = 1;
  metadata.erase("deletionTimestamp");
  NoteManager(object, resource, writing, "Update");
  if (!writing.dry_run) {
    std::map<std::string, Json> leaves;
    Leaves(object.contains("spec") ? Json{{"spec", object["spec"]}} : Json::object(), "", leaves);
    for (const auto& [path, value] : leaves) owners_[uid][path] = writing.manager;
  }
  return Store(resource, std::move(object), "ADDED", writing.dry_run);
}

Json KubeObjects::Bind(const ObjectName& pod, const Json& binding, const Writing& writing) {
  Json bound = Get(kube::kPods, pod);
  const std::string node = TextAt(binding, "/target/name");
  if (node.empty()) throw Invalid(kube::kPods, pod.name, "target.name: Required value");
  const std::string before = TextAt(bound, "/spec/nodeName");
  if (!before.empty()) {
    throw Conflict(kube::kPods, pod.name,
                   absl::StrCat("pod ", pod.name, " is already assigned to node \"", before, "\""));
  }
  bound["spec"]["nodeName"] = node;
  const Json scheduled = {
      {"conditions",
       {{{"type", "PodScheduled"}, {"status", "True"}, {"lastTransitionTime", NowText()}}}}};
  bound["status"] = Strategic(bound["status"], scheduled, "status");
  Store(kube::kPods, std::move(bound), "MODIFIED", writing.dry_run);
  return {{"kind", "Status"}, {"apiVersion", "v1"}, {"status", "Success"}, {"code", 201}};
}

/// What becomes of an object by a write, by the rules for all writes.
Json KubeObjects::Finish(const Resource& resource, Json before, Json after,
                         const Writing& writing) {
  const ObjectName name = NameOf(before);
  if (NameOf(after) != name) throw BadRequest("the name of the object does not match the request");
  if (TextAt(after, "/metadata/uid") != TextAt(before, "/metadata/uid")) {
    throw Invalid(resource, name.name, "metadata.uid: Invalid value: field is immutable");
  }
  if (TextAt(after, "/metadata/resourceVersion") != TextAt(before, "/metadata/resourceVersion")) {
    throw Conflict(resource, name.name,
                   "the object has been modified; please apply your changes to the latest version "
                   "and try again");
  }
  CheckFields(resource, after, writing);
  CheckLease(resource, after);
  const bool to_status = writing.subresource == "status";
  if (to_status) {
    Json whole = before;
    whole["status"] = after.contains("status") ? after["status"] : Json::object();
    // Kubelets label their node and write on pods this way; other kinds keep their metadata.
    for (const char* field : {"labels", "annotations"}) {
      const bool may_change = resource == kube::kNodes || resource == kube::kPods;
      if (may_change && after["metadata"].contains(field)) {
        whole["metadata"][field] = after["metadata"][field];
      }
    }
    after = std::move(whole);
  } else if (HasStatus(resource)) {
    after.erase("status");
    if (before.contains("status")) after["status"] = before["status"];
  }
  for (const char* field :
       {"creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    after["metadata"].erase(field);
    if (before["metadata"].contains(field)) after["metadata"][field] = before["metadata"][field];
  }
  if (Essence(before) == Essence(after)) return before;
  if (before["spec"] != after["spec"]) {
    after["metadata"]["generation"] = before["metadata"].value("generation", 1) + 1;
  }
  Json stored = Store(resource, std::move(after), "MODIFIED", writing.dry_run);
  if (!writing.dry_run) Settle(resource, name);
  return stored;
}

Json KubeObjects::Apply(const Resource& resource, const ObjectName& name, const Json& patch,
                        const Writing& writing, bool& created) {
  if (writing.manager.empty()) throw Invalid(resource, name.name, "fieldManager: Required value");
  if (TextAt(patch, "/kind") != resource.kind) throw BadRequest("the kind does not match the path");
  const Json* present = Find(resource, name);
  std::map<std::string, Json> leaves;
  Leaves(patch, "", leaves);
  if (present == nullptr) {
    created = true;
    Json object = patch;
    object["metadata"]["name"] = name.name;
    return Create(resource, name.space, std::move(object), writing);
  }
  Json before = *present;
  auto& owners = owners_[TextAt(before, "/metadata/uid")];
  std::vector<std::string> conflicts;
  for (const auto& [path, value] : leaves) {
    const auto owner = owners.find(path);
    if (owner == owners.end() || owner->second == writing.manager) continue;
    const Json::json_pointer pointer(path);
    if (!before.contains(pointer) || before.at(pointer) != value) {
      conflicts.push_back(absl::StrCat("conflict with \"", owner->second, "\": ", path));
    }
  }
  if (!conflicts.empty() && !writing.force) {
    throw Refusal{409, "Conflict",
                  absl::StrCat("Apply failed with ", conflicts.size(),
                               " conflicts: ", absl::StrJoin(conflicts, ", ")),
                  Details(resource, name.name)};
  }
  Json base = before;
  for (auto owner = owners.begin(); owner != owners.end();) {
    const Json::json_pointer pointer(owner->first);
    const bool dropped = owner->second == writing.manager && !leaves.contains(owner->first);
    if (dropped && base.contains(pointer)) base.at(pointer.parent_pointer()).erase(pointer.back());
    owner = dropped && !writing.dry_run ? owners.erase(owner) : std::next(owner);
  }
  Json after = Strategic(base, patch, "");
  NoteManager(after, resource, writing, "Apply");
  if (!writing.dry_run) {
    for (const auto& [path, value] : leaves) owners[path] = writing.manager;
  }
  return Finish(resource, std::move(before), std::move(after), writing);
}

Json KubeObjects::Patch(const Resource& resource, const ObjectName& name,
                        const std::string& content_type, const Json& patch, const Writing& writing,
                        bool& created) {
  created = false;
  if (content_type == "application/apply-patch+yaml") {
    return Apply(resource, name, patch, writing, created);
  }
  Json before = Get(resource, name);
  Json after = before;
  const bool custom = std::find(resources_.begin() + static_cast<std::ptrdiff_t>(built_in_),
                                resources_.end(), resource) != resources_.end();
  if (content_type == "application/merge-patch+json") {
    after.merge_patch(patch);
  } else if (content_type == "application/strategic-merge-patch+json" && !custom) {
    after = Strategic(before, patch, "");
  } else if (content_type == "application/json-patch+json") {
    try {
      after = before.patch(patch);
    } catch (const Json::exception&) {
      throw Refusal{422, "Invalid",
                    "the server rejected our request due to an error in our request"};
    }
  } else {
    throw Refusal{415, "UnsupportedMediaType",
                  absl::StrCat("the body of the request was in an unknown format - accepted media "
                               "types include: application/json-patch+json, "
                               "application/merge-patch+json, application/apply-patch+yaml")};
  }
  NoteManager(after, resource, writing, "Update");
  return Finish(resource, std::move(before), std::move(after), writing);
}

Json KubeObjects::Delete(const Resource& resource, const ObjectName& name, const Json& options) {
  Json object = Get(resource, name);
  for (const char* field : {"uid", "resourceVersion"}) {
    const std::string wanted = TextAt(options, absl::StrCat("/preconditions/", field));
    const std::string present = TextAt(object, absl::StrCat("/metadata/", field));
    if (wanted.empty() || wanted == present) continue;
    throw Conflict(resource, name.name,
                   absl::StrCat("Precondition failed: ", field, " in precondition: ", wanted, ", ",
                                field, " in object meta: ", present));
  }
  if (options.contains("dryRun")) return object;
  // The garbage collector's default; Jobs are the exception, for compatibility.
  std::string policy = TextAt(options, "/propagationPolicy");
  if (policy.empty()) policy = resource == kube::kJobs ? "Orphan" : "Background";
  const std::string uid = TextAt(object, "/metadata/uid");
  if (policy == "Orphan") DropDependents(uid, policy);
  const std::int64_t grace = resource == kube::kPods ? GraceOf(object, options) : 0;
  const bool waits = policy == "Foreground" && !Dependents(uid).empty();
  if (waits) object["metadata"]["finalizers"].push_back(kForeground);
  if (grace == 0 && !HasFinalizers(object)) {
    Erase(resource, name);
    return {};
  }
  object["metadata"]["deletionTimestamp"] = NowText(absl::Seconds(grace));
  object["metadata"]["deletionGracePeriodSeconds"] = grace;
  Json stored = Store(resource, std::move(object), "MODIFIED", false);
  if (waits) DropDependents(uid, policy);
  return stored;
}

const Json& KubeObjects::Get(const Resource& resource, const ObjectName& name) const {
  const Json* object = Find(resource, name);
  if (object == nullptr) throw NotFound(resource, name.name);
  return *object;
}

const Json* KubeObjects::Find(const Resource& resource, const ObjectName& name) const {
  const auto objects = objects_.find(KeyOf(resource));
  if (objects == objects_.end()) return nullptr;
  const auto found = objects->second.find(name);
  return found == objects->second.end() ? nullptr : &found->second;
}

std::vector<Json> KubeObjects::List(const Resource& resource, const std::string& space,
                                    const std::string& labels, const std::string& fields) const {
  std::vector<Json> found;
  const auto objects = objects_.find(KeyOf(resource));
  if (objects == objects_.end()) return found;
  for (const auto& [name, object] : objects->second) {
    if ((space.empty() || name.space == space) && MatchesLabels(object, labels) &&
        MatchesFields(object, fields)) {
      found.push_back(object);
    }
  }
  return found;
}

Json KubeObjects::Put(const Resource& resource, Json object) {
  Json& metadata = object["metadata"];
  const bool is_new = Find(resource, NameOf(object)) == nullptr;
  if (!metadata.contains("uid")) {
    metadata["uid"] =
        absl::StrCat("00000000-0000-4000-8000-", absl::Dec(++made_, absl::kZeroPad12));
  }
  if (!metadata.contains("creationTimestamp")) metadata["creationTimestamp"] = NowText();
  return Store(resource, std::move(object), is_new ? "ADDED" : "MODIFIED", false);
}

void KubeObjects::Remove(const Resource& resource, const ObjectName& name) {
  Erase(resource, name);
}

}  // namespace twofold::fakes
