#include "backend/benchmark/clean_up.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <climits>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>
#include <utility>

namespace twofold::backend {
namespace {

constexpr Duration kPause = std::chrono::milliseconds(10);
constexpr int kRounds = 200;  // 2 s; what is not dead then waits for a disk or a driver

// A process has no environment for a moment while it starts its program: one look is not enough.
constexpr int kQuietRounds = 2;

// At the end of the program.
constexpr Duration kLastPause = std::chrono::milliseconds(2);
constexpr int kLastRounds = 250;  // 0.5 s

constexpr int kFilesAtOnce = 1000;

namespace fs = std::filesystem;

// The number of a process; 0: the entry of /proc is something else.
pid_t NumberOf(const std::string& name) {
  pid_t pid = 0;
  const char* const end = name.data() + name.size();
  return std::from_chars(name.data(), end, pid).ptr == end ? pid : 0;
}

// Empty if it is not ours to look at, or if the process has ended and waits to be collected.
std::string VariablesOfProcess(const fs::path& process) {
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
    if (('\0' + VariablesOfProcess(entry->path())).find(variable) == std::string::npos) continue;
    kill(pid, SIGKILL);
    ++found;
  }
  return found;
}

CleanUp::CleanUp(boost::asio::io_context& io, std::string marker,
                 std::unique_ptr<WorkFolder> folder)
    : pause_(io), marker_(std::move(marker)), folder_(std::move(folder)) {}

CleanUp::~CleanUp() {
  if (!folder_) return;
  // What was killed takes a moment to die, and writes into the folder until then.
  for (int round = 0, quiet = 0; round < kLastRounds && quiet < kQuietRounds; ++round) {
    quiet = KillMarked(marker_) == 0 ? quiet + 1 : 0;
    if (quiet < kQuietRounds) std::this_thread::sleep_for(kLastPause);
  }
  folder_->RemoveSome(INT_MAX);
}

void CleanUp::Start(std::function<void()> on_done) {
  on_done_ = std::move(on_done);
  pause_.expires_after(Duration::zero());
  pause_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
    if (!error) self->KillRound(kRounds);
  });
}

void CleanUp::KillRound(int left) {
  if (!folder_) return RemoveRound();
  const std::size_t found = KillMarked(marker_);
  quiet_rounds_ = found == 0 ? quiet_rounds_ + 1 : 0;
  if (quiet_rounds_ == kQuietRounds) return RemoveRound();
  if (left <= 0 && found > 0) {
    spdlog::warn("{} processes of a job that is over do not die", found);
    return RemoveRound();
  }
  pause_.expires_after(kPause);
  pause_.async_wait([self = shared_from_this(), left](const boost::system::error_code& error) {
    if (!error) self->KillRound(left - 1);
  });
}

void CleanUp::RemoveRound() {
  if (folder_ && !folder_->RemoveSome(kFilesAtOnce)) {
    pause_.expires_after(Duration::zero());
    return pause_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
      if (!error) self->RemoveRound();
    });
  }
  if (folder_ && !folder_->failures().empty()) {
    spdlog::warn("not removed: {}", folder_->failures());
  }
  folder_.reset();
  on_done_();
}

}  // namespace twofold::backend
