#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lib/common/instant.h"
#include "lib/common/result.h"

namespace twofold::nodes {

/// Random numbers that depend on the seed alone: the same on every machine and with every library.
///
/// Source   SplitMix64 (G. Steele, D. Lea, C. Flood, 2014).
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}

  /// Numbers that depend on a text as well, such as the name of a pod: so its life does not depend
  /// on the order in which pods arrive.
  Draws(std::uint64_t seed, std::string_view text);

  std::uint64_t Next();

  /// More than 0, less than 1.
  double Share();

 private:
  std::uint64_t state_;
};

/// The longest time that a distribution gives.
inline constexpr Duration kLongest = std::chrono::hours(24 * 365);

/// How a time is distributed, as people write it:
///
///   2s  fixed:2s        always the same
///   uniform:1s-5s       evenly between both
///   exp:2s              exponential with this mean
///   lognormal:2s,0.5    log-normal with this median, and the standard deviation of its logarithm
///
/// Threads  Immutable: safe to share.
/// Range    0 to kLongest; a longer draw is kLongest.
class Distribution {
 public:
  /// Fixed.
  explicit Distribution(Duration time) : shape_(Fixed{time}) {}

  /// Errors   kInvalidArgument: what is wrong, and what it may look like.
  static Result<Distribution> Parse(const std::string& text);

  /// One of the recorded times, each as likely. kInvalidArgument: none, or one out of range.
  static Result<Distribution> Recorded(std::vector<Duration> times);

  [[nodiscard]] Duration Draw(Draws& draws) const;

 private:
  struct Fixed {
    Duration time;
  };
  struct Uniform {
    Duration least;
    Duration most;
  };
  struct Exponential {
    Duration mean;
  };
  struct LogNormal {
    Duration median;
    double sigma;
  };
  using Times = std::shared_ptr<const std::vector<Duration>>;
  using Shape = std::variant<Fixed, Uniform, Exponential, LogNormal, Times>;

  explicit Distribution(Shape shape) : shape_(std::move(shape)) {}

  static Result<Shape> ParseUniform(const std::string& text);
  static Result<Shape> ParseLogNormal(const std::string& text);

  Shape shape_;
};

/// A time such as 300ms, 2s, 1m30s; 0 to kLongest. kInvalidArgument: anything else.
Result<Duration> ParseTime(const std::string& text);

/// Times in seconds, one a line, such as a column of a recorded run; empty lines and lines that
/// begin with # do not count.
///
/// Errors   kInvalidArgument: the line that is not a number of seconds from 0 to kLongest, or too
///          many lines.
Result<std::vector<Duration>> ParseRecorded(std::string_view text);

/// The most lines of ParseRecorded.
inline constexpr std::size_t kMostRecorded = 1'000'000;

}  // namespace twofold::nodes
