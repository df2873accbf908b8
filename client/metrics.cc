#include "client/metrics.h"

#include <limits>
#include <string>
#include <utility>

#include "client/outcome_text.h"
#include "lib/common/build_info.h"

namespace twofold::client {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;

MetricFamily Family(const char* name, const char* help, MetricType type) {
  return {.name = name, .help = help, .type = type, .metric = {}};
}

void Add(MetricFamily& family, Labels labels, double value) {
  ClientMetric& metric = family.metric.emplace_back();
  metric.label = std::move(labels);
  (family.type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
}

/// A family with one series.
template <typename Value>
MetricFamily One(const char* name, const char* help, MetricType type, const Labels& labels,
                 Value value) {
  MetricFamily family = Family(name, help, type);
  Add(family, labels, static_cast<double>(value));
  return family;
}

MetricFamily Finished(const Labels& queue, const OutcomeCounts& counts) {
  MetricFamily family = Family("twofold_client_jobs_finished_total",
                               "Jobs that have ended, by outcome.", MetricType::Counter);
  for (int i = v1::OUTCOME_SUCCEEDED; i < v1::Outcome_ARRAYSIZE; ++i) {
    Labels labels = queue;
    labels.push_back({"outcome", std::string(Name(static_cast<v1::Outcome>(i)))});
    Add(family, std::move(labels), static_cast<double>(counts[static_cast<std::size_t>(i)]));
  }
  return family;
}

// 100 µs doubled up to an hour, like the frontend's, so that they can be shown side by side.
MetricFamily RoundTrips(const Labels& queue, const stats::Histogram& times) {
  MetricFamily family =
      Family("twofold_client_round_trip_seconds",
             "From submitting to the answer, of jobs that succeeded; the client's clock.",
             MetricType::Histogram);
  ClientMetric& metric = family.metric.emplace_back();
  metric.label = queue;
  ClientMetric::Histogram& histogram = metric.histogram;
  for (Duration bound = std::chrono::microseconds(100); bound < std::chrono::hours(1); bound *= 2) {
    histogram.bucket.push_back({times.CumulativeCount(bound), ToSeconds(bound)});
  }
  histogram.bucket.push_back({times.Count(), std::numeric_limits<double>::infinity()});
  histogram.sample_count = times.Count();
  histogram.sample_sum = ToSeconds(times.Sum());
  return family;
}

MetricFamily Build() {
  const BuildInfo build = GetBuildInfo();
  return One("twofold_client_build_info", "What this client was built from; always 1.",
             MetricType::Gauge,
             {{"version", std::string(build.version)},
              {"commit", std::string(build.commit)},
              {"compiler", std::string(build.compiler)}},
             1);
}

}  // namespace

std::vector<MetricFamily> CollectMetrics(const Snapshot& snapshot) {
  const Labels queue = {{"queue", snapshot.queue}};
  constexpr MetricType kGauge = MetricType::Gauge;
  constexpr MetricType kCounter = MetricType::Counter;
  return {
      One("twofold_client_parallelism", "Jobs to be kept outstanding.", kGauge, queue,
          snapshot.parallelism),
      One("twofold_client_pending_jobs", "Jobs submitted that have no answer yet.", kGauge, queue,
          snapshot.pending),
      One("twofold_client_connected", "1 while the stream to the frontend is up.", kGauge, queue,
          snapshot.link == Link::kConnected ? 1 : 0),
      Finished(queue, snapshot.finished),
      RoundTrips(queue, snapshot.round_trips),
      One("twofold_client_interruptions_total", "How often the frontend was lost.", kCounter, queue,
          snapshot.all_interruptions),
      One("twofold_client_unknown_answers_total",
          "Answers to jobs that were not outstanding; ignored.", kCounter, queue,
          snapshot.unknown_answers),
      Build(),
  };
}

}  // namespace twofold::client
