#include <array>
#include <optional>

#include "workloads/objects/wire/dialect.h"

namespace twofold::objects {
namespace {

struct Entity {
  std::string_view code;
  char text;
};

constexpr std::array<Entity, 5> kEntities = {
    {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}}};

std::string Resolved(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    std::size_t used = 1;
    char c = text.front();
    for (const Entity& entity : kEntities) {
      if (!text.starts_with(entity.code)) continue;
      c = entity.text;
      used = entity.code.size();
    }
    out.push_back(c);
    text.remove_prefix(used);
  }
  return out;
}

// "<Key>", "<D:href>" and "<d:href xmlns=...>" open `Key`, `href` and `href`.
bool Opens(std::string_view inside, std::string_view tag) {
  inside = inside.substr(0, inside.find_first_of(" \t\r\n"));
  const std::size_t colon = inside.find(':');
  return inside == tag || (colon != std::string_view::npos && inside.substr(colon + 1) == tag);
}

}  // namespace

std::optional<std::string> NextElement(std::string_view xml, std::string_view tag,
                                       std::size_t& at) {
  while (true) {
    const std::size_t open = xml.find('<', at);
    if (open == std::string_view::npos) return std::nullopt;
    const std::size_t close = xml.find('>', open);
    if (close == std::string_view::npos) return std::nullopt;
    at = close + 1;
    if (!Opens(xml.substr(open + 1, close - open - 1), tag)) continue;
    const std::size_t end = xml.find('<', at);
    if (end == std::string_view::npos) return std::nullopt;
    return Resolved(xml.substr(std::exchange(at, end), end - close - 1));
  }
}

}  // namespace twofold::objects
