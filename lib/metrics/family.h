#pragma once

#include <prometheus/metric_family.h>

#include <concepts>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "lib/http/message.h"
#include "lib/security/gate.h"
#include "lib/stats/histogram.h"

/// What a program exports to Prometheus, computed for each scrape from the program's state: a
/// scrape changes nothing, and no registry keeps a second copy.
namespace twofold::metrics {

using prometheus::MetricType;
using Labels = std::vector<prometheus::ClientMetric::Label>;

/// One metric with its series.
class Family {
 public:
  Family(const char* name, const char* help, MetricType type);

  /// A series of a counter or a gauge.
  void Add(Labels labels, double value);
  void Add(Labels labels, std::integral auto value) {
    Add(std::move(labels), static_cast<double>(value));
  }

  /// A series of a histogram of seconds. The bounds begin at 100 us and pass an hour; they cut each
  /// doubling into four equal parts, so that a quantile estimated from the buckets is off by less
  /// than 25 % at every scale (of most distributions, by a few per cent). They are the same in all
  /// programs, so that histograms can be added up and compared. A series has 105 buckets.
  void Add(Labels labels, const stats::Histogram& times);

  /// A series of a histogram whose bounds double from 1: `counts[i]` values were more than half of
  /// 2^i and not more than it, the last ones more than any bound; `sum` is that of all values.
  void AddDoubling(Labels labels, std::span<const std::uint64_t> counts, double sum);

  prometheus::MetricFamily Take() { return std::move(family_); }

 private:
  prometheus::ClientMetric& Next(Labels labels);

  prometheus::MetricFamily family_;
};

/// A series that is always 1; its labels are version, commit and compiler of this program.
Family BuildFamily(const char* name, const char* help);

/// The counter `name` of calls that the gates refused, by door and reason; all series exist from
/// the start.
Family DeniedFamily(const char* name, const std::vector<const security::Gate*>& gates);

/// The reply to a scrape, in Prometheus' text format.
http::Response Page(const std::vector<prometheus::MetricFamily>& families);

}  // namespace twofold::metrics
