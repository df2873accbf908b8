#include "kubernetes/controller/object_cache.h"

#include <absl/strings/numbers.h>

#include <optional>
#include <utility>

namespace twofold::controller {
namespace {

using Kind = kube::WatchEvent::Kind;

constexpr const char* kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

Json Trimmed(Json object) {
  const auto metadata = object.find("metadata");
  if (metadata == object.end() || !metadata->is_object()) return object;
  metadata->erase("managedFields");
  const auto annotations = metadata->find("annotations");
  if (annotations != metadata->end() && annotations->is_object()) annotations->erase(kLastApplied);
  return object;
}

std::optional<std::uint64_t> VersionOf(const Json& object) {
  std::uint64_t version = 0;
  if (!absl::SimpleAtoi(kube::TextAt(object, "/metadata/resourceVersion"), &version)) {
    return std::nullopt;
  }
  return version;
}

/// Whether `now` is a state of the same object before `known`.
bool IsOlder(const Json& now, const Json& known) {
  if (kube::TextAt(now, "/metadata/uid") != kube::TextAt(known, "/metadata/uid")) return false;
  const auto version = VersionOf(now);
  const auto of_known = VersionOf(known);
  return version && of_known && *version < *of_known;
}

}  // namespace

std::vector<ObjectName> ObjectCache::Take(const kube::WatchEvent& event) {
  const ObjectName name = kube::NameOf(event.object);
  switch (event.kind) {
    case Kind::kListing:
      listing_ = true;
      listed_.clear();
      return {};
    case Kind::kSynced:
      return EndList();
    case Kind::kListed:
      listed_.insert(name);
      [[fallthrough]];
    case Kind::kAdded:
    case Kind::kModified:
      if (Store(event.object)) return {name};
      return {};
    case Kind::kDeleted:
      if (Erase(name)) return {name};
      return {};
    case Kind::kBookmark:
    case Kind::kTrouble:
      return {};
  }
  return {};
}

/// False: nothing new, or no room.
bool ObjectCache::Store(const Json& object) {
  const ObjectName name = kube::NameOf(object);
  if (name.name.empty()) return false;
  const auto known = entries_.find(name);
  if (known != entries_.end() && IsOlder(object, *known->second.object)) {
    ++outdated_;
    return false;
  }
  Erase(name);
  Json trimmed = part_ ? part_(object) : Trimmed(object);
  const std::size_t bytes = kube::MemoryOf(trimmed) + sizeof(Entry);
  if (bytes_ + bytes > most_bytes_) {
    ++left_out_;
    return false;
  }
  bytes_ += bytes;
  entries_[name] = {std::make_shared<const Json>(std::move(trimmed)), bytes};
  return true;
}

bool ObjectCache::Erase(const ObjectName& name) {
  const auto known = entries_.find(name);
  if (known == entries_.end()) return false;
  bytes_ -= known->second.bytes;
  entries_.erase(known);
  return true;
}

std::vector<ObjectName> ObjectCache::EndList() {
  std::vector<ObjectName> gone;
  if (!std::exchange(listing_, false)) return gone;
  for (const auto& [name, entry] : entries_) {
    if (!listed_.contains(name)) gone.push_back(name);
  }
  for (const ObjectName& name : gone) Erase(name);
  listed_.clear();
  synced_ = true;
  return gone;
}

void ObjectCache::Note(const Json& answer) {
  const auto known = entries_.find(kube::NameOf(answer));
  if (known == entries_.end()) return;
  const bool is_same =
      kube::TextAt(answer, "/metadata/uid") == kube::TextAt(*known->second.object, "/metadata/uid");
  if (is_same) Store(answer);
}

Snapshot ObjectCache::Find(const ObjectName& name) const {
  const auto known = entries_.find(name);
  return known == entries_.end() ? nullptr : known->second.object;
}

std::vector<Snapshot> ObjectCache::All() const {
  std::vector<Snapshot> all;
  all.reserve(entries_.size());
  for (const auto& [name, entry] : entries_) all.push_back(entry.object);
  return all;
}

CacheCounts ObjectCache::counts() const { return {entries_.size(), bytes_, left_out_, outdated_}; }

}  // namespace twofold::controller
