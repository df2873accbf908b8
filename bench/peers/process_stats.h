#pragma once

#include <sys/types.h>

#include <optional>
#include <vector>

/// What Linux tells about processes. All times in seconds since their start (or the machine's).
namespace twofold::bench {

/// User and system time of all threads; nullopt: no such process.
std::optional<double> CpuSeconds(pid_t pid);

/// The same with its children, those that it has waited for included.
std::optional<double> FamilyCpuSeconds(pid_t pid);

/// The processes that it has started and that still run.
std::vector<pid_t> ChildrenOf(pid_t pid);

/// Time that all CPUs together were busy.
double MachineBusySeconds();

/// Resident memory in bytes, pages of files left out; nullopt: no such process.
std::optional<double> ResidentBytes(pid_t pid);

}  // namespace twofold::bench
