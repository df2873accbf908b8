#include "backend/benchmark/work_folder.h"

#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <utility>

namespace twofold::backend {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kName = "twofold-work-";
constexpr std::size_t kSuffix = 6;  // that mkdtemp makes

Status Failed(const std::string& path) { return absl::ErrnoToStatus(errno, path); }

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
  return file ? absl::OkStatus() : Failed(path);
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

}  // namespace

// It has its name only when it is locked: nobody takes it for one that was left behind.
Result<std::unique_ptr<WorkFolder>> WorkFolder::Make(const std::string& parent) {
  std::string fresh = parent + "/twofold-new-XXXXXX";
  if (mkdtemp(fresh.data()) == nullptr) return Failed(parent);
  Descriptor lock = Lock(fresh);
  const std::string path =
      absl::StrCat(parent, "/", std::string(kName), fresh.substr(fresh.size() - kSuffix));
  if (lock.get() < 0 || rename(fresh.c_str(), path.c_str()) != 0) {
    const Status status = Failed(fresh);
    rmdir(fresh.c_str());
    return status;
  }
  std::unique_ptr<WorkFolder> folder(new WorkFolder(path, std::move(lock)));
  for (const std::string& part : {folder->run(), folder->out(), folder->tmp()}) {
    if (mkdir(part.c_str(), 0777) == 0) continue;
    const Status status = Failed(part);
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
  if (mkdir(path.c_str(), 0777) != 0) return Failed(path);
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
    const std::string path = entry->path();
    if (!entry->path().filename().native().starts_with(kName) || !BelongsToUs(path)) continue;
    const Descriptor lock = Lock(path);
    if (lock.get() < 0) continue;
    std::ifstream notes(NotesIn(path));
    for (std::string folder; std::getline(notes, folder);) RemoveAll(folder);
    RemoveAll(path);
    ++removed;
  }
  return removed;
}

}  // namespace twofold::backend
