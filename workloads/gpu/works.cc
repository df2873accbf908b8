#include "workloads/gpu/works.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "workloads/gpu/reference.h"

namespace twofold::gpu {
namespace {

using v1::suites::GpuPart;
using v1::suites::GpuSpec;
using Memory = std::unique_ptr<Buffer>;

constexpr std::uint64_t kElement = 16;  // bytes that walks load and store at once
constexpr std::uint32_t kGroup = 256;   // items that run together on a GPU
constexpr std::uint32_t kCpuGroup = 64;
constexpr std::size_t kChunk = std::size_t{4} << 20U;  // what is filled and compared at once

bool IsCpu(const Device& device) { return device.info().type() == "cpu"; }

std::uint64_t RoundUp(std::uint64_t value, std::uint64_t step) {
  return (value + step - 1) / step * step;
}

Status Run(Queue& queue, const Task& task) {
  auto event = queue.Submit(task, 1);
  return event.ok() ? (*event)->Wait().status() : event.status();
}

// Fills a buffer of the device with value(0), value(1), ...
template <typename T, typename Value>
Status Fill(Queue& queue, const Buffer& buffer, Value value) {
  PageableBuffer chunk(std::min(kChunk, buffer.size()));
  auto* values = static_cast<T*>(chunk.host());
  for (std::size_t at = 0; at < buffer.size(); at += chunk.size()) {
    const std::size_t bytes = std::min(chunk.size(), buffer.size() - at);
    const std::uint64_t first = at / sizeof(T);
    for (std::size_t i = 0; i < bytes / sizeof(T); ++i) values[i] = value(first + i);
    Status status = Run(queue, Copy{&buffer, &chunk, bytes, at, 0});
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// Counts and remembers differences between values of the device and those of the host.
class Comparison {
 public:
  template <typename T>
  void Compare(std::uint64_t index, T is, T should) {
    ++compared_;
    if (is == should) return;
    if (wrong_++ == 0) {
      first_ = absl::StrCat("value ", index, " is ", is, ", not ", should);
    }
  }

  [[nodiscard]] Result<std::uint64_t> Verdict(std::string_view kernel) const {
    if (wrong_ == 0) return compared_;
    return absl::DataLossError(absl::StrCat("wrong result of ", std::string(kernel), ": ", first_,
                                            "; ", wrong_, " of ", compared_, " are wrong"));
  }

 private:
  std::uint64_t compared_ = 0;
  std::uint64_t wrong_ = 0;
  std::string first_;
};

// Compares `count` values of a buffer with should(0), should(1), ..., as `read` makes them of T.
template <typename T, typename Should, typename Read>
Status Compare(Queue& queue, const Buffer& buffer, std::uint64_t count, Should should, Read read,
               Comparison& comparison) {
  PageableBuffer chunk(std::min(kChunk, buffer.size()));
  const Buffer* from = &buffer;
  const std::uint64_t bytes = count * sizeof(T);
  for (std::size_t at = 0; at < bytes; at += chunk.size()) {
    const std::size_t part = std::min(chunk.size(), bytes - at);
    const T* values = reinterpret_cast<const T*>(static_cast<const std::byte*>(chunk.host()));
    if (from->host() != nullptr) {
      values = reinterpret_cast<const T*>(static_cast<const std::byte*>(from->host()) + at);
    } else if (Status status = Run(queue, Copy{&chunk, from, part, 0, at}); !status.ok()) {
      return status;
    }
    const std::uint64_t first = at / sizeof(T);
    for (std::size_t i = 0; i < part / sizeof(T); ++i) {
      comparison.Compare(first + i, read(values[i]), should(first + i));
    }
  }
  return absl::OkStatus();
}

template <typename T, typename Should>
Status Compare(Queue& queue, const Buffer& buffer, std::uint64_t count, Should should,
               Comparison& comparison) {
  return Compare<T>(
      queue, buffer, count, should, [](T value) { return value; }, comparison);
}

// Allocates buffers, and remembers the first error.
class Allocator {
 public:
  explicit Allocator(Device& device) : device_(device) {}

  Memory Get(std::uint64_t bytes) { return Keep(device_.Allocate(bytes)); }
  Memory GetHost(std::uint64_t bytes, HostMemory kind) {
    return Keep(device_.AllocateHost(bytes, kind));
  }
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  Memory Keep(Result<Memory> memory) {
    if (memory.ok()) return *std::move(memory);
    status_.Update(memory.status());
    return nullptr;
  }

  Device& device_;
  Status status_;
};

// Multiply and add without memory.
class Compute final : public Work {
 public:
  Compute(const GpuSpec& spec, const Device& device)
      : precision_(spec.precision()), shape_(ShapeOf(precision_)) {
    group_ = IsCpu(device) ? kCpuGroup : kGroup;
    const double all = spec.gflop() * 1e9 / shape_.flop;
    const double rounds = std::ceil(all / kLoops / kMostItems);
    loops_ = kLoops * static_cast<std::uint32_t>(std::max(rounds, 1.0));
    items_ = RoundUp(static_cast<std::uint64_t>(std::ceil(all / loops_)), group_);
  }

  Status Prepare(std::uint32_t streams, Device& device) {
    Allocator memory(device);
    for (std::uint32_t i = 0; i < streams; ++i) out_.push_back(memory.Get(items_ * shape_.bytes));
    return memory.status();
  }

  [[nodiscard]] Task TaskOf(std::size_t stream) const override {
    return Launch{shape_.kernel, items_, group_, {out_[stream].get(), loops_, shape_.a, shape_.b}};
  }

  Result<std::uint64_t> Check(Queue& queue) override {
    Comparison comparison;
    for (const Memory& out : out_) {
      if (Status status = CheckOne(queue, *out, comparison); !status.ok()) return status;
    }
    return comparison.Verdict(NameOf(shape_.kernel));
  }

  void Describe(GpuPart& part) const override {
    part.set_work("compute");
    part.set_precision(precision_);
    part.set_flop(static_cast<double>(items_) * loops_ * shape_.flop);
  }

 private:
  static constexpr std::uint32_t kLoops = 1024;
  static constexpr double kMostItems = 1U << 24U;

  // What an item does, and what it leaves.
  struct Shape {
    std::string_view precision;
    Kernel kernel;
    double flop;  // a loop
    std::uint64_t bytes;
    float a;
    float b;
  };

  static const Shape& ShapeOf(const std::string& precision) {
    constexpr float kA = -(1.0F - 0x1p-9F);  // values stay apart for a thousand loops
    constexpr float kB = 0.25F;
    constexpr float kTensor = 0x1p-9F;  // sums of products stay exact
    static constexpr Shape kShapes[] = {{"fp64", Kernel::kFmaFp64, 16, 8, kA, kB},
                                        {"fp32", Kernel::kFmaFp32, 16, 4, kA, kB},
                                        {"fp16", Kernel::kFmaFp16, 32, 4, kA, kB},
                                        {"tensor", Kernel::kTensor, 1024, 16, kTensor, kTensor}};
    return *std::find_if(std::begin(kShapes), std::end(kShapes) - 1,
                         [&](const Shape& shape) { return shape.precision == precision; });
  }

  Status CheckOne(Queue& queue, const Buffer& out, Comparison& comparison) const {
    if (shape_.kernel == Kernel::kTensor) {
      return Compare<float>(
          queue, out, 4 * items_,
          [this](std::uint64_t i) {
            return TensorResult(i / 4, i % 4, loops_, shape_.a, shape_.b);
          },
          comparison);
    }
    if (!reference_) reference_ = FmaResults(shape_.kernel, loops_, shape_.a, shape_.b);
    const auto should = [this](std::uint64_t i) { return reference_->at(i % kLanes); };
    const auto wide = [](auto value) { return static_cast<double>(value); };
    if (shape_.kernel == Kernel::kFmaFp64) {
      return Compare<double>(queue, out, items_, should, wide, comparison);
    }
    if (shape_.kernel == Kernel::kFmaFp32) {
      return Compare<float>(queue, out, items_, should, wide, comparison);
    }
    return Compare<std::uint16_t>(queue, out, 2 * items_, should, &HalfValue, comparison);
  }

  const std::string precision_;
  const Shape& shape_;
  std::uint32_t group_;
  std::uint32_t loops_;
  std::uint64_t items_;
  std::vector<Memory> out_;
  mutable std::optional<std::array<double, kLanes>> reference_;
};

// Reads and writes the device's memory.
class MemoryWork final : public Work {
 public:
  MemoryWork(const GpuSpec& spec, std::uint64_t size, const Device& device)
      : pattern_(spec.pattern()), size_(size) {
    const std::uint64_t count = size / kElement;
    walk_.count = static_cast<std::uint32_t>(count);
    if (IsCpu(device)) {
      // Each core goes through a part of its own.
      constexpr std::uint64_t kParts = 8;
      items_ = std::min<std::uint64_t>(count, kParts * device.info().compute_units());
      walk_.each = static_cast<std::uint32_t>((count + items_ - 1) / items_);
      walk_.begin = walk_.each;
      group_ = 1;
    } else {
      // Neighbours read neighbours.
      walk_.each = pattern_ == "read" ? 16 : 4;
      items_ = RoundUp((count + walk_.each - 1) / walk_.each, kGroup);
      walk_.stride = static_cast<std::uint32_t>(items_);
      group_ = kGroup;
    }
  }

  Status Prepare(std::uint32_t streams, Device& device, Queue& queue) {
    Allocator memory(device);
    for (std::uint32_t i = 0; i < streams; ++i) {
      to_.push_back(memory.Get(pattern_ == "read" ? items_ * kWord : size_));
      if (pattern_ != "write") a_.push_back(memory.Get(size_));
      if (pattern_ == "triad") b_.push_back(memory.Get(size_));
    }
    return memory.status().ok() ? FillAll(queue) : memory.status();
  }

  [[nodiscard]] Task TaskOf(std::size_t stream) const override {
    const Buffer* to = to_[stream].get();
    const Buffer* a = a_.empty() ? nullptr : a_[stream].get();
    if (pattern_ == "read") return Walking(Kernel::kRead, {a, to});
    if (pattern_ == "write") return Walking(Kernel::kWrite, {to, kFirst});
    if (pattern_ == "copy") return Walking(Kernel::kCopy, {to, a});
    return Walking(Kernel::kTriad, {to, a, b_[stream].get(), kTriadScale});
  }

  Result<std::uint64_t> Check(Queue& queue) override {
    Comparison comparison;
    for (const Memory& to : to_) {
      if (Status status = CheckOne(queue, *to, comparison); !status.ok()) return status;
    }
    return comparison.Verdict(pattern_);
  }

  void Describe(GpuPart& part) const override {
    part.set_work("memory");
    part.set_pattern(pattern_);
    part.set_size(size_);
    const std::uint64_t sums = pattern_ == "read" ? items_ * kWord : 0;
    const std::uint64_t buffers = pattern_ == "triad" ? 3 : pattern_ == "copy" ? 2 : 1;
    part.set_bytes(static_cast<double>(buffers * size_ + sums));
  }

 private:
  static constexpr std::uint64_t kWord = sizeof(std::uint32_t);
  static constexpr std::uint32_t kFirst = 77;  // of what `write` writes

  [[nodiscard]] Launch Walking(Kernel kernel, std::vector<Argument> arguments) const {
    arguments.insert(arguments.end(), {walk_.begin, walk_.stride, walk_.each, walk_.count});
    return {kernel, items_, group_, std::move(arguments)};
  }

  // What is written to has another content first.
  Status FillAll(Queue& queue) const {
    Status status;
    for (const Memory& to : to_)
      status.Update(Fill<std::uint32_t>(queue, *to, [](auto) { return ~0U; }));
    for (const Memory& a : a_) {
      status.Update(pattern_ == "triad" ? Fill<float>(queue, *a, &TriadA)
                                        : Fill<std::uint32_t>(queue, *a, &PatternWord));
    }
    for (const Memory& b : b_) status.Update(Fill<float>(queue, *b, &TriadB));
    return status;
  }

  Status CheckOne(Queue& queue, const Buffer& to, Comparison& comparison) const {
    const std::uint64_t words = size_ / kWord;
    if (pattern_ == "read") {
      const auto sum = [this](std::uint64_t i) { return ReadResult(i, walk_); };
      return Compare<std::uint32_t>(queue, to, items_, sum, comparison);
    }
    if (pattern_ == "copy") {
      return Compare<std::uint32_t>(queue, to, words, &PatternWord, comparison);
    }
    if (pattern_ == "write") {
      const auto word = [](std::uint64_t i) { return kFirst + static_cast<std::uint32_t>(i); };
      return Compare<std::uint32_t>(queue, to, words, word, comparison);
    }
    const auto value = [](std::uint64_t i) { return TriadA(i) + kTriadScale * TriadB(i); };
    return Compare<float>(queue, to, words, value, comparison);
  }

  const std::string pattern_;
  const std::uint64_t size_;
  Walk walk_;
  std::uint64_t items_ = 0;
  std::uint32_t group_ = 1;
  std::vector<Memory> to_;  // of `read`: its sums
  std::vector<Memory> a_;
  std::vector<Memory> b_;
};

// Copies between host and device, or inside it.
class Transfer final : public Work {
 public:
  Transfer(const GpuSpec& spec, std::uint64_t size)
      : direction_(spec.direction()), host_memory_(spec.host_memory()), size_(size) {}

  Status Prepare(std::uint32_t streams, Device& device, Queue& queue) {
    const auto kind = host_memory_ == "pinned" ? HostMemory::kPinned : HostMemory::kPageable;
    Allocator memory(device);
    for (std::uint32_t i = 0; i < streams; ++i) {
      from_.push_back(direction_ == "h2d" ? memory.GetHost(size_, kind) : memory.Get(size_));
      to_.push_back(direction_ == "d2h" ? memory.GetHost(size_, kind) : memory.Get(size_));
    }
    Status status = memory.status();
    for (std::uint32_t i = 0; i < streams && status.ok(); ++i) {
      status.Update(FillOne(queue, *from_[i], &PatternWord));
      status.Update(FillOne(queue, *to_[i], [](auto) { return ~0U; }));
    }
    return status;
  }

  [[nodiscard]] Task TaskOf(std::size_t stream) const override {
    return Copy{to_[stream].get(), from_[stream].get(), size_};
  }

  Result<std::uint64_t> Check(Queue& queue) override {
    Comparison comparison;
    for (const Memory& to : to_) {
      Status status = Compare<std::uint32_t>(queue, *to, size_ / sizeof(std::uint32_t),
                                             &PatternWord, comparison);
      if (!status.ok()) return status;
    }
    return comparison.Verdict(direction_);
  }

  void Describe(GpuPart& part) const override {
    const bool inside = direction_ == "d2d";
    part.set_work("transfer");
    part.set_direction(direction_);
    if (!inside) part.set_host_memory(host_memory_);
    part.set_size(size_);
    part.set_bytes(static_cast<double>(inside ? 2 * size_ : size_));
  }

 private:
  template <typename Value>
  static Status FillOne(Queue& queue, const Buffer& buffer, Value value) {
    if (buffer.host() == nullptr) return Fill<std::uint32_t>(queue, buffer, value);
    auto* words = static_cast<std::uint32_t*>(buffer.host());
    for (std::size_t i = 0; i < buffer.size() / sizeof(*words); ++i) words[i] = value(i);
    return absl::OkStatus();
  }

  const std::string direction_;
  const std::string host_memory_;
  const std::uint64_t size_;
  std::vector<Memory> from_;
  std::vector<Memory> to_;
};

// Kernels that do nothing.
class Launches final : public Work {
 public:
  explicit Launches(const GpuSpec& spec) : launches_(spec.launches()) {}
  [[nodiscard]] Task TaskOf(std::size_t) const override { return Launch{}; }
  [[nodiscard]] std::uint32_t times() const override { return launches_; }
  Result<std::uint64_t> Check(Queue&) override { return 0; }
  void Describe(GpuPart& part) const override {
    part.set_work("launch");
    part.set_launches(launches_);
  }

 private:
  const std::uint32_t launches_;
};

template <typename Kind, typename... Rest>
Result<std::unique_ptr<Work>> Prepared(std::unique_ptr<Kind> work, Rest&... rest) {
  if (Status status = work->Prepare(rest...); !status.ok()) return status;
  return work;
}

}  // namespace

Result<std::unique_ptr<Work>> MakeWork(const std::string& kind, const GpuSpec& spec,
                                       std::uint64_t size, Device& device, Queue& queue) {
  const std::uint32_t streams = spec.streams();
  if (kind == "compute") {
    return Prepared(std::make_unique<Compute>(spec, device), streams, device);
  }
  if (kind == "memory") {
    return Prepared(std::make_unique<MemoryWork>(spec, size, device), streams, device, queue);
  }
  if (kind == "transfer") {
    return Prepared(std::make_unique<Transfer>(spec, size), streams, device, queue);
  }
  return std::make_unique<Launches>(spec);
}

}  // namespace twofold::gpu
