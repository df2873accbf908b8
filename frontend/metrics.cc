#include "frontend/metrics.h"

#include <limits>
#include <string>
#include <utility>

#include "lib/common/build_info.h"

namespace twofold::frontend {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;

// Bounds of the time histograms: 100 us doubled up to an hour. One set for all queues, so that they
// can be added up; a doubling keeps the error of an estimated quantile the same at every scale.
std::vector<Duration> TimeBounds() {
  std::vector<Duration> bounds;
  for (Duration bound = std::chrono::microseconds(100); bound < std::chrono::hours(1); bound *= 2) {
    bounds.push_back(bound);
  }
  return bounds;
}

class Family {
 public:
  Family(const char* name, const char* help, MetricType type)
      : family_{.name = name, .help = help, .type = type, .metric = {}} {}

  void Add(Labels labels, double value) {
    ClientMetric& metric = Next(std::move(labels));
    (family_.type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
  }

  void Add(Labels labels, std::uint64_t value) {
    Add(std::move(labels), static_cast<double>(value));
  }

  void Add(Labels labels, const stats::Histogram& times) {
    static const std::vector<Duration> bounds = TimeBounds();
    prometheus::ClientMetric::Histogram& histogram = Next(std::move(labels)).histogram;
    for (const Duration bound : bounds) {
      histogram.bucket.push_back({times.CumulativeCount(bound), ToSeconds(bound)});
    }
    histogram.bucket.push_back({times.Count(), std::numeric_limits<double>::infinity()});
    histogram.sample_count = times.Count();
    histogram.sample_sum = ToSeconds(times.Sum());
  }

  MetricFamily Take() { return std::move(family_); }

 private:
  ClientMetric& Next(Labels labels) {
    family_.metric.emplace_back().label = std::move(labels);
    return family_.metric.back();
  }

  MetricFamily family_;
};

struct Families {
  Family jobs{"twofold_jobs", "Jobs in the queue, by state.", MetricType::Gauge};
  Family oldest{"twofold_oldest_waiting_age_seconds",
                "Age of the job that waits longest; 0 if none waits.", MetricType::Gauge};
  Family wanted{"twofold_wanted_workers",
                "Workers that would leave no job waiting: waiting + running.", MetricType::Gauge};
  Family workers{"twofold_workers", "Worker slots of connected processes, by state.",
                 MetricType::Gauge};
  Family processes{"twofold_worker_processes", "Connected worker processes.", MetricType::Gauge};
  Family finished{"twofold_jobs_finished_total", "Jobs that have ended, by outcome.",
                  MetricType::Counter};
  Family requeued{"twofold_attempts_requeued_total",
                  "Attempts given up and put back: the worker was lost or handed them back.",
                  MetricType::Counter};
  Family refused{"twofold_results_refused_total",
                 "Late results of attempts that no longer counted.", MetricType::Counter};
  Family paused{"twofold_queue_paused", "1 while the queue hands out no jobs.", MetricType::Gauge};
  Family draining{"twofold_queue_draining", "1 while the queue accepts no jobs.",
                  MetricType::Gauge};
  Family wait{"twofold_job_wait_seconds",
              "From accepted to handed to the worker that ended the job, of ended jobs.",
              MetricType::Histogram};
  Family run{"twofold_job_run_seconds", "How long the workload ran, by the worker's clock.",
             MetricType::Histogram};
  Family total{"twofold_job_total_seconds", "From accepted to ended.", MetricType::Histogram};
};

void AddQueue(Families& families, QueueHost& host, Instant now) {
  const auto [stats, oldest_waiting] = host.Look(now);
  const QueueTimes times = host.Times();
  const Labels queue = {{"queue", host.name()}};
  const auto with = [&queue](const char* label, std::string value) {
    Labels labels = queue;
    labels.push_back({label, std::move(value)});
    return labels;
  };
  families.jobs.Add(with("state", "waiting"), stats.waiting);
  families.jobs.Add(with("state", "running"), stats.running);
  families.oldest.Add(queue, ToSeconds(oldest_waiting));
  families.wanted.Add(queue, stats.waiting + stats.running);
  families.workers.Add(with("state", "idle"), stats.workers_idle);
  families.workers.Add(with("state", "busy"), stats.workers_busy);
  families.workers.Add(with("state", "draining"), stats.workers_draining);
  families.processes.Add(queue, stats.processes);
  for (int i = 0; i < queue::kOutcomes; ++i) {
    const std::string outcome(queue::Name(static_cast<queue::Outcome>(i)));
    families.finished.Add(with("outcome", outcome), stats.finished[static_cast<std::size_t>(i)]);
  }
  families.requeued.Add(queue, stats.requeued);
  families.refused.Add(queue, stats.refused_results);
  families.paused.Add(queue, stats.paused ? 1.0 : 0.0);
  families.draining.Add(queue, stats.draining ? 1.0 : 0.0);
  families.wait.Add(queue, times.wait);
  families.run.Add(queue, times.run);
  families.total.Add(queue, times.total);
}

MetricFamily BuildFamily() {
  const BuildInfo build = GetBuildInfo();
  Family family("twofold_build_info", "What this frontend was built from; always 1.",
                MetricType::Gauge);
  family.Add({{"version", std::string(build.version)},
              {"commit", std::string(build.commit)},
              {"compiler", std::string(build.compiler)}},
             1.0);
  return family.Take();
}

}  // namespace

std::vector<MetricFamily> CollectMetrics(const QueueSet& queues, std::int64_t clients,
                                         Instant now) {
  Families all;
  for (const auto& host : queues.all()) AddQueue(all, *host, now);
  Family streams("twofold_clients", "Connected client streams.", MetricType::Gauge);
  streams.Add({}, static_cast<double>(clients));

  std::vector<MetricFamily> result;
  for (Family* family : {&all.jobs, &all.oldest, &all.wanted, &all.workers, &all.processes,
                         &all.finished, &all.requeued, &all.refused, &all.paused, &all.draining,
                         &all.wait, &all.run, &all.total, &streams}) {
    result.push_back(family->Take());
  }
  result.push_back(BuildFamily());
  return result;
}

}  // namespace twofold::frontend
