#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "lib/suite/suite.h"
#include "suites/gpu/report.pb.h"
#include "suites/gpu/spec.pb.h"

/// Devices, by twofold-gpu; see README.md.
namespace twofold::suite::gpu {

/// The spec, checked.
Result<v1::suites::GpuSpec> ReadSpec(std::string_view json);

/// The sizes of the buffers in bytes, in rising order: `size` alone, or from `minSize` on.
/// REQUIRES: a spec of ReadSpec.
std::vector<std::uint64_t> Sizes(const v1::suites::GpuSpec& spec);

/// The place in the list of the device that a spec without `device` means: the first that is not a
/// CPU, else the first. REQUIRES: a list that is not empty.
std::size_t FirstDevice(const v1::suites::GpuList& list);

/// What a worker has, by `twofold-gpu --list`: the labels `gpu.name`, `gpu.api`, `gpu.vendor`,
/// `gpu.driver`, `gpu.type`, `gpu.uuid` of that device, and `gpu.devices`, how many there are.
/// Errors   kNotFound: no device, and which libraries are missing; kDataLoss: not such a list.
Result<Labels> Offer(const StageOutput& probe);

GangPlan Plan(const v1::suites::GpuSpec& spec, const Gang& gang);
Result<Measurements> Parse(const Outputs& outputs);

}  // namespace twofold::suite::gpu
