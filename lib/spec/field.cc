#include "lib/spec/field.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "lib/common/match.h"

namespace twofold::spec {
namespace {

// What holds anyway may be written, too: a 0 that stands for no limit is no size, and the name 0 no
// text, to YAML.
bool IsInitial(const Node& node, const Field& field) {
  if (!IsText(field.type) || field.initial.empty()) return false;
  const Json json = ToJson(node);
  return (json.is_string() ? json.get<std::string>() : yaml::ToText(json)) == field.initial;
}

Status CheckValue(const Entry& entry, const Field& field, const std::string& path) {
  if (IsNull(*entry.value) || IsInitial(*entry.value, field)) return absl::OkStatus();
  const std::string why = field.type.mismatch(field.type, Unified(field, *entry.value));
  if (!why.empty()) {
    return Fault(entry.value->place, path, why);
  }
  if (FieldsIn(field.type).empty()) return absl::OkStatus();
  const List* list = AsList(*entry.value);
  if (list == nullptr) return CheckFields(*entry.value, FieldsIn(field.type), path);
  for (std::size_t i = 0; i < list->size(); ++i) {
    Status status = CheckFields(*(*list)[i], FieldsIn(field.type), fmt::format("{}[{}]", path, i));
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

bool IsGiven(const Map& map, const Field& field) {
  const Entry* entry = Find(map, field.name);
  return entry != nullptr && !IsNull(*entry->value);
}

Status CheckRequired(const Node& node, std::span<const Field> fields, const std::string& path) {
  for (const Field& field : fields) {
    if (field.need == Need::kRequired && !IsGiven(*AsMap(node), field)) {
      return Fault(node.place, Join(path, field.name), "is missing");
    }
  }
  return absl::OkStatus();
}

std::vector<std::string_view> Names(std::span<const Field> fields) {
  std::vector<std::string_view> names;
  for (const Field& field : fields) names.push_back(field.name);
  return names;
}

}  // namespace

std::string Join(std::string_view path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

std::span<const Field> FieldsIn(const FieldType& type) {
  return type.fields == nullptr ? std::span<const Field>() : *type.fields;
}

Field Required(Field field) {
  field.need = Need::kRequired;
  return field;
}

const Field* Find(std::span<const Field> fields, std::string_view name) {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const Field& field) { return field.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

Status CheckKeys(const Map& map, std::span<const Field> fields, const std::string& path) {
  for (const Entry& entry : map) {
    if (Find(fields, entry.key) != nullptr) continue;
    return Fault(entry.place, Join(path, entry.key),
                 "no such field" + Hint(entry.key, Names(fields)));
  }
  return absl::OkStatus();
}

Status CheckFields(const Node& node, std::span<const Field> fields, const std::string& path) {
  const Map* map = AsMap(node);
  if (map == nullptr) {
    return Fault(node.place, path, fmt::format("must be a map, is {}", TypeName(node)));
  }
  if (Status status = CheckKeys(*map, fields, path); !status.ok()) return status;
  for (const Entry& entry : *map) {
    Status status = CheckValue(entry, *Find(fields, entry.key), Join(path, entry.key));
    if (!status.ok()) return status;
  }
  return CheckRequired(node, fields, path);
}

}  // namespace twofold::spec
