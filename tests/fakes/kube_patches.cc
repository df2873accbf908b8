#include "tests/fakes/kube_patches.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>

#include <algorithm>

namespace twofold::fakes {
namespace {

using kube::TextAt;

/// The lists of objects whose elements a strategic patch merges by a key; others are replaced.
const std::map<std::string, std::string> kListKeys = {
    {"conditions", "type"},     {"containers", "name"},
    {"initContainers", "name"}, {"env", "name"},
    {"volumes", "name"},        {"ports", "containerPort"},
    {"podIPs", "ip"},           {"hostIPs", "ip"},
    {"addresses", "type"},      {"ownerReferences", "uid"},
    {"taints", "key"},          {"volumeMounts", "mountPath"},
};

Json MergeList(Json base, const Json& patch, const std::string& key) {
  if (!base.is_array()) base = Json::array();
  for (const Json& element : patch) {
    const auto same = std::find_if(base.begin(), base.end(), [&](const Json& other) {
      return other.is_object() && element.is_object() && other.contains(key) &&
             element.contains(key) && other[key] == element[key];
    });
    const bool removes = TextAt(element, "/$patch") == "delete";
    if (same != base.end() && removes) {
      base.erase(same);
    } else if (same != base.end()) {
      *same = Strategic(*same, element, "");
    } else if (!removes) {
      base.push_back(element);
    }
  }
  return base;
}

}  // namespace

Json Strategic(const Json& base, const Json& patch, const std::string& field) {
  const auto key = kListKeys.find(field);
  if (patch.is_array() && key != kListKeys.end()) return MergeList(base, patch, key->second);
  if (!patch.is_object()) return patch;
  if (TextAt(patch, "/$patch") == "replace") {
    Json whole = patch;
    whole.erase("$patch");
    return whole;
  }
  Json merged = base.is_object() ? base : Json::object();
  for (const auto& [name, value] : patch.items()) {
    if (value.is_null()) {
      merged.erase(name);
    } else {
      merged[name] = Strategic(merged.contains(name) ? merged[name] : Json(), value, name);
    }
  }
  return merged;
}

void Leaves(const Json& object, const std::string& path, std::map<std::string, Json>& leaves) {
  if (!object.is_object() || object.empty()) {
    leaves[path] = object;
    return;
  }
  for (const auto& [name, value] : object.items()) {
    if (path.empty() && (name == "apiVersion" || name == "kind")) continue;
    std::string escaped = absl::StrReplaceAll(name, {{"~", "~0"}, {"/", "~1"}});
    const std::string next = absl::StrCat(path, "/", escaped);
    if (next == "/metadata/name" || next == "/metadata/namespace") continue;
    Leaves(value, next, leaves);
  }
}

}  // namespace twofold::fakes
