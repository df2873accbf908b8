#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/common/result.h"

/// What twofold-gpu uses of OpenCL 1.2, with names and values of the specification, so that no
/// headers are needed to build it and no library to start it.
namespace twofold::gpu::opencl {

using Int = std::int32_t;
using Uint = std::uint32_t;
using Bits = std::uint64_t;
using Handle = void*;  ///< platforms, devices, contexts, queues, buffers, programs, kernels, events

inline constexpr Int kSuccess = 0;
inline constexpr Bits kTypeCpu = 1U << 1U;
inline constexpr Bits kTypeGpu = 1U << 2U;
inline constexpr Bits kTypeAccelerator = 1U << 3U;
inline constexpr Bits kTypeAll = 0xFFFFFFFF;
inline constexpr Bits kProfiling = 1U << 1U;
inline constexpr Bits kReadWrite = 1U << 0U;
inline constexpr Bits kAllocHostPointer = 1U << 4U;
inline constexpr Bits kMapReadWrite = 3;
inline constexpr Uint kTrue = 1;
inline constexpr Uint kFalse = 0;

/// clGetDeviceInfo
enum DeviceQuery : Uint {
  kType = 0x1000,
  kComputeUnits = 0x1002,
  kGroupSize = 0x1004,
  kClock = 0x100C,
  kBufferBytes = 0x1010,
  kMemoryBytes = 0x101F,
  kAvailable = 0x1027,
  kName = 0x102B,
  kVendor = 0x102C,
  kDriverVersion = 0x102D,
  kExtensions = 0x1030,
  kUuid = 0x106A,  ///< of cl_khr_device_uuid
};

inline constexpr Uint kBuildLog = 0x1183;
inline constexpr Uint kStarted = 0x1282;
inline constexpr Uint kEnded = 0x1283;

/// The functions, found in the library.
struct Functions {
  Int (*GetPlatformIDs)(Uint, Handle*, Uint*);
  Int (*GetDeviceIDs)(Handle, Bits, Uint, Handle*, Uint*);
  Int (*GetDeviceInfo)(Handle, Uint, std::size_t, void*, std::size_t*);
  Handle (*CreateContext)(const std::intptr_t*, Uint, const Handle*,
                          void (*)(const char*, const void*, std::size_t, void*), void*, Int*);
  Int (*ReleaseContext)(Handle);
  Handle (*CreateCommandQueue)(Handle, Handle, Bits, Int*);
  Int (*ReleaseCommandQueue)(Handle);
  Handle (*CreateBuffer)(Handle, Bits, std::size_t, void*, Int*);
  Int (*ReleaseMemObject)(Handle);
  Handle (*CreateProgramWithSource)(Handle, Uint, const char**, const std::size_t*, Int*);
  Int (*BuildProgram)(Handle, Uint, const Handle*, const char*, void (*)(Handle, void*), void*);
  Int (*GetProgramBuildInfo)(Handle, Handle, Uint, std::size_t, void*, std::size_t*);
  Int (*ReleaseProgram)(Handle);
  Handle (*CreateKernel)(Handle, const char*, Int*);
  Int (*ReleaseKernel)(Handle);
  Int (*SetKernelArg)(Handle, Uint, std::size_t, const void*);
  Int (*EnqueueNDRangeKernel)(Handle, Handle, Uint, const std::size_t*, const std::size_t*,
                              const std::size_t*, Uint, const Handle*, Handle*);
  Int (*EnqueueReadBuffer)(Handle, Handle, Uint, std::size_t, std::size_t, void*, Uint,
                           const Handle*, Handle*);
  Int (*EnqueueWriteBuffer)(Handle, Handle, Uint, std::size_t, std::size_t, const void*, Uint,
                            const Handle*, Handle*);
  Int (*EnqueueCopyBuffer)(Handle, Handle, Handle, std::size_t, std::size_t, std::size_t, Uint,
                           const Handle*, Handle*);
  void* (*EnqueueMapBuffer)(Handle, Handle, Uint, Bits, std::size_t, std::size_t, Uint,
                            const Handle*, Handle*, Int*);
  Int (*EnqueueUnmapMemObject)(Handle, Handle, void*, Uint, const Handle*, Handle*);
  Int (*Flush)(Handle);
  Int (*Finish)(Handle);
  Int (*WaitForEvents)(Uint, const Handle*);
  Int (*GetEventProfilingInfo)(Handle, Uint, std::size_t, void*, std::size_t*);
  Int (*ReleaseEvent)(Handle);
};

/// Loads libOpenCL.so.1.
Result<Functions> LoadFunctions();

/// The error `code` of a call as a status: "clCreateBuffer: CL_OUT_OF_RESOURCES".
Status ToStatus(Int code, const char* call);

/// The kernels, in OpenCL C. Those of fp64 and fp16 stand inside #ifdef FP64 and #ifdef FP16.
extern const char* const kSource;

}  // namespace twofold::gpu::opencl
