#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <utility>

#include "lib/common/instant.h"
#include "lib/common/random.h"
#include "lib/common/result.h"

namespace twofold {

/// The longest time that can be written, and that a distribution gives: more than 31 years.
inline constexpr Duration kLongestTime = std::chrono::seconds(1'000'000'000);

/// How a time is distributed, as people write it:
///
///   2s  0.3  fixed:2s           always the same; a number without a unit is seconds
///   uniform:1s-5s               evenly between both
///   exponential:2s  exp:2s      exponential with this mean
///   lognormal:2s,0.5            log-normal with this median, and the standard deviation of its
///                               logarithm
///   bimodal:50ms,1s,10%         the second time with this probability, else the first
///
/// Threads  Immutable: safe to share.
/// Range    0 to kLongestTime; a longer draw is kLongestTime.
class Distribution {
 public:
  /// Always the same.
  explicit Distribution(Duration time);

  /// Errors   kInvalidArgument: what is wrong, and what it may look like.
  static Result<Distribution> Parse(std::string_view text);

  /// One of the recorded times, each as likely. They are seconds, one a line, such as a column of a
  /// recorded run; empty lines and lines that begin with # do not count.
  /// Errors   kInvalidArgument: there is none; the line that is not a number of seconds from 0 to
  ///          1e9; more than kMostRecorded.
  static Result<Distribution> Recorded(std::string_view text);

  [[nodiscard]] Duration Draw(Random& random) const { return draw_(random); }

 private:
  using Drawer = std::function<Duration(Random&)>;

  explicit Distribution(Drawer draw) : draw_(std::move(draw)) {}

  Drawer draw_;
};

/// The most lines of Distribution::Recorded.
inline constexpr std::size_t kMostRecorded = 1'000'000;

/// A time as people write it, in each flag, benchmark file, profile and spec of ours: numbers with
/// a unit, each unit once and the longest first (1h30m, 1.5h, 2s, 300ms), or a number alone, which
/// is seconds. Units are d, h, m, s, ms, us and ns, in letters of either case. 0 to kLongestTime.
/// ISO 8601 (PT1H) is not taken.
///
/// Errors   kInvalidArgument: anything else.
Result<Duration> ParseTime(std::string_view text);

}  // namespace twofold
