#include "kubernetes/lifecycle/times/span.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "lib/stats/quantile.h"
#include "lib/stats/summary.h"

namespace twofold::lifecycle {
namespace {

constexpr double kNeverCame = std::numeric_limits<double>::infinity();
constexpr std::array kShownQuantiles = {0.5, 0.9, 0.99};

bool HasMoment(const std::vector<Moment>& moments, Moment moment) {
  return std::find(moments.begin(), moments.end(), moment) != moments.end();
}

std::string StepName(Moment from, Moment to) {
  return absl::StrCat(std::string(Name(from)), "_to_", std::string(Name(to)));
}

void AddTotals(const std::vector<Moment>& moments, std::vector<Span>& spans) {
  for (const Moment moment : moments) {
    if (moment <= Moment::kReplied || moment == Moment::kDeleted) continue;
    spans.push_back({std::string(Name(moment)), Moment::kSent, moment});
  }
}

void AddSteps(const Kind& kind, const std::vector<Moment>& moments, std::vector<Span>& spans) {
  std::optional<Moment> before;
  for (const Moment moment : moments) {
    if (!IsOnTheWay(moment) || HasMoment(kind.aside, moment)) continue;
    // The first step is the total of the same name.
    if (before && *before != Moment::kSent) {
      spans.push_back({StepName(*before, moment), *before, moment});
    }
    before = moment;
  }
}

void AddSpreads(const std::vector<Moment>& moments, std::vector<Span>& spans) {
  struct Spread {
    const char* name;
    Moment first;
    Moment all;
  };
  constexpr std::array<Spread, 4> kSpreads = {
      {{"scheduled_spread", Moment::kFirstScheduled, Moment::kScheduled},
       {"started_spread", Moment::kFirstStarted, Moment::kStarted},
       {"ready_spread", Moment::kFirstReady, Moment::kReady},
       {"volume_bind", Moment::kVolumeRequested, Moment::kVolumeBound}}};
  for (const Spread& spread : kSpreads) {
    if (HasMoment(moments, spread.first)) {
      spans.push_back({spread.name, spread.first, spread.all});
    }
  }
}

std::vector<double> Sorted(const std::vector<Between>& values, double Between::*bound) {
  std::vector<double> sorted;
  sorted.reserve(values.size());
  for (const Between& value : values) sorted.push_back(value.*bound);
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

void AddQuantiles(const std::vector<Between>& values, SpanSummary& summary) {
  const std::vector<double> lows = Sorted(values, &Between::low);
  const std::vector<double> highs = Sorted(values, &Between::high);
  // Nothing ends before it begins, however coarse the clock that says so.
  const double floor = summary.negative == 0 && summary.inexact > 0 ? 0.0 : -kNeverCame;
  for (const double q : kShownQuantiles) {
    const auto low = stats::QuantileOf(lows, q);
    const auto high = stats::QuantileOf(highs, q);
    if (!low || !high) return;
    const double value = std::max(Between{low->value, high->value}.Middle(), floor);
    const double lower = std::isfinite(low->lower) ? std::max(low->lower, floor) : low->lower;
    summary.quantiles.push_back({q, value, lower, high->upper});
  }
}

}  // namespace

bool Between::Came() const { return std::isfinite(high); }

std::vector<Span> SpansOf(const Kind& kind, bool gang, bool volumes) {
  const std::vector<Moment> moments = kind.Moments(gang, volumes);
  std::vector<Span> spans = {{"lateness", Moment::kPlanned, Moment::kSent},
                             {"reply", Moment::kSent, Moment::kReplied}};
  AddTotals(moments, spans);
  AddSteps(kind, moments, spans);
  AddSpreads(moments, spans);
  return spans;
}

std::optional<Between> Measure(const Span& span, const Sights& sights) {
  const auto& from = Of(sights, span.from);
  const auto& to = Of(sights, span.to);
  if (!from) return std::nullopt;
  // Failing is no duty: whatever did not fail is not missing there.
  if (!to && span.to == Moment::kFailed) return std::nullopt;
  if (!to) return Between{kNeverCame, kNeverCame};
  Between value{ToSeconds(to->after - from->at), ToSeconds(to->at - from->after)};
  if ((from->IsLate() || to->IsLate()) && value.high >= 0) value.low = std::max(value.low, 0.0);
  return value;
}

SpanSummary Summarize(const std::string& name, const std::vector<Between>& values) {
  SpanSummary summary{.name = name};
  std::vector<double> middles;
  double low_sum = 0.0;
  double high_sum = 0.0;
  for (const Between& value : values) {
    if (!value.Came()) {
      ++summary.missing;
      continue;
    }
    middles.push_back(value.Middle());
    low_sum += value.low;
    high_sum += value.high;
    if (value.low < value.high) ++summary.inexact;
    if (value.IsNegative()) ++summary.negative;
  }
  summary.n = middles.size();
  AddQuantiles(values, summary);
  if (middles.empty()) return summary;
  const auto n = static_cast<double>(middles.size());
  const stats::MeanInterval mean = stats::IntervalOfMean(middles);
  summary.mean = mean.mean;
  summary.mean_lower = low_sum / n - mean.half_width;
  summary.mean_upper = high_sum / n + mean.half_width;
  const auto [least, most] = std::minmax_element(middles.begin(), middles.end());
  summary.least = *least;
  summary.most = *most;
  return summary;
}

bool IsShown(const SpanSummary& span) { return span.n > 0 || (span.missing > 0 && !span.optional); }

std::string QuantileName(double q) { return absl::StrCat("p", std::lround(q * 100.0)); }

}  // namespace twofold::lifecycle
