#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>
#include <string>

#include "lib/report/document/document.h"
#include "lib/report/document/words.h"
#include "lib/report/xml.h"

namespace twofold::report {
namespace {

// In the order of Tone; empty: the check has passed.
constexpr std::array<const char*, 4> kElements = {"skipped", "", "failure", "error"};

std::string CaseOf(const std::string& suite, const Check& check) {
  const std::string head =
      absl::StrCat("  <testcase classname=\"", suite, "\" name=\"", Escaped(check.name), "\"");
  const std::string message = Escaped(check.message, kLongestParagraph);
  const std::string element = kElements.at(static_cast<std::size_t>(check.tone));
  if (!element.empty()) {
    return absl::StrCat(head, "><", element, " message=\"", message, "\"/></testcase>\n");
  }
  return absl::StrCat(
      head, message.empty() ? "/>\n"
                            : absl::StrCat("><system-out>", message, "</system-out></testcase>\n"));
}

}  // namespace

std::string ToJunit(const Document& document) {
  const auto count = [&](Tone tone) {
    return std::count_if(document.checks.begin(), document.checks.end(),
                         [&](const Check& check) { return check.tone == tone; });
  };
  const std::string suite = Escaped(document.title);
  std::string xml = absl::StrCat(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"", suite,
      "\" tests=\"", document.checks.size(), "\" failures=\"", count(Tone::kBad), "\" errors=\"",
      count(Tone::kOpen), "\" skipped=\"", count(Tone::kPlain), "\">\n");
  for (const Check& check : document.checks) xml += CaseOf(suite, check);
  return xml + "</testsuite>\n</testsuites>\n";
}

}  // namespace twofold::report
