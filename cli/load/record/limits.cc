#include "cli/load/record/limits.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

#include "lib/common/distribution.h"
#include "lib/common/printable.h"
#include "lib/stats/quantile.h"
#include "lib/suite/latencies.h"

namespace twofold::cli {
namespace {

constexpr std::size_t kMostShown = 100;

using Maybe = std::optional<LimitValue>;

Maybe Exactly(double value) { return LimitValue{value}; }
Maybe CountOf(std::uint64_t count) { return Exactly(static_cast<double>(count)); }

Maybe ErrorRate(const v1::LoadResult& result) {
  const auto failed = static_cast<double>(result.failed());
  const double ended = failed + static_cast<double>(result.succeeded());
  return ended > 0 ? Exactly(failed / ended) : std::nullopt;
}

Maybe FromTimes(const std::optional<stats::CensoredTimes::Bound>& bound) {
  return bound ? Maybe({ToSeconds(bound->value), bound->at_least}) : std::nullopt;
}

// An absent histogram is an empty one.
std::optional<stats::CensoredTimes> TimesOf(const v1::LoadTime& time) {
  auto ended = suite::FromMessage(time.histogram());
  auto open = suite::FromMessage(time.open_ages());
  if (!ended.ok() || !open.ok()) return std::nullopt;
  return stats::CensoredTimes{*std::move(ended), *std::move(open)};
}

using Time = const v1::LoadTime& (v1::LoadResult::*)() const;

/// What `statistic` says of one of a result's times. A job of a closed loop is due when it is sent,
/// so none is late.
template <typename Statistic>
Maybe Of(const v1::LoadResult& result, Time time, const Statistic& statistic) {
  const auto times = TimesOf((result.*time)());
  const Maybe value = times ? statistic(*times) : std::nullopt;
  const bool some = result.succeeded() > 0;
  if (!value && some && time == &v1::LoadResult::late) return Exactly(0);
  return value;
}

Maybe PercentileOf(const v1::LoadResult& result, Time time, double share) {
  return Of(result, time, [&](const stats::CensoredTimes& times) {
    Maybe percentile = FromTimes(times.Quantile(share));
    if (!percentile) return percentile;
    percentile->interval = times.IntervalOfQuantile(share);
    percentile->doubt = stats::TooFewText(times.ended.Count() + times.open.Count(), share);
    return percentile;
  });
}

Maybe ThroughputOf(const v1::LoadResult& result) {
  if (!result.has_throughput()) return std::nullopt;
  LimitValue throughput{result.throughput()};
  if (!result.steady()) {
    throughput.doubt = absl::StrCat("it is not steady: ", result.why_not_steady());
  }
  return throughput;
}

/// Without an interval what has a doubt may be anything.
stats::Bounded IntervalOf(const LimitValue& known, bool lenient) {
  constexpr double kNoEnd = std::numeric_limits<double>::infinity();
  const bool is_exact = lenient || (known.doubt.empty() && !known.interval);
  if (is_exact && known.at_least) return {known.value, known.value, kNoEnd};
  if (is_exact) return {known.value, known.value, known.value};
  if (!known.interval) return {known.value, -kNoEnd, kNoEnd};
  const auto& [lower, upper] = *known.interval;
  return {known.value, lower ? ToSeconds(*lower) : 0.0, upper ? ToSeconds(*upper) : kNoEnd};
}

void SetInterval(const stats::CensoredTimes::Interval& interval, double unit,
                 v1::LoadLimit& judged) {
  if (interval.lower) judged.set_lower(ToSeconds(*interval.lower) / unit);
  if (interval.upper) judged.set_upper(ToSeconds(*interval.upper) / unit);
}

/// " (95 %: 105 to 130)", " (95 %: 105 or more)"; empty: it has none.
std::string IntervalText(const v1::LoadLimit& limit) {
  if (!limit.has_lower() && !limit.has_upper()) return "";
  const std::string lower = absl::StrFormat("%.4g", limit.lower());
  if (!limit.has_upper()) return absl::StrCat(" (95 %: ", lower, " or more)");
  return absl::StrCat(" (95 %: ", lower, absl::StrFormat(" to %.4g)", limit.upper()));
}

// "p99.9" as 0.999.
std::optional<double> ShareOf(std::string_view name) {
  double percent = 0;
  if (!name.starts_with('p')) return std::nullopt;
  const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), percent);
  const bool is_number = error == std::errc() && end == name.data() + name.size();
  return is_number && percent > 0 && percent < 100 ? std::optional(percent / 100) : std::nullopt;
}

}  // namespace

struct Limit::Tables {
  struct Scalar {
    const char* name;
    Quantity quantity;
    Maybe (*value)(const v1::LoadResult&);
  };
  static constexpr std::array<Scalar, 9> kScalars = {{
      {"throughput", Quantity::kRate, ThroughputOf},
      {"errors", Quantity::kCount,
       [](const v1::LoadResult& result) { return CountOf(result.failed()); }},
      {"error_rate", Quantity::kShare, ErrorRate},
      {"unanswered", Quantity::kCount,
       [](const v1::LoadResult& result) { return CountOf(result.jobs().unanswered()); }},
      {"rejected", Quantity::kCount,
       [](const v1::LoadResult& result) { return CountOf(result.rejected()); }},
      {"refused", Quantity::kCount,
       [](const v1::LoadResult& result) { return CountOf(result.refused() + result.rejected()); }},
      {"never_sent", Quantity::kCount,
       [](const v1::LoadResult& result) {
         return CountOf(result.jobs().planned() - result.jobs().sent());
       }},
      {"succeeded", Quantity::kCount,
       [](const v1::LoadResult& result) { return CountOf(result.succeeded()); }},
      {"late", Quantity::kTime,
       [](const v1::LoadResult& result) {
         return PercentileOf(result, &v1::LoadResult::late, 0.99);
       }},
  }};

  struct Part {
    const char* name;
    Time time;
  };
  static constexpr std::array<Part, 6> kParts = {{{"plan", &v1::LoadResult::from_plan},
                                                  {"send", &v1::LoadResult::from_send},
                                                  {"wait", &v1::LoadResult::wait},
                                                  {"run", &v1::LoadResult::run},
                                                  {"overhead", &v1::LoadResult::overhead},
                                                  {"late", &v1::LoadResult::late}}};

  struct Statistic {
    const char* name;
    Maybe (*value)(const stats::CensoredTimes&);
  };
  static constexpr std::array<Statistic, 3> kStatistics = {{
      {"mean", [](const stats::CensoredTimes& times) { return FromTimes(times.Mean()); }},
      {"min",
       [](const stats::CensoredTimes& times) {
         const auto least = times.ended.Min();
         return least ? Exactly(ToSeconds(*least)) : std::nullopt;
       }},
      {"max", [](const stats::CensoredTimes& times) { return FromTimes(times.Max()); }},
  }};

  // A number without a unit is in the last one of its quantity.
  static constexpr std::array<Unit, 8> kUnits = {{{Quantity::kTime, "us", 1e-6},
                                                  {Quantity::kTime, "ms", 1e-3},
                                                  {Quantity::kTime, "m", 60},
                                                  {Quantity::kTime, "s", 1},
                                                  {Quantity::kRate, "/s", 1},
                                                  {Quantity::kShare, "%", 0.01},
                                                  {Quantity::kShare, "", 1},
                                                  {Quantity::kCount, "", 1}}};
};

std::optional<Limit::Metric> Limit::FindTime(const std::string& name) {
  const std::size_t dot = name.find('.');
  const std::string part = name.substr(0, dot);
  const auto* found = std::find_if(Tables::kParts.begin(), Tables::kParts.end(),
                                   [&](const Tables::Part& each) { return each.name == part; });
  const bool has_part = dot != std::string::npos && found != Tables::kParts.end();
  const auto time = has_part ? found->time : Tables::kParts.front().time;
  const std::string statistic = has_part ? name.substr(dot + 1) : name;
  for (const Tables::Statistic& each : Tables::kStatistics) {
    if (each.name != statistic) continue;
    return Metric{Quantity::kTime, [time, value = each.value](const v1::LoadResult& result) {
                    return Of(result, time, value);
                  }};
  }
  const std::optional<double> share = ShareOf(statistic);
  if (!share) return std::nullopt;
  return Metric{Quantity::kTime, [time, share](const v1::LoadResult& result) {
                  return PercentileOf(result, time, *share);
                }};
}

std::optional<Limit::Metric> Limit::FindMetric(const std::string& name) {
  for (const Tables::Scalar& each : Tables::kScalars) {
    if (each.name == name) return Metric{each.quantity, each.value};
  }
  return FindTime(name);
}

const Limit::Unit* Limit::FindUnit(Quantity quantity, const std::string& name) {
  const Unit* last = nullptr;
  for (const Unit& unit : Tables::kUnits) {
    if (unit.quantity != quantity) continue;
    last = &unit;
    if (unit.name == name) return &unit;
  }
  return name.empty() ? last : nullptr;
}

Result<Limit> Limit::Parse(const std::string& text) {
  const auto wrong = [&](const std::string& why) {
    return absl::InvalidArgumentError(
        absl::StrCat("--fail-if '", Printable(text, kMostShown), "': ", why));
  };
  const std::size_t sign = text.find_first_of("<>");
  if (sign == std::string::npos || sign == 0) {
    return wrong("is not METRIC>VALUE or METRIC<VALUE, such as p99>200ms");
  }
  const auto metric = FindMetric(text.substr(0, sign));
  if (!metric) {
    return wrong(absl::StrCat("there is no metric '", Printable(text.substr(0, sign), kMostShown),
                              "'; known: ", LimitsHelp()));
  }
  Limit limit;
  limit.text_ = text;
  limit.value_ = metric->value;
  limit.limit_ = {.over = text[sign] == '>', .equal = text.substr(sign + 1, 1) == "="};
  const char* const begin = text.data() + sign + (limit.limit_.equal ? 2 : 1);
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), limit.limit_.bound);
  if (error != std::errc() || !std::isfinite(limit.limit_.bound) || limit.limit_.bound < 0) {
    return wrong("there is no number from 0 on after the sign");
  }
  limit.unit_ = FindUnit(metric->quantity, end);
  if (limit.unit_ != nullptr) return limit;
  if (const auto time = ParseTime(begin); metric->quantity == Quantity::kTime && time.ok()) {
    limit.unit_ = FindUnit(Quantity::kTime, "s");
    limit.limit_.bound = ToSeconds(*time);
    return limit;
  }
  std::string units;
  for (const Unit& unit : Tables::kUnits) {
    if (unit.quantity == metric->quantity) absl::StrAppend(&units, " ", unit.name);
  }
  return wrong(absl::StrCat("'", Printable(end, kMostShown), "' is not a unit of it",
                            units == " " ? "" : "; known:" + units,
                            metric->quantity == Quantity::kTime ? ", and times as 1h30m" : ""));
}

v1::LoadLimit Limit::Judge(const v1::LoadResult& result, bool lenient) const {
  v1::LoadLimit judged;
  judged.set_text(text_);
  judged.set_unit(unit_->name);
  const auto known = value_(result);
  if (!known) return judged;
  const stats::Bounded number = IntervalOf(*known, lenient);
  judged.set_value(number.value / unit_->size);
  judged.set_at_least(known->at_least);
  if (known->interval) SetInterval(*known->interval, unit_->size, judged);
  const stats::LimitVerdict verdict = stats::Judge(
      limit_, {judged.value(), number.lower / unit_->size, number.upper / unit_->size});
  judged.set_met(verdict == stats::LimitVerdict::kKept);
  judged.set_undecided(verdict == stats::LimitVerdict::kUndecided);
  if (judged.undecided()) judged.set_doubt(known->doubt);
  return judged;
}

std::string LimitsHelp() {
  std::string text;
  for (const auto& each : Limit::Tables::kScalars) absl::StrAppend(&text, each.name, ", ");
  for (const auto& each : Limit::Tables::kStatistics) absl::StrAppend(&text, each.name, ", ");
  absl::StrAppend(&text, "p50, p99.9 or any percentile of the latency; of its parts with");
  for (const auto& each : Limit::Tables::kParts) absl::StrAppend(&text, " ", each.name, ".");
  return absl::StrCat(text, " before it: wait.p99");
}

std::string WhyNotMet(const v1::LoadLimit& limit) {
  const std::string what = absl::StrCat("--fail-if ", limit.text(), ": ");
  if (!limit.has_value()) return what + "it is not known, as no job has it";
  return absl::StrCat(what, "it is ", limit.at_least() ? "at least " : "",
                      absl::StrFormat("%.4g", limit.value()), limit.unit().empty() ? "" : " ",
                      limit.unit(), IntervalText(limit),
                      limit.at_least() ? ", as jobs had not ended" : "",
                      limit.doubt().empty() ? "" : "; ", limit.doubt());
}

}  // namespace twofold::cli
