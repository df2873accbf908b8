#include "backend/benchmark/work_folder.h"

#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>

#include "backend/workload/after.h"

namespace twofold::backend {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kName = "twofold-work-";
constexpr std::size_t kSuffix = 6;  // that mkdtemp makes

constexpr Duration kBetweenRounds = std::chrono::milliseconds(10);
constexpr int kRounds = 200;  // 2 s; what is not dead then waits for a disk or a driver

// A process has no environment for a moment while it starts its program: one look is not enough.
constexpr int kQuietRounds = 2;

// At the end of the program, and at its start for those of one that was killed.
constexpr Duration kLastPause = std::chrono::milliseconds(2);
constexpr int kLastRounds = 250;  // 0.5 s

constexpr int kFilesAtOnce = 1000;

Status SystemError(const std::string& path) { return absl::ErrnoToStatus(errno, path); }

// None: it is locked by another process, or cannot be.
Descriptor Lock(const std::string& path) {
  Descriptor folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (folder.get() >= 0 && flock(folder.get(), LOCK_EX | LOCK_NB) != 0) return Descriptor();
  return folder;
}

// The plan's folders, for whoever finds them left behind.
std::string NotesIn(const std::string& path) { return path + "/folders"; }

Status Write(const std::string& path, const std::string& text, std::ios::openmode mode) {
  std::ofstream file(path, mode | std::ios::binary);
  errno = 0;
  file << text;
  file.close();
  return file ? absl::OkStatus() : SystemError(path);
}

// Removes files until `budget` is used up; whether all is gone, or cannot be removed.
bool Remove(const fs::path& path, int& budget, std::error_code& error) {
  if (fs::is_directory(fs::symlink_status(path, error))) {
    std::error_code ignored;
    fs::permissions(path, fs::perms::owner_all, fs::perm_options::add, ignored);
    for (fs::directory_iterator entry(path, error), end; !error && entry != end;
         entry.increment(error)) {
      if (!Remove(entry->path(), budget, error)) return false;
      if (error) return true;
    }
  }
  if (--budget < 0) return false;
  if (!error) fs::remove(path, error);
  return true;
}

bool BelongsToUs(const std::string& path) {
  struct stat info {};
  return lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid();
}

void RemoveAll(const std::string& path) {
  int budget = INT_MAX;
  std::error_code ignored;  // it is tried again by the next worker
  Remove(path, budget, ignored);
}

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

// The path of a folder in `parent`: spelled as in the marker of its programs.
std::string PathIn(const std::string& parent, std::string_view name) {
  return absl::StrCat(parent, "/", std::string(name));
}

// What was killed takes a moment to die, and writes into its folder until then.
void KillAllMarked(const std::string& marker) {
  for (int round = 0, quiet = 0; round < kLastRounds && quiet < kQuietRounds; ++round) {
    quiet = KillMarked(marker) == 0 ? quiet + 1 : 0;
    if (quiet < kQuietRounds) std::this_thread::sleep_for(kLastPause);
  }
}

}  // namespace

// It has its name only when it is locked: nobody takes it for one that was left behind.
Result<std::unique_ptr<WorkFolder>> WorkFolder::Make(const std::string& parent) {
  std::string fresh = parent + "/twofold-new-XXXXXX";
  if (mkdtemp(fresh.data()) == nullptr) return SystemError(parent);
  Descriptor lock = Lock(fresh);
  const std::string path =
      PathIn(parent, absl::StrCat(std::string(kName), fresh.substr(fresh.size() - kSuffix)));
  if (lock.get() < 0 || rename(fresh.c_str(), path.c_str()) != 0) {
    const Status status = SystemError(fresh);
    rmdir(fresh.c_str());
    return status;
  }
  std::unique_ptr<WorkFolder> folder(new WorkFolder(path, std::move(lock)));
  for (const std::string& part : {folder->run(), folder->out(), folder->tmp()}) {
    if (mkdir(part.c_str(), 0777) == 0) continue;
    const Status status = SystemError(part);
    RemoveAll(path);
    return status;
  }
  return folder;
}

WorkFolder::WorkFolder(std::string path, Descriptor lock)
    : path_(std::move(path)), lock_(std::move(lock)), to_remove_{path_} {}

std::string_view WorkFolder::suffix() const {
  return std::string_view(path_).substr(path_.size() - kSuffix);
}

std::string WorkFolder::Absolute(const std::string& path) const {
  return path.starts_with('/') ? path : run() + "/" + path;
}

Status WorkFolder::MakeFolder(const std::string& path) {
  if (path.find('\n') != std::string::npos) {
    return absl::InvalidArgumentError("a folder with a line break in its name");
  }
  if (mkdir(path.c_str(), 0777) != 0) return SystemError(path);
  to_remove_.push_back(path);
  return Write(NotesIn(path_), path + "\n", std::ios::app);
}

Status WorkFolder::Fill(const suite::RankPlan& plan) {
  for (const std::string& folder : plan.folders) {
    if (Status status = MakeFolder(Absolute(folder)); !status.ok()) return status;
  }
  for (const suite::File& file : plan.files) {
    if (Status status = Write(Absolute(file.path), file.content, std::ios::trunc); !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

bool WorkFolder::RemoveSome(int entries) {
  while (!to_remove_.empty()) {
    std::error_code error;
    if (!Remove(to_remove_.back(), entries, error)) return false;
    if (error) absl::StrAppend(&failures_, to_remove_.back(), ": ", error.message(), "; ");
    to_remove_.pop_back();
  }
  return true;
}

std::size_t RemoveLeftWorkFolders(const std::string& parent) {
  std::size_t removed = 0;
  std::error_code error;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename();
    const std::string path = PathIn(parent, name);
    if (!name.starts_with(kName) || !BelongsToUs(path)) continue;
    const Descriptor lock = Lock(path);
    if (lock.get() < 0) continue;
    KillAllMarked(WorkFolder::MarkerOf(path));
    std::ifstream notes(NotesIn(path));
    for (std::string folder; std::getline(notes, folder);) RemoveAll(folder);
    RemoveAll(path);
    ++removed;
  }
  return removed;
}

// ---- At the end of an attempt

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

CleanUp::~CleanUp() {
  if (!folder_) return;
  KillAllMarked(folder_->marker());
  folder_->RemoveSome(INT_MAX);
}

void CleanUp::Start(std::function<void()> on_done) {
  on_done_ = std::move(on_done);
  Next(Duration::zero(), folder_ ? &CleanUp::KillRound : &CleanUp::RemoveRound);
}

void CleanUp::Next(Duration pause, void (CleanUp::*round)()) {
  After(pause_, pause, [self = shared_from_this(), round] { (*self.*round)(); });
}

void CleanUp::KillRound() {
  const std::size_t found = KillMarked(folder_->marker());
  quiet_rounds_ = found == 0 ? quiet_rounds_ + 1 : 0;
  if (quiet_rounds_ == kQuietRounds) return RemoveRound();
  if (++rounds_ > kRounds && found > 0) {
    spdlog::warn("{} processes of a job that is over do not die", found);
    return RemoveRound();
  }
  Next(kBetweenRounds, &CleanUp::KillRound);
}

void CleanUp::RemoveRound() {
  if (folder_ && !folder_->RemoveSome(kFilesAtOnce)) {
    return Next(Duration::zero(), &CleanUp::RemoveRound);
  }
  if (folder_ && !folder_->failures().empty()) {
    spdlog::warn("not removed: {}", folder_->failures());
  }
  folder_.reset();
  on_done_();
}

}  // namespace twofold::backend
