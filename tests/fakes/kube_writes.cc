#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <utility>

#include "tests/fakes/kube_objects.h"
#include "tests/fakes/kube_patches.h"

namespace twofold::fakes {
namespace {

using kube::NameOf;
using kube::TextAt;

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

}  // namespace

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
    if (object.contains("spec")) Leaves({{"spec", object["spec"]}}, "", leaves);
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
    if (!writing.subresource.empty()) throw NotFound(resource, name.name);
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

}  // namespace twofold::fakes
