#pragma once

#include <string>
#include <vector>

#include "lib/report/figure.h"

/// From numbers to places: ranges, ticks and the texts of numbers.
namespace twofold::report {

/// 1, 2 or 5 times a power of ten: the smallest such step that cuts `span` into at most `most`
/// parts. REQUIRES: span > 0, most > 0.
double NiceStep(double span, double most);

/// Whether the number has a place on the axis: finite, and more than 0 if it is logarithmic.
bool HasPlace(const Axis& axis, double value);

struct Tick {
  double at = 0.0;
  std::string text;
};

/// An axis with its place on the page: `from` and `to` are where its least and its greatest number
/// lie, in pixels.
class PlacedAxis {
 public:
  /// `values`: all that should be on it; those that it cannot show do not count.
  PlacedAxis(const Axis& axis, const std::vector<double>& values, double from, double to);

  [[nodiscard]] bool Shows(double value) const { return HasPlace(axis_, value); }

  /// Where it lies, never beyond the ends of the axis. REQUIRES: Shows(value).
  [[nodiscard]] double Place(double value) const;

  /// In order, at most one for each 28 pixels upright (13 of names), or 64 lying.
  [[nodiscard]] const std::vector<Tick>& ticks() const { return ticks_; }

  /// The label with the unit of the ticks: "time to ready (ms)".
  [[nodiscard]] const std::string& label() const { return label_; }

  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }

 private:
  void SetRange(const std::vector<double>& values);
  void WidenLinear();
  void SetLinear(double parts);
  void SetLogarithmic(double parts);
  void SetNames(double pixels);
  void SetMarks(double room);

  const Axis axis_;
  double low_ = 0.0;
  double high_ = 1.0;
  double from_;
  double to_;
  std::vector<Tick> ticks_;
  std::string label_;
};

}  // namespace twofold::report
