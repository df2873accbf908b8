#pragma once

#include <span>

namespace twofold::stats {

/// A mean and how well it is known.
struct MeanInterval {
  double mean = 0.0;
  double half_width = 0.0;  ///< the interval is mean +- this; infinity from fewer than two values

  /// Half the width as a share of the mean: 0.03 is "+- 3 %". Infinity if the mean is 0 and the
  /// half width is not, or if either is no finite number.
  [[nodiscard]] double Relative() const;
};

/// The interval that holds the mean of the values' distribution with `confidence`, two-sided:
/// t(n - 1) s / sqrt(n), s the standard deviation with n - 1. Exact if values are independent and
/// normal; for values that are far from normal, or follow a trend, it is too narrow.
/// Source: NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.5.2 "Confidence limits for the
/// mean".
MeanInterval IntervalOfMean(std::span<const double> values, double confidence = 0.95);

}  // namespace twofold::stats
