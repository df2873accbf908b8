#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "lib/common/result.h"

/// What twofold-gpu uses of CUDA's driver API, with names and values of NVIDIA's manual, so that no
/// toolkit is needed to build it and no driver to start it.
namespace twofold::gpu::cuda {

using Code = int;
using DeviceNumber = int;
using Pointer = std::uint64_t;  ///< into memory of a device
using Handle = void*;           ///< contexts, modules, functions, streams, events

inline constexpr Code kSuccess = 0;
inline constexpr unsigned kBlockingSync = 1;  ///< of events: wait asleep
inline constexpr unsigned kNonBlocking = 1;   ///< of streams: do not wait for the default one

/// cuDeviceGetAttribute
enum Attribute : int {
  kClockKhz = 13,
  kMultiprocessors = 16,
  kMajor = 75,
  kMinor = 76,
};

struct Functions {
  Code (*Init)(unsigned);
  Code (*DriverGetVersion)(int*);
  Code (*GetErrorName)(Code, const char**);
  Code (*DeviceGetCount)(int*);
  Code (*DeviceGet)(DeviceNumber*, int);
  Code (*DeviceGetName)(char*, int, DeviceNumber);
  Code (*DeviceGetUuid_v2)(std::array<std::uint8_t, 16>*, DeviceNumber);
  Code (*DeviceTotalMem_v2)(std::size_t*, DeviceNumber);
  Code (*DeviceGetAttribute)(int*, int, DeviceNumber);
  Code (*DevicePrimaryCtxRetain)(Handle*, DeviceNumber);
  Code (*DevicePrimaryCtxRelease_v2)(DeviceNumber);
  Code (*CtxSetCurrent)(Handle);
  Code (*ModuleLoadDataEx)(Handle*, const void*, unsigned, const int*, void**);
  Code (*ModuleUnload)(Handle);
  Code (*ModuleGetFunction)(Handle*, Handle, const char*);
  Code (*MemAlloc_v2)(Pointer*, std::size_t);
  Code (*MemFree_v2)(Pointer);
  Code (*MemAllocHost_v2)(void**, std::size_t);
  Code (*MemFreeHost)(void*);
  Code (*MemcpyHtoDAsync_v2)(Pointer, const void*, std::size_t, Handle);
  Code (*MemcpyDtoHAsync_v2)(void*, Pointer, std::size_t, Handle);
  Code (*MemcpyDtoDAsync_v2)(Pointer, Pointer, std::size_t, Handle);
  Code (*StreamCreate)(Handle*, unsigned);
  Code (*StreamDestroy_v2)(Handle);
  Code (*EventCreate)(Handle*, unsigned);
  Code (*EventDestroy_v2)(Handle);
  Code (*EventRecord)(Handle, Handle);
  Code (*EventSynchronize)(Handle);
  Code (*EventElapsedTime)(float*, Handle, Handle);
  Code (*LaunchKernel)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                       Handle, void**, void**);
};

/// Loads libcuda.so.1.
Result<Functions> LoadFunctions();

/// The error `code` of a call as a status: "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY".
Status ToStatus(const Functions& cuda, Code code, const char* call);

}  // namespace twofold::gpu::cuda
