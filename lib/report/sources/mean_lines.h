#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/report/document/document.h"

/// Lines of means over a number, which figures of headlines and of series share.
namespace twofold::report {

/// A mean and what it was computed of.
struct MeanAt {
  double x = 0.0;
  double mean = 0.0;
  double half_width = 0.0;  ///< of its 95 % interval; only of n > 1
  std::uint64_t n = 0;
};

struct MeanLine {
  std::string name = {};
  std::vector<MeanAt> means = {};  ///< upwards by x
  Form form = Form::kLine;         ///< or kPoints
};

inline constexpr std::size_t kMostLines = 6;   // a panel
inline constexpr std::size_t kMostBars = 100;  // a line; more would cover it

/// The first kMostLines of them. Lines of at most kMostBars means have their intervals as bars. The
/// axis of means becomes logarithmic if they are wide (IsWide).
Panel LinePanel(const std::vector<MeanLine>& lines, Axis x, Axis y);

/// Where the means of the lines that are drawn lie.
std::vector<double> XsOf(const std::vector<MeanLine>& lines);

/// "n = 3 to 5", over all means.
std::string NOf(const std::vector<MeanLine>& lines);

/// What the bars are, as a sentence of the caption.
inline constexpr const char* kBarsAre =
    "Bars are 95 % intervals of the mean: Student's t, for independent repetitions.";

/// Whether numbers want a logarithmic axis: all above 0, the greatest 16 times the least or more.
bool IsWide(const std::vector<double>& values);

/// The name of a picture: "headline-3-peak-bandwidth".
std::string PictureName(const std::string& kind, std::size_t number, const std::string& title);

}  // namespace twofold::report
