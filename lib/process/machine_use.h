#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/common/instant.h"
#include "lib/process/cpu_use.h"

/// What a machine does beside the job that is measured on it, from the files of /proc and /sys.
namespace twofold::process {

/// Processor time since the machine started, summed over its processors.
struct ProcessorTimes {
  Duration all{0};     ///< idle time, too
  Duration busy{0};    ///< in programs, the kernel and interrupts
  Duration stolen{0};  ///< that the hypervisor gave to other virtual machines
};

/// The first line of /proc/stat; nullopt: it is none.
///
/// Source   Linux, proc(5). Time of guests is part of `user` and counts once.
std::optional<ProcessorTimes> ParseProcessorTimes(const std::string& stat);

/// One reading. What the machine does not tell is absent.
struct MachineUse {
  Instant at{};
  std::optional<ProcessorTimes> processors{};
  Duration own{0};                      ///< CpuUse::cpu
  std::optional<Duration> throttled{};  ///< CpuUse::throttled
  std::optional<Duration> hot{};        ///< that processors ran slower as they were hot, summed
};

/// Shares between two readings, 0..1. What is not known, or nothing came of, is absent.
struct MachineShares {
  std::optional<double> others{};  ///< of processor time: busy with programs of others
  std::optional<double> stolen{};  ///< of processor time: ProcessorTimes::stolen
  std::optional<double>
      throttled{};              ///< of time: held up by a CPU quota; of several threads at most 1
  std::optional<double> hot{};  ///< of processor time: MachineUse::hot
};

/// REQUIRES: the same reader made both. The kernel counts in ticks of 10 ms: over a second on two
/// processors `others` is known to about 0.01.
MachineShares Between(const MachineUse& before, const MachineUse& after);

/// Reads MachineUse again and again.
///
/// "Own" is this process with the programs that it has started, or its container (CpuUseReader).
/// All else is "others", also other workers on the machine.
///
/// Time     Callers pass `now`.
/// Threads  Not thread-safe.
/// Cost     That of CpuUseReader, /proc/stat, and one small file a processor on machines that count
///          how long they were hot: 0.1 ms on two processors. So it is for jobs that start
///          programs, and not for each of thousands a second.
/// Source   Linux, Documentation/ABI/testing/sysfs-devices-system-cpu
/// (core_throttle_total_time_ms).
class MachineReader {
 public:
  /// `pid` is this process.
  MachineReader(HostFiles files, int pid);

  MachineUse Read(Instant now);

 private:
  [[nodiscard]] std::optional<Duration> Hot() const;

  const HostFiles files_;
  CpuUseReader own_;
  std::vector<std::string> hot_files_;  // of each processor; none: the machine does not count it
};

}  // namespace twofold::process
