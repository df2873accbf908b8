#include "lib/common/memory.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_split.h>
#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "lib/common/descriptors.h"

// Of jemalloc, in programs that are linked with it.
extern "C" [[gnu::weak]] int mallctl(const char* name, void* old, std::size_t* old_size, void* set,
                                     std::size_t set_size);

namespace twofold {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

std::uint64_t PageBytes() { return static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)); }

// "max" and files that are not there are no limits.
std::uint64_t NumberIn(const fs::path& file) {
  std::string text;
  std::ifstream(file) >> text;
  std::uint64_t number = 0;
  return absl::SimpleAtoi(text, &number) ? number : kNone;
}

// Each group above a process may have a limit as well. In a container the path may be one of the
// host, which is not to be seen: what remains then is the root, the container's own group.
std::uint64_t LeastUpwards(const fs::path& root, const fs::path& group, const char* file) {
  std::uint64_t least = NumberIn(root / file);
  fs::path folder = root;
  for (const fs::path& part : group.relative_path()) {
    folder /= part;
    least = std::min(least, NumberIn(folder / file));
  }
  return least;
}

}  // namespace

std::uint64_t ResidentBytes() {
  static const Descriptor statm(open("/proc/self/statm", O_RDONLY | O_CLOEXEC));
  std::array<char, 100> text{};  // numbers of pages, of which the second is meant
  const ssize_t size = pread(statm.get(), text.data(), text.size(), 0);
  std::istringstream pages(
      std::string(text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))));
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  pages >> all >> resident;
  return resident * PageBytes();
}

void ReturnFreeMemory() {
  if (mallctl == nullptr) {
    malloc_trim(0);
  } else {
    mallctl("arena.4096.purge", nullptr, nullptr, nullptr, 0);  // 4096: all arenas
  }
}

std::uint64_t ControlGroupLimit(const fs::path& membership, const fs::path& root) {
  std::uint64_t least = kNone;
  std::ifstream groups(membership);
  for (std::string line; std::getline(groups, line);) {  // "4:memory:/a/b"; version 2: "0::/a/b"
    const std::vector<std::string> parts = absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) continue;
    if (parts[1].empty()) least = std::min(least, LeastUpwards(root, parts[2], "memory.max"));
    if (parts[1] != "memory") continue;
    least = std::min(least, LeastUpwards(root / "memory", parts[2], "memory.limit_in_bytes"));
  }
  return least;
}

std::uint64_t MemoryLimit() {
  const auto machine = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * PageBytes();
  return std::min(machine, ControlGroupLimit("/proc/self/cgroup", "/sys/fs/cgroup"));
}

}  // namespace twofold
