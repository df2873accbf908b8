#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// The bits of SVG: numbers, text, how wide text is.
namespace twofold::report {

/// Text for XML, in elements and in attributes with double quotes; at most `most` bytes of it.
inline constexpr std::size_t kLongestText = 500;
std::string Escaped(std::string_view text, std::size_t most = kLongestText);

/// A coordinate, to a tenth of a pixel: "12", "12.3".
std::string Px(double value);

/// How wide text comes out at most, by the widest of the usual fonts.
double WidthOf(std::string_view text, double size, bool bold = false);

/// The text in lines of at most `width`; a word that is longer has a line of its own.
std::vector<std::string> Wrapped(std::string_view text, double width, double size,
                                 bool bold = false);

/// A name of at most `most` characters (4 or more): of a longer one the end, which tells pods of
/// one deployment apart, after an ellipsis.
std::string ShortName(std::string_view name, std::size_t most);

/// How a piece of text stands. Grey like the axes unless it says otherwise.
struct TextStyle {
  double size = 11;
  const char* anchor = "start";  ///< start, middle, end
  const char* fill = "#3e4c59";
  bool bold = false;
  bool halo = false;  ///< on white, so that it can be read across lines
  bool upright = false;
};

/// A <text> element.
std::string TextElement(double x, double y, std::string_view text, const TextStyle& style);

/// `element` with `attributes` and a tooltip: "<circle .../>" or, with text, around a <title>.
std::string WithTip(std::string_view element, std::string_view attributes, std::string_view tip);

}  // namespace twofold::report
