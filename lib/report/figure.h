#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Figures: what is to be drawn as plain data, and as SVG. Pure: the same figure makes the same
/// bytes.
///
/// Whoever draws says what the numbers are; how they become a picture (ticks, units, thinning,
/// legend, what cannot be shown) is decided here alone, so that all reports look alike and none
/// leaves anything out in silence.
namespace twofold::report {

/// Colours that the colour-blind can tell apart and that differ in print; lines of each colour have
/// dashes of their own. Source: M. Okabe, K. Ito, "Color Universal Design" (2008).
enum class Colour : std::uint8_t { kBlue, kVermillion, kGreen, kPurple, kOrange, kSky, kGrey };
inline constexpr std::size_t kColours = static_cast<std::size_t>(Colour::kGrey) + 1;

/// One value of a series; what its members say depends on the form of the series.
struct Datum {
  double x = 0.0;
  double y = 0.0;
  double end = 0.0;        ///< where a step or a bar ends (on x); the other end of a band (on y)
  std::string label = {};  ///< what it is, before the numbers of its tooltip: "run-17"
  double top = 0.0;        ///< where a cell ends (on y)
  double value = 0.0;      ///< of a cell; the line across a box (on y)
};

enum class Form : std::uint8_t {
  kLine,       ///< from each (x, y) to the next
  kSteps,      ///< y from x to `end`
  kPoints,     ///< at (x, y)
  kBars,       ///< from 0 to y, from x to `end`: a histogram
  kBand,       ///< the area between y and `end`, from each x to the next: an uncertainty
  kIntervals,  ///< at x from y to `end`: of the value only this is known
  kLost,       ///< at x, on the upper edge: there is no value, as it never came
  kCells,      ///< from (x, y) to (`end`, `top`), the darker the greater `value`: a heat map
  kBoxes,      ///< at x from y to `end` with a line at `value`: quartiles and median
  kSpans,      ///< from x to `end` in the lane y: who was at work when
  kStretches,  ///< from x to `end` over the whole height: a part of the time that is special
};
inline constexpr std::size_t kForms = static_cast<std::size_t>(Form::kStretches) + 1;

/// Data of one kind. A value that is not finite (beyond +-1e15, not a number) is a gap, and so is
/// one not above 0 on a logarithmic axis; a note says how many there are.
///
/// Cells are shaded by their value; by its logarithm if the greatest is 20 times the least above 0.
/// The legend says which values are light and dark.
///
/// REQUIRES  Lines, steps and bands are in the order of x.
struct Series {
  Form form = Form::kLine;
  std::string name = {};  ///< in legend, tooltips and notes; empty: not in the legend
  Colour colour = Colour::kBlue;
  std::vector<Datum> data = {};
  std::string unit = {};  ///< of the values of cells
};

/// A dashed line across the panel: a limit, a percentile.
struct Reference {
  double at = 0.0;
  std::string label = {};
  bool upright = false;  ///< at an x, from bottom to top; else at a y
  Colour colour = Colour::kGrey;
};

struct Axis {
  std::string label = {};  ///< "time to ready"
  std::string unit = {};   ///< of the data; seconds ("s") are shown as us, ms or s
  bool logarithmic = false;
  bool from_zero = false;            ///< 0 is on it, unless it is logarithmic
  bool whole = false;                ///< its numbers are counts: no ticks between them
  std::optional<double> least = {};  ///< is on it, whatever the data
  std::optional<double> most = {};
  bool percentiles = false;        ///< numbers are 1 / (1 - p) of shares p, and ticks say p
  std::vector<double> marks = {};  ///< the ticks, where there is room; empty: round numbers
  /// Of 0, 1, 2 ..., which take the place of numbers; on y the first is at the top. Long names are
  /// shortened at their beginning.
  std::vector<std::string> names = {};
};

struct Panel {
  std::string title = {};
  Axis x = {};
  Axis y = {};
  std::vector<Series> series = {};  ///< drawn in this order
  std::vector<Reference> references = {};
  std::vector<std::string> notes = {};  ///< beneath; what was left out or thinned comes after them
  double share = 1.0;                   ///< of the width of its row; more than 0
};

struct Figure {
  std::string title = {};
  std::vector<std::string> lines = {};  ///< beneath the title
  std::vector<std::vector<Panel>> rows = {};
  double width = 960;         ///< of the whole, in pixels of CSS
  double panel_height = 120;  ///< of the plotting area of each panel
};

/// How large a figure comes out.
struct Size {
  double width = 0.0;
  double height = 0.0;
};
Size SizeOf(const Figure& figure);

/// The figure as one <svg> element: on a white ground of its own, without style sheets, scripts,
/// fonts or ids, so it stands alone as a file and can be put into a page beside others. It has a
/// <title> and a <desc>; marks have tooltips with their numbers if there are few. All text is
/// escaped; control characters become blanks, what is no UTF-8 becomes `?`.
///
/// More data than pixels is thinned, and a note says so: of lines and steps the first, least,
/// greatest and last value of each column of pixels are drawn, which looks as if all were; of
/// points, intervals and spans each pixel that any of them covers.
/// Source  U. Jugel et al., "M4: A Visualization-Oriented Time Series Data Aggregation" (2014).
///
/// Cost    O(values log values) in time; the text is at most some hundred KiB a panel, whatever the
///         number of values.
std::string ToSvg(const Figure& figure);

}  // namespace twofold::report
