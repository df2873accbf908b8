#include "lib/results/store_files.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

namespace twofold::results {
namespace {

constexpr mode_t kOwnerOnly = S_IRUSR | S_IWUSR;

// Of every SQLite database, with its zero at the end.
constexpr std::string_view kMagic("SQLite format 3\0", 16);

std::optional<struct stat> StatOf(const std::string& path) {
  struct stat file {};
  if (stat(path.c_str(), &file) != 0) return std::nullopt;
  return file;
}

/// Reads through SQLite's own descriptor: to close another one would end its locks.
bool HasMagic(const SQLite::Database& database) {
  sqlite3_file* file = nullptr;
  sqlite3_file_control(database.getHandle(), nullptr, SQLITE_FCNTL_FILE_POINTER, &file);
  std::array<char, kMagic.size()> begin{};
  return file->pMethods->xRead(file, begin.data(), begin.size(), 0) == SQLITE_OK &&
         std::string_view(begin.data(), begin.size()) == kMagic;
}

/// What the owner wrote: its process number.
std::string OwnerOf(int fd) {
  std::array<char, 32> text{};
  const ssize_t size = pread(fd, text.data(), text.size(), 0);
  return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : "unknown";
}

// Only for people, so it does not matter if the disk is full.
void WriteOwner(int fd) {
  const std::string pid = std::to_string(getpid());
  if (ftruncate(fd, 0) == 0) static_cast<void>(!pwrite(fd, pid.data(), pid.size(), 0));
}

}  // namespace

Result<Descriptor> OpenPrivate(const std::string& path) {
  Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kOwnerOnly));
  if (file.get() < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot open ", path, ": ", std::strerror(errno)));
  }
  MakePrivate(path);
  return file;
}

void MakePrivate(const std::string& path) {
  const auto file = StatOf(path);
  if (!file || (file->st_mode & (S_IRWXG | S_IRWXO)) == 0) return;
  const std::string mode = absl::StrFormat("%04o", file->st_mode & 07777);
  if (chmod(path.c_str(), kOwnerOnly) == 0) {
    spdlog::warn("{}: its mode was {}, and specs of jobs may be secrets: now it is 0600", path,
                 mode);
  } else {
    spdlog::warn("{}: its mode is {}, and specs of jobs may be secrets: {}", path, mode,
                 std::strerror(errno));
  }
}

Result<FileLock> FileLock::Take(const std::string& path) {
  const std::string lock_path = path + ".lock";
  // Who can open it could lock it, too.
  Result<Descriptor> opened = OpenPrivate(lock_path);
  if (!opened.ok()) return opened.status();
  const int fd = opened->get();
  if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
    WriteOwner(fd);
    return FileLock(*std::move(opened));
  }
  if (errno != EWOULDBLOCK) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot lock ", lock_path, ": ", std::strerror(errno)));
  }
  return absl::FailedPreconditionError(
      absl::StrCat(path, " is in use by another frontend (pid ", OwnerOf(fd), ")"));
}

StoreFiles::StoreFiles(const SQLite::Database& database, const std::string& path)
    : database_(database) {
  for (const char* part : {"", "-wal", "-shm"}) {
    const std::string name = path + part;
    if (const auto file = StatOf(name)) files_.push_back({name, file->st_dev, file->st_ino});
  }
}

Status StoreFiles::Check() const {
  for (const File& file : files_) {
    const auto now = StatOf(file.path);
    if (now && now->st_dev == file.device && now->st_ino == file.inode) continue;
    return absl::UnavailableError(
        absl::StrCat(file.path, now ? " is not the file that was opened" : " was deleted",
                     ": what is written would be lost; put it back, or restart the frontend"));
  }
  if (HasMagic(database_)) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat(files_.front().path, ": it is damaged: it does not begin as a database does"));
}

std::uint64_t StoreFiles::log_bytes() const {
  const auto log = StatOf(files_.front().path + "-wal");
  return log ? static_cast<std::uint64_t>(log->st_size) : 0;
}

void Damage::See(const Status& status) {
  if (!absl::IsDataLoss(status)) return;
  const MutexLock lock(mutex_);
  status_.Update(status);
}

Status Damage::status() const {
  const MutexLock lock(mutex_);
  return status_;
}

}  // namespace twofold::results
