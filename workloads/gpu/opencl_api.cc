#include "workloads/gpu/opencl_api.h"

#include <absl/strings/str_cat.h>

#include <string>

#include "workloads/gpu/library.h"

namespace twofold::gpu::opencl {
namespace {

struct Error {
  Int code;
  const char* name;
  absl::StatusCode status;
};

// Those that drivers answer with when a device is full or gone; the others are by their number.
constexpr Error kErrors[] = {
    {-1, "CL_DEVICE_NOT_FOUND", absl::StatusCode::kNotFound},
    {-2, "CL_DEVICE_NOT_AVAILABLE", absl::StatusCode::kUnavailable},
    {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE", absl::StatusCode::kResourceExhausted},
    {-5, "CL_OUT_OF_RESOURCES", absl::StatusCode::kUnavailable},
    {-6, "CL_OUT_OF_HOST_MEMORY", absl::StatusCode::kResourceExhausted},
    {-11, "CL_BUILD_PROGRAM_FAILURE", absl::StatusCode::kInternal},
    {-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", absl::StatusCode::kUnavailable},
    {-36, "CL_INVALID_COMMAND_QUEUE", absl::StatusCode::kUnavailable},
    {-54, "CL_INVALID_WORK_GROUP_SIZE", absl::StatusCode::kFailedPrecondition},
    {-61, "CL_INVALID_BUFFER_SIZE", absl::StatusCode::kResourceExhausted},
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR", absl::StatusCode::kNotFound},
};

}  // namespace

Status ToStatus(Int code, const char* call) {
  if (code == kSuccess) return absl::OkStatus();
  for (const Error& error : kErrors) {
    if (error.code != code) continue;
    const bool lost = error.status == absl::StatusCode::kUnavailable;
    return {error.status, absl::StrCat(lost ? "device lost: " : "", call, ": ", error.name)};
  }
  return absl::InternalError(absl::StrCat(call, ": error ", code));
}

Result<Functions> LoadFunctions() {
  const Result<Library> library = Library::Load("libOpenCL.so.1");
  if (!library.ok()) return library.status();
  Functions cl = {};
  Status status;
#define TWOFOLD_FIND(name) status.Update(library->Find("cl" #name, cl.name))
  TWOFOLD_FIND(GetPlatformIDs);
  TWOFOLD_FIND(GetDeviceIDs);
  TWOFOLD_FIND(GetDeviceInfo);
  TWOFOLD_FIND(CreateContext);
  TWOFOLD_FIND(ReleaseContext);
  TWOFOLD_FIND(CreateCommandQueue);
  TWOFOLD_FIND(ReleaseCommandQueue);
  TWOFOLD_FIND(CreateBuffer);
  TWOFOLD_FIND(ReleaseMemObject);
  TWOFOLD_FIND(CreateProgramWithSource);
  TWOFOLD_FIND(BuildProgram);
  TWOFOLD_FIND(GetProgramBuildInfo);
  TWOFOLD_FIND(ReleaseProgram);
  TWOFOLD_FIND(CreateKernel);
  TWOFOLD_FIND(ReleaseKernel);
  TWOFOLD_FIND(SetKernelArg);
  TWOFOLD_FIND(EnqueueNDRangeKernel);
  TWOFOLD_FIND(EnqueueReadBuffer);
  TWOFOLD_FIND(EnqueueWriteBuffer);
  TWOFOLD_FIND(EnqueueCopyBuffer);
  TWOFOLD_FIND(EnqueueMapBuffer);
  TWOFOLD_FIND(EnqueueUnmapMemObject);
  TWOFOLD_FIND(Flush);
  TWOFOLD_FIND(Finish);
  TWOFOLD_FIND(WaitForEvents);
  TWOFOLD_FIND(GetEventProfilingInfo);
  TWOFOLD_FIND(ReleaseEvent);
#undef TWOFOLD_FIND
  if (!status.ok()) return status;
  return cl;
}

const char* const kSource = R"cl(
#ifdef FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#ifdef FP16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif

// Chain k of item i starts at 1 + (i % 64) / 64 + k. CPUs want a vector of all chains; GPUs take it
// apart.
#define START(T, i) ((T)1 + (T)((i) % 64) / (T)64)
#define STEP x = fma(a, x, b);
#define SUM(x) (((((((x.s0 + x.s1) + x.s2) + x.s3) + x.s4) + x.s5) + x.s6) + x.s7)
#define FMA_KERNEL(NAME, T)                                                       \
  kernel void NAME(global T* out, uint loops, float af, float bf) {               \
    const uint i = get_global_id(0);                                              \
    const T##8 a = (T)af, b = (T)bf;                                              \
    T##8 x = (T##8)(START(T, i)) + (T##8)(0, 1, 2, 3, 4, 5, 6, 7);                \
    for (uint n = 0; n < loops; n += 8) { STEP STEP STEP STEP STEP STEP STEP STEP } \
    out[i] = SUM(x);                                                              \
  }

FMA_KERNEL(fma_fp32, float)
#ifdef FP64
FMA_KERNEL(fma_fp64, double)
#endif
#ifdef FP16
// An item has the chains of two, as 16 bits are half a register.
kernel void fma_fp16(global half2* out, uint loops, float af, float bf) {
  const uint i = get_global_id(0);
  const half8 a = (half)af, b = (half)bf;
  half8 x = (half8)(START(half, 2 * i)) + (half8)(0, 1, 2, 3, 4, 5, 6, 7);
  half8 y = (half8)(START(half, 2 * i + 1)) + (half8)(0, 1, 2, 3, 4, 5, 6, 7);
#define STEP_BOTH STEP y = fma(a, y, b);
  for (uint n = 0; n < loops; n += 4) { STEP_BOTH STEP_BOTH STEP_BOTH STEP_BOTH }
  out[i] = (half2)(SUM(x), SUM(y));
}
#endif

#define WALK uint begin, uint stride, uint each, uint count
#define VISIT(e)                                                                \
  for (ulong n = 0, e = (ulong)get_global_id(0) * begin; n < each && e < count; \
       ++n, e += stride)

kernel void read(global const uint4* source, global uint* sums, WALK) {
  uint4 sum = 0;
  VISIT(e) sum += source[e];
  sums[get_global_id(0)] = sum.x + sum.y + sum.z + sum.w;
}

kernel void write(global uint4* to, uint first, WALK) {
  VISIT(e) to[e] = (uint4)(4 * (uint)e + first) + (uint4)(0, 1, 2, 3);
}

kernel void copy(global uint4* to, global const uint4* from, WALK) { VISIT(e) to[e] = from[e]; }

kernel void triad(global float4* to, global const float4* a, global const float4* b, float s,
                  WALK) {
  VISIT(e) to[e] = a[e] + s * b[e];
}

kernel void empty() {}
)cl";

}  // namespace twofold::gpu::opencl
