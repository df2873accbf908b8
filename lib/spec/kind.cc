#include "lib/spec/kind.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <utility>

#include "lib/common/match.h"
#include "lib/spec/field.h"

namespace twofold::spec {
namespace {

// REQUIRES: the kind has the field.
bool HasRole(const Kind& kind, std::string_view name, Role role) {
  return Find(kind.fields, name)->role == role;
}

Status CheckHostNetwork(const Map& spec) {
  const Entry* host = Find(spec, "hostNetwork");
  if (host == nullptr || !IsTrue(*host->value)) return absl::OkStatus();
  for (const std::string_view name : {"networkName", "mtu"}) {
    const Entry* entry = Find(spec, name);
    if (entry == nullptr || IsNull(*entry->value)) continue;
    return Fault(entry->place, name,
                 "does not go with hostNetwork: that is the node's own network");
  }
  return absl::OkStatus();
}

std::string ScalarText(const Json& json) {
  return json.is_string() ? json.get<std::string>() : yaml::ToText(json);
}

std::string LabelValue(const Json& json) {
  if (!json.is_array()) return ScalarText(json);
  std::vector<std::string> items;
  for (const Json& item : json) items.push_back(ScalarText(item));
  return fmt::format("{}", fmt::join(items, ","));
}

void AddRequirements(const Json& json, const std::string& path, std::vector<Requirement>& all) {
  if (!json.is_object()) {
    all.push_back({path, LabelValue(json)});
    return;
  }
  for (const auto& [key, value] : json.items()) AddRequirements(value, Join(path, key), all);
}

// Flags as JSON has them, seconds as numbers, and quantities as text: suites need not know "yes",
// 1m30s, nor 4096 for "4096".
// A label is what somebody wrote: 1.10 is no 1.1.
Json JsonOf(const Kind& kind, const Entry& entry) {
  const Field* field = Find(kind.fields, entry.key);
  if (field->type.mismatch == Flag().mismatch) return IsTrue(*entry.value);
  if (IsFreeMap(field->type)) return yaml::ToJsonAsWritten(*entry.value);
  const Json json = ToJson(Unified(*field, *entry.value));
  return IsText(field->type) ? Json(ScalarText(json)) : json;
}

}  // namespace

Result<const Kind*> FindKind(std::span<const Kind> kinds, std::string_view name,
                             std::string_view also) {
  std::vector<std::string_view> names;
  for (const Kind& kind : kinds) {
    if (kind.name == name) return &kind;
    names.push_back(kind.name);
  }
  if (!also.empty()) names.push_back(also);
  return absl::InvalidArgumentError(fmt::format("no kind '{}'{}", name, Hint(name, names)));
}

Status CheckSpec(const Kind& kind, const Node& spec) {
  Status status = CheckFields(spec, kind.fields, "");
  return status.ok() ? CheckHostNetwork(*AsMap(spec)) : status;
}

Json SuiteSpec(const Kind& kind, const Node& spec) {
  Json json = Json::object();
  for (const Entry& entry : *AsMap(spec)) {
    if (IsNull(*entry.value) || !HasRole(kind, entry.key, Role::kSuite)) continue;
    json[entry.key] = JsonOf(kind, entry);
  }
  return json;
}

std::vector<Requirement> Requirements(const Kind& kind, const Node& spec) {
  std::vector<Requirement> all;
  for (const Entry& entry : *AsMap(spec)) {
    if (IsNull(*entry.value)) continue;
    if (HasRole(kind, entry.key, Role::kPlacement)) {
      AddRequirements(JsonOf(kind, entry), entry.key, all);
    } else if (HasRole(kind, entry.key, Role::kLabels)) {
      AddRequirements(JsonOf(kind, entry), "", all);
    }
  }
  return all;
}

}  // namespace twofold::spec
