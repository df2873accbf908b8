#include "lib/spec/node.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>

#include "lib/spec/shown.h"

namespace twofold::spec {
namespace {

constexpr std::size_t kLongestField = 120;
constexpr std::size_t kLongestText = 400;

}  // namespace

std::string_view TypeName(const Node& node) {
  static constexpr std::array<std::string_view, 7> kNames = {
      "nothing", "true or false", "a whole number", "a number", "text", "a list", "a map"};
  static_assert(kNames.size() == std::variant_size_v<decltype(Node::value)>);
  return kNames.at(node.value.index());
}

const Entry* Find(const Map& map, std::string_view key) {
  const auto found =
      std::find_if(map.begin(), map.end(), [&](const Entry& entry) { return entry.key == key; });
  return found == map.end() ? nullptr : &*found;
}

Status Fault(Place place, std::string_view field, std::string_view what) {
  return absl::InvalidArgumentError(
      fmt::format("{}:{}: {}{}{}", place.line, place.column, Shown(field, kLongestField),
                  field.empty() ? "" : ": ", Shown(what, kLongestText)));
}

Status InFile(std::string_view file, const Status& status) {
  if (status.ok()) return status;
  return {status.code(), fmt::format("{}:{}", file, std::string(status.message()))};
}

}  // namespace twofold::spec
