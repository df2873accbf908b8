#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "lib/report/panel.h"
#include "lib/report/thin.h"
#include "lib/report/xml.h"
#include "lib/show/quantity.h"

namespace twofold::report {
namespace {

constexpr std::size_t kMostTips = 400;  // a series; more shapes are one path without tooltips
constexpr std::size_t kShades = 12;     // of cells
constexpr double kBoxWidth = 16.0;
constexpr double kThickestSpan = 16.0;

struct Paint {
  std::string_view fill;
  std::string_view dash;  // of its lines, so that print without colours tells them apart
};

// In the order of Colour.
constexpr std::array<Paint, kColours> kPaints = {{{"#0072b2", ""},
                                                  {"#d55e00", "6 2"},
                                                  {"#009e73", "2 2"},
                                                  {"#aa4499", "8 2 2 2"},
                                                  {"#e69f00", "4 4"},
                                                  {"#56b4e9", "1 2"},
                                                  {"#6b7280", "3 3"}}};

const Paint& PaintOf(Colour colour) { return kPaints[static_cast<std::size_t>(colour)]; }

std::string Move(char command, double x, double y) {
  return absl::StrCat(std::string(1, command), Px(x), " ", Px(y));
}

/// One series where it is to be drawn.
class SeriesDrawing {
 public:
  SeriesDrawing(const Series& series, const Panel& panel, const Axes& axes)
      : series_(series), panel_(panel), axes_(axes), has_tips_(series.data.size() <= kMostTips) {}

  [[nodiscard]] std::string Lines() const;
  [[nodiscard]] std::string Points() const;
  [[nodiscard]] std::string Bars() const;
  [[nodiscard]] std::string Band() const;
  [[nodiscard]] std::string Intervals() const;
  [[nodiscard]] std::string Lost() const;
  [[nodiscard]] std::string Cells() const;
  [[nodiscard]] std::string Boxes() const;
  [[nodiscard]] std::string Spans() const;
  [[nodiscard]] std::string Stretches() const;

 private:
  [[nodiscard]] bool HasPlace(const Datum& datum) const {
    return axes_.x.Shows(datum.x) && axes_.y.Shows(datum.y);
  }
  [[nodiscard]] double X(double x) const { return axes_.x.Place(x); }
  [[nodiscard]] double Y(double y) const { return axes_.y.Place(y); }
  [[nodiscard]] std::string Stroked(const std::string& path, double width,
                                    std::string_view more = "") const;
  [[nodiscard]] std::string Tip(const Datum& datum, const std::string& value) const;
  [[nodiscard]] std::string YText(double y) const { return Text(show::Quantity{y, panel_.y.unit}); }
  [[nodiscard]] std::string XText(double x) const { return Text(show::Quantity{x, panel_.x.unit}); }
  [[nodiscard]] std::vector<Spot> Spots() const;
  [[nodiscard]] std::string Strokes(std::vector<Stroke> strokes) const;

  const Series& series_;
  const Panel& panel_;
  const Axes& axes_;
  bool has_tips_;
};

std::string SeriesDrawing::Stroked(const std::string& path, double width,
                                   std::string_view more) const {
  if (path.empty()) return "";
  return absl::StrCat("<path d=\"", path, "\" fill=\"none\" stroke=\"",
                      std::string(PaintOf(series_.colour).fill), "\" stroke-width=\"", Px(width),
                      "\"", std::string(more), "/>\n");
}

/// "run-17: 12.3 ms at 4.5 s"
std::string SeriesDrawing::Tip(const Datum& datum, const std::string& value) const {
  if (!has_tips_) return "";
  const std::string& name = datum.label.empty() ? series_.name : datum.label;
  return absl::StrCat(name, name.empty() ? "" : ": ", value);
}

/// The corners of the line, with gaps.
std::vector<Spot> SeriesDrawing::Spots() const {
  std::vector<Spot> spots;
  const bool steps = series_.form == Form::kSteps;
  double end = 0.0;  // of the step before
  for (const Datum& datum : series_.data) {
    if (!HasPlace(datum) || (steps && !axes_.x.Shows(datum.end))) {
      spots.push_back({.gap = true});
      continue;
    }
    if (steps && !spots.empty() && datum.x > end) spots.push_back({.gap = true});
    spots.push_back({X(datum.x), Y(datum.y)});
    if (steps) spots.push_back({X(datum.end), Y(datum.y)});
    end = datum.end;
  }
  return spots.size() > kDense ? ThinLine(spots) : spots;
}

std::string SeriesDrawing::Lines() const {
  std::string path;
  std::string lone;  // a value between gaps is a dot
  const std::vector<Spot> spots = Spots();
  for (std::size_t i = 0; i < spots.size(); ++i) {
    if (spots[i].gap) continue;
    const bool begins = i == 0 || spots[i - 1].gap;
    const bool ends = i + 1 == spots.size() || spots[i + 1].gap;
    if (begins && ends) {
      absl::StrAppend(&lone, Move('M', spots[i].x, spots[i].y), "h0");
    } else {
      path += Move(begins ? 'M' : 'L', spots[i].x, spots[i].y);
    }
  }
  const std::string_view dash = PaintOf(series_.colour).dash;
  const std::string dashes =
      dash.empty() ? "" : absl::StrCat(" stroke-dasharray=\"", std::string(dash), "\"");
  return Stroked(path, 1.5, absl::StrCat(" stroke-linejoin=\"round\"", dashes)) +
         Stroked(lone, 4, " stroke-linecap=\"round\"");
}

std::string SeriesDrawing::Strokes(std::vector<Stroke> strokes) const {
  std::string path;
  for (const Stroke& run : Cover(std::move(strokes))) {
    const double top = std::max(run.top, axes_.box.top);
    const double bottom = std::min(run.bottom, axes_.box.bottom);
    absl::StrAppend(&path, Move('M', std::min(run.x, axes_.box.right), top), "V", Px(bottom));
  }
  return Stroked(path, 1);
}

std::string SeriesDrawing::Points() const {
  std::string drawn;
  std::string path;
  std::vector<Stroke> strokes;
  for (const Datum& datum : series_.data) {
    if (!HasPlace(datum)) continue;
    const double x = X(datum.x);
    const double y = Y(datum.y);
    if (series_.data.size() > kDense) {
      strokes.push_back({x, y, y});
    } else if (has_tips_) {
      const std::string value = absl::StrCat(YText(datum.y), " at ", XText(datum.x));
      drawn += WithTip("circle",
                       absl::StrCat("cx=\"", Px(x), "\" cy=\"", Px(y), "\" r=\"",
                                    series_.data.size() > 100 ? "1.8" : "2.2", "\""),
                       Tip(datum, value));
    } else {
      absl::StrAppend(&path, Move('M', x, y), "h0");
    }
  }
  if (!strokes.empty()) return Strokes(std::move(strokes));
  return drawn + Stroked(path, 3, " stroke-linecap=\"round\"");
}

std::string SeriesDrawing::Bars() const {
  std::string drawn;
  const double ground = axes_.y.Place(std::max(0.0, axes_.y.low()));
  for (const Datum& datum : series_.data) {
    if (!HasPlace(datum) || !axes_.x.Shows(datum.end) || datum.y == 0.0) continue;
    const double left = X(datum.x);
    const double width = std::max(0.5, X(datum.end) - left);
    const auto [top, bottom] = std::minmax({Y(datum.y), ground});
    const std::string value =
        absl::StrCat(XText(datum.x), " to ", XText(datum.end), ": ", YText(datum.y));
    drawn += WithTip(
        "rect",
        absl::StrCat("x=\"", Px(left), "\" y=\"", Px(top), "\" width=\"", Px(width), "\" height=\"",
                     Px(bottom - top), "\" stroke=\"#ffffff\" stroke-width=\"0.5\""),
        Tip(datum, value));
  }
  return drawn;
}

std::string SeriesDrawing::Band() const {
  std::string drawn;
  std::string upper;
  std::vector<Spot> lower;
  const auto close = [&] {
    if (lower.size() < 2) upper.clear();
    for (auto spot = lower.rbegin(); spot != lower.rend() && !upper.empty(); ++spot) {
      upper += Move('L', spot->x, spot->y);
    }
    if (!upper.empty()) absl::StrAppend(&drawn, upper, "Z");
    upper.clear();
    lower.clear();
  };
  for (const Datum& datum : series_.data) {
    if (!HasPlace(datum) || !axes_.y.Shows(datum.end)) {
      close();
      continue;
    }
    upper += Move(upper.empty() ? 'M' : 'L', X(datum.x), Y(std::max(datum.y, datum.end)));
    lower.push_back({X(datum.x), Y(std::min(datum.y, datum.end))});
  }
  close();
  if (drawn.empty()) return "";
  return absl::StrCat("<path d=\"", drawn, "\" fill-opacity=\"0.18\"/>\n");
}

std::string SeriesDrawing::Intervals() const {
  std::string drawn;
  std::string path;
  std::vector<Stroke> strokes;
  for (const Datum& datum : series_.data) {
    if (!HasPlace(datum) || !axes_.y.Shows(datum.end)) continue;
    const double x = X(datum.x);
    const auto [top, bottom] = std::minmax({Y(datum.y), Y(datum.end)});
    if (series_.data.size() > kDense) {
      strokes.push_back({x, top, bottom});
    } else if (has_tips_) {
      const std::string value =
          absl::StrCat(YText(std::min(datum.y, datum.end)), " to ",
                       YText(std::max(datum.y, datum.end)), " at ", XText(datum.x));
      drawn += WithTip(
          "path",
          absl::StrCat("d=\"", Move('M', x, top), "V", Px(bottom), "\" fill=\"none\" stroke=\"",
                       std::string(PaintOf(series_.colour).fill),
                       "\" stroke-width=\"2\" stroke-opacity=\"0.6\""),
          Tip(datum, value));
    } else {
      absl::StrAppend(&path, Move('M', x, top), "V", Px(bottom));
    }
  }
  if (!strokes.empty()) return Strokes(std::move(strokes));
  return drawn + Stroked(path, 1, " stroke-opacity=\"0.6\"");
}

std::string SeriesDrawing::Lost() const {
  std::string drawn;
  double last = -10.0;  // those on the same pixel are one
  for (const Datum& datum : series_.data) {
    if (!axes_.x.Shows(datum.x)) continue;
    const double x = std::clamp(X(datum.x), axes_.box.left + 3.5, axes_.box.right - 3.5);
    if (!has_tips_ && x - last < 1.0) continue;
    last = x;
    const std::string shape = absl::StrCat(Move('M', x - 3.5, axes_.box.top), "h7l-3.5 6z");
    drawn += has_tips_ ? WithTip("path", absl::StrCat("d=\"", shape, "\""),
                                 Tip(datum, absl::StrCat("never, at ", XText(datum.x))))
                       : shape;
  }
  if (has_tips_ || drawn.empty()) return drawn;
  return absl::StrCat("<path d=\"", drawn, "\"/>\n");
}

/// How dark a value is: 0 to kShades - 1.
class Shades {
 public:
  explicit Shades(const Series& series) {
    for (const Datum& datum : series.data) {
      if (!std::isfinite(datum.value)) continue;
      least_ = any_ ? std::min(least_, datum.value) : datum.value;
      most_ = any_ ? std::max(most_, datum.value) : datum.value;
      any_ = true;
      if (datum.value > 0.0) positive_ = std::min(positive_, datum.value);
    }
    logarithmic_ = any_ && least_ >= 0.0 && most_ >= 20.0 * positive_;
  }

  [[nodiscard]] bool any() const { return any_; }
  [[nodiscard]] double least() const { return least_; }
  [[nodiscard]] double most() const { return most_; }

  [[nodiscard]] std::size_t Of(double value) const {
    if (most_ <= least_ || value <= least_) return most_ <= least_ ? kShades / 2 : 0;
    const double part = logarithmic_ ? std::log(std::max(value, positive_) / positive_) /
                                           std::log(most_ / positive_)
                                     : (value - least_) / (most_ - least_);
    return static_cast<std::size_t>(std::clamp(part, 0.0, 1.0) *
                                    (static_cast<double>(kShades) - 0.001));
  }

  static std::string Opacity(std::size_t shade) {
    return absl::StrFormat(" fill-opacity=\"%.2f\"",
                           0.08 + 0.92 * static_cast<double>(shade) / (kShades - 1));
  }

 private:
  bool any_ = false;
  bool logarithmic_ = false;
  double least_ = 0.0;
  double most_ = 0.0;
  double positive_ = std::numeric_limits<double>::infinity();
};

std::string SeriesDrawing::Cells() const {
  const Shades shades(series_);
  std::array<std::string, kShades> drawn;
  for (const Datum& datum : series_.data) {
    if (!HasPlace(datum) || !axes_.x.Shows(datum.end) || !axes_.y.Shows(datum.top) ||
        !std::isfinite(datum.value)) {
      continue;
    }
    const auto [left, right] = std::minmax({X(datum.x), X(datum.end)});
    const auto [top, bottom] = std::minmax({Y(datum.y), Y(datum.top)});
    const std::string shape =
        absl::StrCat(Move('M', left, top), "H", Px(right), "V", Px(bottom), "H", Px(left), "z");
    std::string& to = drawn[shades.Of(datum.value)];
    if (has_tips_) {
      to += WithTip("path", absl::StrCat("d=\"", shape, "\""),
                    Tip(datum, Text(show::Quantity{datum.value, series_.unit})));
    } else {
      to += shape;
    }
  }
  std::string all;
  for (std::size_t shade = 0; shade < kShades; ++shade) {
    if (drawn[shade].empty()) continue;
    const std::string shapes =
        has_tips_ ? drawn[shade] : absl::StrCat("<path d=\"", drawn[shade], "\"/>\n");
    absl::StrAppend(&all, "<g", Shades::Opacity(shade), ">\n", shapes, "</g>\n");
  }
  return all;
}

std::string SeriesDrawing::Boxes() const {
  std::string drawn;
  for (const Datum& datum : series_.data) {
    if (!HasPlace(datum) || !axes_.y.Shows(datum.end) || !axes_.y.Shows(datum.value)) continue;
    const double left = X(datum.x) - kBoxWidth / 2;
    const auto [top, bottom] = std::minmax({Y(datum.y), Y(datum.end)});
    const std::string value = absl::StrCat(
        "median ", YText(datum.value), ", quartiles ", YText(std::min(datum.y, datum.end)), " to ",
        YText(std::max(datum.y, datum.end)), " at ", XText(datum.x));
    drawn +=
        WithTip("path",
                absl::StrCat("d=\"", Move('M', left, top), "h", Px(kBoxWidth), "V", Px(bottom), "h",
                             Px(-kBoxWidth), "z", Move('M', left, Y(datum.value)), "h",
                             Px(kBoxWidth), "\" fill-opacity=\"0.25\" stroke=\"",
                             std::string(PaintOf(series_.colour).fill), "\" stroke-width=\"1.5\""),
                Tip(datum, value));
  }
  return drawn;
}

std::string SeriesDrawing::Spans() const {
  const double lane = std::abs(Y(1.0) - Y(0.0));
  const double thick = std::clamp(lane * 0.8, 1.0, kThickestSpan);
  std::string drawn;
  std::string path;
  std::vector<Stroke> strokes;
  for (const Datum& datum : series_.data) {
    if (!HasPlace(datum) || !axes_.x.Shows(datum.end)) continue;
    const double top = Y(datum.y) - thick / 2;
    const double left = X(datum.x);
    const double width = std::max(0.5, X(datum.end) - left);
    if (series_.data.size() > kDense) {
      strokes.push_back({Y(datum.y), left, left + width - 1.0});
    } else if (has_tips_) {
      const std::string value = absl::StrCat(XText(datum.x), " to ", XText(datum.end));
      drawn += WithTip(
          "rect",
          absl::StrCat("x=\"", Px(left), "\" y=\"", Px(top), "\" width=\"", Px(width),
                       "\" height=\"", Px(thick), "\" stroke=\"#ffffff\" stroke-width=\"0.5\""),
          Tip(datum, value));
    } else {
      absl::StrAppend(&path, Move('M', left, top), "h", Px(width), "v", Px(thick), "h", Px(-width),
                      "z");
    }
  }
  for (const Stroke& run : Cover(std::move(strokes))) {  // lying: their x is a place on y
    absl::StrAppend(&path, Move('M', run.top, run.x - thick / 2), "H",
                    Px(std::min(run.bottom, axes_.box.right)), "v", Px(thick), "H", Px(run.top),
                    "z");
  }
  if (path.empty()) return drawn;
  return absl::StrCat("<path d=\"", path, "\" stroke=\"#ffffff\" stroke-width=\"0.3\"/>\n");
}

std::string SeriesDrawing::Stretches() const {
  std::string drawn;
  const Box& box = axes_.box;
  for (const Datum& datum : series_.data) {
    if (!axes_.x.Shows(datum.x) || !axes_.x.Shows(datum.end)) continue;
    const double left = X(datum.x);
    const std::string value = absl::StrCat(XText(datum.x), " to ", XText(datum.end));
    drawn += WithTip("rect",
                     absl::StrCat("x=\"", Px(left), "\" y=\"", Px(box.top), "\" width=\"",
                                  Px(std::max(1.0, X(datum.end) - left)), "\" height=\"",
                                  Px(box.bottom - box.top), "\" fill-opacity=\"0.16\""),
                     Tip(datum, value));
  }
  return drawn;
}

using DrawForm = std::string (SeriesDrawing::*)() const;

// In the order of Form.
constexpr std::array<DrawForm, kForms> kDrawn = {
    &SeriesDrawing::Lines, &SeriesDrawing::Lines,    &SeriesDrawing::Points,
    &SeriesDrawing::Bars,  &SeriesDrawing::Band,     &SeriesDrawing::Intervals,
    &SeriesDrawing::Lost,  &SeriesDrawing::Cells,    &SeriesDrawing::Boxes,
    &SeriesDrawing::Spans, &SeriesDrawing::Stretches};

/// The key of each form, 16 wide, about the point (0, 0) at its left end.
constexpr std::array<std::string_view, kForms> kKeys = {
    "<path d=\"M0 0h16\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s/>",
    "<path d=\"M0 0h16\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s/>",
    "<circle cx=\"8\" cy=\"0\" r=\"2.5\"/>",
    "<rect x=\"2\" y=\"-5\" width=\"12\" height=\"9\"/>",
    "<rect x=\"0\" y=\"-5\" width=\"16\" height=\"9\" fill-opacity=\"0.18\"/>",
    "<path d=\"M8 -6V5\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-opacity=\"0.6\"/>",
    "<path d=\"M4 -4h8l-4 7z\"/>",
    "<rect x=\"0\" y=\"-5\" width=\"8\" height=\"9\" fill-opacity=\"0.08\"/>"
    "<rect x=\"8\" y=\"-5\" width=\"8\" height=\"9\"/>",
    "<path d=\"M3 -5h10v10h-10zM3 0h10\" fill-opacity=\"0.25\" stroke=\"%s\"/>",
    "<rect x=\"0\" y=\"-4\" width=\"16\" height=\"7\"/>",
    "<rect x=\"0\" y=\"-5\" width=\"16\" height=\"10\" fill-opacity=\"0.16\"/>"};

std::string Grouped(const Series& series, std::string_view more, const std::string& shapes) {
  if (shapes.empty()) return "";
  return absl::StrCat("<g fill=\"", std::string(PaintOf(series.colour).fill), "\"",
                      std::string(more), ">\n", shapes, "</g>\n");
}

}  // namespace

std::string DrawSeries(const Series& series, const Panel& panel, const Axes& axes) {
  const DrawForm draw = kDrawn[static_cast<std::size_t>(series.form)];
  return Grouped(series, "", (SeriesDrawing(series, panel, axes).*draw)());
}

std::string LegendOf(const Series& series) {
  const Shades shades(series);
  if (series.form != Form::kCells || !shades.any()) return series.name;
  return absl::StrCat(series.name, ", from ", Text(show::Quantity{shades.least(), series.unit}),
                      " to ", Text(show::Quantity{shades.most(), series.unit}));
}

std::string DrawKey(const Series& series, double x, double y) {
  const Paint& paint = PaintOf(series.colour);
  const std::string dash =
      paint.dash.empty() ? "" : absl::StrCat(" stroke-dasharray=\"", std::string(paint.dash), "\"");
  std::string key(kKeys[static_cast<std::size_t>(series.form)]);
  for (const std::string& with : {std::string(paint.fill), dash}) {
    const std::size_t place = key.find("%s");
    if (place != std::string::npos) key.replace(place, 2, with);
  }
  const std::string at = absl::StrCat(" transform=\"translate(", Px(x), " ", Px(y), ")\"");
  return Grouped(series, at, key + "\n") +
         TextElement(x + 20, y + 4, LegendOf(series), {.fill = "#1f2933"});
}

}  // namespace twofold::report
