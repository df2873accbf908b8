#pragma once

#include <absl/time/time.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kubernetes/api/call.h"
#include "tests/fakes/kube_refusals.h"

namespace twofold::fakes {

using kube::Json;
using kube::ObjectName;
using kube::Resource;

/// Now or later, as objects have it: whole seconds.
std::string NowText(absl::Duration later = absl::ZeroDuration());

/// One change of an object, as watchers are told it.
struct ObjectChange {
  std::uint64_t version;
  std::string type;  ///< ADDED, MODIFIED, DELETED
  std::string plural;
  std::string group;
  Json before;  ///< null if ADDED
  Json object;
};

/// How a write is meant.
struct Writing {
  std::string manager;
  bool dry_run = false;
  bool strict = true;
  bool force = false;       ///< of apply
  std::string subresource;  ///< empty: the object itself
};

/// The objects of a fake API server, and the rules by which they change. No I/O, no threads.
class KubeObjects {
 public:
  KubeObjects(std::vector<Resource> custom,
              std::map<std::string, std::set<std::string>> spec_fields);

  /// The resource at /api(s)/GROUP/VERSION/PLURAL. Throws Refusal 404.
  [[nodiscard]] const Resource& At(const std::string& group, const std::string& version,
                                   const std::string& plural) const;
  [[nodiscard]] const std::vector<Resource>& resources() const { return resources_; }

  Json Create(const Resource& resource, const std::string& space, Json object,
              const Writing& writing);
  Json Bind(const ObjectName& pod, const Json& binding, const Writing& writing);

  /// `content_type` says which kind of patch; of apply it makes the object if need be (`created`).
  Json Patch(const Resource& resource, const ObjectName& name, const std::string& content_type,
             const Json& patch, const Writing& writing, bool& created);

  /// `options` is a DeleteOptions object. The object, if it stays for now; else null.
  Json Delete(const Resource& resource, const ObjectName& name, const Json& options);

  [[nodiscard]] const Json& Get(const Resource& resource, const ObjectName& name) const;

  /// Those that match the selectors, in the order of their names.
  [[nodiscard]] std::vector<Json> List(const Resource& resource, const std::string& space,
                                       const std::string& labels, const std::string& fields) const;

  /// Without any rule.
  Json Put(const Resource& resource, Json object);
  void Remove(const Resource& resource, const ObjectName& name);
  [[nodiscard]] const Json* Find(const Resource& resource, const ObjectName& name) const;

  [[nodiscard]] std::uint64_t version() const { return version_; }
  [[nodiscard]] std::uint64_t compacted() const { return compacted_; }
  void Compact() { compacted_ = ++version_; }

  /// All changes so far, by version.
  [[nodiscard]] const std::vector<ObjectChange>& history() const { return history_; }

 private:
  using Objects = std::map<ObjectName, Json>;
  using Key = std::pair<std::string, std::string>;  // group, plural
  using Place = std::pair<Key, ObjectName>;

  static Key KeyOf(const Resource& resource) { return {resource.group, resource.plural}; }
  Json Store(const Resource& resource, Json object, const char* type, bool dry_run);
  void Erase(const Resource& resource, const ObjectName& name);
  void Index(const Place& place, const Json& object, bool is_there);
  Json Finish(const Resource& resource, Json before, Json after, const Writing& writing);
  Json Apply(const Resource& resource, const ObjectName& name, const Json& patch,
             const Writing& writing, bool& created);
  void CheckFields(const Resource& resource, const Json& object, const Writing& writing) const;
  void Settle(const Resource& resource, const ObjectName& name);
  std::vector<std::pair<Resource, ObjectName>> Dependents(const std::string& uid) const;
  void DropDependents(const std::string& uid, const std::string& policy);
  [[nodiscard]] const Resource* ResourceOf(const Key& key) const;

  std::vector<Resource> resources_;
  const std::size_t built_in_;  // of resources_
  const std::map<std::string, std::set<std::string>> spec_fields_;
  std::map<Key, Objects> objects_;
  std::map<std::string, Place> by_uid_;
  std::map<std::string, std::set<Place>> dependents_;                 // by the owner's uid
  std::map<std::string, std::map<std::string, std::string>> owners_;  // uid -> leaf -> manager
  std::vector<ObjectChange> history_;
  std::uint64_t version_ = 1000;
  std::uint64_t compacted_ = 0;
  std::uint64_t made_ = 0;  // uids and names
};

}  // namespace twofold::fakes
