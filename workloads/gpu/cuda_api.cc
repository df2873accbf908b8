#include "workloads/gpu/cuda_api.h"

#include <absl/strings/str_cat.h>

#include "workloads/gpu/library.h"

namespace twofold::gpu::cuda {
namespace {

struct Error {
  Code code;
  absl::StatusCode status;
};

// All others are kInternal. After those that are kUnavailable the device is of no more use to this
// process.
constexpr Error kErrors[] = {
    {2, absl::StatusCode::kResourceExhausted},     // OUT_OF_MEMORY
    {4, absl::StatusCode::kUnavailable},           // DEINITIALIZED
    {46, absl::StatusCode::kUnavailable},          // DEVICE_UNAVAILABLE
    {100, absl::StatusCode::kNotFound},            // NO_DEVICE
    {101, absl::StatusCode::kNotFound},            // INVALID_DEVICE
    {214, absl::StatusCode::kUnavailable},         // ECC_UNCORRECTABLE
    {218, absl::StatusCode::kInternal},            // INVALID_PTX
    {222, absl::StatusCode::kFailedPrecondition},  // UNSUPPORTED_PTX_VERSION
    {702, absl::StatusCode::kUnavailable},         // LAUNCH_TIMEOUT
    {719, absl::StatusCode::kUnavailable},         // LAUNCH_FAILED
    {802, absl::StatusCode::kUnavailable},         // SYSTEM_NOT_READY
    {999, absl::StatusCode::kUnavailable},         // UNKNOWN: mostly a device that fell off the bus
};

absl::StatusCode CodeOf(Code code) {
  for (const Error& error : kErrors) {
    if (error.code == code) return error.status;
  }
  return absl::StatusCode::kInternal;
}

const char* Prefix(absl::StatusCode code) {
  if (code == absl::StatusCode::kUnavailable) return "device lost: ";
  return code == absl::StatusCode::kResourceExhausted ? "out of memory: " : "";
}

}  // namespace

Status ToStatus(const Functions& cuda, Code code, const char* call) {
  if (code == kSuccess) return absl::OkStatus();
  const char* name = nullptr;
  const bool known = cuda.GetErrorName(code, &name) == kSuccess && name != nullptr;
  const absl::StatusCode status = CodeOf(code);
  return {status, absl::StrCat(Prefix(status), call, ": ",
                               known ? std::string(name) : absl::StrCat("error ", code))};
}

Result<Functions> LoadFunctions() {
  const Result<Library> library = Library::Load("libcuda.so.1");
  if (!library.ok()) return library.status();
  Functions cuda = {};
  Status status;
#define TWOFOLD_FIND(name) status.Update(library->Find("cu" #name, cuda.name))
  TWOFOLD_FIND(Init);
  TWOFOLD_FIND(DriverGetVersion);
  TWOFOLD_FIND(GetErrorName);
  TWOFOLD_FIND(DeviceGetCount);
  TWOFOLD_FIND(DeviceGet);
  TWOFOLD_FIND(DeviceGetName);
  TWOFOLD_FIND(DeviceGetUuid_v2);
  TWOFOLD_FIND(DeviceTotalMem_v2);
  TWOFOLD_FIND(DeviceGetAttribute);
  TWOFOLD_FIND(DevicePrimaryCtxRetain);
  TWOFOLD_FIND(DevicePrimaryCtxRelease_v2);
  TWOFOLD_FIND(CtxSetCurrent);
  TWOFOLD_FIND(ModuleLoadDataEx);
  TWOFOLD_FIND(ModuleUnload);
  TWOFOLD_FIND(ModuleGetFunction);
  TWOFOLD_FIND(MemAlloc_v2);
  TWOFOLD_FIND(MemFree_v2);
  TWOFOLD_FIND(MemAllocHost_v2);
  TWOFOLD_FIND(MemFreeHost);
  TWOFOLD_FIND(MemcpyHtoDAsync_v2);
  TWOFOLD_FIND(MemcpyDtoHAsync_v2);
  TWOFOLD_FIND(MemcpyDtoDAsync_v2);
  TWOFOLD_FIND(StreamCreate);
  TWOFOLD_FIND(StreamDestroy_v2);
  TWOFOLD_FIND(EventCreate);
  TWOFOLD_FIND(EventDestroy_v2);
  TWOFOLD_FIND(EventRecord);
  TWOFOLD_FIND(EventSynchronize);
  TWOFOLD_FIND(EventElapsedTime);
  TWOFOLD_FIND(LaunchKernel);
#undef TWOFOLD_FIND
  if (!status.ok()) return status;
  return cuda;
}

}  // namespace twofold::gpu::cuda
