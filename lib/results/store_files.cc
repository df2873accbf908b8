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
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
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

/// A frame of the log, or that there is none.
struct LogFrame {
  std::uint32_t number = 0;  ///< from 1; 0: the log is empty
  std::uint32_t page = 0;    ///< bytes
  std::array<std::uint32_t, 2> checksum{};
};

/// The last frame that counts, as SQLite's index of the log has it ("WAL-Index File Format" of its
/// documentation). The index is in the memory of this process: no system call is needed.
LogFrame LastFrame(const SQLite::Database& database) {
  constexpr int kRegion = 32 << 10;
  sqlite3_file* file = nullptr;
  sqlite3_file_control(database.getHandle(), nullptr, SQLITE_FCNTL_FILE_POINTER, &file);
  void volatile* index = nullptr;
  if (file->pMethods->xShmMap(file, 0, kRegion, 0, &index) != SQLITE_OK || index == nullptr) {
    return {};
  }
  const auto* const bytes = static_cast<const volatile char*>(index);
  const auto read = [bytes](std::size_t from, auto* value) {
    std::array<char, sizeof *value> copy{};
    for (std::size_t i = 0; i < copy.size(); ++i) copy[i] = bytes[from + i];
    std::memcpy(value, copy.data(), copy.size());
  };
  LogFrame last;
  std::uint16_t page = 0;
  read(14, &page);
  read(16, &last.number);
  read(24, &last.checksum);
  last.page = page == 1 ? 65536 : page;
  return last;
}

std::uint32_t BigEndian(const unsigned char* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
         std::uint32_t{bytes[2]} << 8 | std::uint32_t{bytes[3]};
}

Status InUse(const std::string& path, const std::string& owner) {
  return absl::FailedPreconditionError(
      absl::StrCat(path, " is in use by another frontend (pid ", owner, ")"));
}

/// Files that this process has.
class Claims {
 public:
  static Claims& Here() {
    static Claims claims;
    return claims;
  }

  /// Until the pointer goes, this process has the file; nullptr: it has it already.
  std::shared_ptr<void> Make(const struct stat& file) {
    const Key key(file.st_dev, file.st_ino);
    const MutexLock lock(mutex_);
    if (!held_.insert(key).second) return nullptr;
    return {this, [this, key](void*) {
              const MutexLock again(mutex_);
              held_.erase(key);
            }};
  }

  [[nodiscard]] bool Have(const struct stat& file) const {
    const MutexLock lock(mutex_);
    return held_.contains(Key(file.st_dev, file.st_ino));
  }

 private:
  using Key = std::pair<dev_t, ino_t>;

  mutable Mutex mutex_;
  std::set<Key> held_ ABSL_GUARDED_BY(mutex_);
};

/// For F_OFD_SETLK and F_OFD_GETLK. Far from SQLite's bytes, which begin at 2^30.
struct flock OurByte() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = off_t{1} << 62;
  lock.l_len = 1;
  return lock;
}

/// False: another descriptor has it.
bool LockByte(int fd) {
  struct flock lock = OurByte();
  return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

/// Whether a process has the lock of PATH.lock; true: it does, or nobody can say.
bool HasOwner(const std::string& path) {
  const Descriptor file(open((path + ".lock").c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return errno != ENOENT;
  struct flock lock = OurByte();
  return fcntl(file.get(), F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
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
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return InUse(path, OwnerOf(fd));
    return absl::InvalidArgumentError(
        absl::StrCat("cannot lock ", lock_path, ": ", std::strerror(errno)));
  }
  const auto known = StatOf(path);
  std::shared_ptr<void> claim = known ? Claims::Here().Make(*known) : nullptr;
  if (known && claim == nullptr) return InUse(path, std::to_string(getpid()));
  Result<Descriptor> database = OpenPrivate(path);
  if (!database.ok()) return database.status();
  struct stat made {};
  if (!known && fstat(database->get(), &made) == 0) claim = Claims::Here().Make(made);
  LockByte(fd);  // free, as the flock was
  if (!LockByte(database->get())) {
    if (errno == EAGAIN || errno == EACCES) return InUse(path, "unknown, under another name");
    return absl::InvalidArgumentError(
        absl::StrCat("cannot lock ", path, ": ", std::strerror(errno)));
  }
  WriteOwner(fd);
  return FileLock(*std::move(opened), std::move(claim), *std::move(database));
}

bool FileLock::IsHeld(const std::string& path) {
  const auto file = StatOf(path);
  if (file && Claims::Here().Have(*file)) return true;
  std::error_code error;
  const std::string real = std::filesystem::canonical(path, error).string();
  return HasOwner(path) || (!error && real != path && HasOwner(real));
}

StoreFiles::StoreFiles(const SQLite::Database& database, const std::string& path)
    : database_(database) {
  for (const char* part : {"", "-wal", "-shm"}) {
    const std::string name = path + part;
    if (const auto file = StatOf(name)) files_.push_back({name, file->st_dev, file->st_ino});
  }
  // SQLite has no locks on the log.
  log_ = Descriptor(open((path + "-wal").c_str(), O_RDONLY | O_CLOEXEC));
}

Status StoreFiles::Check() {
  off_t size = 0;
  for (const File& file : files_) {
    const auto now = StatOf(file.path);
    if (now && now->st_dev == file.device && now->st_ino == file.inode) {
      if (&file == &files_.front()) size = now->st_size;
      continue;
    }
    return absl::UnavailableError(
        absl::StrCat(file.path, now ? " is not the file that was opened" : " was deleted",
                     ": what is written would be lost; put it back, or restart the frontend"));
  }
  if (!HasMagic(database_)) {
    return absl::DataLossError(
        absl::StrCat(files_.front().path, ": it is damaged: it does not begin as a database does"));
  }
  if (size < size_) {
    return absl::DataLossError(absl::StrCat(files_.front().path, ": it is damaged: it had ", size_,
                                            " bytes and has ", size));
  }
  size_ = size;
  return CheckLog();
}

Status StoreFiles::CheckLog() const {
  constexpr off_t kLogHeader = 32;
  constexpr off_t kFrameHeader = 24;
  const LogFrame last = LastFrame(database_);
  if (last.number == 0) return absl::OkStatus();
  std::array<unsigned char, kFrameHeader> frame{};
  const off_t at = kLogHeader + (off_t{last.number} - 1) * (kFrameHeader + off_t{last.page});
  struct stat log {};
  const bool is_whole =
      fstat(log_.get(), &log) == 0 && log.st_size >= at + kFrameHeader + off_t{last.page};
  const bool is_there = pread(log_.get(), frame.data(), frame.size(), at) == kFrameHeader;
  if (is_whole && is_there && BigEndian(&frame[16]) == last.checksum[0] &&
      BigEndian(&frame[20]) == last.checksum[1]) {
    return absl::OkStatus();
  }
  return absl::DataLossError(absl::StrCat(
      files_.front().path, "-wal: it is damaged: it does not end with what was written last"));
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
