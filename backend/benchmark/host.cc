#include "backend/benchmark/host.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "lib/suite/text.h"
#include "lib/words/machine.h"

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

void AddShares(const process::MachineShares& shares, v1::BenchmarkResult& result) {
  const std::array<std::optional<double>, kMachineConditions.size()> values = {
      shares.others, shares.stolen, shares.throttled, shares.hot};  // in the order of the table
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values.at(i)) continue;
    v1::Measurement& measured = *result.add_measurements();
    measured.set_name(std::string(kMachineConditions.at(i).name));
    measured.set_value(100.0 * *values.at(i));
    measured.set_unit("%");
  }
}

bool ListensIn(std::string_view table, std::uint16_t port) {
  // A row is "  0: 0100007F:1451 00000000:0000 0A ...": address:port, peer, state.
  const std::string suffix = absl::StrCat(":", absl::Hex(port, absl::kZeroPad4));
  for (const std::string_view line : suite::Lines(table)) {
    const auto words = suite::Words(line);
    if (words.size() < 4 || words[3] != kListen) continue;
    if (absl::EndsWithIgnoreCase(std::string(words[1]), suffix)) return true;
  }
  return false;
}

bool Listens(std::uint16_t port) {
  return ListensIn(TextOf("/proc/net/tcp"), port) || ListensIn(TextOf("/proc/net/tcp6"), port);
}

}  // namespace twofold::backend
