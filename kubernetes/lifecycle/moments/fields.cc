#include "kubernetes/lifecycle/moments/fields.h"

#include <chrono>

namespace twofold::lifecycle {

std::optional<std::int64_t> SecondOf(std::string_view text) {
  const auto time = kube::TimeOf(text);
  if (!time) return std::nullopt;
  return std::chrono::floor<std::chrono::seconds>(time->time_since_epoch()).count();
}

std::optional<std::int64_t> SecondAt(const nlohmann::json& object, std::string_view path) {
  return SecondOf(kube::TextAt(object, path));
}

}  // namespace twofold::lifecycle
