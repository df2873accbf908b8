#include "backend/benchmark/leftover_processes.h"

#include <signal.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace twofold::backend {
namespace {

namespace fs = std::filesystem;

// The number of a process; 0: the entry of /proc is something else.
pid_t NumberOf(const std::string& name) {
  pid_t pid = 0;
  const char* const end = name.data() + name.size();
  return std::from_chars(name.data(), end, pid).ptr == end ? pid : 0;
}

// Empty if it is not ours to look at, or if the process has ended and waits to be collected.
std::string EnvironmentOf(const fs::path& process) {
  std::ifstream file(process / "environ", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::size_t KillMarked(const std::string& marker) {
  const std::string variable = '\0' + marker + '\0';
  std::size_t found = 0;
  std::error_code error;
  for (fs::directory_iterator entry("/proc", error), end; !error && entry != end;
       entry.increment(error)) {
    const pid_t pid = NumberOf(entry->path().filename());
    if (pid == 0 || pid == getpid()) continue;
    if (('\0' + EnvironmentOf(entry->path())).find(variable) == std::string::npos) continue;
    kill(pid, SIGKILL);
    ++found;
  }
  return found;
}

}  // namespace twofold::backend
