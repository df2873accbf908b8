#include "lib/suite/latencies.h"

#include <algorithm>

namespace twofold::suite {
namespace {

struct Share {
  const char* name;
  double q;
};

constexpr Share kShares[] = {
    {"_p50", 0.5}, {"_p90", 0.9}, {"_p99", 0.99}, {"_p99_9", 0.999}, {"_max", 1}};
constexpr double kHeadline = 0.99;

double Microseconds(Duration time) { return static_cast<double>(time.count()) / 1000; }

Series SeriesOf(const std::string& name, const stats::Histogram& histogram,
                const Dimensions& dimensions) {
  Series series{.name = name,
                .dimensions = dimensions,
                .columns = {{.name = "time", .unit = "us"}, {.name = "count", .unit = ""}},
                .rows = {}};
  histogram.ForEachBucket([&](const stats::Histogram::Bucket& bucket) {
    series.rows.push_back({Microseconds(bucket.lowest), static_cast<double>(bucket.count)});
  });
  return series;
}

}  // namespace

v1::Histogram ToMessage(const stats::Histogram& histogram) {
  return ToMessage(histogram.ToParts());
}

v1::Histogram ToMessage(const stats::Histogram::Parts& parts) {
  v1::Histogram message;
  for (const auto& [lowest, count] : parts.counts) {
    message.add_bucket(lowest);
    message.add_count(count);
  }
  message.set_sum(parts.sum);
  message.set_min(parts.min);
  message.set_max(parts.max);
  message.set_clamped(parts.clamped);
  return message;
}

Result<stats::Histogram> FromMessage(const v1::Histogram& message) {
  stats::Histogram::Parts parts{{}, message.clamped(), message.sum(), message.min(), message.max()};
  const int buckets = std::min(message.bucket_size(), message.count_size());
  for (int i = 0; i < buckets; ++i) parts.counts.push_back({message.bucket(i), message.count(i)});
  const auto histogram = stats::Histogram::From(parts);
  if (histogram && message.bucket_size() == message.count_size()) return *histogram;
  return absl::DataLossError("a histogram that cannot be: buckets, counts and extremes disagree");
}

void AddLatencies(const std::string& name, const stats::Histogram& histogram,
                  const Dimensions& dimensions, bool headline, Measurements& result) {
  AddLatencies(name, stats::CensoredTimes{histogram, {}}, dimensions, headline, result);
}

void AddLatencies(const std::string& name, const stats::CensoredTimes& times,
                  const Dimensions& dimensions, bool headline, Measurements& result) {
  if (times.ended.Count() == 0) return;
  const auto add = [&](const char* what, const stats::CensoredTimes::Bound& bound,
                       bool is_headline) {
    if (bound.at_least) return;
    result.measurements.push_back({.name = name + what,
                                   .value = Microseconds(bound.value),
                                   .unit = "us",
                                   .better = Better::kLower,
                                   .headline = is_headline,
                                   .dimensions = dimensions});
  };
  add("_mean", *times.Mean(), false);
  for (const auto& [what, q] : kShares) {
    add(what, *times.Quantile(q), headline && q == kHeadline);
  }
  result.series.push_back(SeriesOf(name, times.ended, dimensions));
}

}  // namespace twofold::suite
