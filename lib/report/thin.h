#pragma once

#include <cstddef>
#include <vector>

/// Fewer shapes for more values than pixels. What is drawn covers the same pixels.
namespace twofold::report {

/// A place on the page, in pixels.
struct Spot {
  double x = 0.0;
  double y = 0.0;
  bool gap = false;  ///< there is none: a line begins anew after it
};

/// Series of more values than this are thinned.
inline constexpr std::size_t kDense = 2000;

/// Of a line, the first, lowest, highest and last spot of each column of pixels, in their order. A
/// gap stays if no spot of the line covers its column.
///
/// Cost  O(spots); at most five spots a column come out.
std::vector<Spot> ThinLine(const std::vector<Spot>& spots);

/// What an upright stroke covers: at x, from `top` to `bottom`.
struct Stroke {
  double x = 0.0;
  double top = 0.0;
  double bottom = 0.0;
};

/// Strokes that cover the pixels that `strokes` do, one for each run of pixels of a column.
///
/// Cost  O(strokes log strokes).
std::vector<Stroke> Cover(std::vector<Stroke> strokes);

}  // namespace twofold::report
