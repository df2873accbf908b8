#include "lib/yaml/node.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "lib/common/printable.h"

namespace twofold::yaml {
namespace {

constexpr std::size_t kLongestField = 120;
constexpr std::size_t kLongestText = 400;

// ---- scalars

template <std::size_t N>
bool IsOneOf(const std::array<std::string_view, N>& words, std::string_view text) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

constexpr std::array<std::string_view, 5> kNull = {"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 3> kTrue = {"true", "True", "TRUE"};
constexpr std::array<std::string_view, 3> kFalse = {"false", "False", "FALSE"};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The whole text read as a T, or nothing.
template <typename T, typename... Base>
std::optional<T> Read(std::string_view text, Base... base) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base...);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// from_chars also reads "inf" and "nan", and takes no plus; a leading zero would be octal
// elsewhere.
bool LooksLikeNumber(std::string_view digits) {
  if (digits.empty() || !(IsDigit(digits[0]) || digits[0] == '.')) return false;
  if (digits.size() > 1 && digits[0] == '0' && IsDigit(digits[1])) return false;
  return std::any_of(digits.begin(), digits.end(), IsDigit);
}

std::string_view WithoutSign(std::string_view text) {
  return text.starts_with('+') || text.starts_with('-') ? text.substr(1) : text;
}

// ---- merging

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

// ---- JSON

struct Converter {
  Json operator()(std::monostate) const { return nullptr; }
  Json operator()(const auto& scalar) const { return scalar; }
  Json operator()(const List& list) const {
    Json json = Json::array();
    for (const NodeRef& item : list) json.push_back(ToJson(*item));
    return json;
  }
  Json operator()(const Map& map) const {
    Json json = Json::object();
    for (const Entry& entry : map) {
      if (!IsNull(*entry.value)) json[entry.key] = ToJson(*entry.value);
    }
    return json;
  }
};

}  // namespace

decltype(Node::value) PlainScalar(std::string_view text) {
  if (IsOneOf(kNull, text)) return std::monostate();
  if (IsOneOf(kTrue, text)) return true;
  if (IsOneOf(kFalse, text)) return false;
  if (text.starts_with("0x")) {
    if (const auto whole = Read<std::int64_t>(text.substr(2), 16); whole && *whole >= 0) {
      return *whole;
    }
  }
  if (LooksLikeNumber(WithoutSign(text))) {
    const std::string_view number = text.starts_with('+') ? text.substr(1) : text;
    if (const auto whole = Read<std::int64_t>(number)) return *whole;
    if (const auto real = Read<double>(number); real && std::isfinite(*real)) return *real;
  }
  return std::string(text);
}

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

Json ToJson(const Node& node) { return std::visit(Converter(), node.value); }

Json ToJsonAsWritten(const Node& node) {
  if (const List* list = AsList(node)) {
    Json json = Json::array();
    for (const NodeRef& item : *list) json.push_back(ToJsonAsWritten(*item));
    return json;
  }
  if (const Map* map = AsMap(node)) {
    Json json = Json::object();
    for (const Entry& entry : *map) {
      if (!IsNull(*entry.value)) json[entry.key] = ToJsonAsWritten(*entry.value);
    }
    return json;
  }
  Json json = ToJson(node);
  const bool differs = !IsNull(node) && !node.written.empty() && ToText(json) != node.written;
  return differs ? Json(node.written) : json;
}

std::string TextOf(const Node& node) {
  if (const auto* text = std::get_if<std::string>(&node.value)) return *text;
  const bool is_scalar = !IsNull(node) && AsList(node) == nullptr && AsMap(node) == nullptr;
  if (!is_scalar) return "";
  return node.written.empty() ? ToText(ToJson(node)) : node.written;
}

// Texts come out of a document that was checked, but a YAML escape can name half a surrogate pair.
std::string ToText(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string Shown(std::string_view text, std::size_t most) {
  return Printable(text, most) + (text.size() > most ? "..." : "");
}

}  // namespace twofold::yaml
