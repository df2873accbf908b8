#include "kubernetes/operator/structural.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace twofold::benchmarks {
namespace {

using Types = std::set<std::string>;

constexpr const char* kAny = "x-kubernetes-preserve-unknown-fields";
constexpr const char* kIntOrString = "x-kubernetes-int-or-string";
/// What a number with a point looks like as a text.
constexpr const char* kDecimal = "^[0-9]+(\\.[0-9]+)?$";

/// The alternatives of a schema; itself if it has none.
std::vector<Schema> AlternativesOf(const Schema& draft) {
  const auto any = draft.find("anyOf");
  if (any == draft.end()) return {draft};
  return {any->begin(), any->end()};
}

void AddTypes(const Schema& one, Types& types) {
  const auto type = one.find("type");
  if (type != one.end() && type->is_array()) {
    for (const Schema& each : *type) types.insert(each.get<std::string>());
  } else if (type != one.end()) {
    types.insert(type->get<std::string>());
  } else if (const auto words = one.find("enum"); words != one.end()) {
    for (const Schema& each : *words) {
      if (!each.is_null()) types.insert(each.is_string() ? "string" : "integer");
    }
  }
}

Types TypesOf(const Schema& draft) {
  Types types;
  for (const Schema& one : AlternativesOf(draft)) AddTypes(one, types);
  types.erase("null");
  return types;
}

/// RE2, which API servers use, looks nowhere ahead. Our times do so only to refuse the empty text.
void SetPattern(Schema& schema, std::string pattern) {
  constexpr std::string_view kNotEmpty = "^(?=[0-9.])";
  if (pattern.starts_with(kNotEmpty)) {
    pattern.replace(0, kNotEmpty.size(), "^");
    schema["minLength"] = 1;
  }
  schema["pattern"] = std::move(pattern);
}

void Copy(const Schema& draft, std::initializer_list<const char*> keys, Schema& schema) {
  for (const char* key : keys) {
    if (draft.contains(key)) schema[key] = draft[key];
  }
}

/// The constraint of texts, if one alternative alone takes them.
void CopyPattern(const Schema& draft, Schema& schema) {
  std::vector<std::string> patterns;
  int takes_texts = 0;
  for (const Schema& one : AlternativesOf(draft)) {
    Types types;
    AddTypes(one, types);
    if (!types.contains("string")) continue;
    ++takes_texts;
    if (one.contains("pattern")) patterns.push_back(one["pattern"]);
  }
  if (takes_texts == 1 && patterns.size() == 1) SetPattern(schema, patterns.front());
}

Schema TextSchema(const Schema& draft) {
  Schema schema = {{"type", "string"}};
  Copy(draft, {"minLength"}, schema);
  CopyPattern(draft, schema);
  if (!draft.contains("enum")) return schema;
  Schema words = draft["enum"];
  words.erase(std::remove(words.begin(), words.end(), Schema()), words.end());
  schema["enum"] = std::move(words);
  return schema;
}

Schema IntegerSchema(const Schema& draft) {
  Schema schema = {{"type", "integer"}, {"format", "int64"}};
  Copy(draft, {"minimum", "maximum", "multipleOf"}, schema);
  return schema;
}

Schema IntOrString() {
  return {{kIntOrString, true}, {"anyOf", {{{"type", "integer"}}, {{"type", "string"}}}}};
}

Schema IntOrStringSchema(const Schema& draft, const Types& types) {
  Schema schema = IntOrString();
  CopyPattern(draft, schema);
  if (!types.contains("string")) schema["pattern"] = kDecimal;
  return schema;
}

Schema ListSchema(const Schema& draft) {
  Schema items = draft.contains("items") ? Structural(draft["items"]) : Schema{{kAny, true}};
  return {{"type", "array"}, {"items", std::move(items)}};
}

Schema MapSchema(const Schema& draft) {
  if (!draft.contains("properties")) return AnyObject();
  Schema properties = Schema::object();
  for (const auto& [name, each] : draft["properties"].items()) properties[name] = Structural(each);
  Schema schema = {{"type", "object"}, {"properties", std::move(properties)}};
  Copy(draft, {"required"}, schema);
  return schema;
}

Schema TypedSchema(const Schema& draft) {
  const Types types = TypesOf(draft);
  if (types == Types{"array"}) return ListSchema(draft);
  if (types == Types{"object"}) return MapSchema(draft);
  if (types == Types{"integer"}) return IntegerSchema(draft);
  if (types == Types{"string"}) return TextSchema(draft);
  if (types.contains("boolean")) return {{"type", "boolean"}};
  return IntOrStringSchema(draft, types);
}

std::string TextOf(const Schema& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string DescriptionOf(const Schema& draft) {
  std::string text = draft.value("description", "");
  const auto initial = draft.find("default");
  if (initial == draft.end() || TextOf(*initial).empty()) return text;
  return absl::StrCat(text, text.empty() ? "" : "; ", "default ", TextOf(*initial));
}

// ---- both of two

std::string TypeOf(const Schema& schema) {
  return schema.contains(kIntOrString) ? "int-or-string" : schema.value("type", "");
}

Schema EitherInteger(const Schema& a, const Schema& b) {
  Schema schema = a;
  if (a.value("multipleOf", 1) != b.value("multipleOf", 1)) schema.erase("multipleOf");
  const auto widen = [&](const char* key, auto choose) {
    schema.erase(key);
    if (a.contains(key) && b.contains(key)) {
      schema[key] = choose(a[key].get<std::int64_t>(), b[key].get<std::int64_t>());
    }
  };
  widen("minimum", [](auto x, auto y) { return std::min(x, y); });
  widen("maximum", [](auto x, auto y) { return std::max(x, y); });
  return schema;
}

Schema EitherText(const Schema& a, const Schema& b) {
  Schema schema = {{"type", "string"}};
  if (!a.contains("enum") || !b.contains("enum")) return schema;
  schema["enum"] = a["enum"];
  for (const Schema& word : b["enum"]) {
    const auto known = std::find(a["enum"].begin(), a["enum"].end(), word);
    if (known == a["enum"].end()) schema["enum"].push_back(word);
  }
  return schema;
}

Schema EitherType(const Schema& a, const Schema& b) {
  const std::string of_a = TypeOf(a);
  const std::string of_b = TypeOf(b);
  if (of_a == of_b && of_a == "integer") return EitherInteger(a, b);
  if (of_a == of_b && of_a == "string") return EitherText(a, b);
  const Types scalars = {"integer", "string", "int-or-string"};
  if (scalars.contains(of_a) && scalars.contains(of_b)) return IntOrString();
  return {{kAny, true}};
}

}  // namespace

Schema AnyObject() { return {{"type", "object"}, {kAny, true}}; }

Schema Structural(const Schema& draft) {
  Schema schema = TypedSchema(draft);
  if (std::string text = DescriptionOf(draft); !text.empty()) {
    schema["description"] = std::move(text);
  }
  return schema;
}

Schema Either(const Schema& a, const Schema& b) {
  const Schema bare_a = Undescribed(a);
  const Schema bare_b = Undescribed(b);
  Schema schema = bare_a == bare_b ? bare_a : EitherType(bare_a, bare_b);
  if (a.contains("description")) schema["description"] = a["description"];
  return schema;
}

Schema Undescribed(Schema schema) {
  schema.erase("description");
  if (schema.contains("items")) schema["items"] = Undescribed(std::move(schema["items"]));
  if (!schema.contains("properties")) return schema;
  for (auto& [name, each] : schema["properties"].items()) each = Undescribed(std::move(each));
  return schema;
}

Schema Text(const char* help) { return {{"type", "string"}, {"description", help}}; }

Schema Moment(const char* help) {
  return {{"type", "string"}, {"format", "date-time"}, {"description", help}};
}

}  // namespace twofold::benchmarks
