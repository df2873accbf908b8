#include "lib/report/sources/parts.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_replace.h>

#include <cmath>

#include "lib/show/quantity.h"

namespace twofold::report {

std::string Value(std::optional<double> value, const std::string& unit) {
  return Text(show::Quantity{value, unit});
}

std::string Interval(std::optional<double> lower, std::optional<double> upper,
                     const std::string& unit) {
  return Text(show::Interval({lower, unit}, {upper, unit}));
}

show::Cell WithInterval(const show::Quantity& value, const show::Quantity& lower,
                        const show::Quantity& upper, const char* bracket) {
  if (!IsKnown(lower) || !IsKnown(upper)) return value;
  return show::Cell(value) + bracket + show::Interval(lower, upper) + ")";
}

std::string Count(std::uint64_t count, const std::string& what) {
  return absl::StrCat(count, " ", what, count == 1 ? "" : "s");
}

std::string CommandLine(const std::vector<std::string>& argv) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./_-";
  return absl::StrJoin(argv, " ", [](std::string* out, const std::string& word) {
    const bool plain = !word.empty() && word.find_first_not_of(kPlain) == std::string::npos;
    absl::StrAppend(
        out, plain ? word : absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'"));
  });
}

std::optional<double> Known(bool has, double value) {
  return has && std::isfinite(value) ? std::optional<double>(value) : std::nullopt;
}

Colour ColourOf(std::size_t number) { return static_cast<Colour>(number % (kColours - 1)); }

Picture PictureOf(std::string name, Panel panel, std::string caption, double height) {
  Figure figure{.title = std::exchange(panel.title, ""), .panel_height = height};
  figure.rows = {{std::move(panel)}};
  return {std::move(name), std::move(figure), std::move(caption)};
}

void Add(Table table, Section& section) {
  if (table.rows.size() > 1) section.blocks.emplace_back(std::move(table));
}

void Add(std::optional<Picture> picture, Section& section) {
  if (picture) section.blocks.emplace_back(*std::move(picture));
}

void Add(std::vector<Picture> pictures, Section& section) {
  for (Picture& picture : pictures) section.blocks.emplace_back(std::move(picture));
}

}  // namespace twofold::report
