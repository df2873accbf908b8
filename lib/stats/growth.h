#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "lib/common/result.h"
#include "lib/stats/scaling_law.h"

/// How a cost grows with size, beside how it ideally grows. A number of which more is better counts
/// as the cost ideal / number. Pure.
namespace twofold::stats {

/// The shape of an ideal cost, and those that a cost is tried with.
enum class Shape : std::uint8_t {
  kConstant,
  kLog,       ///< a + c log2 n
  kLinear,    ///< a + c n
  kLogTimes,  ///< a + c n log2 n
  kSquare,    ///< a + c n^2
  kPower,     ///< a n^b
};

/// "constant", "log n", "n", "n log n", "n^2", "power"
std::string_view Name(Shape shape);

/// Where growth changes for good.
struct Knee {
  double x = 0.0;       ///< one of the sizes
  double before = 0.0;  ///< exponent up to it
  double after = 0.0;   ///< exponent beyond it
};

/// Growth of a cost: cost / ideal = c n^exponent.
struct Growth {
  std::size_t n = 0;      ///< observations
  std::size_t sizes = 0;  ///< different ones
  /// Least squares of ln(cost / ideal) on ln(n), with its 90 % interval: each side is a test at 5
  /// %. It holds both that of all observations and that of one mean a size: what differs from size
  /// to size does not shrink with repetitions.
  Bounded exponent{};
  double theil_sen = 0.0;  ///< the same by the median of slopes, which stands 29 % bad points
  bool bent = false;       ///< no straight line for certain: repetitions decide nothing
  double p = 1.0;          ///< chance that a growth just at the margin is shown so far beyond it
  ScalingClass verdict = ScalingClass::kPossible;
  /// Of a *possible*: observations a size that would decide it at this exponent; 0: no number does.
  std::size_t repetitions_needed = 0;
  std::optional<Knee> knee{};
  Shape shape = Shape::kConstant;  ///< of the value itself, by AICc
};

struct GrowthOptions {
  double margin = 0.1;             ///< exponents up to this are close: 7 % for twice the size
  Shape ideal = Shape::kConstant;  ///< constant, log or linear
  bool more_is_better = false;     ///< the cost is ideal / value, not value / ideal
};

/// "superlinear", "linear", "sublinear": an *issue* whose exponent is certainly above 1, may be 1,
/// is certainly under 1. Empty of others.
std::string_view GradeOf(const Growth& growth);

/// Fits `values`, all above 0, at sizes above 0.
///
/// The class goes by the interval alone: *issue* if its lower end is above the margin, *close* if
/// its upper end is under it. docs/statistics.md, "Growth with size", has the interval and the
/// rest.
///
/// Cost     O(n sizes).
/// Errors   kInvalidArgument: fewer than 3 sizes; a value or size that is not above 0; the ideal
///          log with a size of 1.
/// Source   A. Calotoiu et al., SC13 (shapes); D. Schuirmann (1987), two one-sided tests; P. Sen,
///          JASA 63 (1968); N. Draper, H. Smith, "Applied Regression Analysis", 2.1 (lack of fit).
Result<Growth> FitGrowth(std::span<const Observation> values, const GrowthOptions& options);

/// Of more than ten at once, those that Benjamini and Hochberg would not let pass become
/// *possible*. Says whether there were so many.
bool CorrectForMany(std::span<Growth> all);

}  // namespace twofold::stats
