#include "lib/spec/varied_values.h"

namespace twofold::spec {
namespace {

void Add(const Node& varied, const Node& merged, const std::string& path,
         std::vector<VariedValue>& values) {
  const Map* fields = AsMap(varied);
  const Map* known = AsMap(merged);
  if (fields == nullptr || known == nullptr) {
    values.push_back({path, ToJson(merged)});
    return;
  }
  static const Node kNotGiven;
  for (const Entry& entry : *fields) {
    const Entry* value = Find(*known, entry.key);
    Add(*entry.value, value == nullptr ? kNotGiven : *value->value, Join(path, entry.key), values);
  }
}

}  // namespace

std::vector<VariedValue> ValuesOf(const Variation& variation, const Node& merged) {
  std::vector<VariedValue> values;
  Add(*variation.fields, merged, "", values);
  if (!variation.nodes.empty()) values.push_back({"nodes", variation.nodes});
  return values;
}

}  // namespace twofold::spec
