#include "backend/benchmark/tool_version.h"

#include <algorithm>

#include "lib/common/printable.h"
#include "lib/suite/text.h"

namespace twofold::backend {
namespace {

constexpr std::size_t kMostVersion = 120;

struct Tool {
  std::string_view name;
  const char* argument;
};
constexpr Tool kTools[] = {
    {"ffmpeg", "-version"},  {"fio", "--version"},    {"iperf", "-v"},
    {"iperf3", "--version"}, {"mpirun", "--version"},
};

}  // namespace

const char* VersionArgument(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const auto* found = std::find_if(std::begin(kTools), std::end(kTools),
                                   [&](const Tool& tool) { return tool.name == name; });
  return found == std::end(kTools) ? nullptr : found->argument;
}

std::string VersionIn(std::string_view output) {
  for (const std::string_view line : suite::Lines(output)) {
    if (!suite::Strip(line).empty()) return Printable(suite::Strip(line), kMostVersion);
  }
  return {};
}

}  // namespace twofold::backend
