#include <absl/strings/ascii.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "lib/common/distribution.h"
#include "lib/common/match.h"
#include "lib/spec/field.h"
#include "lib/spec/schema.h"
#include "lib/yaml/node.h"

namespace twofold::spec {
namespace {

constexpr std::size_t kLongestValue = 60;  // in messages
constexpr double kLongestSeconds = 10 * 365 * 86400.0;

constexpr std::array<std::string_view, 2> kYes = {"yes", "on"};
constexpr std::array<std::string_view, 2> kNo = {"no", "off"};

std::string Expected(std::string_view what, const Node& node) {
  if (const auto* text = std::get_if<std::string>(&node.value)) {
    return fmt::format("must be {}, is '{}'", what, yaml::Shown(*text, kLongestValue));
  }
  return fmt::format("must be {}, is {}", what, TypeName(node));
}

const std::string* AsText(const Node& node) { return std::get_if<std::string>(&node.value); }

template <std::size_t N>
bool Says(const std::array<std::string_view, N>& words, const Node& node) {
  const std::string* text = AsText(node);
  return text != nullptr &&
         std::find(words.begin(), words.end(), absl::AsciiStrToLower(*text)) != words.end();
}

// What is null is not given.
Json OrNull(Json schema, std::string_view type) {
  schema["type"] = {type, "null"};
  return schema;
}

std::string FlagMismatch(const FieldType&, const Node& node) {
  if (std::holds_alternative<bool>(node.value) || Says(kYes, node) || Says(kNo, node)) return "";
  return Expected("true or false", node);
}

Json FlagSchema(const FieldType&) {
  return {{"type", {"boolean", "string", "null"}},
          {"pattern", "^([yY][eE][sS]|[oO][nN]|[nN][oO]|[oO][fF][fF])$"}};
}

std::string WholeMismatch(const FieldType& type, const Node& node) {
  const auto* value = std::get_if<std::int64_t>(&node.value);
  if (value == nullptr) return Expected("a whole number", node);
  if (*value < type.least) return fmt::format("{} is less than {}", *value, type.least);
  if (*value > type.most) return fmt::format("{} is more than {}", *value, type.most);
  if ((*value - type.least) % type.step != 0) {
    return fmt::format("{} is not {} or a multiple of {} more", *value, type.least, type.step);
  }
  return "";
}

Json WholeSchema(const FieldType& type) {
  Json schema = {{"minimum", type.least}};
  if (type.most != kNoLimit) schema["maximum"] = type.most;
  if (type.step > 1 && type.least % type.step == 0) schema["multipleOf"] = type.step;
  return OrNull(std::move(schema), "integer");
}

std::string NumberMismatch(const FieldType& type, const Node& node) {
  const auto* whole = std::get_if<std::int64_t>(&node.value);
  const auto* real = std::get_if<double>(&node.value);
  if (whole == nullptr && real == nullptr) return Expected("a number", node);
  const double value = whole != nullptr ? static_cast<double>(*whole) : *real;
  if (value < static_cast<double>(type.least)) {
    return fmt::format("{} is less than {}", value, type.least);
  }
  const bool more = type.most != kNoLimit && value > static_cast<double>(type.most);
  return more ? fmt::format("{} is more than {}", value, type.most) : "";
}

Json NumberSchema(const FieldType& type) {
  Json schema = {{"minimum", type.least}};
  if (type.most != kNoLimit) schema["maximum"] = type.most;
  return OrNull(std::move(schema), "number");
}

std::string WordMismatch(const FieldType& type, const Node& node) {
  const std::string* text = AsText(node);
  if (text != nullptr &&
      std::find(type.words.begin(), type.words.end(), *text) != type.words.end()) {
    return "";
  }
  return Expected(fmt::format("one of: {}", fmt::join(type.words, " | ")), node);
}

Json WordSchema(const FieldType& type) {
  Json words(type.words);
  words.push_back(nullptr);
  return {{"enum", words}};
}

std::string TextMismatch(const FieldType&, const Node& node) {
  const std::string* text = AsText(node);
  if (text == nullptr) return Expected("text (in quotes if it looks like something else)", node);
  return text->empty() ? "must not be empty" : "";
}

Json TextSchema(const FieldType&) { return OrNull({{"minLength", 1}}, "string"); }

std::string TextsMismatch(const FieldType& type, const Node& node) {
  const List* list = AsList(node);
  if (list == nullptr) return Expected("a list of texts", node);
  for (const NodeRef& item : *list) {
    if (std::string why = TextMismatch(type, *item); !why.empty()) return "each item " + why;
  }
  return "";
}

Json TextsSchema(const FieldType&) {
  return OrNull({{"items", {{"type", "string"}, {"minLength", 1}}}}, "array");
}

std::string ListMismatch(const FieldType&, const Node& node) {
  return AsList(node) == nullptr ? Expected("a list", node) : "";
}

std::string MapMismatch(const FieldType&, const Node& node) {
  return AsMap(node) == nullptr ? Expected("a map", node) : "";
}

Json ListSchema(const FieldType& type) {
  Json schema = Json::object();
  if (!FieldsIn(type).empty()) schema["items"] = SchemaOf(FieldsIn(type));
  return OrNull(std::move(schema), "array");
}

Json MapSchema(const FieldType& type) {
  return OrNull(FieldsIn(type).empty() ? Json::object() : SchemaOf(FieldsIn(type)), "object");
}

/// A number and what follows it.
struct NumberAndUnit {
  double number;
  std::string unit;  ///< in lower case
};

std::optional<NumberAndUnit> ReadNumber(const Node& node) {
  if (const auto* whole = std::get_if<std::int64_t>(&node.value)) {
    return NumberAndUnit{static_cast<double>(*whole), ""};
  }
  if (const auto* real = std::get_if<double>(&node.value)) return NumberAndUnit{*real, ""};
  const std::string* text = AsText(node);
  if (text == nullptr || text->empty() ||
      !absl::ascii_isdigit(static_cast<unsigned char>((*text)[0]))) {
    return std::nullopt;
  }
  double number = 0;
  const char* end = text->data() + text->size();
  const auto [rest, error] = std::from_chars(text->data(), end, number, std::chars_format::fixed);
  if (error != std::errc()) return std::nullopt;
  return NumberAndUnit{number, absl::AsciiStrToLower(std::string(rest, end))};
}

std::string TimeMismatch(const FieldType&, const Node& node) {
  const double seconds = SecondsOf(node);
  if (seconds > 0 && seconds <= kLongestSeconds) return "";
  return Expected("a time such as 90s, 5m, 1h30m or 1d, at most ten years", node);
}

Json TimeSchema(const FieldType&) {
  return {{"type", {"number", "string", "null"}},
          {"exclusiveMinimum", 0},
          {"maximum", kLongestSeconds},
          {"pattern",
           "^(?=[0-9.])([0-9]*\\.?[0-9]*|([0-9.]+[dD])?([0-9.]+[hH])?([0-9.]+[mM])?([0-9.]+[sS])?"
           "([0-9.]+[mM][sS])?([0-9.]+[uU][sS])?([0-9.]+[nN][sS])?)$"}};
}

std::string PercentMismatch(const FieldType&, const Node& node) {
  const double share = ShareOf(node);
  return share > 0 && share < 1 ? "" : Expected("a percentage such as 3%", node);
}

Json PercentSchema(const FieldType&) {
  return OrNull({{"pattern", "^[0-9]+(\\.[0-9]*)?%$"}}, "string");
}

std::string QuantityMismatch(const FieldType& type, const Node& node) {
  const auto* whole = std::get_if<std::int64_t>(&node.value);
  const std::string text =
      whole != nullptr ? fmt::format("{}", *whole) : (AsText(node) == nullptr ? "" : *AsText(node));
  return IsQuantity(text, type.units) ? "" : Expected(fmt::format("a {}", type.name), node);
}

// Digits without a unit are a number to YAML.
Json QuantitySchema(const FieldType& type) {
  const bool bare = std::find(type.units.begin(), type.units.end(), "") != type.units.end();
  Json schema = {{"type", {"string", "null"}},
                 {"pattern", fmt::format("^[1-9][0-9]{{0,14}}({})$", fmt::join(type.units, "|"))}};
  if (!bare) return schema;
  schema["type"].push_back("integer");
  schema["minimum"] = 1;
  return schema;
}

std::shared_ptr<const std::vector<Field>> Shared(std::vector<Field> fields) {
  return std::make_shared<const std::vector<Field>>(std::move(fields));
}

}  // namespace

double SecondsOf(const Node& node) {
  const auto time = ParseTime(yaml::TextOf(node));
  return time.ok() ? ToSeconds(*time) : 0;
}

double ShareOf(const Node& node) {
  const auto read = ReadNumber(node);
  return read && read->unit == "%" ? read->number / 100 : 0;
}

bool IsTrue(const Node& node) {
  const bool* flag = std::get_if<bool>(&node.value);
  return flag == nullptr ? Says(kYes, node) : *flag;
}

FieldType Flag() { return {"true or false", FlagMismatch, FlagSchema}; }
FieldType Whole(std::int64_t least, std::int64_t most, std::int64_t step) {
  return {"whole number", WholeMismatch, WholeSchema, least, most, step};
}
FieldType Number(std::int64_t least, std::int64_t most) {
  return {"number", NumberMismatch, NumberSchema, least, most};
}
FieldType OneOf(std::vector<std::string_view> words) {
  return {
      .name = "word", .mismatch = WordMismatch, .schema = WordSchema, .words = std::move(words)};
}
FieldType Text() { return {"text", TextMismatch, TextSchema}; }
FieldType Texts() { return {"list of texts", TextsMismatch, TextsSchema}; }
FieldType Quantity(std::string_view name, std::vector<std::string_view> units) {
  return {.name = name,
          .mismatch = QuantityMismatch,
          .schema = QuantitySchema,
          .units = std::move(units)};
}
FieldType Time() { return {"time", TimeMismatch, TimeSchema}; }
FieldType Percent() { return {"percentage", PercentMismatch, PercentSchema}; }
FieldType AnyList() { return {"list", ListMismatch, ListSchema}; }
FieldType AnyMap() { return {"map", MapMismatch, MapSchema}; }
FieldType MapOf(std::vector<Field> fields) {
  return {.name = "map",
          .mismatch = MapMismatch,
          .schema = MapSchema,
          .fields = Shared(std::move(fields))};
}
FieldType ListOf(std::vector<Field> fields) {
  return {.name = "list of maps",
          .mismatch = ListMismatch,
          .schema = ListSchema,
          .fields = Shared(std::move(fields))};
}

bool IsSeconds(const Field& field) {
  auto* const mismatch = field.type.mismatch;
  return field.unit == "s" && (mismatch == WholeMismatch || mismatch == NumberMismatch);
}

bool TakesFractions(const Field& field) {
  return field.type.mismatch == NumberMismatch || IsSeconds(field);
}

Node Unified(const Field& field, const Node& node) {
  const auto read = IsSeconds(field) ? ReadNumber(node) : std::nullopt;
  if (!read || read->unit.empty() || !TimeMismatch(Time(), node).empty()) return node;
  const double seconds = SecondsOf(node);
  Node number = node;
  if (std::trunc(seconds) == seconds) {
    number.value = static_cast<std::int64_t>(seconds);
  } else {
    number.value = seconds;
  }
  return number;
}

bool IsFreeMap(const FieldType& type) {
  return type.mismatch == MapMismatch && FieldsIn(type).empty();
}

bool IsFree(const FieldType& type) {
  return IsFreeMap(type) || (type.mismatch == ListMismatch && FieldsIn(type).empty());
}

bool IsFlag(const FieldType& type) { return type.mismatch == FlagMismatch; }

bool IsText(const FieldType& type) {
  return type.mismatch == TextMismatch || type.mismatch == QuantityMismatch;
}

std::string Description(const FieldType& type) {
  if (!type.words.empty()) return fmt::format("{}", fmt::join(type.words, " | "));
  if (type.mismatch != WholeMismatch && type.mismatch != NumberMismatch) {
    return std::string(type.name);
  }
  const std::string most = type.most == kNoLimit ? "" : fmt::format("{}", type.most);
  const std::string step = type.step == 1 ? "" : fmt::format(", by {}", type.step);
  return fmt::format("{} {}..{}{}", type.name, type.least, most, step);
}

}  // namespace twofold::spec
