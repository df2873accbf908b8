#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lib/common/result.h"
#include "suites/gpu/report.pb.h"
#include "workloads/gpu/device.h"

namespace twofold::gpu {

/// The devices of all libraries that are here.
class Inventory {
 public:
  /// `api` is a word of the field `api`: with "auto", OpenCL's devices of NVIDIA are left out if
  /// CUDA has them. `wanted` is the field `device`: CUDA shows a MIG instance only to those who ask
  /// for it, by its UUID.
  ///
  /// Sets CUDA_VISIBLE_DEVICES of the process, if `wanted` is a MIG instance.
  Inventory(const std::string& api, const std::string& wanted);

  /// What there is, in the order of indices, and what is missing.
  [[nodiscard]] const v1::suites::GpuList& list() const { return list_; }

  /// The list with the MIG instances that CUDA does not show.
  [[nodiscard]] v1::suites::GpuList ListWithSlices() const;

  /// Opens device `index` of the list.
  Result<std::unique_ptr<Device>> Open(std::uint32_t index, Waiting waiting);

 private:
  struct Place {
    Driver* driver;
    std::uint32_t index;  // as the driver counts
  };

  void Add(Result<std::unique_ptr<Driver>> loaded, bool without_nvidia);

  std::vector<std::unique_ptr<Driver>> drivers_;
  std::vector<Place> places_;  // as list_.devices
  v1::suites::GpuList list_;
};

/// The index of the device that `wanted` means: an index, a UUID, or a part of a name, which must
/// be of one device only. Empty: the first that is not a CPU, else the first. Pure.
///
/// Errors   kNotFound: there is none, or several; what there is, and the notes of the list.
Result<std::uint32_t> Pick(const v1::suites::GpuList& list, const std::string& wanted);

}  // namespace twofold::gpu
