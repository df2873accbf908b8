#pragma once

#include <prometheus/metric_family.h>

#include <map>
#include <string>
#include <vector>

#include "kubernetes/controller/controller.h"

namespace twofold::benchmarks {

/// What of an operator is seen from outside.
struct OperatorCounts {
  std::string lease;  ///< its name
  bool leads = false;
  std::map<std::string, controller::ControllerCounts> controllers;  ///< by name: "benchmark"
};

/// Under the names that dashboards of controllers know (controller-runtime, client-go), and ours.
/// docs/operator.md lists them.
std::vector<prometheus::MetricFamily> MetricsOf(const OperatorCounts& counts);

}  // namespace twofold::benchmarks
