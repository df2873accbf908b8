// A libnvidia-ml.so.1 for tests: one device with two MIG instances, whose clock falls and whose
// temperature rises with each look. TWOFOLD_FAKE_NVML_REASONS: the bits of its throttle reasons.
#include <cstdlib>
#include <cstring>

namespace {

using Code = int;
using Handle = void*;

constexpr Code kSuccess = 0;
constexpr Code kNotFound = 6;

int device, slices[2];
unsigned looks = 0;

Code Say(const char* text, char* to, unsigned size) {
  std::strncpy(to, text, size);
  return kSuccess;
}

}  // namespace

extern "C" {

Code nvmlInit_v2() { return kSuccess; }
const char* nvmlErrorString(Code) { return "an error"; }
Code nvmlSystemGetDriverVersion(char* to, unsigned size) { return Say("550.54.15", to, size); }
Code nvmlDeviceGetCount_v2(unsigned* count) { return *count = 1, kSuccess; }
Code nvmlDeviceGetHandleByIndex_v2(unsigned, Handle* handle) { return *handle = &device, kSuccess; }

Code nvmlDeviceGetHandleByUUID(const char* uuid, Handle* handle) {
  *handle = std::strncmp(uuid, "MIG-", 4) == 0 ? &slices[0] : &device;
  return kSuccess;
}

Code nvmlDeviceGetClockInfo(Handle handle, int type, unsigned* mhz) {
  if (handle != &device) return kNotFound;
  *mhz = type == 1 ? 1980 - 10 * ++looks : 2619;
  return kSuccess;
}

Code nvmlDeviceGetPowerUsage(Handle, unsigned* milliwatts) {
  return *milliwatts = 350500, kSuccess;
}
Code nvmlDeviceGetTemperature(Handle, int, unsigned* degrees) {
  return *degrees = 40 + looks, kSuccess;
}

Code nvmlDeviceGetCurrentClocksThrottleReasons(Handle, unsigned long long* reasons) {
  const char* const bits = std::getenv("TWOFOLD_FAKE_NVML_REASONS");
  *reasons = bits == nullptr ? 1 : std::strtoull(bits, nullptr, 0);
  return kSuccess;
}

Code nvmlDeviceGetName(Handle handle, char* to, unsigned size) {
  return Say(handle == &device ? "Fake GPU" : "Fake GPU MIG 1g.10gb", to, size);
}

Code nvmlDeviceGetUUID(Handle handle, char* to, unsigned size) {
  return Say(handle == &slices[0]   ? "MIG-10010203-0405-0607-0809-0a0b0c0d0e0f"
             : handle == &slices[1] ? "MIG-20010203-0405-0607-0809-0a0b0c0d0e0f"
                                    : "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f",
             to, size);
}

Code nvmlDeviceGetMaxMigDeviceCount(Handle, unsigned* count) { return *count = 7, kSuccess; }

Code nvmlDeviceGetMigDeviceHandleByIndex(Handle, unsigned index, Handle* slice) {
  if (index >= 2) return kNotFound;
  *slice = &slices[index];
  return kSuccess;
}

Code nvmlDeviceGetDeviceHandleFromMigDeviceHandle(Handle slice, Handle* whole) {
  if (slice == &device) return kNotFound;
  *whole = &device;
  return kSuccess;
}

}  // extern "C"
