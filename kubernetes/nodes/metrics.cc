#include "kubernetes/nodes/metrics.h"

#include <absl/strings/str_cat.h>

#include <cstdint>
#include <utility>

#include "kubernetes/nodes/model/gpus.h"
#include "lib/metrics/family.h"

namespace twofold::nodes {
namespace {

using metrics::Family;
using metrics::Labels;
using metrics::MetricType;
using prometheus::MetricFamily;

struct Value {
  const char* label;
  std::uint64_t value;
};

MetricFamily Labelled(const char* name, const char* help, MetricType type, const char* label,
                      const std::vector<Value>& values) {
  Family family(name, help, type);
  for (const Value& value : values) family.Add({{label, value.label}}, value.value);
  return family.Take();
}

MetricFamily EndedFamily(const LifeCounts& lives) {
  std::vector<Value> values;
  for (std::size_t i = 0; i < kEndingNames.size(); ++i) {
    values.push_back({kEndingNames[i], lives.ended[i]});
  }
  return Labelled("twofold_nodes_pods_ended_total", "Pods that have ended, by how.",
                  MetricType::Counter, "ending", values);
}

std::vector<MetricFamily> LaneMetrics(const SimulationCounts& counts) {
  Family calls("twofold_nodes_calls_total", "Calls to the API server.", MetricType::Counter);
  Family errors("twofold_nodes_call_errors_total", "Calls that failed or were refused, by reason.",
                MetricType::Counter);
  Family throttled("twofold_nodes_throttled_total",
                   "Times that the API server asked to wait (429, 503).", MetricType::Counter);
  Family lateness("twofold_nodes_lateness_seconds",
                  "From the planned instant of a change to the server's answer.",
                  MetricType::Histogram);
  Family times("twofold_nodes_call_seconds", "From sending a call to its answer.",
               MetricType::Histogram);
  for (std::size_t i = 0; i < kLaneNames.size(); ++i) {
    const LaneCounts& lane = counts.lanes[i];
    const Labels labels = {{"for", kLaneNames[i]}};
    calls.Add(labels, lane.calls);
    throttled.Add(labels, lane.throttled);
    lateness.Add(labels, lane.lateness);
    times.Add(labels, lane.times);
    for (const auto& [reason, count] : lane.errors) {
      errors.Add({{"for", kLaneNames[i]}, {"reason", reason}}, count);
    }
  }
  return {calls.Take(), errors.Take(), throttled.Take(), lateness.Take(), times.Take()};
}

}  // namespace

std::vector<MetricFamily> OwnMetrics(const SimulationCounts& counts) {
  const FleetCounts& fleet = counts.fleet;
  const LifeCounts& lives = counts.lives;
  std::vector<MetricFamily> families = LaneMetrics(counts);
  families.push_back(Labelled("twofold_nodes_nodes", "Simulated nodes, by state.",
                              MetricType::Gauge, "state",
                              {{"up", fleet.up}, {"lost", fleet.lost}, {"gone", fleet.gone}}));
  families.push_back(Labelled("twofold_nodes_losses_total", "Nodes that were lost, so far.",
                              MetricType::Counter, "of", {{"node", fleet.losses}}));
  families.push_back(Labelled("twofold_nodes_pods", "Pods on simulated nodes, by phase.",
                              MetricType::Gauge, "phase",
                              {{"waiting", lives.waiting}, {"running", lives.running}}));
  families.push_back(Labelled("twofold_nodes_transitions_total", "Changes of pods, by kind.",
                              MetricType::Counter, "kind",
                              {{"started", lives.started},
                               {"restarted", lives.restarted},
                               {"removed", lives.removed},
                               {"replaced", lives.replaced},
                               {"foreign", lives.foreign}}));
  families.push_back(EndedFamily(lives));
  families.push_back(Labelled("twofold_nodes_watch_breaks_total",
                              "Times that the watch of pods broke before its time.",
                              MetricType::Counter, "of", {{"pods", counts.watch.breaks}}));
  families.push_back(metrics::BuildFamily("twofold_nodes_build_info",
                                          "What this program was built from; always 1.")
                         .Take());
  return families;
}

std::vector<MetricFamily> GpuMetrics(Simulation& simulation) {
  // Memory that a driver takes of an idle device; a busy one has most of it in use.
  constexpr double kIdleMib = 4;
  constexpr double kBusyShare = 0.9;
  const NodeTemplate& nodes = simulation.nodes();
  const auto total = static_cast<double>(nodes.gpu.memory_mib);
  Family busy("DCGM_FI_DEV_GPU_UTIL", "GPU utilization (in %).", MetricType::Gauge);
  Family used("DCGM_FI_DEV_FB_USED", "Framebuffer memory used (in MiB).", MetricType::Gauge);
  Family free("DCGM_FI_DEV_FB_FREE", "Framebuffer memory free (in MiB).", MetricType::Gauge);
  for (const GpuLoad& gpu : simulation.Gpus()) {
    const std::string node = nodes.NameOf(gpu.node);
    Labels labels = {{"gpu", absl::StrCat(gpu.device)},
                     {"UUID", GpuUuid(node, gpu.device)},
                     {"pci_bus_id", GpuBusId(gpu.device)},
                     {"device", absl::StrCat("nvidia", gpu.device)},
                     {"modelName", nodes.gpu.name},
                     {"Hostname", node},
                     {"DCGM_FI_DRIVER_VERSION", kDriverVersion}};
    if (gpu.pod) {
      labels.push_back({"container", gpu.container});
      labels.push_back({"namespace", gpu.pod->space});
      labels.push_back({"pod", gpu.pod->name});
    }
    const double mib = gpu.pod ? total * kBusyShare : kIdleMib;
    busy.Add(labels, gpu.utilisation);
    used.Add(labels, mib);
    free.Add(std::move(labels), total - mib);
  }
  if (nodes.gpus() == 0) return {};
  return {busy.Take(), used.Take(), free.Take()};
}

}  // namespace twofold::nodes
