#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lib/common/instant.h"
#include "lib/common/result.h"

namespace twofold::stats {

/// Random numbers that depend on the seed alone: the same on every machine and with every library.
///
/// Source   SplitMix64 (G. Steele, D. Lea, C. Flood, 2014).
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}

  /// Numbers that depend on a text as well, such as the name of a pod: so its life does not depend
  /// on the order in which pods arrive.
  Draws(std::uint64_t seed, std::string_view text);

  /// The same with a number, such as the id of a job. The seed is mixed first, so the ids 1, 2, 3
  /// of another seed are other numbers, and not the same ones in another order.
  Draws(std::uint64_t seed, std::uint64_t number) : state_(Draws(seed).Next() ^ number) {}

  std::uint64_t Next();

  /// More than 0, less than 1.
  double Share();

 private:
  std::uint64_t state_;
};

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
  /// Fixed.
  explicit Distribution(Duration time) : shape_(Fixed{time}) {}

  /// Errors   kInvalidArgument: what is wrong, and what it may look like.
  static Result<Distribution> Parse(std::string_view text);

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
  struct Bimodal {
    Duration often;
    Duration seldom;
    double share;  ///< of `seldom`
  };
  using Times = std::shared_ptr<const std::vector<Duration>>;
  using Shape = std::variant<Fixed, Uniform, Exponential, LogNormal, Bimodal, Times>;

  struct Form;  // a row of the table of what Parse knows

  explicit Distribution(Shape shape) : shape_(std::move(shape)) {}

  static Result<Shape> ParseFixed(std::string_view text);
  static Result<Shape> ParseUniform(std::string_view text);
  static Result<Shape> ParseExponential(std::string_view text);
  static Result<Shape> ParseLogNormal(std::string_view text);
  static Result<Shape> ParseBimodal(std::string_view text);

  Shape shape_;
};

/// A time such as 300ms, 2s, 1m30s, or 0.3 for seconds; 0 to kLongestTime.
///
/// Errors   kInvalidArgument: anything else.
Result<Duration> ParseTime(std::string_view text);

/// Times in seconds, one a line, such as a column of a recorded run; empty lines and lines that
/// begin with # do not count.
///
/// Errors   kInvalidArgument: the line that is not a number of seconds from 0 to 1e9, or too many
///          lines.
Result<std::vector<Duration>> ParseRecorded(std::string_view text);

/// The most lines of ParseRecorded.
inline constexpr std::size_t kMostRecorded = 1'000'000;

}  // namespace twofold::stats
