#include "lib/spec/merge.h"

#include <algorithm>
#include <utility>

namespace twofold::spec {
namespace {

NodeRef MergeMaps(const Map& base, const Map& over, Place place) {
  Map merged = base;
  for (const Entry& entry : over) {
    if (IsNull(*entry.value)) continue;
    const auto at = std::find_if(merged.begin(), merged.end(),
                                 [&](const Entry& known) { return known.key == entry.key; });
    if (at == merged.end()) {
      merged.push_back(entry);
    } else {
      NodeRef value = Merge(at->value, entry.value);
      *at = {entry.key, entry.place, std::move(value)};
    }
  }
  std::size_t size = 1;
  for (const Entry& entry : merged) size += entry.value->size;
  return std::make_shared<const Node>(Node{std::move(merged), place, size});
}

NodeRef Concatenated(const List& base, const List& over, const Node& from, std::size_t size) {
  List joined = base;
  joined.insert(joined.end(), over.begin(), over.end());
  return std::make_shared<const Node>(Node{std::move(joined), from.place, size});
}

}  // namespace

NodeRef Merge(const NodeRef& base, const NodeRef& over) {
  if (IsNull(*over)) return base;
  const Map* map = AsMap(*base);
  const Map* map_over = AsMap(*over);
  if (map != nullptr && map_over != nullptr) return MergeMaps(*map, *map_over, over->place);
  const List* list = AsList(*base);
  const List* list_over = AsList(*over);
  if (list != nullptr && list_over != nullptr) {
    return Concatenated(*list, *list_over, *over, base->size + over->size - 1);
  }
  return over;
}

void AddMissing(Map& map, const Map& base) {
  for (const Entry& entry : base) {
    if (Find(map, entry.key) == nullptr) map.push_back(entry);
  }
}

}  // namespace twofold::spec
