#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lib/common/result.h"
#include "suites/gpu/report.pb.h"

/// What NVIDIA's management library tells of a device in the course of a run: clocks, power,
/// temperature, and whether and why it is slowed down. Loaded at run time, if it is there.
namespace twofold::gpu {

/// One look at a device; what it does not tell is negative.
struct Sample {
  double clock_mhz = -1;
  double memory_clock_mhz = -1;
  double power_w = -1;
  double temperature_c = -1;
  std::uint64_t reasons = 0;  ///< bits of NVML for why clocks are lower than they could be
};

/// Adds samples up to what a report has. Pure.
class HealthRecord {
 public:
  void Add(const Sample& sample);
  [[nodiscard]] v1::suites::GpuHealth Summary() const;

 private:
  struct Sum {
    double total = 0;
    double least = 0;
    double most = 0;
    std::uint32_t count = 0;
    void Add(double value);
    void Write(v1::suites::GpuHealth::Range& range) const;
  };
  Sum clock_, memory_clock_, power_, temperature_;
  std::uint32_t samples_ = 0;
  std::uint32_t throttled_ = 0;
  std::uint64_t reasons_ = 0;
};

/// Looks at a device again and again while it is watched, on a thread of its own, until it is
/// stopped.
class HealthMonitor {
 public:
  /// `uuid` as CUDA has it. Without library or device it samples nothing.
  static std::unique_ptr<HealthMonitor> Start(const std::string& uuid);
  virtual ~HealthMonitor() = default;
  /// Whether what the device does now is what is measured. At first it is not.
  virtual void Watch(bool on) = 0;
  /// Call it once.
  virtual v1::suites::GpuHealth Stop() = 0;
};

/// The version of the driver, and the MIG instances of all devices, which CUDA shows only to
/// processes that ask for one of them.
struct NvmlView {
  std::string driver;
  std::vector<v1::suites::GpuDevice> slices;
};

/// Errors   kNotFound: no library; kInternal: it does not work.
Result<NvmlView> LookByNvml();

}  // namespace twofold::gpu
