#include "kubernetes/lifecycle/times/threshold.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>

#include "lib/common/distribution.h"
#include "lib/common/printable.h"
#include "lib/stats/quantile.h"

namespace twofold::lifecycle {
namespace {

constexpr std::size_t kLongest = 200;
constexpr std::array<std::string_view, 6> kStats = {"p50", "p90", "p99", "mean", "min", "max"};

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
  if (is_time) {
    const auto time = ParseTime(text);
    return time.ok() ? std::optional(ToSeconds(*time)) : std::nullopt;
  }
  double number = 0.0;
  const bool is_number = absl::SimpleAtod(std::string(text), &number) && std::isfinite(number);
  return is_number && number >= 0.0 ? std::optional(number) : std::nullopt;
}

stats::Bounded Exactly(double value) { return {value, value, value}; }

const SpanQuantile* QuantileOf(const SpanSummary& span, const std::string& stat) {
  const auto found =
      std::find_if(span.quantiles.begin(), span.quantiles.end(),
                   [&](const SpanQuantile& each) { return QuantileName(each.q) == stat; });
  return found == span.quantiles.end() ? nullptr : &*found;
}

std::optional<stats::Bounded> ValueOf(const SpanSummary& span, const std::string& stat,
                                      bool lenient) {
  if (const SpanQuantile* quantile = QuantileOf(span, stat)) {
    if (lenient) return Exactly(quantile->value);
    return stats::Bounded{quantile->value, quantile->lower, quantile->upper};
  }
  if (span.n == 0) return std::nullopt;
  if (stat == "mean") return Exactly(span.mean);
  const double most = span.missing > 0 ? std::numeric_limits<double>::infinity() : span.most;
  return Exactly(stat == "min" ? span.least : most);
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

Status CannotBeJudged(const Threshold& threshold, const std::string& why) {
  return absl::FailedPreconditionError(
      absl::StrCat("--fail-if ", threshold.text, ": it cannot be judged, as ", why));
}

/// "; 368 workloads are needed"; empty: there are enough, or it is no percentile.
std::string TooFew(const SpanSummary& span, const std::string& stat) {
  const SpanQuantile* const quantile = QuantileOf(span, stat);
  if (quantile == nullptr) return "";
  const std::size_t there = span.n + span.missing;
  const std::uint64_t needed = stats::NeededForQuantile(quantile->q);
  if (there >= needed) return "";
  return absl::StrCat(": ", stat, " of ", there, " workloads, and ", needed, " are needed");
}

Status Verdict(const Threshold& threshold, const stats::Bounded& value,
               const std::string& too_few = "") {
  const std::string unit = threshold.stat.empty() ? "" : " s";
  switch (stats::Judge(threshold.limit, value)) {
    case stats::LimitVerdict::kKept:
      return absl::OkStatus();
    case stats::LimitVerdict::kBroken:
      return absl::InternalError(
          absl::StrCat("--fail-if ", threshold.text, ": it is ", value.value, unit));
    case stats::LimitVerdict::kUndecided:
      break;
  }
  return CannotBeJudged(
      threshold, absl::StrCat("it is ", value.value, unit, ", and its interval, ", value.lower,
                              " to ", value.upper, unit, ", holds the limit", too_few));
}

Status CheckSpan(const Threshold& threshold, const SpanSummary& span, bool lenient) {
  if (span.negative > 0) {
    return CannotBeJudged(
        threshold, absl::StrCat(span.negative, " of ", span.n, " workloads ended ", span.name,
                                " before they began it: two clocks disagree"));
  }
  const auto value = ValueOf(span, threshold.stat, lenient);
  // What never came is on neither side of a limit.
  if (!value || !std::isfinite(value->value)) return NotKnown(threshold, WhyNotKnown(span));
  return Verdict(threshold, *value, TooFew(span, threshold.stat));
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
  threshold.limit = {.over = text[sign] == '>', .equal = text.substr(sign + 1, 1) == "="};
  TakeStat(threshold);
  const auto limit = LimitOf(std::string_view(text).substr(sign + (threshold.limit.equal ? 2 : 1)),
                             !threshold.stat.empty());
  if (!limit) {
    return BadForm(text, threshold.stat.empty() ? "has no number after the sign"
                                                : "has no time (us, ms, s, m) after the sign");
  }
  threshold.limit.bound = *limit;
  return threshold;
}

Status Check(const Threshold& threshold, const std::vector<SpanSummary>& spans,
             const Counts& counts, bool lenient) {
  for (const auto& [name, count] : counts) {
    if (!threshold.stat.empty() || name != threshold.name) continue;
    return Verdict(threshold, Exactly(static_cast<double>(count)));
  }
  for (const SpanSummary& span : spans) {
    if (threshold.stat.empty() || span.name != threshold.name) continue;
    return CheckSpan(threshold, span, lenient);
  }
  return NoSuch(threshold, spans, counts);
}

}  // namespace twofold::lifecycle
