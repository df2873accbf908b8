// A libcuda.so.1 for tests: a device without hardware, whose kernels a PtxMachine runs, and whose
// memory is the host's. TWOFOLD_FAKE_CUDA says what is wrong with it, words with commas between:
//
//   no_device      there is none
//   small          it has 1 MiB of memory
//   lost=N         from the N-th launch on the device is lost
//   flip=N         the N-th launch of a kernel leaves a wrong bit in the buffer of its first
//   argument old            its compute capability is 7.0
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/fakes/cuda/ptx_machine.h"

namespace {

using Code = int;
using Handle = void*;
using Machine = twofold::fakes::PtxMachine;

constexpr Code kSuccess = 0;
constexpr Code kOutOfMemory = 2;
constexpr Code kNoDevice = 100;
constexpr Code kInvalidPtx = 218;
constexpr Code kInvalidHandle = 400;
constexpr Code kNotFound = 500;
constexpr Code kLaunchFailed = 719;

struct Event {
  std::chrono::steady_clock::time_point time;
};

// The number after `word` in TWOFOLD_FAKE_CUDA; 1 if there is none, 0 without the word.
unsigned long Fault(const std::string& word) {
  const char* const text = std::getenv("TWOFOLD_FAKE_CUDA");
  const std::string faults = text == nullptr ? "" : text;
  const std::size_t at = faults.find(word);
  if (at == std::string::npos) return 0;
  const std::size_t end = at + word.size();
  return end < faults.size() && faults[end] == '=' ? std::stoul(faults.substr(end + 1)) : 1;
}

// The state of the device. Pointers to its memory are those of the host.
struct Device {
  std::map<std::uint64_t, std::unique_ptr<std::byte[]>> memory;
  std::map<std::uint64_t, std::size_t> sizes;
  std::size_t used = 0;
  unsigned long launches = 0;

  [[nodiscard]] static std::size_t capacity() {
    return std::size_t{1} << (Fault("small") != 0 ? 20U : 30U);
  }
  [[nodiscard]] bool lost() const { return Fault("lost") != 0 && launches >= Fault("lost"); }
};

Device& TheDevice() {
  static Device device;
  return device;
}

std::string Slice() {
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return visible != nullptr && std::strncmp(visible, "MIG-", 4) == 0 ? visible : "";
}

// Of "MIG-00010203-0405-0607-0809-0a0b0c0d0e0f" the bytes.
void ReadUuid(const std::string& text, std::uint8_t* bytes) {
  std::string digits;
  for (const char c : text.substr(4)) {
    if (c != '-') digits += c;
  }
  for (std::size_t i = 0; i < 16; ++i) {
    bytes[i] = static_cast<std::uint8_t>(std::stoul(digits.substr(2 * i, 2), nullptr, 16));
  }
}

}  // namespace

extern "C" {

Code cuInit(unsigned) { return Fault("no_device") != 0 ? kNoDevice : kSuccess; }

Code cuDriverGetVersion(int* version) { return *version = 12040, kSuccess; }

Code cuGetErrorName(Code code, const char** name) {
  static const std::map<Code, const char*> names = {
      {kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"},  {kNoDevice, "CUDA_ERROR_NO_DEVICE"},
      {kInvalidPtx, "CUDA_ERROR_INVALID_PTX"},     {kNotFound, "CUDA_ERROR_NOT_FOUND"},
      {kLaunchFailed, "CUDA_ERROR_LAUNCH_FAILED"}, {kInvalidHandle, "CUDA_ERROR_INVALID_HANDLE"}};
  const auto found = names.find(code);
  *name = found == names.end() ? nullptr : found->second;
  return *name == nullptr ? 1 : kSuccess;
}

Code cuDeviceGetCount(int* count) { return *count = 1, kSuccess; }
Code cuDeviceGet(int* device, int index) { return *device = index, index == 0 ? kSuccess : 101; }

Code cuDeviceGetName(char* name, int size, int) {
  std::strncpy(name, Slice().empty() ? "Fake GPU" : "Fake GPU MIG 1g.10gb",
               static_cast<std::size_t>(size));
  return kSuccess;
}

Code cuDeviceGetUuid_v2(std::uint8_t* bytes, int) {
  ReadUuid(Slice().empty() ? "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f" : Slice(), bytes);
  return kSuccess;
}

Code cuDeviceTotalMem_v2(std::size_t* bytes, int) { return *bytes = Device::capacity(), kSuccess; }

Code cuDeviceGetAttribute(int* value, int attribute, int) {
  const std::map<int, int> values = {
      {13, 1980000}, {16, 4}, {75, Fault("old") != 0 ? 7 : 9}, {76, 0}};
  const auto found = values.find(attribute);
  *value = found == values.end() ? 0 : found->second;
  return kSuccess;
}

Code cuDevicePrimaryCtxRetain(Handle* context, int) { return *context = &TheDevice(), kSuccess; }

// What is still allocated then was forgotten.
Code cuDevicePrimaryCtxRelease_v2(int) {
  if (!TheDevice().memory.empty()) std::abort();
  return kSuccess;
}

Code cuCtxSetCurrent(Handle) { return kSuccess; }

Code cuModuleLoadDataEx(Handle* module, const void* text, unsigned, const int*, void**) {
  try {
    *module = new Machine(static_cast<const char*>(text));
  } catch (const std::exception&) {
    return kInvalidPtx;
  }
  return kSuccess;
}

Code cuModuleUnload(Handle module) {
  delete static_cast<Machine*>(module);
  return kSuccess;
}

Code cuModuleGetFunction(Handle* function, Handle module, const char* name) {
  const Machine::Kernel* kernel = static_cast<Machine*>(module)->Find(name);
  *function = const_cast<Machine::Kernel*>(kernel);
  return kernel == nullptr ? kNotFound : kSuccess;
}

Code cuMemAlloc_v2(std::uint64_t* address, std::size_t bytes) {
  Device& device = TheDevice();
  if (device.used + bytes > Device::capacity()) return kOutOfMemory;
  auto memory = std::make_unique<std::byte[]>(bytes);
  *address = reinterpret_cast<std::uint64_t>(memory.get());
  device.used += bytes;
  device.sizes[*address] = bytes;
  device.memory[*address] = std::move(memory);
  return kSuccess;
}

Code cuMemFree_v2(std::uint64_t address) {
  Device& device = TheDevice();
  device.used -= device.sizes[address];
  return device.memory.erase(address) == 1 ? kSuccess : kInvalidHandle;
}

Code cuMemAllocHost_v2(void** memory, std::size_t bytes) {
  *memory = std::malloc(bytes);
  return kSuccess;
}

Code cuMemFreeHost(void* memory) { return std::free(memory), kSuccess; }

Code cuMemcpyHtoDAsync_v2(std::uint64_t to, const void* from, std::size_t bytes, Handle) {
  std::memcpy(reinterpret_cast<void*>(to), from, bytes);
  return kSuccess;
}

Code cuMemcpyDtoHAsync_v2(void* to, std::uint64_t from, std::size_t bytes, Handle) {
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return kSuccess;
}

Code cuMemcpyDtoDAsync_v2(std::uint64_t to, std::uint64_t from, std::size_t bytes, Handle) {
  std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  return kSuccess;
}

Code cuStreamCreate(Handle* stream, unsigned) { return *stream = new int(0), kSuccess; }
Code cuStreamDestroy_v2(Handle stream) { return delete static_cast<int*>(stream), kSuccess; }
Code cuEventCreate(Handle* event, unsigned) { return *event = new Event(), kSuccess; }
Code cuEventDestroy_v2(Handle event) { return delete static_cast<Event*>(event), kSuccess; }

Code cuEventRecord(Handle event, Handle) {
  static_cast<Event*>(event)->time = std::chrono::steady_clock::now();
  return kSuccess;
}

Code cuEventSynchronize(Handle) { return TheDevice().lost() ? kLaunchFailed : kSuccess; }

Code cuEventElapsedTime(float* ms, Handle from, Handle to) {
  const auto time = static_cast<Event*>(to)->time - static_cast<Event*>(from)->time;
  *ms = std::chrono::duration<float, std::milli>(time).count();
  return kSuccess;
}

Code cuLaunchKernel(Handle function, unsigned groups, unsigned, unsigned, unsigned group_size,
                    unsigned, unsigned, unsigned, Handle, void** arguments, void**) {
  Device& device = TheDevice();
  ++device.launches;
  const auto& kernel = *static_cast<const Machine::Kernel*>(function);
  std::vector<std::uint64_t> values;
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    values.push_back(*static_cast<const std::uint64_t*>(arguments[i]));
  }
  Machine::Run(kernel, groups, group_size, values);
  if (Fault("flip") == device.launches) *reinterpret_cast<std::uint8_t*>(values.at(0)) ^= 1U;
  return kSuccess;
}

}  // extern "C"
