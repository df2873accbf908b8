#include "bench/peers/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>
#include <utility>

#include "lib/common/descriptors.h"
#include "lib/process/spawn.h"

namespace twofold::bench {
namespace {

constexpr Duration kPoll = std::chrono::milliseconds(5);
constexpr Duration kPatience = std::chrono::seconds(5);

volatile std::sig_atomic_t interrupted = 0;

int OpenForWriting(const std::filesystem::path& path) {
  return open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
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
  const Descriptor out(OpenForWriting(output));
  const Descriptor err(OpenForWriting(errors));
  if (out.get() < 0 || err.get() < 0) {
    return absl::UnavailableError(fmt::format("{}: {}", words.front(), std::strerror(errno)));
  }
  const auto child = process::Spawn({.argv = words,
                                     .is_ours = true,
                                     .environment = environment,
                                     .out = out.get(),
                                     .err = err.get()});
  if (!child.ok()) return absl::UnavailableError(std::string(child.status().message()));
  return Child(child->pid);
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
  if (code_) return code_;
  if (const auto exit = process::Poll(pid_)) {
    code_ = exit->signal == 0 ? exit->code : 128 + exit->signal;
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

TemporaryDirectory::TemporaryDirectory(const std::filesystem::path& parent) {
  std::string pattern = parent / "twofold-bench.XXXXXX";
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
