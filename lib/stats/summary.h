#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "lib/stats/comparison.h"

namespace twofold::stats {

/// Of one value or more.
double Mean(std::span<const double> values);

/// The sum of squared distances from the mean of `values`, one or more.
double Squares(std::span<const double> values);
inline double Squared(double x) { return x * x; }

/// Of one value or more; of an even number half way between the two middle ones.
double Median(std::vector<double> values);

/// A mean and how well it is known.
struct MeanInterval {
  double mean = 0.0;
  double sd = 0.0;          ///< standard deviation, with n - 1; 0 from fewer than two values
  double half_width = 0.0;  ///< the interval is mean +- this; infinity from fewer than two values

  /// Half the width as a share of the mean: 0.03 is "+- 3 %". Infinity if the mean is 0 and the
  /// half width is not, or if either is no finite number.
  [[nodiscard]] double Relative() const;
};

/// The interval that holds the mean of the values' distribution with `confidence`, two-sided:
/// t(n - 1) sd / sqrt(n). Exact if values are independent and
/// normal; for values that are far from normal, or follow a trend, it is too narrow.
/// Source: NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.5.2 "Confidence limits for the
/// mean".
MeanInterval IntervalOfMean(std::span<const double> values, double confidence = 0.95);

/// What repetitions of one measurement come to; docs/statistics.md has the formulas.
struct Summary {
  std::size_t n = 0;
  double mean = 0.0;
  double median = 0.0;
  double least = 0.0;
  double most = 0.0;
  double sd = 0.0;          ///< with n - 1; 0 if n < 2
  double half_width = 0.0;  ///< of the 95 % interval of the mean; 0 if n < 2, which means unknown

  /// sd / |mean|; 0 if the mean is 0 or n < 2.
  [[nodiscard]] double Cv() const;
};

/// Values in any order, all finite. Cost: O(n).
Summary Summarize(std::vector<double> values);

}  // namespace twofold::stats
