#pragma once

#include <cstdint>
#include <span>

namespace twofold::spec {

/// When a permutation has been repeated often enough.
struct Until {
  double relative_interval = 0;  ///< 0.03: the mean is known to +- 3 %
  std::uint32_t most = 0;        ///< repetitions at most
};

enum class Next : std::uint8_t {
  kRepeat,
  kNarrow,  ///< stop: the interval is as narrow as asked
  kMost,    ///< stop: so often is enough
};

struct UntilVerdict {
  Next next = Next::kRepeat;
  double relative_interval = 0;  ///< as it is now; infinity from fewer than two headlines
};

/// Says whether a permutation goes on. `headlines` are the main numbers of its repetitions so far,
/// `failed` is how many have ended without one, and `least` is how many headlines are needed at
/// least.
///
/// The interval is that of stats::IntervalOfMean at 98 %. Who looks after every repetition and
/// stops when it is narrow, stops when it is narrow by luck: at 95 % the true mean would be within
/// `relative_interval` in no more than 92 % of the cases, at 98 % it is in 95 % and more, from a
/// `least` of 3 on (simulated in tests/lib/spec/until_test.cc).
/// Source: Y. S. Chow, H. Robbins, Annals of Mathematical Statistics 36 (1965).
UntilVerdict Judge(const Until& until, std::uint32_t least, std::span<const double> headlines,
                   std::uint32_t failed);

}  // namespace twofold::spec
