#include "client/place_groups.h"

#include <map>
#include <utility>

namespace twofold::client {

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
