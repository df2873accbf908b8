#include "client/places.h"

#include <map>
#include <utility>

#include "lib/common/printable.h"
#include "lib/rpc/limits.h"

namespace twofold::client {
namespace {

std::string Name(std::string_view text) { return Printable(text, rpc::kMaxNameBytes); }

}  // namespace

Places::Index Places::Find(std::string_view node, std::string_view pod, std::string_view device) {
  const auto found = index_.find(View{node, pod, device});
  if (found != index_.end()) return found->second;
  return Add({Name(node), Name(pod), Name(device)});
}

Places::Index Places::Add(Key names) {
  if (all_.size() >= kMost) names = {"other", "other", ""};
  const auto [entry, added] = index_.try_emplace(std::move(names), static_cast<Index>(all_.size()));
  if (added) {
    const auto& [node, pod, device] = entry->first;
    all_.push_back({node, pod, device});
  }
  return entry->second;
}

std::vector<PlaceGroup> GroupPlaces(const std::vector<Place>& places, By by) {
  std::map<std::pair<std::string, std::string>, PlaceGroup> groups;
  for (const Place& place : places) {
    if (place.succeeded + place.failed == 0) continue;
    const std::string& name = by == By::kNode ? place.node : place.pod;
    PlaceGroup& group = groups[{name, place.device}];
    group.name = name;
    group.device = place.device;
    group.succeeded += place.succeeded;
    group.failed += place.failed;
  }
  std::vector<PlaceGroup> sorted;
  for (auto& [key, group] : groups) sorted.push_back(std::move(group));
  return sorted;
}

}  // namespace twofold::client
