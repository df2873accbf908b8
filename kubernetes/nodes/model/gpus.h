#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace twofold::nodes {

/// The GPUs of one node, and which pod has which: the lowest free ones, as a device plugin gives
/// them.
///
/// Cost     Take and Give O(devices of the node).
class Gpus {
 public:
  static constexpr std::uint64_t kFree = 0;

  explicit Gpus(std::int64_t count) : holders_(static_cast<std::size_t>(count), kFree) {}

  /// False: fewer than `count` are free, and none was taken. `pod` is not kFree.
  [[nodiscard]] bool Take(std::uint64_t pod, std::int64_t count);

  /// Takes this one; a pod that had it gets a free one instead. False: there is none.
  [[nodiscard]] bool TakeDevice(std::uint64_t pod, std::size_t device);

  /// The lowest that the pod has; nullopt: none.
  [[nodiscard]] std::optional<std::size_t> FirstOf(std::uint64_t pod) const;

  /// Those that the pod has are free again; none is fine.
  void Give(std::uint64_t pod);

  /// By device: the pod that has it, or kFree.
  [[nodiscard]] const std::vector<std::uint64_t>& holders() const { return holders_; }

 private:
  std::vector<std::uint64_t> holders_;
};

/// The name of a device in the form of NVIDIA's; the same for the same node and number.
std::string GpuUuid(const std::string& node, std::size_t device);

/// Its address on the bus, in the form of NVML.
std::string GpuBusId(std::size_t device);

}  // namespace twofold::nodes
