#include "lib/show/quantity.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <map>

namespace twofold::show {
namespace {

constexpr int kDigits = 4;

std::string WithUnit(const std::string& number, std::string_view unit) {
  return unit.empty() ? number : absl::StrCat(number, " ", std::string(unit));
}

/// Of one column the numbers that are shown in one unit, and where they go.
struct Kind {
  std::vector<std::optional<double>> numbers;
  std::vector<std::string*> texts;
};

/// The texts of a cell's pieces; those of quantities are yet to be written.
std::vector<std::string> Begun(const Cell& cell, std::map<std::string, Kind>& kinds) {
  std::vector<std::string> texts(cell.pieces().size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto* const quantity = std::get_if<Quantity>(&cell.pieces()[i]);
    if (quantity == nullptr) {
      texts[i] = std::get<std::string>(cell.pieces()[i]);
    } else if (!IsKnown(*quantity)) {
      texts[i] = "-";
    } else {
      const Scale scale = ScaleOf(*quantity->value, quantity->unit);
      Kind& kind = kinds[std::string(scale.unit)];
      kind.numbers.emplace_back(*quantity->value * scale.factor);
      kind.texts.push_back(&texts[i]);
    }
  }
  return texts;
}

void Write(const std::map<std::string, Kind>& kinds) {
  for (const auto& [unit, kind] : kinds) {
    const std::vector<std::string> alike = Alike(kind.numbers, kDigits);
    for (std::size_t i = 0; i < alike.size(); ++i) *kind.texts[i] = WithUnit(alike[i], unit);
  }
}

}  // namespace

Scale ScaleOf(double most, std::string_view unit) {
  constexpr std::array<Scale, 3> kSeconds = {{{1e6, "us"}, {1e3, "ms"}, {1.0, "s"}}};
  if (unit != "s") return {1.0, unit};
  const double size = std::abs(most);
  if (size == 0.0 || size >= 1.0) return kSeconds[2];
  return size < 1e-3 ? kSeconds[0] : kSeconds[1];
}

bool IsKnown(const Quantity& quantity) { return quantity.value && std::isfinite(*quantity.value); }

std::string Text(const Quantity& quantity) {
  if (!IsKnown(quantity)) return "-";
  const Scale scale = ScaleOf(*quantity.value, quantity.unit);
  const double shown = *quantity.value * scale.factor;
  // %g goes over to powers of ten where the digits end, which reads badly below a million.
  const bool whole = std::abs(shown) >= 1000.0 && std::abs(shown) < 1e6;
  return WithUnit(whole ? absl::StrFormat("%.0f", shown) : absl::StrFormat("%.4g", shown),
                  scale.unit);
}

Cell Interval(const Quantity& lower, const Quantity& upper) {
  if (!IsKnown(lower) || !IsKnown(upper)) return "-";
  const bool is_scaled = lower.unit == "s";
  return Cell(is_scaled ? lower : Quantity{lower.value}) + " to " + upper;
}

std::string Text(const Cell& cell) {
  std::string text;
  for (const Cell::Piece& piece : cell.pieces()) {
    const auto* const quantity = std::get_if<Quantity>(&piece);
    text += quantity == nullptr ? std::get<std::string>(piece) : Text(*quantity);
  }
  return text;
}

Rows Written(const Cells& rows) {
  Rows written(rows.size());
  for (std::size_t column = 0; !rows.empty() && column < rows.front().size(); ++column) {
    std::map<std::string, Kind> kinds;
    std::vector<std::vector<std::string>> begun;
    for (const auto& row : rows) begun.push_back(Begun(row.at(column), kinds));
    Write(kinds);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      written[row].push_back(absl::StrJoin(begun[row], ""));
    }
  }
  return written;
}

}  // namespace twofold::show
