#pragma once

#include <string>

#include "twofold/v1/results.pb.h"

namespace twofold {

/// One number of a result for people: "throughput direction=reverse: 9.25 MiB/s", with what it was
/// measured at behind it. Pure.
std::string MeasurementText(const v1::Measurement& one);

}  // namespace twofold
