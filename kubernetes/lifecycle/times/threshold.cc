#include "kubernetes/lifecycle/times/threshold.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "lib/common/printable.h"

namespace twofold::lifecycle {
namespace {

constexpr std::size_t kLongest = 200;
constexpr std::array<std::string_view, 6> kStats = {"p50", "p90", "p99", "mean", "min", "max"};

struct TimeUnit {
  std::string_view name;
  double seconds;
};
// Longest first where one ends with another.
constexpr std::array<TimeUnit, 4> kTimeUnits = {
    {{"ms", 1e-3}, {"us", 1e-6}, {"s", 1.0}, {"m", 60.0}}};

Status BadForm(const std::string& text, const std::string& why) {
  return absl::InvalidArgumentError(
      absl::StrCat("--fail-if: '", Printable(text, kLongest), "' ", why,
                   "; write for example pod_ready_p99>5s, created_mean>=250ms or never_seen>0"));
}

/// Cuts "_p99" off the name.
void TakeStat(Threshold& threshold) {
  for (const std::string_view stat : kStats) {
    const std::string end = absl::StrCat("_", std::string(stat));
    if (threshold.name.size() <= end.size() || !threshold.name.ends_with(end)) continue;
    threshold.name.resize(threshold.name.size() - end.size());
    threshold.stat = stat;
    return;
  }
}

std::optional<double> LimitOf(std::string_view text, bool is_time) {
  double scale = 1.0;
  if (is_time) {
    scale = 0.0;
    for (const TimeUnit& unit : kTimeUnits) {
      if (!text.ends_with(unit.name)) continue;
      text.remove_suffix(unit.name.size());
      scale = unit.seconds;
      break;
    }
  }
  double number = 0.0;
  const bool is_number = absl::SimpleAtod(std::string(text), &number) && std::isfinite(number);
  if (scale == 0.0 || !is_number || number < 0.0) return std::nullopt;
  return number * scale;
}

bool Holds(const Threshold& threshold, double value) {
  if (threshold.equal && value == threshold.limit) return true;
  return threshold.over ? value > threshold.limit : value < threshold.limit;
}

struct Value {
  double value = 0.0;
  double lower = 0.0;
  double upper = 0.0;
};

std::optional<Value> ValueOf(const SpanSummary& span, const std::string& stat) {
  for (const SpanQuantile& quantile : span.quantiles) {
    if (QuantileName(quantile.q) == stat)
      return Value{quantile.value, quantile.lower, quantile.upper};
  }
  if (span.n == 0) return std::nullopt;
  if (stat == "mean") return Value{span.mean, span.mean_lower, span.mean_upper};
  const double most = span.missing > 0 ? std::numeric_limits<double>::infinity() : span.most;
  const double one = stat == "min" ? span.least : most;
  return Value{one, one, one};
}

Status NotKnown(const Threshold& threshold, const std::string& why) {
  return absl::InternalError(
      absl::StrCat("--fail-if ", threshold.text, ": it is not known, as ", why));
}

/// Of a span that began for workloads which never came to its end; or for none.
std::string WhyNotKnown(const SpanSummary& span) {
  if (span.n + span.missing == 0) return absl::StrCat("no workload has ", span.name);
  return absl::StrCat(span.missing, " of ", span.n + span.missing, " workloads never came to ",
                      span.name);
}

Status Verdict(const Threshold& threshold, const Value& value) {
  if (!Holds(threshold, value.value)) return absl::OkStatus();
  const std::string unit = threshold.stat.empty() ? "" : " s";
  const std::string is = absl::StrCat("is ", value.value, unit);
  const bool sure = Holds(threshold, value.lower) && Holds(threshold, value.upper);
  const std::string doubt = sure ? ""
                                 : absl::StrCat(" (but its interval, ", value.lower, " to ",
                                                value.upper, unit, ", holds the limit)");
  return absl::InternalError(absl::StrCat("--fail-if ", threshold.text, ": it ", is, doubt));
}

Status NoSuch(const Threshold& threshold, const std::vector<SpanSummary>& spans,
              const Counts& counts) {
  std::vector<std::string> names;
  for (const SpanSummary& span : spans) names.push_back(span.name);
  for (const auto& [name, count] : counts) names.push_back(name);
  return absl::InvalidArgumentError(absl::StrCat("--fail-if: '", threshold.text,
                                                 "' names nothing that was measured; there is ",
                                                 absl::StrJoin(names, ", ")));
}

}  // namespace

Result<Threshold> ReadThreshold(const std::string& text) {
  const std::size_t sign = text.find_first_of("<>");
  if (text.size() > kLongest || sign == std::string::npos || sign == 0) {
    return BadForm(text, "is no comparison");
  }
  Threshold threshold{.text = text, .name = text.substr(0, sign), .stat = ""};
  threshold.over = text[sign] == '>';
  threshold.equal = text.substr(sign + 1, 1) == "=";
  TakeStat(threshold);
  const auto limit = LimitOf(std::string_view(text).substr(sign + (threshold.equal ? 2 : 1)),
                             !threshold.stat.empty());
  if (!limit) {
    return BadForm(text, threshold.stat.empty() ? "has no number after the sign"
                                                : "has no time (us, ms, s, m) after the sign");
  }
  threshold.limit = *limit;
  return threshold;
}

Status Check(const Threshold& threshold, const std::vector<SpanSummary>& spans,
             const Counts& counts) {
  for (const auto& [name, count] : counts) {
    if (!threshold.stat.empty() || name != threshold.name) continue;
    const auto number = static_cast<double>(count);
    return Verdict(threshold, {number, number, number});
  }
  for (const SpanSummary& span : spans) {
    if (threshold.stat.empty() || span.name != threshold.name) continue;
    const auto value = ValueOf(span, threshold.stat);
    // What never came is on neither side of a limit.
    const bool known = value && std::isfinite(value->value);
    return known ? Verdict(threshold, *value) : NotKnown(threshold, WhyNotKnown(span));
  }
  return NoSuch(threshold, spans, counts);
}

}  // namespace twofold::lifecycle
