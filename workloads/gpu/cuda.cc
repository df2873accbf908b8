#include <absl/strings/str_cat.h>

#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <utility>

#include "workloads/gpu/cuda_api.h"
#include "workloads/gpu/device.h"
#include "workloads/gpu/ptx.h"

namespace twofold::gpu {
namespace {

using cuda::Functions;
using cuda::Handle;
using cuda::ToStatus;
using v1::suites::GpuDevice;

constexpr double kNanosecondsInMillisecond = 1e6;

class CudaBuffer final : public Buffer {
 public:
  CudaBuffer(const Functions& cuda, cuda::Pointer address, std::size_t bytes)
      : Buffer(bytes), cuda_(cuda), address_(address) {}
  ~CudaBuffer() override { cuda_.MemFree_v2(address_); }
  [[nodiscard]] cuda::Pointer address() const { return address_; }

 private:
  const Functions& cuda_;
  const cuda::Pointer address_;
};

cuda::Pointer AddressOf(const Buffer* buffer) {
  return static_cast<const CudaBuffer*>(buffer)->address();
}

class CudaPinned final : public Buffer {
 public:
  CudaPinned(const Functions& cuda, void* memory, std::size_t bytes)
      : Buffer(bytes), cuda_(cuda), memory_(memory) {}
  ~CudaPinned() override { cuda_.MemFreeHost(memory_); }
  [[nodiscard]] void* host() const override { return memory_; }

 private:
  const Functions& cuda_;
  void* const memory_;
};

// A mark in a stream.
class Mark {
 public:
  Mark(const Functions& cuda, Handle event) : cuda_(cuda), event_(event) {}
  ~Mark() { cuda_.EventDestroy_v2(event_); }
  Mark(const Mark&) = delete;
  Mark& operator=(const Mark&) = delete;
  [[nodiscard]] Handle get() const { return event_; }

 private:
  const Functions& cuda_;
  const Handle event_;
};

// CUDA tells how far two marks are apart, as a float of milliseconds: over an hour that is exact to
// a quarter of a second only. So each time is measured from the mark that was read before it.
class CudaClock {
 public:
  CudaClock(const Functions& cuda, Waiting waiting) : cuda_(cuda), waiting_(waiting) {}

  Result<std::shared_ptr<Mark>> Record(Handle stream) const {
    Handle event = nullptr;
    const unsigned flags = waiting_ == Waiting::kAsleep ? cuda::kBlockingSync : 0;
    Status status = ToStatus(cuda_, cuda_.EventCreate(&event, flags), "cuEventCreate");
    if (!status.ok()) return status;
    auto mark = std::make_shared<Mark>(cuda_, event);
    status = ToStatus(cuda_, cuda_.EventRecord(event, stream), "cuEventRecord");
    if (!status.ok()) return status;
    return mark;
  }

  /// The origin of all times, unless there is one.
  Status Start(Handle stream) {
    if (before_ != nullptr) return absl::OkStatus();
    Result<std::shared_ptr<Mark>> mark = Record(stream);
    if (!mark.ok()) return mark.status();
    before_ = *std::move(mark);
    return absl::OkStatus();
  }

  Result<Interval> Read(const Mark& start, const std::shared_ptr<Mark>& end) {
    Status status = ToStatus(cuda_, cuda_.EventSynchronize(end->get()), "cuEventSynchronize");
    float since = 0;
    float lasted = 0;
    status.Update(Elapsed(*before_, start, since));
    status.Update(Elapsed(start, *end, lasted));
    if (!status.ok()) return status;
    const double begin_ns = before_ns_ + since * kNanosecondsInMillisecond;
    const double end_ns = begin_ns + lasted * kNanosecondsInMillisecond;
    before_ = end;
    before_ns_ = end_ns;
    return Interval{Duration(std::llround(begin_ns)), Duration(std::llround(end_ns))};
  }

 private:
  Status Elapsed(const Mark& from, const Mark& to, float& ms) const {
    return ToStatus(cuda_, cuda_.EventElapsedTime(&ms, from.get(), to.get()), "cuEventElapsedTime");
  }

  const Functions& cuda_;
  const Waiting waiting_;
  std::shared_ptr<Mark> before_;
  double before_ns_ = 0;
};

class CudaEvent final : public Event {
 public:
  CudaEvent(CudaClock& clock, std::shared_ptr<Mark> start, std::shared_ptr<Mark> end)
      : clock_(clock), start_(std::move(start)), end_(std::move(end)) {}
  Result<Interval> Wait() override { return clock_.Read(*start_, end_); }

 private:
  CudaClock& clock_;
  const std::shared_ptr<Mark> start_;
  const std::shared_ptr<Mark> end_;
};

// The kernels of a device, loaded as they are asked for.
class CudaKernels {
 public:
  CudaKernels(const Functions& cuda, std::uint32_t capability, std::string device)
      : cuda_(cuda), capability_(capability), device_(std::move(device)) {}
  ~CudaKernels() {
    for (const auto& [least, module] : modules_) cuda_.ModuleUnload(module);
  }
  CudaKernels(const CudaKernels&) = delete;
  CudaKernels& operator=(const CudaKernels&) = delete;

  Result<Handle> Get(Kernel kernel) {
    Handle& function = functions_.at(static_cast<std::size_t>(kernel));
    if (function != nullptr) return function;
    const PtxModule ptx = ModuleOf(kernel);
    if (capability_ < ptx.least_capability) {
      return absl::FailedPreconditionError(
          absl::StrCat("precision: ", device_, " has compute capability ", capability_ / 10, ".",
                       capability_ % 10, "; ", std::string(NameOf(kernel)), " needs ",
                       ptx.least_capability / 10, ".", ptx.least_capability % 10));
    }
    const Result<Handle> module = Load(ptx);
    if (!module.ok()) return module.status();
    const std::string name(NameOf(kernel));
    Status status = ToStatus(cuda_, cuda_.ModuleGetFunction(&function, *module, name.c_str()),
                             "cuModuleGetFunction");
    if (!status.ok()) return status;
    return function;
  }

 private:
  Result<Handle> Load(const PtxModule& ptx) {
    Handle& module = modules_[ptx.least_capability];
    if (module != nullptr) return module;
    Status status =
        ToStatus(cuda_, cuda_.ModuleLoadDataEx(&module, ptx.text.c_str(), 0, nullptr, nullptr),
                 "cuModuleLoadDataEx");
    if (status.ok()) return module;
    modules_.erase(ptx.least_capability);
    return status;
  }

  const Functions& cuda_;
  const std::uint32_t capability_;
  const std::string device_;
  std::map<std::uint32_t, Handle> modules_;
  std::array<Handle, kKernels> functions_ = {};
};

class CudaQueue final : public Queue {
 public:
  CudaQueue(const Functions& cuda, Handle stream, CudaKernels& kernels, CudaClock& clock)
      : cuda_(cuda), stream_(stream), kernels_(kernels), clock_(clock) {}
  ~CudaQueue() override { cuda_.StreamDestroy_v2(stream_); }

  Result<std::unique_ptr<Event>> Submit(const Task& task, std::uint32_t times) override {
    if (Status status = Prepare(task); !status.ok()) return status;
    if (Status status = clock_.Start(stream_); !status.ok()) return status;
    auto start = clock_.Record(stream_);
    if (!start.ok()) return start.status();
    for (std::uint32_t n = 0; n < times; ++n) {
      Status status = std::visit([&](const auto& one) { return Enqueue(one); }, task);
      if (!status.ok()) return status;
    }
    auto end = clock_.Record(stream_);
    if (!end.ok()) return end.status();
    return std::make_unique<CudaEvent>(clock_, *std::move(start), *std::move(end));
  }

 private:
  // Loading a kernel is no part of the first one's time.
  Status Prepare(const Task& task) {
    const auto* launch = std::get_if<Launch>(&task);
    return launch == nullptr ? absl::OkStatus() : kernels_.Get(launch->kernel).status();
  }

  Status Enqueue(const Launch& launch) {
    const Result<Handle> kernel = kernels_.Get(launch.kernel);
    if (!kernel.ok()) return kernel.status();
    std::array<std::uint64_t, kMostArguments> values = {};
    std::array<void*, kMostArguments> addresses = {};
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
      addresses.at(i) = &values.at(i);
      Put(launch.arguments[i], &values.at(i));
    }
    const auto groups = static_cast<unsigned>(launch.items / launch.group);
    return ToStatus(cuda_,
                    cuda_.LaunchKernel(*kernel, groups, 1, 1, launch.group, 1, 1, 0, stream_,
                                       addresses.data(), nullptr),
                    "cuLaunchKernel");
  }

  static void Put(const Argument& argument, void* to) {
    const auto put = [to](auto value) { std::memcpy(to, &value, sizeof(value)); };
    if (const auto* buffer = std::get_if<const Buffer*>(&argument)) return put(AddressOf(*buffer));
    if (const auto* number = std::get_if<float>(&argument)) return put(*number);
    put(std::get<std::uint32_t>(argument));
  }

  Status Enqueue(const Copy& copy) {
    if (copy.from->host() != nullptr) {
      const auto* from = static_cast<const std::byte*>(copy.from->host()) + copy.from_offset;
      return ToStatus(
          cuda_,
          cuda_.MemcpyHtoDAsync_v2(AddressOf(copy.to) + copy.to_offset, from, copy.bytes, stream_),
          "cuMemcpyHtoDAsync");
    }
    const cuda::Pointer from = AddressOf(copy.from) + copy.from_offset;
    if (copy.to->host() != nullptr) {
      auto* to = static_cast<std::byte*>(copy.to->host()) + copy.to_offset;
      return ToStatus(cuda_, cuda_.MemcpyDtoHAsync_v2(to, from, copy.bytes, stream_),
                      "cuMemcpyDtoHAsync");
    }
    return ToStatus(
        cuda_,
        cuda_.MemcpyDtoDAsync_v2(AddressOf(copy.to) + copy.to_offset, from, copy.bytes, stream_),
        "cuMemcpyDtoDAsync");
  }

  static constexpr std::size_t kMostArguments = 8;

  const Functions& cuda_;
  const Handle stream_;
  CudaKernels& kernels_;
  CudaClock& clock_;
};

std::uint32_t CapabilityOf(const Functions& cuda, cuda::DeviceNumber device) {
  int major = 0;
  int minor = 0;
  cuda.DeviceGetAttribute(&major, cuda::kMajor, device);
  cuda.DeviceGetAttribute(&minor, cuda::kMinor, device);
  return static_cast<std::uint32_t>(10 * major + minor);
}

GpuDevice CudaDescribe(const Functions& cuda, cuda::DeviceNumber device) {
  constexpr std::uint32_t kTensorCapability = 80;
  const auto attribute = [&](cuda::Attribute which) {
    int value = 0;
    cuda.DeviceGetAttribute(&value, which, device);
    return static_cast<std::uint32_t>(value);
  };
  GpuDevice info;
  info.set_api("cuda");
  info.set_vendor("NVIDIA");
  std::array<char, 256> name = {};
  cuda.DeviceGetName(name.data(), name.size() - 1, device);
  info.set_name(name.data());
  const bool slice = info.name().find("MIG") != std::string::npos;
  info.set_type(slice ? "mig" : "gpu");
  std::array<std::uint8_t, 16> uuid = {};
  if (cuda.DeviceGetUuid_v2(&uuid, device) == cuda::kSuccess) {
    info.set_uuid(UuidText(slice ? "MIG-" : "GPU-", uuid));
  }
  std::size_t memory = 0;
  cuda.DeviceTotalMem_v2(&memory, device);
  info.set_memory_bytes(memory);
  info.set_buffer_bytes(memory);
  info.set_compute_units(attribute(cuda::kMultiprocessors));
  info.set_clock_mhz(attribute(cuda::kClockKhz) / 1000);
  int version = 0;
  cuda.DriverGetVersion(&version);
  info.set_driver(absl::StrCat("CUDA ", version / 1000, ".", version % 1000 / 10));
  info.set_fp64(true);
  info.set_fp16(true);
  info.set_tensor(CapabilityOf(cuda, device) >= kTensorCapability);
  return info;
}

class CudaDevice final : public Device {
 public:
  CudaDevice(const Functions& cuda, cuda::DeviceNumber device, Waiting waiting)
      : cuda_(cuda),
        device_(device),
        info_(CudaDescribe(cuda, device)),
        kernels_(std::make_unique<CudaKernels>(cuda_, CapabilityOf(cuda, device), info_.name())),
        clock_(std::make_unique<CudaClock>(cuda_, waiting)) {}
  // After the modules and marks, which live in it.
  ~CudaDevice() override {
    clock_.reset();
    kernels_.reset();
    cuda_.DevicePrimaryCtxRelease_v2(device_);
  }

  [[nodiscard]] const GpuDevice& info() const override { return info_; }

  Result<std::unique_ptr<Buffer>> Allocate(std::size_t bytes) override {
    cuda::Pointer address = 0;
    Status status = ToStatus(cuda_, cuda_.MemAlloc_v2(&address, bytes), "cuMemAlloc");
    if (!status.ok()) return Named(status, bytes);
    return std::make_unique<CudaBuffer>(cuda_, address, bytes);
  }

  Result<std::unique_ptr<Buffer>> AllocateHost(std::size_t bytes, HostMemory kind) override {
    if (kind == HostMemory::kPageable) return std::make_unique<PageableBuffer>(bytes);
    void* memory = nullptr;
    Status status = ToStatus(cuda_, cuda_.MemAllocHost_v2(&memory, bytes), "cuMemAllocHost");
    if (!status.ok()) return Named(status, bytes);
    return std::make_unique<CudaPinned>(cuda_, memory, bytes);
  }

  Result<std::unique_ptr<Queue>> MakeQueue() override {
    Handle stream = nullptr;
    Status status =
        ToStatus(cuda_, cuda_.StreamCreate(&stream, cuda::kNonBlocking), "cuStreamCreate");
    if (!status.ok()) return status;
    return std::make_unique<CudaQueue>(cuda_, stream, *kernels_, *clock_);
  }

 private:
  static Status Named(const Status& status, std::size_t bytes) {
    return {status.code(), absl::StrCat(std::string(status.message()), ", ", bytes, " bytes")};
  }

  const Functions& cuda_;
  const cuda::DeviceNumber device_;
  const GpuDevice info_;
  std::unique_ptr<CudaKernels> kernels_;
  std::unique_ptr<CudaClock> clock_;
};

class CudaDriver final : public Driver {
 public:
  explicit CudaDriver(const Functions& cuda) : cuda_(cuda) {}

  Result<std::vector<GpuDevice>> List() override {
    int count = 0;
    Status status = ToStatus(cuda_, cuda_.Init(0), "cuInit");
    if (status.ok()) status = ToStatus(cuda_, cuda_.DeviceGetCount(&count), "cuDeviceGetCount");
    if (!status.ok()) return status;
    std::vector<GpuDevice> all;
    for (int i = 0; i < count; ++i) {
      cuda::DeviceNumber device = 0;
      status = ToStatus(cuda_, cuda_.DeviceGet(&device, i), "cuDeviceGet");
      if (!status.ok()) return status;
      all.push_back(CudaDescribe(cuda_, device));
      all.back().set_index(static_cast<std::uint32_t>(i));
    }
    return all;
  }

  Result<std::unique_ptr<Device>> Open(std::uint32_t index, Waiting waiting) override {
    cuda::DeviceNumber device = 0;
    Handle context = nullptr;
    Status status = ToStatus(cuda_, cuda_.Init(0), "cuInit");
    if (status.ok()) {
      status = ToStatus(cuda_, cuda_.DeviceGet(&device, static_cast<int>(index)), "cuDeviceGet");
    }
    if (status.ok()) {
      status = ToStatus(cuda_, cuda_.DevicePrimaryCtxRetain(&context, device),
                        "cuDevicePrimaryCtxRetain");
    }
    if (status.ok()) status = ToStatus(cuda_, cuda_.CtxSetCurrent(context), "cuCtxSetCurrent");
    if (!status.ok()) return status;
    return std::make_unique<CudaDevice>(cuda_, device, waiting);
  }

 private:
  const Functions cuda_;
};

}  // namespace

Result<std::unique_ptr<Driver>> LoadCuda() {
  const Result<Functions> cuda = cuda::LoadFunctions();
  if (!cuda.ok()) return cuda.status();
  return std::make_unique<CudaDriver>(*cuda);
}

}  // namespace twofold::gpu
