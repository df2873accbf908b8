#include "lib/report/axis.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "lib/report/xml.h"
#include "lib/show/quantity.h"

namespace twofold::report {
namespace {

constexpr double kMost = 1e15;          // beyond it whole numbers are no longer exact
constexpr double kLeastSpan = 1e-12;    // of an axis
constexpr double kLeastPart = 1e-9;     // of its numbers
constexpr double kSmallestLog = 1e-15;  // on a logarithmic axis
constexpr double kUprightTick = 28.0;   // pixels
constexpr double kLyingTick = 64.0;
constexpr double kNameLine = 13.0;
constexpr double kNameLetter = 6.6;
constexpr double kNameLetters = 26.0;  // on an upright axis

double PowerOfTen(double value) { return std::pow(10.0, std::floor(std::log10(value))); }

std::string Fixed(double value, double step) {
  const double decimals = std::clamp(-std::floor(std::log10(step) + 1e-9), 0.0, 12.0);
  // Not "-0".
  return absl::StrFormat("%.*f", static_cast<int>(decimals),
                         std::abs(value) < step / 2 ? 0 : value);
}

/// 0.999 as "99.9 %", of 1000.
std::string PercentileText(double one_in) {
  return absl::StrFormat("%.10g %%", 100.0 * (1.0 - 1.0 / one_in));
}

}  // namespace

double NiceStep(double span, double most) {
  const double least = span / most;
  const double power = PowerOfTen(least);
  for (const double times : {1.0, 2.0, 5.0}) {
    if (times * power >= least * (1.0 - 1e-9)) return times * power;
  }
  return 10.0 * power;
}

bool HasPlace(const Axis& axis, double value) {
  return std::isfinite(value) && std::abs(value) <= kMost &&
         (!axis.logarithmic || value >= kSmallestLog);
}

PlacedAxis::PlacedAxis(const Axis& axis, const std::vector<double>& values, double from, double to)
    : axis_(axis), from_(from), to_(to) {
  if (!axis_.names.empty()) {
    SetNames(to - from);
    return;
  }
  SetRange(values);
  const double room = to < from ? kUprightTick : kLyingTick;
  const double parts = std::max(1.0, std::abs(to - from) / room);
  if (axis_.logarithmic) {
    SetLogarithmic(parts);
  } else {
    SetLinear(parts);
  }
  if (!axis_.marks.empty()) SetMarks(room / 2);
}

double PlacedAxis::Place(double value) const {
  const double part = axis_.logarithmic ? std::log(value / low_) / std::log(high_ / low_)
                                        : (value - low_) / (high_ - low_);
  return from_ + std::clamp(part, 0.0, 1.0) * (to_ - from_);
}

void PlacedAxis::SetRange(const std::vector<double>& values) {
  bool any = false;
  const auto include = [&](double value) {
    if (!Shows(value)) return;
    low_ = any ? std::min(low_, value) : value;
    high_ = any ? std::max(high_, value) : value;
    any = true;
  };
  for (const double value : values) include(value);
  if (axis_.least) include(*axis_.least);
  if (axis_.most) include(*axis_.most);
  if (axis_.from_zero && any) include(0.0);
  if (any) return;
  low_ = axis_.logarithmic ? 0.1 : 0.0;
  high_ = 1.0;
}

/// A single number has room around it.
void PlacedAxis::WidenLinear() {
  const double size = std::max(std::abs(low_), std::abs(high_));
  const double least = axis_.whole ? 1.0 : std::max(size * kLeastPart, kLeastSpan);
  if (high_ - low_ >= least) return;
  const double room = std::max(size > 0.0 ? size * 0.1 : 1.0, least);
  const bool on_zero = axis_.from_zero && low_ >= 0.0;
  high_ += room;
  if (!on_zero) low_ -= room;
}

void PlacedAxis::SetLinear(double parts) {
  WidenLinear();
  const show::Scale scale = show::ScaleOf(std::max(std::abs(low_), std::abs(high_)), axis_.unit);
  double step = NiceStep((high_ - low_) * scale.factor, parts);
  if (axis_.whole) step = std::max(step, 1.0);
  if (to_ < from_) {  // upright: whole steps, so that the greatest value is not on the edge
    low_ = std::floor(low_ * scale.factor / step + 1e-9) * step / scale.factor;
    high_ = std::ceil(high_ * scale.factor / step - 1e-9) * step / scale.factor;
  }
  const double first = std::ceil(low_ * scale.factor / step - 1e-9);
  const double last = std::floor(high_ * scale.factor / step + 1e-9);
  for (double i = first; i <= last; i += 1.0) {
    ticks_.push_back({i * step / scale.factor, Fixed(i * step, step)});
  }
  label_ = scale.unit.empty() ? axis_.label
                              : absl::StrCat(axis_.label, " (", std::string(scale.unit), ")");
}

void PlacedAxis::SetLogarithmic(double parts) {
  if (high_ < low_ * 1.5) {
    low_ /= 1.5;
    high_ *= 1.5;
  }
  const double decades = std::log10(high_ / low_);
  const bool all = decades * 3.0 <= parts;                          // 1, 2, 5, 10
  const double stride = std::max(1.0, std::ceil(decades / parts));  // of decades
  const double first = std::floor(std::log10(low_) + 1e-9);
  for (double decade = first; decade <= std::log10(high_) + 1e-9; decade += stride) {
    for (const double times : {1.0, 2.0, 5.0}) {
      const double at = times * std::pow(10.0, decade);
      const bool inside = at >= low_ * (1 - 1e-9) && at <= high_ * (1 + 1e-9);
      if (!inside || !(all || times == 1.0)) continue;
      ticks_.push_back(
          {at, axis_.percentiles ? PercentileText(at) : Text(show::Quantity{at, axis_.unit})});
    }
  }
  if (ticks_.size() < 2) {
    ticks_ = {{low_, Text(show::Quantity{low_, axis_.unit})},
              {high_, Text(show::Quantity{high_, axis_.unit})}};
  }
  label_ = axis_.percentiles ? axis_.label : absl::StrCat(axis_.label, ", logarithmic");
}

/// `pixels`: its length.
void PlacedAxis::SetNames(double pixels) {
  const auto count = static_cast<double>(axis_.names.size());
  low_ = -0.5;
  high_ = count - 0.5;
  label_ = axis_.label;
  const bool lying = pixels > 0.0;
  if (!lying) std::swap(from_, to_);  // people read from the top
  const double stride =
      std::ceil(std::max(1.0, (lying ? kLyingTick : kNameLine) * count / std::abs(pixels)));
  const double letters = lying ? pixels / count * stride / kNameLetter - 1.0 : kNameLetters;
  for (double at = 0.0; at < count; at += stride) {
    ticks_.push_back({at, ShortName(axis_.names[static_cast<std::size_t>(at)],
                                    static_cast<std::size_t>(std::max(letters, 4.0)))});
  }
}

/// `room`: pixels that a tick needs.
void PlacedAxis::SetMarks(double room) {
  ticks_.clear();
  for (const double at : axis_.marks) {
    if (!Shows(at) || at < low_ * (1 - 1e-9) || at > high_ * (1 + 1e-9)) continue;
    const bool free = ticks_.empty() || std::abs(Place(at) - Place(ticks_.back().at)) >= room;
    if (free) ticks_.push_back({at, Text(show::Quantity{at, axis_.unit})});
  }
}

}  // namespace twofold::report
