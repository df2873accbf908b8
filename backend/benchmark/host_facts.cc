#include "backend/benchmark/host_facts.h"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>

#include "lib/suite/text.h"

namespace twofold::backend {
namespace {

// That this process may use, which a container's share of time does not show.
std::uint32_t UsableCpus() {
  cpu_set_t cpus;
  if (sched_getaffinity(0, sizeof cpus, &cpus) == 0) {
    return static_cast<std::uint32_t>(CPU_COUNT(&cpus));
  }
  // More than fit into the set.
  return static_cast<std::uint32_t>(sysconf(_SC_NPROCESSORS_ONLN));
}

}  // namespace

std::string_view CpuModel(std::string_view cpuinfo) {
  for (const std::string_view line : suite::Lines(cpuinfo)) {
    const auto rest = suite::After(line, "model name");
    if (!rest) continue;
    const std::size_t colon = rest->find(':');
    if (colon != std::string_view::npos) return suite::Strip(rest->substr(colon + 1));
  }
  return {};
}

void DescribeHost(v1::RankRecord& record) {
  struct utsname system {};
  if (uname(&system) == 0) record.set_kernel(system.release);
  std::ifstream file("/proc/cpuinfo");
  const std::string cpuinfo{std::istreambuf_iterator<char>(file), {}};
  const std::string_view model = CpuModel(cpuinfo);
  record.set_cpu(model.data(), model.size());
  record.set_cpus(UsableCpus());
}

}  // namespace twofold::backend
