#include "kubernetes/operator/metrics.h"

#include "lib/metrics/family.h"

namespace twofold::benchmarks {
namespace {

using metrics::Family;
using metrics::Labels;
using metrics::MetricType;
using prometheus::MetricFamily;

/// A family of one series.
template <typename Value>
MetricFamily One(const char* name, const char* help, MetricType type, const Labels& labels,
                 const Value& value) {
  Family family(name, help, type);
  family.Add(labels, value);
  return family.Take();
}

void AddReconciling(const OperatorCounts& all, std::vector<MetricFamily>& families) {
  const controller::ControllerCounts& counts = all.counts;
  const auto& name = all.controller;
  const Labels labels = {{"controller", name}};
  Family total("controller_runtime_reconcile_total", "Reconciliations, by result.",
               MetricType::Counter);
  total.Add({{"controller", name}, {"result", "success"}}, counts.succeeded - counts.again);
  total.Add({{"controller", name}, {"result", "requeue_after"}}, counts.again);
  total.Add({{"controller", name}, {"result", "error"}}, counts.failed);
  families.push_back(total.Take());
  families.push_back(One("controller_runtime_reconcile_errors_total",
                         "Reconciliations that failed.", MetricType::Counter, labels,
                         counts.failed));
  families.push_back(One("controller_runtime_reconcile_time_seconds",
                         "How long reconciliations took.", MetricType::Histogram, labels,
                         counts.times));
  families.push_back(One("controller_runtime_max_concurrent_reconciles", "Workers.",
                         MetricType::Gauge, labels, counts.workers));
  families.push_back(One("controller_runtime_active_workers", "Workers that are busy.",
                         MetricType::Gauge, labels, counts.busy));
}

void AddQueue(const OperatorCounts& all, std::vector<MetricFamily>& families) {
  const controller::QueueCounts& queue = all.counts.queue;
  const Labels labels = {{"name", all.controller}, {"controller", all.controller}};
  families.push_back(
      One("workqueue_depth", "Objects that are due.", MetricType::Gauge, labels, queue.depth));
  families.push_back(One("workqueue_adds_total", "Objects that became due.", MetricType::Counter,
                         labels, queue.adds));
  families.push_back(One("workqueue_retries_total", "Reconciliations that were put off.",
                         MetricType::Counter, labels, queue.retries));
  families.push_back(One("workqueue_queue_duration_seconds", "From due to taken by a worker.",
                         MetricType::Histogram, labels, queue.waited));
  families.push_back(One("workqueue_work_duration_seconds", "From taken to done.",
                         MetricType::Histogram, labels, queue.worked));
  families.push_back(One("workqueue_unfinished_work_seconds",
                         "How long the work that goes on has taken, all together.",
                         MetricType::Gauge, labels, ToSeconds(queue.unfinished)));
  families.push_back(One("workqueue_longest_running_processor_seconds",
                         "How long the longest work that goes on has taken.", MetricType::Gauge,
                         labels, ToSeconds(queue.longest)));
}

void AddCache(const OperatorCounts& all, std::vector<MetricFamily>& families) {
  const controller::CacheCounts& cache = all.counts.cache;
  const Labels labels = {{"controller", all.controller}};
  families.push_back(One("twofold_operator_objects", "Objects in the cache.", MetricType::Gauge,
                         labels, cache.objects));
  families.push_back(One("twofold_operator_cache_bytes", "Memory of the cache.", MetricType::Gauge,
                         labels, cache.bytes));
  families.push_back(One("twofold_operator_left_out_total",
                         "Objects that the cache had no room for.", MetricType::Counter, labels,
                         cache.left_out));
  families.push_back(One("twofold_operator_watch_breaks_total",
                         "Times that the watch broke before its time.", MetricType::Counter, labels,
                         all.counts.watch.breaks));
}

}  // namespace

std::vector<MetricFamily> MetricsOf(const OperatorCounts& counts) {
  std::vector<MetricFamily> families;
  AddReconciling(counts, families);
  AddQueue(counts, families);
  AddCache(counts, families);
  families.push_back(One("leader_election_master_status", "1: this process leads.",
                         MetricType::Gauge, {{"name", counts.lease}}, counts.leads ? 1 : 0));
  families.push_back(metrics::BuildFamily("twofold_operator_build_info",
                                          "What this operator was built from; always 1.")
                         .Take());
  return families;
}

}  // namespace twofold::benchmarks
