#include "lib/load/engine/cpu_throttle.h"

#include <array>
#include <filesystem>
#include <sstream>
#include <utility>

#include "lib/common/file.h"

namespace twofold::load {
namespace {

constexpr std::size_t kMostBytes = 64 << 10;

// What stands after the controller in a line "ID:CONTROLLERS:/PATH"; of v2 CONTROLLERS is empty.
std::string PathOf(const std::string& proc_cgroup, bool v2) {
  std::istringstream lines(proc_cgroup);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const bool found = v2 ? controllers == ",," : controllers.find(",cpu,") != std::string::npos;
    if (found) return line.substr(second + 1);
  }
  return {};
}

}  // namespace

std::string CpuStatPath(const std::string& proc_cgroup, const std::string& root) {
  const std::string v2 = PathOf(proc_cgroup, true);
  const std::string v1 = PathOf(proc_cgroup, false);
  // In a container the paths may be those of the host, and the mount its own cgroup.
  const std::array<std::string, 5> candidates = {
      root + "/cpu" + v1 + "/cpu.stat", root + "/cpu,cpuacct" + v1 + "/cpu.stat",
      root + v2 + "/cpu.stat", root + "/cpu/cpu.stat", root + "/cpu.stat"};
  for (const std::string& path : candidates) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path, ignored)) return path;
  }
  return {};
}

CpuThrottle::CpuThrottle() {
  const Result<std::string> text = ReadFile("/proc/self/cgroup", kMostBytes);
  path_ = CpuStatPath(text.ok() ? *text : "");
}

std::optional<CpuTime> CpuThrottle::Read() const {
  if (path_.empty()) return std::nullopt;
  const Result<std::string> text = ReadFile(path_, kMostBytes);
  return text.ok() ? ParseCpuStat(*text) : std::nullopt;
}

}  // namespace twofold::load
