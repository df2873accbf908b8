#include <absl/strings/str_cat.h>

#include <array>
#include <string>
#include <type_traits>
#include <utility>

#include "workloads/gpu/device.h"
#include "workloads/gpu/opencl_api.h"

namespace twofold::gpu {
namespace {

using opencl::Functions;
using opencl::Handle;
using opencl::Int;
using opencl::ToStatus;
using v1::suites::GpuDevice;

// An object of OpenCL, released with this one.
class Owned {
 public:
  using Release = Int (*)(Handle);
  Owned() = default;
  Owned(Handle handle, Release release) : handle_(handle), release_(release) {}
  Owned(Owned&& other) noexcept
      : handle_(std::exchange(other.handle_, nullptr)), release_(other.release_) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(release_, other.release_);
    return *this;
  }
  ~Owned() {
    if (handle_ != nullptr) release_(handle_);
  }
  [[nodiscard]] Handle get() const { return handle_; }

 private:
  Handle handle_ = nullptr;
  Release release_ = nullptr;
};

// What drivers say of a device: text and numbers.
class Questions {
 public:
  Questions(const Functions& cl, Handle device) : cl_(cl), device_(device) {}

  template <typename T>
  [[nodiscard]] T Number(opencl::DeviceQuery query) const {
    T value = 0;
    const Int code = cl_.GetDeviceInfo(device_, query, sizeof(value), &value, nullptr);
    return code == opencl::kSuccess ? value : T{0};
  }

  [[nodiscard]] std::string Text(opencl::DeviceQuery query) const {
    std::size_t size = 0;
    if (cl_.GetDeviceInfo(device_, query, 0, nullptr, &size) != opencl::kSuccess) return {};
    std::string text(size, '\0');
    cl_.GetDeviceInfo(device_, query, size, text.data(), nullptr);
    text.resize(text.find('\0') == std::string::npos ? size : text.find('\0'));
    return text;
  }

  // "GPU-" and the digits, as NVIDIA's tools write it.
  [[nodiscard]] std::string Uuid() const {
    std::array<std::uint8_t, 16> bytes = {};
    const Int code = cl_.GetDeviceInfo(device_, opencl::kUuid, bytes.size(), bytes.data(), nullptr);
    return code == opencl::kSuccess ? UuidText("GPU-", bytes) : std::string();
  }

 private:
  const Functions& cl_;
  const Handle device_;
};

const char* TypeName(opencl::Bits type) {
  if ((type & opencl::kTypeGpu) != 0) return "gpu";
  return (type & opencl::kTypeCpu) != 0 ? "cpu" : "accelerator";
}

GpuDevice ClDescribe(const Functions& cl, Handle device) {
  const Questions ask(cl, device);
  const std::string extensions = ask.Text(opencl::kExtensions);
  const auto has = [&](const char* name) { return extensions.find(name) != std::string::npos; };
  GpuDevice info;
  info.set_api("opencl");
  info.set_type(TypeName(ask.Number<opencl::Bits>(opencl::kType)));
  info.set_name(ask.Text(opencl::kName));
  info.set_vendor(ask.Text(opencl::kVendor));
  info.set_driver(ask.Text(opencl::kDriverVersion));
  if (has("cl_khr_device_uuid")) info.set_uuid(ask.Uuid());
  info.set_memory_bytes(ask.Number<std::uint64_t>(opencl::kMemoryBytes));
  info.set_buffer_bytes(ask.Number<std::uint64_t>(opencl::kBufferBytes));
  info.set_compute_units(ask.Number<opencl::Uint>(opencl::kComputeUnits));
  info.set_clock_mhz(ask.Number<opencl::Uint>(opencl::kClock));
  info.set_fp64(has("cl_khr_fp64"));
  info.set_fp16(has("cl_khr_fp16"));
  return info;
}

class ClBuffer final : public Buffer {
 public:
  ClBuffer(Owned memory, std::size_t bytes, std::uint64_t& allocated)
      : Buffer(bytes), memory_(std::move(memory)), allocated_(allocated) {
    allocated_ += bytes;
  }
  ~ClBuffer() override { allocated_ -= size(); }
  [[nodiscard]] Handle get() const { return memory_.get(); }

 private:
  Owned memory_;
  std::uint64_t& allocated_;
};

Handle HandleOf(const Buffer* buffer) { return static_cast<const ClBuffer*>(buffer)->get(); }

// Memory that the driver has allocated for the host, mapped for as long as it lives.
class ClPinned final : public Buffer {
 public:
  ClPinned(const Functions& cl, Handle queue, Owned memory, void* mapped, std::size_t bytes)
      : Buffer(bytes), cl_(cl), queue_(queue), memory_(std::move(memory)), mapped_(mapped) {}
  ~ClPinned() override {
    cl_.EnqueueUnmapMemObject(queue_, memory_.get(), mapped_, 0, nullptr, nullptr);
    cl_.Finish(queue_);
  }
  [[nodiscard]] void* host() const override { return mapped_; }

 private:
  const Functions& cl_;
  const Handle queue_;
  Owned memory_;
  void* const mapped_;
};

class ClEvent final : public Event {
 public:
  ClEvent(const Functions& cl, Owned first, Owned last)
      : cl_(cl), first_(std::move(first)), last_(std::move(last)) {}

  Result<Interval> Wait() override {
    const Handle last = last_.get();
    Status status = ToStatus(cl_.WaitForEvents(1, &last), "clWaitForEvents");
    Interval interval = {};
    const Handle first = first_.get() == nullptr ? last : first_.get();
    status.Update(Ask(first, opencl::kStarted, interval.start));
    status.Update(Ask(last, opencl::kEnded, interval.end));
    if (!status.ok()) return status;
    return interval;
  }

 private:
  Status Ask(Handle event, opencl::Uint what, Duration& time) const {
    std::uint64_t ns = 0;
    const Int code = cl_.GetEventProfilingInfo(event, what, sizeof(ns), &ns, nullptr);
    time = Duration(static_cast<Duration::rep>(ns));
    return ToStatus(code, "clGetEventProfilingInfo");
  }

  const Functions& cl_;
  Owned first_;  // null: it is `last_`
  Owned last_;
};

// The program of one device, and its kernels as they are asked for.
class ClKernels {
 public:
  ClKernels(const Functions& cl, Handle context, Handle device, const GpuDevice& info)
      : cl_(cl), context_(context), device_(device), info_(info) {}

  Result<Handle> Get(Kernel kernel) {
    if (Status status = CheckSupport(kernel); !status.ok()) return status;
    if (Status status = Build(); !status.ok()) return status;
    Owned& made = kernels_.at(static_cast<std::size_t>(kernel));
    if (made.get() == nullptr) {
      Int code = 0;
      made = {cl_.CreateKernel(program_.get(), std::string(NameOf(kernel)).c_str(), &code),
              cl_.ReleaseKernel};
      if (code != opencl::kSuccess) return ToStatus(code, "clCreateKernel");
    }
    return made.get();
  }

 private:
  [[nodiscard]] Status CheckSupport(Kernel kernel) const {
    const auto need = [&](bool has, const char* what) {
      if (has) return absl::OkStatus();
      return absl::FailedPreconditionError(
          absl::StrCat("precision: ", info_.name(), " has no ", what, " by OpenCL"));
    };
    if (kernel == Kernel::kFmaFp64) return need(info_.fp64(), "fp64");
    if (kernel == Kernel::kFmaFp16) return need(info_.fp16(), "fp16");
    return kernel == Kernel::kTensor ? need(false, "tensor cores") : absl::OkStatus();
  }

  Status Build() {
    if (program_.get() != nullptr) return absl::OkStatus();
    Int code = 0;
    const char* source = opencl::kSource;
    Owned program = {cl_.CreateProgramWithSource(context_, 1, &source, nullptr, &code),
                     cl_.ReleaseProgram};
    if (code != opencl::kSuccess) return ToStatus(code, "clCreateProgramWithSource");
    const std::string options = absl::StrCat("-w -cl-std=CL1.2", info_.fp64() ? " -D FP64" : "",
                                             info_.fp16() ? " -D FP16" : "");
    code = cl_.BuildProgram(program.get(), 1, &device_, options.c_str(), nullptr, nullptr);
    if (code != opencl::kSuccess) {
      return absl::InternalError(absl::StrCat(
          std::string(ToStatus(code, "clBuildProgram").message()), ": ", Log(program.get())));
    }
    program_ = std::move(program);
    return absl::OkStatus();
  }

  [[nodiscard]] std::string Log(Handle program) const {
    constexpr std::size_t kMost = 4096;
    std::string log(kMost, '\0');
    std::size_t size = 0;
    const Int code =
        cl_.GetProgramBuildInfo(program, device_, opencl::kBuildLog, log.size(), log.data(), &size);
    log.resize(code == opencl::kSuccess ? std::min(size, kMost) : 0);
    return log;
  }

  const Functions& cl_;
  const Handle context_;
  const Handle device_;
  const GpuDevice& info_;
  Owned program_;
  std::array<Owned, kKernels> kernels_;
};

class ClQueue final : public Queue {
 public:
  ClQueue(const Functions& cl, Owned queue, ClKernels& kernels)
      : cl_(cl), queue_(std::move(queue)), kernels_(kernels) {}

  Result<std::unique_ptr<Event>> Submit(const Task& task, std::uint32_t times) override {
    Handle first = nullptr;
    Handle last = nullptr;
    for (std::uint32_t n = 1; n <= times; ++n) {
      Handle* event = n == times ? &last : n == 1 ? &first : nullptr;
      Status status = std::visit([&](const auto& one) { return Enqueue(one, event); }, task);
      if (!status.ok()) return status;
    }
    auto event = std::make_unique<ClEvent>(cl_, Owned(first, cl_.ReleaseEvent),
                                           Owned(last, cl_.ReleaseEvent));
    if (Status status = ToStatus(cl_.Flush(queue_.get()), "clFlush"); !status.ok()) return status;
    return event;
  }

 private:
  Status SetArgument(Handle kernel, opencl::Uint index, const Argument& argument) const {
    const auto set = [&](const auto& value) {
      return ToStatus(cl_.SetKernelArg(kernel, index, sizeof(value), &value), "clSetKernelArg");
    };
    if (const auto* buffer = std::get_if<const Buffer*>(&argument)) return set(HandleOf(*buffer));
    if (const auto* number = std::get_if<float>(&argument)) return set(*number);
    return set(std::get<std::uint32_t>(argument));
  }

  Status Enqueue(const Launch& launch, Handle* event) {
    const Result<Handle> kernel = kernels_.Get(launch.kernel);
    if (!kernel.ok()) return kernel.status();
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
      Status status = SetArgument(*kernel, static_cast<opencl::Uint>(i), launch.arguments[i]);
      if (!status.ok()) return status;
    }
    const std::size_t items = launch.items;
    const std::size_t group = launch.group;
    return ToStatus(cl_.EnqueueNDRangeKernel(queue_.get(), *kernel, 1, nullptr, &items, &group, 0,
                                             nullptr, event),
                    "clEnqueueNDRangeKernel");
  }

  Status Enqueue(const Copy& copy, Handle* event) {
    if (copy.from->host() != nullptr) {
      const auto* from = static_cast<const std::byte*>(copy.from->host()) + copy.from_offset;
      return ToStatus(cl_.EnqueueWriteBuffer(queue_.get(), HandleOf(copy.to), opencl::kFalse,
                                             copy.to_offset, copy.bytes, from, 0, nullptr, event),
                      "clEnqueueWriteBuffer");
    }
    if (copy.to->host() != nullptr) {
      auto* to = static_cast<std::byte*>(copy.to->host()) + copy.to_offset;
      return ToStatus(cl_.EnqueueReadBuffer(queue_.get(), HandleOf(copy.from), opencl::kFalse,
                                            copy.from_offset, copy.bytes, to, 0, nullptr, event),
                      "clEnqueueReadBuffer");
    }
    return ToStatus(
        cl_.EnqueueCopyBuffer(queue_.get(), HandleOf(copy.from), HandleOf(copy.to),
                              copy.from_offset, copy.to_offset, copy.bytes, 0, nullptr, event),
        "clEnqueueCopyBuffer");
  }

  const Functions& cl_;
  Owned queue_;
  ClKernels& kernels_;
};

class ClDevice final : public Device {
 public:
  ClDevice(const Functions& cl, Handle device, Owned context, GpuDevice info)
      : cl_(cl),
        device_(device),
        context_(std::move(context)),
        info_(std::move(info)),
        kernels_(cl_, context_.get(), device_, info_) {}

  [[nodiscard]] const GpuDevice& info() const override { return info_; }

  Result<std::unique_ptr<Buffer>> Allocate(std::size_t bytes) override {
    if (Status status = CheckRoom(bytes); !status.ok()) return status;
    Result<Owned> memory = Memory(opencl::kReadWrite, bytes);
    if (!memory.ok()) return memory.status();
    return std::make_unique<ClBuffer>(*std::move(memory), bytes, allocated_);
  }

  Result<std::unique_ptr<Buffer>> AllocateHost(std::size_t bytes, HostMemory kind) override {
    if (kind == HostMemory::kPageable) return std::make_unique<PageableBuffer>(bytes);
    if (mapping_.get() == nullptr) {
      Result<Owned> queue = MakeClQueue();
      if (!queue.ok()) return queue.status();
      mapping_ = *std::move(queue);
    }
    Result<Owned> memory = Memory(opencl::kReadWrite | opencl::kAllocHostPointer, bytes);
    if (!memory.ok()) return memory.status();
    Int code = 0;
    void* mapped =
        cl_.EnqueueMapBuffer(mapping_.get(), memory->get(), opencl::kTrue, opencl::kMapReadWrite, 0,
                             bytes, 0, nullptr, nullptr, &code);
    if (code != opencl::kSuccess) return ToStatus(code, "clEnqueueMapBuffer");
    return std::make_unique<ClPinned>(cl_, mapping_.get(), *std::move(memory), mapped, bytes);
  }

  Result<std::unique_ptr<Queue>> MakeQueue() override {
    Result<Owned> queue = MakeClQueue();
    if (!queue.ok()) return queue.status();
    return std::make_unique<ClQueue>(cl_, *std::move(queue), kernels_);
  }

 private:
  // Drivers of CPUs promise more than there is, and the kernel then ends the program.
  [[nodiscard]] Status CheckRoom(std::size_t bytes) const {
    if (bytes > info_.buffer_bytes()) {
      return absl::ResourceExhaustedError(absl::StrCat("out of memory: a buffer of ", bytes,
                                                       " bytes; the device gives ",
                                                       info_.buffer_bytes(), " at most"));
    }
    if (allocated_ + bytes <= info_.memory_bytes()) return absl::OkStatus();
    return absl::ResourceExhaustedError(absl::StrCat(
        "out of memory: ", allocated_ + bytes, " bytes; the device has ", info_.memory_bytes()));
  }

  [[nodiscard]] Result<Owned> Memory(opencl::Bits flags, std::size_t bytes) const {
    Int code = 0;
    Owned memory(cl_.CreateBuffer(context_.get(), flags, bytes, nullptr, &code),
                 cl_.ReleaseMemObject);
    if (code != opencl::kSuccess) return ToStatus(code, "clCreateBuffer");
    return memory;
  }

  [[nodiscard]] Result<Owned> MakeClQueue() const {
    Int code = 0;
    Owned queue(cl_.CreateCommandQueue(context_.get(), device_, opencl::kProfiling, &code),
                cl_.ReleaseCommandQueue);
    if (code != opencl::kSuccess) return ToStatus(code, "clCreateCommandQueue");
    return queue;
  }

  const Functions& cl_;
  const Handle device_;
  Owned context_;
  const GpuDevice info_;
  ClKernels kernels_;
  Owned mapping_;
  std::uint64_t allocated_ = 0;
};

class ClDriver final : public Driver {
 public:
  explicit ClDriver(const Functions& cl) : cl_(cl) {}

  Result<std::vector<GpuDevice>> List() override {
    if (Status status = Find(); !status.ok()) return status;
    std::vector<GpuDevice> all;
    for (const Handle device : devices_) {
      all.push_back(ClDescribe(cl_, device));
      all.back().set_index(static_cast<std::uint32_t>(all.size() - 1));
    }
    return all;
  }

  Result<std::unique_ptr<Device>> Open(std::uint32_t index, Waiting) override {
    if (Status status = Find(); !status.ok()) return status;
    if (index >= devices_.size()) return absl::NotFoundError("no such OpenCL device");
    const Handle device = devices_[index];
    Int code = 0;
    Owned context(cl_.CreateContext(nullptr, 1, &device, nullptr, nullptr, &code),
                  cl_.ReleaseContext);
    if (code != opencl::kSuccess) return ToStatus(code, "clCreateContext");
    return std::make_unique<ClDevice>(cl_, device, std::move(context), ClDescribe(cl_, device));
  }

 private:
  static constexpr opencl::Uint kMost = 256;  // platforms, and devices of each

  Status Find() {
    if (!devices_.empty()) return absl::OkStatus();
    std::array<Handle, kMost> platforms = {};
    opencl::Uint count = 0;
    const Int code = cl_.GetPlatformIDs(kMost, platforms.data(), &count);
    if (code != opencl::kSuccess) return ToStatus(code, "clGetPlatformIDs");
    for (opencl::Uint i = 0; i < std::min(count, kMost); ++i) AddDevices(platforms.at(i));
    return absl::OkStatus();
  }

  // A platform without devices is not an error: its driver is installed, its hardware elsewhere.
  void AddDevices(Handle platform) {
    std::array<Handle, kMost> devices = {};
    opencl::Uint count = 0;
    const Int code = cl_.GetDeviceIDs(platform, opencl::kTypeAll, kMost, devices.data(), &count);
    if (code != opencl::kSuccess) return;
    for (opencl::Uint i = 0; i < std::min(count, kMost); ++i) {
      const Questions ask(cl_, devices.at(i));
      if (ask.Number<opencl::Uint>(opencl::kAvailable) != 0) devices_.push_back(devices.at(i));
    }
  }

  const Functions cl_;
  std::vector<Handle> devices_;
};

}  // namespace

Result<std::unique_ptr<Driver>> LoadOpenCl() {
  const Result<Functions> cl = opencl::LoadFunctions();
  if (!cl.ok()) return cl.status();
  return std::make_unique<ClDriver>(*cl);
}

}  // namespace twofold::gpu
