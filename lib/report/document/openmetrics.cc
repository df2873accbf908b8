#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_replace.h>

#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lib/common/printable.h"
#include "lib/report/document/document.h"
#include "lib/report/xml.h"

namespace twofold::report {
namespace {

bool IsWordByte(char byte) { return absl::ascii_isalnum(static_cast<unsigned char>(byte)); }

/// "p99.9 (ms)" as "p99_9_ms".
std::string Words(std::string_view text) {
  std::string words;
  for (const char byte : text.substr(0, kLongestText)) {
    if (IsWordByte(byte)) {
      words += absl::ascii_tolower(static_cast<unsigned char>(byte));
    } else if (!words.empty() && words.back() != '_') {
      words += '_';
    }
  }
  while (!words.empty() && words.back() == '_') words.pop_back();
  return words;
}

std::string UnitWords(const std::string& unit) {
  if (unit == "s") return "seconds";
  if (unit == "%") return "percent";
  const std::size_t slash = unit.find('/');
  if (slash == std::string::npos) return Words(unit);
  const std::string per = unit.substr(slash + 1);
  const std::string top = Words(unit.substr(0, slash));
  return absl::StrCat(top, top.empty() ? "" : "_", "per_", per == "s" ? "second" : Words(per));
}

std::string Quoted(std::string_view text) {
  return absl::StrCat(
      "\"", absl::StrReplaceAll(Printable(text, kLongestText), {{"\\", "\\\\"}, {"\"", "\\\""}}),
      "\"");
}

std::string LabelsOf(const Measure& measure) {
  std::map<std::string, std::string> labels;  // a name once
  for (const auto& [name, value] : measure.labels) {
    const std::string words = Words(name);
    const bool bare = !words.empty() && !absl::ascii_isdigit(static_cast<unsigned char>(words[0]));
    labels.emplace(bare ? words : absl::StrCat("_", words), Quoted(value));
  }
  if (labels.empty()) return "";
  return absl::StrCat("{", absl::StrJoin(labels, ",", absl::PairFormatter("=")), "}");
}

/// What a family says of itself.
std::string HeadOf(const std::string& name, const std::string& unit, const Measure& first) {
  return absl::StrCat(
      "# TYPE ", name, " gauge\n",
      unit.empty() ? "" : absl::StrCat("# UNIT ", name, " ", unit, "\n"), "# HELP ", name, " ",
      absl::StrReplaceAll(Printable(first.help, kLongestText), {{"\\", "\\\\"}, {"\"", "\\\""}}),
      "\n");
}

}  // namespace

std::string ToOpenMetrics(const Document& document) {
  std::vector<std::string> order;
  std::map<std::string, std::map<std::string, double>> families;  // samples by their labels
  std::map<std::string, std::string> heads;
  for (const Measure& measure : document.measures) {
    if (!std::isfinite(measure.value)) continue;
    const std::string unit = UnitWords(measure.unit);
    const std::string name =
        absl::StrCat("twofold_", Words(measure.name), unit.empty() ? "" : "_", unit);
    if (heads.emplace(name, HeadOf(name, unit, measure)).second) order.push_back(name);
    families[name].emplace(LabelsOf(measure), measure.value);
  }
  std::string text;
  for (const std::string& name : order) {
    text += heads[name];
    for (const auto& [labels, value] : families[name]) {
      absl::StrAppend(&text, name, labels, " ", NumberText(value), "\n");
    }
  }
  return text + "# EOF\n";
}

}  // namespace twofold::report
