#include "lib/yaml/block_text.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <variant>

namespace twofold::yaml {
namespace {

bool IsPlainCharacter(char c) {
  constexpr std::string_view kPlain = "_./$-";
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         kPlain.find(c) != std::string_view::npos;
}

/// Whether every reader of YAML takes it for a text without quotes, also those of YAML 1.1, to whom
/// `on` is a truth and `1_000` a number.
bool IsPlain(const std::string& text) {
  static constexpr std::string_view kTaken[] = {"true", "false", "null", "yes", "no",
                                                "on",   "off",   "y",    "n"};
  std::string lower = text;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  const bool is_word = !text.empty() && lower.front() >= 'a' && lower.front() <= 'z';
  return is_word && std::all_of(text.begin(), text.end(), IsPlainCharacter) &&
         std::find(std::begin(kTaken), std::end(kTaken), lower) == std::end(kTaken);
}

std::string Scalar(const Json& value) {
  if (value.is_string() && IsPlain(value.get<std::string>())) return value.get<std::string>();
  return value.dump();  // JSON is YAML
}

bool IsBlock(const Json& value) { return value.is_structured() && !value.empty(); }

void Append(const Json& value, std::size_t depth, std::string& text);

/// `lead` is what stands before the first line: the indentation, or that and a dash.
void AppendMap(const Json& map, std::string lead, std::size_t depth, std::string& text) {
  for (const auto& [key, value] : map.items()) {
    absl::StrAppend(&text, lead, Scalar(key), ":");
    lead = std::string(depth, ' ');
    if (!IsBlock(value)) {
      absl::StrAppend(&text, " ", Scalar(value), "\n");
      continue;
    }
    text += "\n";
    Append(value, depth + 2, text);
  }
}

void Append(const Json& value, std::size_t depth, std::string& text) {
  const std::string lead(depth, ' ');
  if (value.is_object()) return AppendMap(value, lead, depth, text);
  for (const Json& each : value) {
    if (each.is_object() && !each.empty()) {
      AppendMap(each, lead + "- ", depth + 2, text);
    } else {  // of lists in lists there are none in manifests; JSON is YAML
      absl::StrAppend(&text, lead, "- ", IsBlock(each) ? each.dump() : Scalar(each), "\n");
    }
  }
}

}  // namespace

std::string BlockText(const Json& json) {
  if (!IsBlock(json)) return Scalar(json) + "\n";
  std::string text;
  Append(json, 0, text);
  return text;
}

}  // namespace twofold::yaml
