#include "lib/results/file_lock.h"

#include <absl/strings/str_cat.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "lib/results/store_files.h"

namespace twofold::results {
namespace {

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

Result<FileLock> FileLock::Take(const std::string& path) {
  const std::string lock_path = path + ".lock";
  // Who can open it could lock it, too.
  const Result<int> opened = OpenPrivate(lock_path);
  if (!opened.ok()) return opened.status();
  const int fd = *opened;
  FileLock lock(fd);
  if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
    WriteOwner(fd);
    return lock;
  }
  if (errno != EWOULDBLOCK) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot lock ", lock_path, ": ", std::strerror(errno)));
  }
  return absl::FailedPreconditionError(
      absl::StrCat(path, " is in use by another frontend (pid ", OwnerOf(fd), ")"));
}

FileLock::~FileLock() {
  if (fd_ >= 0) close(fd_);
}

FileLock::FileLock(FileLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

}  // namespace twofold::results
