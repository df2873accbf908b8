#include "kubernetes/aggregated/label_selector.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace twofold::aggregated {
namespace {

using Operator = Requirement::Operator;

std::string Stripped(std::string_view text) {
  const std::string whole(text);
  return std::string(absl::StripAsciiWhitespace(whole));
}

/// Whether `text` can be a label or a value of one, which may be empty.
bool IsWord(std::string_view text) {
  return text.size() <= 317 && std::all_of(text.begin(), text.end(), [](char c) {
           return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
                  std::string_view("-_./").find(c) != std::string_view::npos;
         });
}

/// The requirements of `text`, which have commas between them; those in parentheses are inside.
std::vector<std::string> Split(std::string_view text) {
  std::vector<std::string> parts(1);
  bool is_inside = false;
  for (const char c : text) {
    if (c == '(') is_inside = true;
    if (c == ')') is_inside = false;
    if (c == ',' && !is_inside) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// "LABEL in (A,B)"; nullopt: it is none.
std::optional<Requirement> ReadSet(const std::string& text) {
  const std::size_t open = text.find('(');
  if (open == std::string::npos || !text.ends_with(')')) return std::nullopt;
  const std::vector<std::string> head =
      absl::StrSplit(text.substr(0, open), ' ', absl::SkipWhitespace());
  if (head.size() != 2 || (head[1] != "in" && head[1] != "notin")) return std::nullopt;
  Requirement requirement{head[0], head[1] == "in" ? Operator::kIn : Operator::kNotIn};
  const std::string values = text.substr(open + 1, text.size() - open - 2);
  for (const auto value : absl::StrSplit(values, ',')) {
    requirement.values.push_back(Stripped(std::string(value)));
  }
  return requirement;
}

Requirement ReadOne(const std::string& text) {
  if (auto set = ReadSet(text)) return *std::move(set);
  for (const auto& [sign, is] : {std::pair("!=", Operator::kNotIn), std::pair("==", Operator::kIn),
                                 std::pair("=", Operator::kIn)}) {
    const std::size_t at = text.find(sign);
    if (at == std::string::npos) continue;
    return {Stripped(text.substr(0, at)),
            is,
            {Stripped(text.substr(at + std::string_view(sign).size()))}};
  }
  if (text.starts_with('!')) return {Stripped(text.substr(1)), Operator::kNotExists};
  return {text, Operator::kExists};
}

}  // namespace

Result<LabelSelector> ReadLabelSelector(std::string_view text) {
  LabelSelector selector;
  if (Stripped(text).empty()) return selector;
  for (const std::string& part : Split(text)) {
    Requirement requirement = ReadOne(Stripped(part));
    const bool fits = !requirement.label.empty() && IsWord(requirement.label) &&
                      std::all_of(requirement.values.begin(), requirement.values.end(), IsWord);
    if (!fits) {
      return absl::InvalidArgumentError(
          absl::StrCat("labelSelector: '", Stripped(part).substr(0, 80),
                       "' is none of LABEL=VALUE, LABEL!=VALUE, LABEL in (VALUE,...), LABEL notin "
                       "(VALUE,...), LABEL and !LABEL"));
    }
    selector.push_back(std::move(requirement));
  }
  return selector;
}

bool Matches(const LabelSelector& selector, const Labels& labels) {
  return std::all_of(selector.begin(), selector.end(), [&](const Requirement& requirement) {
    const auto found = labels.find(requirement.label);
    const auto& values = requirement.values;
    const bool is_there = found != labels.end();
    const bool has_value =
        is_there && std::find(values.begin(), values.end(), found->second) != values.end();
    switch (requirement.is) {
      case Operator::kIn:
        return has_value;
      case Operator::kNotIn:
        return !has_value;
      case Operator::kExists:
        return is_there;
      case Operator::kNotExists:
        return !is_there;
    }
    return false;
  });
}

}  // namespace twofold::aggregated
