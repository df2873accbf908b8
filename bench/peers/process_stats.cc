#include "bench/peers/process_stats.h"

#include <unistd.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

namespace twofold::bench {
namespace {

std::string ReadAll(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

double Ticks() { return static_cast<double>(sysconf(_SC_CLK_TCK)); }

/// Seconds of CPU.
struct Times {
  double own = 0;
  double waited_for = 0;  // of children that have ended
};

std::optional<Times> TimesOf(pid_t pid) {
  const std::string text = ReadAll("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t name_end = text.rfind(')');  // the name may contain anything
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 2));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;  // state .. cmajflt
  double user = 0, system = 0, child_user = 0, child_system = 0;
  fields >> user >> system >> child_user >> child_system;
  return Times{(user + system) / Ticks(), (child_user + child_system) / Ticks()};
}

}  // namespace

std::optional<double> CpuSeconds(pid_t pid) {
  const auto times = TimesOf(pid);
  return times ? std::optional(times->own) : std::nullopt;
}

std::optional<double> FamilyCpuSeconds(pid_t pid) {
  const auto times = TimesOf(pid);
  if (!times) return std::nullopt;
  double sum = times->own + times->waited_for;
  for (const pid_t child : ChildrenOf(pid)) sum += CpuSeconds(child).value_or(0);
  return sum;
}

std::vector<pid_t> ChildrenOf(pid_t pid) {
  const std::string id = std::to_string(pid);
  std::istringstream text(ReadAll("/proc/" + id + "/task/" + id + "/children"));
  return {std::istream_iterator<pid_t>(text), {}};
}

double MachineBusySeconds() {
  std::istringstream fields(ReadAll("/proc/stat"));
  std::string cpu;
  double user, nice, system, idle, io_wait, irq, soft_irq, steal;
  fields >> cpu >> user >> nice >> system >> idle >> io_wait >> irq >> soft_irq >> steal;
  return (user + nice + system + irq + soft_irq + steal) / Ticks();
}

std::optional<double> ResidentBytes(pid_t pid) {
  std::istringstream lines(ReadAll("/proc/" + std::to_string(pid) + "/status"));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("RssAnon:")) return std::stod(line.substr(8)) * 1024;
  }
  return std::nullopt;
}

}  // namespace twofold::bench
