#pragma once

#include <cstdint>
#include <filesystem>

namespace twofold {

/// Bytes of memory that this process has in use now.
///
/// Cost     A system call, of some microseconds.
std::uint64_t ResidentBytes();

/// Returns the free memory that the allocator (glibc's or jemalloc) keeps to the system.
///
/// Cost     Milliseconds.
void ReturnFreeMemory();

/// Bytes that this process may use before the kernel kills it: the least limit of its control
/// groups (version 1 or 2), or the memory of the machine.
std::uint64_t MemoryLimit();

/// The least limit of a process whose /proc/self/cgroup is `membership` and whose /sys/fs/cgroup is
/// `root`; the largest number if there is no limit.
std::uint64_t ControlGroupLimit(const std::filesystem::path& membership,
                                const std::filesystem::path& root);

}  // namespace twofold
