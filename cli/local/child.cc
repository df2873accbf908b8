#include "cli/local/child.h"

#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "lib/common/signals.h"

namespace twofold::local {
namespace {

constexpr int kCannotRun = 127;  // as shells say it

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> Environment(const std::map<std::string, std::string>& added) {
  std::vector<std::string> result;
  for (const auto& [name, value] : added) result.push_back(name + "=" + value);
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (added.count(text.substr(0, text.find('='))) == 0) result.push_back(text);
  }
  return result;
}

// Between fork and exec in a process with threads: async-signal-safe calls only.
[[noreturn]] void BecomeProgram(pid_t parent, char* const* argv, char* const* environment,
                                const char* log) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kCannotRun);  // it died before the line above
  setpgid(0, 0);
  RestoreSignalsInChild();
  const int null = open("/dev/null", O_RDONLY);
  const int file = open(log, O_WRONLY | O_CREAT | O_APPEND, 0644);
  dup2(null, STDIN_FILENO);
  dup2(file, STDOUT_FILENO);
  dup2(file, STDERR_FILENO);
  close_range(3, ~0U, 0);
  execve(argv[0], argv, environment);
  const std::array<const char*, 5> message = {"cannot run ", argv[0], ": ", strerrordesc_np(errno),
                                              "\n"};
  for (const char* part : message) {
    if (write(STDERR_FILENO, part, std::strlen(part)) < 0) break;
  }
  _exit(kCannotRun);
}

}  // namespace

Result<pid_t> StartChild(const ChildCommand& command) {
  std::vector<std::string> arguments = command.argv;
  std::vector<std::string> environment = Environment(command.environment);
  const std::vector<char*> argv = Pointers(arguments);
  const std::vector<char*> envp = Pointers(environment);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) BecomeProgram(parent, argv.data(), envp.data(), command.log.c_str());
  if (pid > 0) return pid;
  return absl::InternalError(
      absl::StrCat("cannot start ", command.argv[0], ": ", std::strerror(errno)));
}

std::string DescribeExit(int wait_status) {
  if (WIFEXITED(wait_status)) return absl::StrCat("exit code ", WEXITSTATUS(wait_status));
  const int signal = WTERMSIG(wait_status);
  return absl::StrCat("signal ", signal, " (", strsignal(signal), ")");
}

}  // namespace twofold::local
