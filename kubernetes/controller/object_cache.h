#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kubernetes/api/call.h"
#include "kubernetes/api/watch.h"

namespace twofold::controller {

using kube::Json;
using kube::ObjectName;

/// An object as it was at one moment. What others hold of it stays as it is.
using Snapshot = std::shared_ptr<const Json>;

/// What of an object is kept. Not less than metadata's name, namespace, uid and resourceVersion.
using PartOf = std::function<Json(const Json& object)>;

struct CacheCounts {
  std::size_t objects = 0;
  std::size_t bytes = 0;       ///< of these, in memory, nearly
  std::uint64_t left_out = 0;  ///< objects that there was no room for, so far
  std::uint64_t outdated = 0;  ///< events older than an answer to a write of ours, so far
};

/// The objects of a selection, kept up to date by the events of a Watcher and by the answers to our
/// own writes, so that nobody decides by a state that is older than what he has just written.
///
/// Without what only writers need (managedFields, and what kubectl applied last), or but a part.
///
/// Threads  Not thread-safe. Snapshots may be read by any thread.
/// Cost     O(log objects) an event; kSynced O(objects).
/// Source   client-go's Store and reflector; versions are compared as numbers, which API servers
///          promise since 1.35 and etcd has always done. What is no number is taken as newer.
class ObjectCache {
 public:
  /// `most_bytes`: what all objects together may take. An object beyond it is left out, and nobody
  /// hears of it. `part`: nullptr, all.
  explicit ObjectCache(std::size_t most_bytes, PartOf part = nullptr)
      : most_bytes_(most_bytes), part_(std::move(part)) {}

  /// The objects that have come, changed or gone by this event. After a list these are the ones
  /// that went while nobody watched.
  std::vector<ObjectName> Take(const kube::WatchEvent& event);

  /// What the server answered to a write of ours. Counts only for an object that is here: what is
  /// new or gone, the watch tells.
  void Note(const Json& answer);

  /// nullptr: there is none.
  [[nodiscard]] Snapshot Find(const ObjectName& name) const;

  [[nodiscard]] std::vector<Snapshot> All() const;

  /// Whether a whole list has come.
  [[nodiscard]] bool synced() const { return synced_; }

  [[nodiscard]] CacheCounts counts() const;

 private:
  struct Entry {
    Snapshot object;
    std::size_t bytes = 0;
  };

  bool Store(const Json& object);
  bool Erase(const ObjectName& name);
  std::vector<ObjectName> EndList();

  const std::size_t most_bytes_;
  const PartOf part_;
  std::map<ObjectName, Entry> entries_;
  std::set<ObjectName> listed_;  // by the list that goes on
  bool listing_ = false;
  bool synced_ = false;
  std::size_t bytes_ = 0;
  std::uint64_t left_out_ = 0;
  std::uint64_t outdated_ = 0;
};

}  // namespace twofold::controller
