#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lib/show/table.h"

/// Numbers with their units, as people read them. Pure.
namespace twofold::show {

/// A unit to read numbers in: these times `factor` are what is shown.
struct Scale {
  double factor = 1;
  std::string_view unit = {};
};

/// The one in which numbers of up to `most` read best: seconds as us, ms or s, all else as it is.
/// Its unit is a part of `unit`, or a constant.
Scale ScaleOf(double most, std::string_view unit);

/// Nothing and what is not finite are shown as "-".
struct Quantity {
  std::optional<double> value = {};
  std::string unit = {};
};

bool IsKnown(const Quantity& quantity);

/// With four digits: "12.3 ms", "50 /s", "7".
std::string Text(const Quantity& quantity);

/// What a table has in one place: texts and quantities, one after the other.
class Cell {
 public:
  using Piece = std::variant<std::string, Quantity>;

  // NOLINTBEGIN(google-explicit-constructor): a row is written as a list of what is in it
  Cell(const char* text) : pieces_{std::string(text)} {}
  Cell(std::string text) : pieces_{std::move(text)} {}
  Cell(Quantity quantity) : pieces_{std::move(quantity)} {}
  // NOLINTEND(google-explicit-constructor)

  Cell& operator+=(const Cell& next) {
    pieces_.insert(pieces_.end(), next.pieces_.begin(), next.pieces_.end());
    return *this;
  }
  friend Cell operator+(Cell first, const Cell& next) { return std::move(first += next); }

  [[nodiscard]] const std::vector<Piece>& pieces() const { return pieces_; }

 private:
  std::vector<Piece> pieces_;
};
using Cells = std::vector<std::vector<Cell>>;

/// "90 ms to 1.2 s", "5 to 7 /s": the unit once unless it is scaled. "-" if an end is not known.
Cell Interval(const Quantity& lower, const Quantity& upper);

/// Of a cell that stands alone.
std::string Text(const Cell& cell);

/// The cells as texts. In one column, quantities that are shown in one unit have one number of
/// decimals, as Alike has them with four digits.
Rows Written(const Cells& rows);

}  // namespace twofold::show
