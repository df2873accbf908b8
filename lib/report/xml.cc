#include "lib/report/xml.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_replace.h>
#include <absl/strings/str_split.h>

#include <algorithm>
#include <cmath>

#include "lib/common/printable.h"

namespace twofold::report {
namespace {

constexpr double kLetter = 0.6;  // of the size: DejaVu Sans, the widest of those we ask for
constexpr double kBoldLetter = 0.68;

/// Bytes that go on with a character have no width of their own.
bool BeginsCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }

}  // namespace

std::string Escaped(std::string_view text, std::size_t most) {
  return absl::StrReplaceAll(Printable(text, most), {{"&", "&amp;"},
                                                     {"<", "&lt;"},
                                                     {">", "&gt;"},
                                                     {"\"", "&quot;"},
                                                     {"\uFFFE", "?"},
                                                     {"\uFFFF", "?"}});
}

std::string Px(double value) {
  const double tenths = std::round(value * 10.0);
  const double shown = tenths == 0.0 ? 0.0 : tenths / 10.0;  // not "-0"
  return absl::StrFormat("%.*f", std::fmod(tenths, 10.0) == 0.0 ? 0 : 1, shown);
}

double WidthOf(std::string_view text, double size, bool bold) {
  const auto letters = std::count_if(text.begin(), text.end(), BeginsCharacter);
  return static_cast<double>(letters) * size * (bold ? kBoldLetter : kLetter);
}

std::vector<std::string> Wrapped(std::string_view text, double width, double size, bool bold) {
  std::vector<std::string> lines;
  const std::string whole = Printable(text, kLongestText);
  for (const auto& word : absl::StrSplit(whole, ' ', absl::SkipEmpty())) {
    const std::string next(word);
    const bool fits = !lines.empty() && WidthOf(lines.back() + " " + next, size, bold) <= width;
    if (fits) {
      absl::StrAppend(&lines.back(), " ", next);
    } else {
      lines.push_back(next);
    }
  }
  return lines;
}

std::string ShortName(std::string_view name, std::size_t most) {
  const std::string whole = Printable(name, kLongestText);
  std::size_t letters = 0;
  std::size_t at = whole.size();
  while (at > 0 && letters < most) {
    if (BeginsCharacter(whole[--at])) ++letters;
  }
  if (at == 0) return whole;
  for (std::size_t dropped = 0; dropped < 1 || !BeginsCharacter(whole[at]); ++at) ++dropped;
  return "\u2026" + whole.substr(at);
}

std::string TextElement(double x, double y, std::string_view text, const TextStyle& style) {
  std::string element = absl::StrCat("<text x=\"", Px(x), "\" y=\"", Px(y), "\"");
  if (style.upright) {
    absl::StrAppend(&element, " transform=\"rotate(-90 ", Px(x), " ", Px(y), ")\"");
  }
  if (style.size != 11) absl::StrAppend(&element, " font-size=\"", Px(style.size), "\"");
  if (style.anchor != std::string_view("start")) {
    absl::StrAppend(&element, " text-anchor=\"", style.anchor, "\"");
  }
  absl::StrAppend(&element, " fill=\"", style.fill, "\"");
  if (style.bold) absl::StrAppend(&element, " font-weight=\"bold\"");
  if (style.halo) {
    absl::StrAppend(&element, " stroke=\"#ffffff\" stroke-width=\"3\" paint-order=\"stroke\"");
  }
  return absl::StrCat(element, ">", Escaped(text), "</text>\n");
}

std::string WithTip(std::string_view element, std::string_view attributes, std::string_view tip) {
  const std::string name(element);
  const std::string begin = absl::StrCat("<", name, " ", std::string(attributes));
  if (tip.empty()) return absl::StrCat(begin, "/>\n");
  return absl::StrCat(begin, "><title>", Escaped(tip), "</title></", name, ">\n");
}

}  // namespace twofold::report
