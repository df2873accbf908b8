#include "backend/benchmark/host.h"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <charconv>
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

constexpr std::string_view kListen = "0A";  // TCP_LISTEN

// Of "  0: 0100007F:1451 00000000:0000 0A ...": address:port, peer, state.
struct Row {
  std::uint16_t port = 0;
  bool listens = false;
};

bool ReadRow(std::string_view line, Row& row) {
  const auto words = suite::Words(line);
  if (words.size() < 4 || !words[0].ends_with(':')) return false;
  const std::size_t colon = words[1].rfind(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view port = words[1].substr(colon + 1);
  const auto read = std::from_chars(port.data(), port.data() + port.size(), row.port, 16);
  row.listens = words[3] == kListen;
  return read.ec == std::errc();
}

std::string TextOf(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
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
  const std::string cpuinfo = TextOf("/proc/cpuinfo");
  const std::string_view model = CpuModel(cpuinfo);
  record.set_cpu(model.data(), model.size());
  record.set_cpus(UsableCpus());
}

bool ListensIn(std::string_view table, std::uint16_t port) {
  Row row;
  for (const std::string_view line : suite::Lines(table)) {
    if (ReadRow(line, row) && row.listens && row.port == port) return true;
  }
  return false;
}

bool Listens(std::uint16_t port) {
  return ListensIn(TextOf("/proc/net/tcp"), port) || ListensIn(TextOf("/proc/net/tcp6"), port);
}

}  // namespace twofold::backend
