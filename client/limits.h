#pragma once

#include <optional>
#include <string>
#include <string_view>

/// What the numbers that come by HTTP may be, in queries and in the texts of steps and evidence:
/// finite, and so far from the largest double that squares and products of them are finite, too.
/// Pure.
namespace twofold::client {

struct Limits {
  std::string_view name;
  double least;
  double most;
  bool may_be_unknown = false;  ///< "inf" is a number that nobody knows
};

inline constexpr Limits kWorkers = {"workers", 1, 1e6};
inline constexpr Limits kRepeats = {"repeats", 0, 1e6};
inline constexpr Limits kScale = {"scale", 1e-6, 1e6};
inline constexpr Limits kCap = {"cap", 1e-6, 1e9};                  // seconds
inline constexpr Limits kPatience = {"patience", 1e-6, 1e9};        // seconds
inline constexpr Limits kAllowFailures = {"allow_failures", 0, 1};  // share
inline constexpr Limits kRatioLimit = {"limit", 1e-6, 1e6};
inline constexpr Limits kThroughput = {"throughput", 0, 1e15};
inline constexpr Limits kLogError = {"log_error", 0, 1e6, true};
inline constexpr Limits kDegrees = {"df", 0.1, 1e9};
inline constexpr Limits kSeconds = {"seconds", 0, 1e12};
inline constexpr Limits kStepSeconds = {"seconds", 1e-9, 1e12};
inline constexpr Limits kConfidence = {"confidence", 0.5, 0.9999};
inline constexpr Limits kSteady = {"steady", 0, 1};
inline constexpr Limits kMeanLife = {"mean_life", 0, 1e12};
inline constexpr Limits kCredit = {"credit", 0, 1e15};
inline constexpr Limits kGroups = {"groups", 0, 32};
inline constexpr Limits kJobs = {"jobs", 0, 1e15};
inline constexpr Limits kFailed = {"failed", 0, 1e15};
inline constexpr Limits kCpu = {"cpu", 0, 1e9};
inline constexpr Limits kThrottled = {"throttled", 0, 1e15};
inline constexpr Limits kWait = {"wait", 0, 1e15};
inline constexpr Limits kRun = {"run", 0, 1e15};
inline constexpr Limits kOverhead = {"overhead", 0, 1e15};
inline constexpr Limits kSpread = {"spread", 0, 1e15};
inline constexpr Limits kSlowestBy = {"slowest_by", 0, 1e15};
inline constexpr Limits kNodeWorkers = {"workers of a node", 0, 1e6};
inline constexpr Limits kNodeJobs = {"jobs of a node", 0, 1e15};
inline constexpr Limits kNodeRun = {"run of a node", 0, 1e15};

/// All of `text` as a number inside `limits`; nullopt: it is none.
std::optional<double> NumberWithin(const Limits& limits, std::string_view text);

/// "a number 0..1e+06 or inf"
std::string Allowed(const Limits& limits);

}  // namespace twofold::client
