#include "bench/peers/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>

namespace twofold::bench {
namespace {

constexpr Duration kPoll = std::chrono::milliseconds(5);
constexpr Duration kPatience = std::chrono::seconds(5);
constexpr int kCannotExecute = 127;

volatile std::sig_atomic_t interrupted = 0;

int OpenForWriting(const std::filesystem::path& path) {
  return open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
}

std::vector<char*> Pointers(const std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// In the child, between fork and exec: nothing that allocates.
[[noreturn]] void Execute(char* const* argv, char* const* environment, int output, int errors) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(output, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  for (char* const* one = environment; *one != nullptr; ++one) putenv(*one);
  execv(argv[0], argv);
  _exit(kCannotExecute);
}

bool GroupIsThere(pid_t group) { return kill(-group, 0) == 0; }

}  // namespace

bool Interrupted() { return interrupted != 0; }

void CatchInterrupts() {
  struct sigaction action {};
  action.sa_handler = [](int) { interrupted = 1; };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

Result<Child> Child::Start(const std::vector<std::string>& words,
                           const std::vector<std::string>& environment,
                           const std::filesystem::path& output,
                           const std::filesystem::path& errors) {
  const std::vector<char*> argv = Pointers(words);
  const std::vector<char*> added = Pointers(environment);
  const int out = OpenForWriting(output);
  const int err = OpenForWriting(errors);
  const pid_t pid = out < 0 || err < 0 ? -1 : fork();
  if (pid == 0) Execute(argv.data(), added.data(), out, err);
  const int error = errno;
  close(out);
  close(err);
  if (pid < 0) {
    return absl::UnavailableError(fmt::format("{}: {}", words.front(), std::strerror(error)));
  }
  setpgid(pid, pid);  // whichever of the two is first
  return Child(pid);
}

Child::Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, -1)), code_(other.code_) {}

Child::~Child() {
  if (pid_ < 0) return;
  kill(-pid_, SIGTERM);
  for (const Instant end = Now() + kPatience; Now() < end && GroupIsThere(pid_);) {
    Ended();  // a group is there as long as its leader has not been waited for
    std::this_thread::sleep_for(kPoll);
  }
  kill(-pid_, SIGKILL);
  if (!code_) waitpid(pid_, nullptr, 0);
}

std::optional<int> Child::Ended() {
  int status = 0;
  if (!code_ && waitpid(pid_, &status, WNOHANG) == pid_) {
    code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  return code_;
}

Result<int> Child::Wait(Duration limit) {
  for (const Instant end = Now() + limit; !Ended();) {
    if (Interrupted()) return absl::CancelledError("interrupted");
    if (Now() > end) return absl::DeadlineExceededError("takes too long");
    std::this_thread::sleep_for(kPoll);
  }
  return *code_;
}

TemporaryDirectory::TemporaryDirectory() {
  std::string pattern = std::filesystem::temp_directory_path() / "bench-peers.XXXXXX";
  if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

std::string LastLine(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string last;
  for (std::string line; std::getline(file, line);) {
    if (line.find_first_not_of(" \t\r") != line.npos) last = line;
  }
  return last;
}

}  // namespace twofold::bench
