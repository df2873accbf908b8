#pragma once

#include <cstdint>
#include <filesystem>

namespace twofold {

/// Bytes of memory that this process has in use now.
///
/// Cost     One small file of /proc.
std::uint64_t ResidentBytes();

/// Gives back to the system what the allocator (glibc's or jemalloc) keeps for later.
///
/// Cost     Milliseconds.
void ReturnFreeMemory();

/// Bytes that it may have before the kernel ends it: the least limit of its control groups (version
/// 1 or 2), or all that the machine has.
std::uint64_t MemoryLimit();

/// The former for a process whose /proc/self/cgroup and /sys/fs/cgroup are these; no limit is the
/// largest number there is.
std::uint64_t ControlGroupLimit(const std::filesystem::path& membership,
                                const std::filesystem::path& root);

}  // namespace twofold
