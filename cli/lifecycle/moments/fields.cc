#include "cli/lifecycle/moments/fields.h"

#include <absl/time/time.h>

namespace twofold::lifecycle {

using nlohmann::json;

const json* FindField(const json& object, std::string_view path) {
  const json* found = &object;
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::string_view key = path.substr(0, path.find('/'));
    if (!found->is_object()) return nullptr;
    const auto at = found->find(std::string(key));
    if (at == found->end()) return nullptr;
    found = &*at;
    path.remove_prefix(key.size());
  }
  return found;
}

std::string TextAt(const json& object, std::string_view path) {
  const json* const found = FindField(object, path);
  return found != nullptr && found->is_string() ? found->get<std::string>() : "";
}

std::optional<std::int64_t> SecondOf(std::string_view text) {
  absl::Time time;
  std::string error;
  if (!absl::ParseTime(absl::RFC3339_full, std::string(text), &time, &error)) return std::nullopt;
  constexpr std::int64_t kEnd = std::int64_t{1} << 33;
  const std::int64_t second = absl::ToUnixSeconds(time);
  if (second < 0 || second >= kEnd) return std::nullopt;
  return second;
}

std::optional<std::int64_t> SecondAt(const json& object, std::string_view path) {
  return SecondOf(TextAt(object, path));
}

std::string LabelOf(const json& object, std::string_view label) {
  const json* const labels = FindField(object, "/metadata/labels");
  if (labels == nullptr || !labels->is_object()) return "";
  const auto found = labels->find(std::string(label));
  return found != labels->end() && found->is_string() ? found->get<std::string>() : "";
}

const json* FindCondition(const json& object, std::string_view type) {
  const json* const conditions = FindField(object, "/status/conditions");
  if (conditions == nullptr || !conditions->is_array()) return nullptr;
  for (const json& condition : *conditions) {
    if (TextAt(condition, "/type") == type) return &condition;
  }
  return nullptr;
}

bool IsTrue(const json* condition) {
  return condition != nullptr && TextAt(*condition, "/status") == "True";
}

}  // namespace twofold::lifecycle
