#pragma once

#include <string>

#include "lib/common/result.h"

namespace twofold::results {

/// Keeps a second process from a file: an flock on PATH.lock, for as long as this lives.
///
/// The lock is the kernel's, so it ends with the process, however that ends, and a stale one cannot
/// be left behind. It is not on the file itself, because SQLite has locks of its own there, which
/// let others read it. It is not fcntl's kind, because that one would let the same process in twice
/// and would end when anything in the process closes the file. PATH.lock holds the process's
/// number, for people; it stays when the lock ends, since deleting it would race with the next
/// owner.
class FileLock {
 public:
  /// Errors   kFailedPrecondition: somebody has it, and who; kInvalidArgument: PATH.lock cannot be
  ///          opened.
  static Result<FileLock> Take(const std::string& path);

  ~FileLock();
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;

 private:
  explicit FileLock(int fd) : fd_(fd) {}

  int fd_;
};

}  // namespace twofold::results
