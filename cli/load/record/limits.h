#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "lib/common/result.h"
#include "lib/stats/censored_times.h"
#include "lib/stats/limit.h"
#include "twofold/v1/load.pb.h"

/// What a record of a load comes to: limits that it keeps or does not, tables and text for people.
namespace twofold::cli {

/// What a metric is, or is at least, if jobs that had not ended hide the rest.
struct LimitValue {
  double value = 0;
  bool at_least = false;
  std::optional<stats::CensoredTimes::Interval> interval{};  ///< of a percentile
  std::string doubt{};  ///< why its interval cannot decide, or no number can
};

/// One `--fail-if`: what must not be of a load, as METRIC OPERATOR VALUE, without blanks.
///
///   p99>200ms  mean>=0.1     of the latency from the moment at which a job was due; any percentile
///   wait.p99>1s  run.p50...  of a part of it; LimitsHelp lists the parts
///   throughput<500/s         errors>0         error_rate>0.1%         refused>0
///
/// Pure; a value type.
class Limit {
 public:
  /// Errors   kInvalidArgument: what is wrong, and what is known.
  static Result<Limit> Parse(const std::string& text);

  /// Holds it against a result. What is not known (no job has succeeded) is not met, nor what
  /// cannot be told: a percentile whose interval holds the bound, a throughput that is not steady,
  /// and what is only known to be at least something that decides nothing. `lenient` goes by the
  /// value alone in the first two cases.
  [[nodiscard]] v1::LoadLimit Judge(const v1::LoadResult& result, bool lenient = false) const;

 private:
  enum class Quantity { kTime, kRate, kShare, kCount };
  using Value = std::function<std::optional<LimitValue>(const v1::LoadResult&)>;
  struct Metric {
    Quantity quantity;
    Value value;
  };
  struct Unit {
    Quantity quantity;
    const char* name;
    double size;  ///< in seconds, /s, or shares of 1
  };
  friend std::string LimitsHelp();
  struct Tables;

  Limit() = default;

  static std::optional<Metric> FindMetric(const std::string& name);
  static std::optional<Metric> FindTime(const std::string& name);
  static const Unit* FindUnit(Quantity quantity, const std::string& name);

  std::string text_;
  Value value_;
  const Unit* unit_ = nullptr;
  stats::Limit limit_;  // in that unit
};

/// The metrics, for --help and errors.
std::string LimitsHelp();

/// Why a limit that is not met is not: "--fail-if p99>200ms: it is 312 ms".
std::string WhyNotMet(const v1::LoadLimit& limit);

}  // namespace twofold::cli
