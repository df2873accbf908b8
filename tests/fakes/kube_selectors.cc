#include "tests/fakes/kube_selectors.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "tests/fakes/kube_refusals.h"

namespace twofold::fakes {
namespace {

using kube::TextAt;

struct Requirement {
  std::string key;
  std::string op;  ///< = != in notin exists !
  std::vector<std::string> values;
};

/// Cuts at commas outside parentheses.
std::vector<std::string> Parts(const std::string& selector) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : selector) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

Requirement ParseRequirement(const std::string& text) {
  const std::string part(absl::StripAsciiWhitespace(text));
  if (const std::size_t open = part.find('('); open != std::string::npos) {
    const std::vector<std::string> words =
        absl::StrSplit(part.substr(0, open), ' ', absl::SkipEmpty());
    if (words.size() != 2 || part.back() != ')')
      throw BadRequest("unable to parse requirement: " + part);
    Requirement made{words[0], words[1], {}};
    for (const auto value : absl::StrSplit(part.substr(open + 1, part.size() - open - 2), ',')) {
      made.values.emplace_back(absl::StripAsciiWhitespace(value));
    }
    return made;
  }
  for (const std::string op : {"!=", "==", "="}) {
    const std::size_t at = part.find(op);
    if (at == std::string::npos) continue;
    return {part.substr(0, at), op == "!=" ? "notin" : "in", {part.substr(at + op.size())}};
  }
  if (part.starts_with('!')) return {part.substr(1), "!", {}};
  return {part, "exists", {}};
}

bool Holds(const Requirement& requirement, const std::optional<std::string>& value) {
  if (requirement.op == "exists") return value.has_value();
  if (requirement.op == "!") return !value.has_value();
  const bool listed = value && std::find(requirement.values.begin(), requirement.values.end(),
                                         *value) != requirement.values.end();
  return requirement.op == "notin" ? !listed : listed;
}

}  // namespace

bool MatchesLabels(const Json& object, const std::string& selector) {
  if (selector.empty()) return true;
  const Json* labels = kube::At(object, "/metadata/labels");
  for (const std::string& part : Parts(selector)) {
    const Requirement requirement = ParseRequirement(part);
    std::optional<std::string> value;
    if (labels != nullptr && labels->contains(requirement.key)) {
      value = labels->at(requirement.key).get<std::string>();
    }
    if (!Holds(requirement, value)) return false;
  }
  return true;
}

bool MatchesFields(const Json& object, const std::string& selector) {
  if (selector.empty()) return true;
  for (const std::string& part : Parts(selector)) {
    const Requirement requirement = ParseRequirement(part);
    const std::string path = "/" + absl::StrReplaceAll(requirement.key, {{".", "/"}});
    if (!Holds(requirement, TextAt(object, path))) return false;
  }
  return true;
}

}  // namespace twofold::fakes
