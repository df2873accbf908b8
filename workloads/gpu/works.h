#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lib/common/result.h"
#include "suites/gpu/report.pb.h"
#include "suites/gpu/spec.pb.h"
#include "workloads/gpu/device.h"

namespace twofold::gpu {

/// A kind of work with one size: its buffers, what an iteration submits, and whether the results
/// are right. Each stream has buffers of its own.
///
/// Errors   As those of Device; kDataLoss "wrong result: ...".
class Work {
 public:
  Work() = default;
  virtual ~Work() = default;
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  /// What an iteration on this stream submits, and how often in a row.
  [[nodiscard]] virtual Task TaskOf(std::size_t stream) const = 0;
  [[nodiscard]] virtual std::uint32_t times() const { return 1; }

  /// Compares all that the last iteration of each stream has left with the host's reference.
  /// Returns how many values that were.
  virtual Result<std::uint64_t> Check(Queue& queue) = 0;

  /// Fills in what the work is, and how much an iteration of it.
  virtual void Describe(v1::suites::GpuPart& part) const = 0;
};

/// Allocates and fills what the work needs.
/// `kind` is a word of the field `work` but mixed, `size` that of each buffer.
Result<std::unique_ptr<Work>> MakeWork(const std::string& kind, const v1::suites::GpuSpec& spec,
                                       std::uint64_t size, Device& device, Queue& queue);

}  // namespace twofold::gpu
