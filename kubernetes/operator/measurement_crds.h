#pragma once

#include <vector>

#include "lib/yaml/node.h"

namespace twofold::benchmarks {

/// The CustomResourceDefinitions of the measurements, made of the fields of their table
/// (measurement.h). Pure.
std::vector<yaml::Json> MeasurementDefinitions();

}  // namespace twofold::benchmarks
