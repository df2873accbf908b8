#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "suites/gpu/report.pb.h"

/// A device as the work of twofold-gpu sees it: memory, kernels, queues and the times of what ran
/// in them. Implemented over OpenCL (opencl.cc) and CUDA's driver API (cuda.cc), whose libraries
/// are loaded when the program runs.
///
/// Threads  One thread uses a device and all that it has made.
/// Errors   kNotFound: no such device or library. kFailedPrecondition: the device cannot do that.
///          kResourceExhausted: out of memory. kUnavailable: the device was lost. kInternal: any
///          other error of the driver, by its name.
namespace twofold::gpu {

/// The kernels, which both implementations have under these names and with these arguments.
///
///   fma_*  (out, loops, a, b)    8 chains of x = a * x + b for each item; out: their sum. Loops
///                                are a multiple of 16. An item of fp16 does what two others do
///   tensor (out, loops, a, b)    8 chains of 16x8x16 products for each 32 items
///   read   (source, sums, walk)  the sum of an item's words
///   write  (to, first, walk)     word w of `to` = first + w
///   copy   (to, from, walk)
///   triad  (to, a, b, s, walk)   to = a + s * b, of fp32
///   empty  ()
///
/// A walk is (begin, stride, each, count): item i visits the elements i * begin + n * stride for n
/// below `each`, of `count` elements of 16 bytes.
enum class Kernel : std::uint8_t {
  kFmaFp64,
  kFmaFp32,
  kFmaFp16,
  kTensor,
  kRead,
  kWrite,
  kCopy,
  kTriad,
  kEmpty,
};
inline constexpr std::string_view kKernelNames[] = {
    "fma_fp64", "fma_fp32", "fma_fp16", "tensor", "read", "write", "copy", "triad", "empty"};
inline constexpr int kChains = 8;
inline constexpr std::size_t kKernels = std::size(kKernelNames);

constexpr std::string_view NameOf(Kernel kernel) {
  return kKernelNames[static_cast<std::size_t>(kernel)];
}

/// Memory of the device, or of the host; freed with the object, which must not outlive the device.
class Buffer {
 public:
  explicit Buffer(std::size_t size) : size_(size) {}
  virtual ~Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  [[nodiscard]] std::size_t size() const { return size_; }
  /// Where the host reads and writes it; null: memory of the device.
  [[nodiscard]] virtual void* host() const { return nullptr; }

 private:
  const std::size_t size_;
};

using Argument = std::variant<const Buffer*, std::uint32_t, float>;

/// A kernel over `items` items, a multiple of `group`.
struct Launch {
  Kernel kernel = Kernel::kEmpty;
  std::uint64_t items = 1;
  std::uint32_t group = 1;
  std::vector<Argument> arguments = {};
};

/// A copy of `bytes` between two buffers, of which at least one is the device's.
struct Copy {
  const Buffer* to = nullptr;
  const Buffer* from = nullptr;
  std::size_t bytes = 0;
  std::size_t to_offset = 0;
  std::size_t from_offset = 0;
};

using Task = std::variant<Launch, Copy>;

/// When something ran, by the device's clock, from an origin that all queues of a device share.
struct Interval {
  Duration start;
  Duration end;
};

/// Something that was submitted.
class Event {
 public:
  Event() = default;
  virtual ~Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  /// Waits until it has ended. Call it once, in the order of submission of its queue.
  virtual Result<Interval> Wait() = 0;
};

/// What is submitted to a queue runs in that order; queues run side by side if the device can.
class Queue {
 public:
  Queue() = default;
  virtual ~Queue() = default;
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  /// Submits `task`, `times` times in a row; the event spans them all. Buffers must live until the
  /// event has been waited for. The kernel is compiled at its first use.
  virtual Result<std::unique_ptr<Event>> Submit(const Task& task, std::uint32_t times) = 0;
};

enum class HostMemory : std::uint8_t { kPinned, kPageable };

class Device {
 public:
  Device() = default;
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  [[nodiscard]] virtual const v1::suites::GpuDevice& info() const = 0;
  virtual Result<std::unique_ptr<Buffer>> Allocate(std::size_t bytes) = 0;
  virtual Result<std::unique_ptr<Buffer>> AllocateHost(std::size_t bytes, HostMemory kind) = 0;
  virtual Result<std::unique_ptr<Queue>> MakeQueue() = 0;
};

/// How the host waits for events: asleep, or busy, which is some microseconds faster.
enum class Waiting : std::uint8_t { kAsleep, kBusy };

/// A library of a vendor, loaded, and the devices that it knows.
class Driver {
 public:
  Driver() = default;
  virtual ~Driver() = default;
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  /// `index` of each is its place in this list.
  virtual Result<std::vector<v1::suites::GpuDevice>> List() = 0;
  virtual Result<std::unique_ptr<Device>> Open(std::uint32_t index, Waiting waiting) = 0;
};

/// Loads libcuda.so.1 or libOpenCL.so.1.
/// Errors   kNotFound: it is not there, or not what it should be.
Result<std::unique_ptr<Driver>> LoadCuda();
Result<std::unique_ptr<Driver>> LoadOpenCl();

/// "GPU-" and 16 bytes as 8-4-4-4-12 digits, as NVIDIA's tools write a UUID.
std::string UuidText(std::string_view prefix, const std::array<std::uint8_t, 16>& bytes);

/// Host memory as malloc gives it.
class PageableBuffer final : public Buffer {
 public:
  explicit PageableBuffer(std::size_t bytes)
      : Buffer(bytes), memory_(std::make_unique<std::byte[]>(bytes)) {}
  [[nodiscard]] void* host() const override { return memory_.get(); }

 private:
  std::unique_ptr<std::byte[]> memory_;
};

}  // namespace twofold::gpu
