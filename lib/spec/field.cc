#include "lib/spec/field.h"

#include <absl/strings/ascii.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace twofold::spec {
namespace {

// Letters to insert, delete or replace to get from `a` to `b` (V. Levenshtein, 1966), one row of
// the table at a time.
std::size_t Distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

constexpr std::size_t kLongestWord = 64;  // longer ones are no typing mistakes

// What holds anyway may be written, too: a 0 that stands for no limit is no size, and the name 0 no
// text, to YAML.
bool IsInitial(const Node& node, const Field& field) {
  if (!IsText(field.type) || field.initial.empty()) return false;
  const Json json = ToJson(node);
  return (json.is_string() ? json.get<std::string>() : ToText(json)) == field.initial;
}

Status CheckValue(const Entry& entry, const Field& field, const std::string& path) {
  if (IsNull(*entry.value) || IsInitial(*entry.value, field)) return absl::OkStatus();
  if (const std::string why = field.type.mismatch(field.type, *entry.value); !why.empty()) {
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

std::string Hint(std::string_view word, std::span<const std::string_view> known) {
  const std::string typed = absl::AsciiStrToLower(std::string(word.substr(0, kLongestWord)));
  std::size_t least = std::max<std::size_t>(1, typed.size() / 3) + 1;
  std::string_view nearest;
  for (const std::string_view candidate : known) {
    const std::size_t distance = Distance(typed, absl::AsciiStrToLower(std::string(candidate)));
    if (distance >= least) continue;
    least = distance;
    nearest = candidate;
  }
  if (!nearest.empty()) return fmt::format("; did you mean '{}'?", nearest);
  return fmt::format("; known: {}", fmt::join(known, ", "));
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
