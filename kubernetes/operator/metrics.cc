#include "kubernetes/operator/metrics.h"

#include <string_view>
#include <utility>

#include "lib/metrics/family.h"

namespace twofold::benchmarks {
namespace {

using metrics::Family;
using metrics::Labels;
using metrics::MetricType;
using prometheus::MetricFamily;

using controller::ControllerCounts;

/// A family of a series for each controller.
class PerController {
 public:
  PerController(const OperatorCounts& counts, std::vector<MetricFamily>& families)
      : counts_(counts), families_(families) {}

  template <typename ValueOf>
  void Add(const char* name, const char* help, MetricType type, const ValueOf& value_of) {
    Family family(name, help, type);
    for (const auto& [controller, counts] : counts_.controllers) {
      Labels labels = {{"controller", controller}};
      if (std::string_view(name).starts_with("workqueue_")) labels.push_back({"name", controller});
      family.Add(std::move(labels), value_of(counts));
    }
    families_.push_back(family.Take());
  }

 private:
  const OperatorCounts& counts_;
  std::vector<MetricFamily>& families_;
};

void AddReconciling(const OperatorCounts& all, std::vector<MetricFamily>& families) {
  Family total("controller_runtime_reconcile_total", "Reconciliations, by result.",
               MetricType::Counter);
  for (const auto& [name, counts] : all.controllers) {
    total.Add({{"controller", name}, {"result", "success"}}, counts.succeeded - counts.again);
    total.Add({{"controller", name}, {"result", "requeue_after"}}, counts.again);
    total.Add({{"controller", name}, {"result", "error"}}, counts.failed);
  }
  families.push_back(total.Take());
  PerController each(all, families);
  each.Add("controller_runtime_reconcile_errors_total", "Reconciliations that failed.",
           MetricType::Counter, [](const ControllerCounts& counts) { return counts.failed; });
  each.Add(
      "controller_runtime_reconcile_time_seconds", "How long reconciliations took.",
      MetricType::Histogram,
      [](const ControllerCounts& counts) -> const auto& { return counts.times; });
  each.Add("controller_runtime_max_concurrent_reconciles", "Workers.", MetricType::Gauge,
           [](const ControllerCounts& counts) { return counts.workers; });
  each.Add("controller_runtime_active_workers", "Workers that are busy.", MetricType::Gauge,
           [](const ControllerCounts& counts) { return counts.busy; });
}

void AddQueue(PerController& each) {
  each.Add("workqueue_depth", "Objects that are due.", MetricType::Gauge,
           [](const ControllerCounts& counts) { return counts.queue.depth; });
  each.Add("workqueue_adds_total", "Objects that became due.", MetricType::Counter,
           [](const ControllerCounts& counts) { return counts.queue.adds; });
  each.Add("workqueue_retries_total", "Reconciliations that were put off.", MetricType::Counter,
           [](const ControllerCounts& counts) { return counts.queue.retries; });
  each.Add(
      "workqueue_queue_duration_seconds", "From due to taken by a worker.", MetricType::Histogram,
      [](const ControllerCounts& counts) -> const auto& { return counts.queue.waited; });
  each.Add(
      "workqueue_work_duration_seconds", "From taken to done.", MetricType::Histogram,
      [](const ControllerCounts& counts) -> const auto& { return counts.queue.worked; });
  each.Add("workqueue_unfinished_work_seconds",
           "How long the work that goes on has taken, all together.", MetricType::Gauge,
           [](const ControllerCounts& counts) { return ToSeconds(counts.queue.unfinished); });
  each.Add("workqueue_longest_running_processor_seconds",
           "How long the longest work that goes on has taken.", MetricType::Gauge,
           [](const ControllerCounts& counts) { return ToSeconds(counts.queue.longest); });
}

void AddCache(PerController& each) {
  each.Add("twofold_operator_objects", "Objects in the cache.", MetricType::Gauge,
           [](const ControllerCounts& counts) { return counts.cache.objects; });
  each.Add("twofold_operator_cache_bytes", "Memory of the cache.", MetricType::Gauge,
           [](const ControllerCounts& counts) { return counts.cache.bytes; });
  each.Add("twofold_operator_left_out_total", "Objects that the cache had no room for.",
           MetricType::Counter,
           [](const ControllerCounts& counts) { return counts.cache.left_out; });
  each.Add("twofold_operator_watch_breaks_total", "Times that the watch broke before its time.",
           MetricType::Counter, [](const ControllerCounts& counts) { return counts.watch.breaks; });
}

}  // namespace

std::vector<MetricFamily> MetricsOf(const OperatorCounts& counts) {
  std::vector<MetricFamily> families;
  AddReconciling(counts, families);
  PerController each(counts, families);
  AddQueue(each);
  AddCache(each);
  Family leads("leader_election_master_status", "1: this process leads.", MetricType::Gauge);
  leads.Add({{"name", counts.lease}}, counts.leads ? 1 : 0);
  families.push_back(leads.Take());
  families.push_back(metrics::BuildFamily("twofold_operator_build_info",
                                          "What this operator was built from; always 1.")
                         .Take());
  return families;
}

}  // namespace twofold::benchmarks
