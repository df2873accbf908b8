#pragma once

#include <cstdint>

#include "lib/stats/comparison.h"

/// Limits that scripts hold numbers against (`--fail-if` of commands). Pure.
namespace twofold::stats {

/// What must not be of a number: "> 5", "<= 0.1".
struct Limit {
  bool over = true;    ///< > or >=; else < or <=
  bool equal = false;  ///< >= or <=
  double bound = 0.0;

  [[nodiscard]] bool IsBrokenBy(double value) const {
    if (equal && value == bound) return true;
    return over ? value > bound : value < bound;
  }
};

enum class LimitVerdict : std::uint8_t {
  kKept,
  kBroken,
  kUndecided,  ///< the bound is inside the interval
};

/// By the interval of the number alone, which may have no ends: a number just at the bound is
/// called kept in 2.5 % of the cases, and broken in 2.5 %, if the interval is one of 95 %.
inline LimitVerdict Judge(const Limit& limit, const Bounded& number) {
  const bool low = limit.IsBrokenBy(number.lower);
  if (low != limit.IsBrokenBy(number.upper)) return LimitVerdict::kUndecided;
  return low ? LimitVerdict::kBroken : LimitVerdict::kKept;
}

}  // namespace twofold::stats
