#pragma once

#include <vector>

#include "lib/spec/convert.h"
#include "lib/yaml/node.h"

/// MetricSets of metrics-operator (flux-framework.org). Pure.
namespace twofold::spec {

bool IsMetricSet(const Node& document);

/// A Benchmark for each of its metrics, as far as Twofold has a kind that measures the same: OSU
/// for network-osu-benchmark, Fio for io-fio, with the values that metrics-operator has for what is
/// not written. What cannot be said is in the notes.
/// Errors   kInvalidArgument "LINE:COLUMN: field: what": the set has a metric of another name.
Result<std::vector<Converted>> FromMetricSet(const Node& document);

}  // namespace twofold::spec
