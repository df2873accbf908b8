#include "lib/metrics/family.h"

#include <prometheus/text_serializer.h>

#include <limits>
#include <string>
#include <utility>

#include "lib/common/program.h"

namespace twofold::metrics {
namespace {

std::vector<Duration> TimeBounds() {
  std::vector<Duration> bounds;
  for (Duration octave = std::chrono::microseconds(100); octave < std::chrono::hours(1);
       octave *= 2) {
    for (int part = 0; part < 4; ++part) bounds.push_back(octave + octave * part / 4);
  }
  return bounds;
}

}  // namespace

Family::Family(const char* name, const char* help, MetricType type)
    : family_{.name = name, .help = help, .type = type, .metric = {}} {}

void Family::Add(Labels labels, double value) {
  prometheus::ClientMetric& metric = Next(std::move(labels));
  (family_.type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
}

void Family::Add(Labels labels, const stats::Histogram& times) {
  static const std::vector<Duration> bounds = TimeBounds();
  prometheus::ClientMetric::Histogram& histogram = Next(std::move(labels)).histogram;
  const std::vector<std::uint64_t> counts = times.CumulativeCounts(bounds);
  for (std::size_t i = 0; i < bounds.size(); ++i) {
    // Divided, not multiplied: a label says 0.0006, not 0.0005999999999999999.
    histogram.bucket.push_back({counts[i], static_cast<double>(bounds[i].count()) / 1e9});
  }
  histogram.bucket.push_back({times.Count(), std::numeric_limits<double>::infinity()});
  histogram.sample_count = times.Count();
  histogram.sample_sum = ToSeconds(times.Sum());
}

void Family::AddDoubling(Labels labels, std::span<const std::uint64_t> counts, double sum) {
  prometheus::ClientMetric::Histogram& histogram = Next(std::move(labels)).histogram;
  double bound = 1;
  for (const std::uint64_t count : counts) {
    histogram.sample_count += count;
    histogram.bucket.push_back({histogram.sample_count, bound});
    bound *= 2;
  }
  histogram.bucket.back().upper_bound = std::numeric_limits<double>::infinity();
  histogram.sample_sum = sum;
}

prometheus::ClientMetric& Family::Next(Labels labels) {
  family_.metric.emplace_back().label = std::move(labels);
  return family_.metric.back();
}

Family BuildFamily(const char* name, const char* help) {
  const BuildInfo build = GetBuildInfo();
  Family family(name, help, MetricType::Gauge);
  family.Add({{"version", std::string(build.version)},
              {"commit", std::string(build.commit)},
              {"compiler", std::string(build.compiler)}},
             1.0);
  return family;
}

Family DeniedFamily(const char* name, const std::vector<const security::Gate*>& gates) {
  Family family(name, "Calls and requests turned away, by door and reason.", MetricType::Counter);
  for (const security::Gate* gate : gates) {
    for (std::size_t i = 0; i < security::kReasonNames.size(); ++i) {
      family.Add({{"door", gate->door()}, {"reason", std::string(security::kReasonNames[i])}},
                 gate->denied(static_cast<security::Reason>(i)));
    }
  }
  return family;
}

http::Response Page(const std::vector<prometheus::MetricFamily>& families) {
  http::Response response;
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  response.body = prometheus::TextSerializer().Serialize(families);
  return response;
}

}  // namespace twofold::metrics
