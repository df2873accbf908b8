#include "tests/fakes/kube_objects.h"

#include <absl/strings/str_cat.h>
#include <absl/time/clock.h>

#include <algorithm>
#include <utility>

#include "tests/fakes/kube_selectors.h"

namespace twofold::fakes {
namespace {

using kube::NameOf;
using kube::TextAt;

constexpr const char* kForeground = "foregroundDeletion";

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

}  // namespace

std::string NowText(absl::Duration later) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::Now() + later, absl::UTCTimeZone());
}

KubeObjects::KubeObjects(std::vector<Resource> custom,
                         std::map<std::string, std::set<std::string>> spec_fields)
    : resources_({kube::kConfigMaps, kube::kEvents, kube::kJobs, kube::kLeases, kube::kNamespaces,
                  kube::kNodes, kube::kPersistentVolumeClaims, kube::kPods}),
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
