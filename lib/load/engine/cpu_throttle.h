#pragma once

#include <optional>
#include <string>

#include "lib/load/cpu_time.h"

namespace twofold::load {

/// The cpu.stat of this process's cgroup, v2 or v1; empty: there is none. `proc_cgroup` is the text
/// of /proc/self/cgroup, `root` where cgroups are mounted.
std::string CpuStatPath(const std::string& proc_cgroup, const std::string& root = "/sys/fs/cgroup");

/// Reads how long a CPU quota has held this process up.
///
/// Cost     Read: one small file, 10 µs.
class CpuThrottle {
 public:
  /// Finds the file.
  CpuThrottle();
  explicit CpuThrottle(std::string path) : path_(std::move(path)) {}

  /// nullopt: not known, as outside a cgroup with a quota.
  [[nodiscard]] std::optional<CpuTime> Read() const;

 private:
  std::string path_;
};

}  // namespace twofold::load
