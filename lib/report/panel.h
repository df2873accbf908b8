#pragma once

#include <string>
#include <vector>

#include "lib/report/axis.h"
#include "lib/report/figure.h"

namespace twofold::report {

/// Where something lies on the page, in pixels.
struct Box {
  double left = 0.0;
  double top = 0.0;
  double right = 0.0;
  double bottom = 0.0;
};

/// The axes of a panel where they lie.
struct Axes {
  PlacedAxis x;
  PlacedAxis y;
  Box box;
};

/// Which members of a datum beside x lie on an axis, by the form.
struct OnAxes {
  bool y = false;
  bool end_on_x = false;
  bool end_on_y = false;
  bool top = false;
  bool value_on_y = false;
};
const OnAxes& OnAxesOf(Form form);

/// The name of a series in the legend; that of cells says what light and dark are.
std::string LegendOf(const Series& series);

/// The shapes of one series, without axes and legend: <path>, <rect> and the like, in its colour.
std::string DrawSeries(const Series& series, const Panel& panel, const Axes& axes);

/// Its part of the legend: a key of 16 pixels with its left end at (x, y), then the name.
std::string DrawKey(const Series& series, double x, double y);

/// A panel on its way to the page: first how much room its words take, then the drawing.
class PanelDrawing {
 public:
  /// `panel` must live as long as this does. `width`: of the panel with its words.
  PanelDrawing(const Panel& panel, double width);

  /// Above and beneath the plotting area.
  [[nodiscard]] double head() const;
  [[nodiscard]] double foot() const;

  /// With the plotting area from `top` to `bottom`; words lie head() above and foot() beneath.
  [[nodiscard]] std::string Draw(double left, double top, double bottom) const;

 private:
  [[nodiscard]] std::string DrawWords(const Box& box) const;
  [[nodiscard]] std::string DrawLegend(double left, double top) const;

  struct Key {
    const Series* series;
    double x = 0.0;  // from the panel's left end
    double line = 0.0;
  };

  const Panel& panel_;
  double width_;
  double left_;  // of the plotting area: room for the label and the numbers or names of y
  std::vector<std::string> title_;
  std::vector<std::string> notes_;
  std::vector<Key> keys_;
  double key_lines_ = 0.0;
};

/// What a note has to say of data that is not drawn, or not all of it, a sentence each.
std::vector<std::string> NotesOf(const Panel& panel);

}  // namespace twofold::report
