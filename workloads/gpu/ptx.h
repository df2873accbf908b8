#pragma once

#include <cstdint>
#include <string>

#include "workloads/gpu/device.h"

namespace twofold::gpu {

/// The kernels for NVIDIA's driver, in two modules: one for every device since 2016, and one for
/// those whose tensor cores multiply 16x8x16 (since 2020).
struct PtxModule {
  std::uint32_t least_capability;  ///< 10 * major + minor
  std::string text;
};

/// The module that has `kernel`. Pure: the same text each time.
PtxModule ModuleOf(Kernel kernel);

}  // namespace twofold::gpu
