#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lib/common/instant.h"

/// What this process and the programs that it started use of the processor, from the files of /proc
/// and of its cgroup.
namespace twofold::process {

/// Since the process started. What the host does not tell is absent.
struct CpuUse {
  Duration cpu{0};
  std::optional<Duration> throttled;  ///< how long a quota has held the cgroup up
  std::optional<double> quota;        ///< cores; absent: there is no quota
};

/// The files, so that tests have texts of other hosts.
struct HostFiles {
  std::function<std::optional<std::string>(const std::string& path)>
      read;  ///< absent: no such file
  /// Ids of the processes that may be descendants of this one; empty if it has no children.
  std::function<std::vector<int>()> processes;
};

/// Those of this machine. A file is cut at 64 KiB.
HostFiles RealHostFiles();

/// Reads CpuUse again and again.
///
/// Processor time is that of the cgroup (v2, v1) if this process is alone in it, or with process 1,
/// when the reader is made: then the container has a cgroup of its own, which counts whatever runs
/// in it. Else it is the sum over /proc of this process and its descendants, with those that they
/// have waited for. What has ended without being waited for is missing; the sum never goes down.
///
/// Quota and throttled time are those of the cgroup, or of the nearest one above it with a quota,
/// whoever else is in it. Throttled time is counted for each CPU, so with several threads it may
/// grow faster than time passes.
///
/// Threads  Not thread-safe.
/// Cost     A cgroup: four small files, 50 us. Else one file, and one a process of the machine
///          while this one has children.
/// Source   Linux, Documentation/admin-guide/cgroup-v2.rst, scheduler/sched-bwc.rst; proc(5).
class CpuUseReader {
 public:
  /// `pid` is this process.
  CpuUseReader(HostFiles files, int pid);

  CpuUse Read();

  /// CpuUse::throttled alone, at the cost of two or three small files.
  [[nodiscard]] std::optional<Duration> Throttled() const { return ReadQuota().throttled; }

 private:
  struct Quota {
    std::optional<double> cores;
    std::optional<Duration> throttled;
  };

  [[nodiscard]] Duration OfCgroup() const;
  [[nodiscard]] Duration OfProcesses() const;
  [[nodiscard]] Quota ReadQuota() const;

  const HostFiles files_;
  const int pid_;
  bool v2_ = false;
  std::string usage_;                // file of the cgroup's processor time; empty: sum over /proc
  std::vector<std::string> groups_;  // folders that may have a quota, the nearest first
  Duration most_{0};
};

}  // namespace twofold::process
