#include "cli/load/origin.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <absl/time/clock.h>
#include <absl/time/time.h>
#include <sys/utsname.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <thread>
#include <utility>

#include "lib/common/printable.h"
#include "lib/common/program.h"

namespace twofold::cli {
namespace {

constexpr std::size_t kMostArguments = 1000;
constexpr std::size_t kMostOfArgument = 4096;
constexpr std::size_t kMostOfProcFile = 1 << 20;

// Files of /proc have no size, so they are read to their end.
std::string TextOf(const char* path) {
  std::ifstream file(path);
  std::string text(std::istreambuf_iterator<char>(file), {});
  text.resize(std::min(text.size(), kMostOfProcFile));
  return text;
}

}  // namespace

std::vector<std::string> ArgumentsIn(const std::string& cmdline) {
  std::vector<std::string> arguments = absl::StrSplit(cmdline, '\0');
  if (!arguments.empty() && arguments.back().empty()) arguments.pop_back();
  if (arguments.size() > kMostArguments) arguments.resize(kMostArguments);
  for (std::string& argument : arguments) argument = Printable(argument, kMostOfArgument);
  return arguments;
}

std::string CpuIn(const std::string& cpuinfo) {
  for (const std::string& line : std::vector<std::string>(absl::StrSplit(cpuinfo, '\n'))) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || !line.starts_with("model name")) continue;
    return std::string(absl::StripAsciiWhitespace(line.substr(colon + 1)));
  }
  return "";
}

v1::Origin OriginHere(const std::string& frontend) {
  v1::Origin origin;
  const BuildInfo build = GetBuildInfo();
  origin.set_program(absl::StrCat("twofold ", std::string(build.version), " (",
                                  std::string(build.commit), ", ", std::string(build.compiler),
                                  ")"));
  for (std::string& argument : ArgumentsIn(TextOf("/proc/self/cmdline"))) {
    origin.add_argv(std::move(argument));
  }
  origin.set_began(absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::Now(), absl::UTCTimeZone()));
  origin.set_frontend(frontend);
  utsname system{};
  if (uname(&system) == 0) {
    origin.set_node(system.nodename);
    origin.set_kernel(absl::StrCat(system.sysname, " ", system.release));
  }
  origin.set_cpu(Printable(CpuIn(TextOf("/proc/cpuinfo")), kMostOfArgument));
  origin.set_cpus(std::thread::hardware_concurrency());
  return origin;
}

}  // namespace twofold::cli
