#pragma once

#include <prometheus/metric_family.h>

#include <string>
#include <vector>

#include "kubernetes/nodes/simulation.h"

namespace twofold::nodes {

/// The simulation's own metrics.
std::vector<prometheus::MetricFamily> OwnMetrics(const SimulationCounts& counts);

/// What NVIDIA's DCGM exporter says of each GPU, by the same names and labels: utilisation and
/// memory follow from the pod that has it.
std::vector<prometheus::MetricFamily> GpuMetrics(Simulation& simulation);

}  // namespace twofold::nodes
