#pragma once

#include <functional>

#include "lib/common/result.h"
#include "suites/gpu/report.pb.h"
#include "suites/gpu/spec.pb.h"
#include "workloads/gpu/device.h"
#include "workloads/gpu/measure.h"

namespace twofold::gpu {

/// Told when a measurement begins (true) and ends (false).
using Observer = std::function<void(bool)>;

/// Does what the spec says on a device: warm-up, measurement and comparison of each part.
/// Fills in `parts`, `streams`, `warmup`, `device` and `device_time_s` of the report.
///
/// REQUIRES: a spec of suite::gpu::ReadSpec.
Result<v1::suites::GpuReport> RunSpec(const v1::suites::GpuSpec& spec, Device& device,
                                      const Clock& clock, const Observer& measuring);

}  // namespace twofold::gpu
