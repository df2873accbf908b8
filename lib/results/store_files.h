#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lib/common/descriptors.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"

/// The files of a store as the operating system sees them: whose they are, who uses them, and
/// whether they are still those that SQLite has open. SQLite itself writes on without a word to one
/// that was deleted.
namespace twofold::results {

/// Opens a file that nobody else may read, or makes it empty, to read and write. One that others
/// may read becomes such a file, and the log says so.
///
/// Errors   kInvalidArgument: why the file cannot be opened.
Result<Descriptor> OpenPrivate(const std::string& path);

/// The same for a file that others may have open in this process: it is not opened. No-op if there
/// is none.
void MakePrivate(const std::string& path);

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

 private:
  explicit FileLock(Descriptor file) : file_(std::move(file)) {}

  Descriptor file_;
};

/// Whether a database is still in the files in which it was opened.
///
/// Threads  Not safe. Cost: a system call for each of three files, and a read of 16 bytes.
class StoreFiles {
 public:
  /// REQUIRES: the database outlives this, and has been read, so that its log is there, too.
  StoreFiles(const SQLite::Database& database, const std::string& path);

  /// Errors   kUnavailable: one was deleted, or is not the one that was opened; kDataLoss: what it
  ///          begins with is not what a database begins with.
  [[nodiscard]] Status Check() const;

  /// Bytes of the write-ahead log on disk.
  [[nodiscard]] std::uint64_t log_bytes() const;

 private:
  struct File {
    std::string path;
    dev_t device;
    ino_t inode;
  };

  const SQLite::Database& database_;
  std::vector<File> files_;
};

/// Remembers that a file has turned out to be damaged. Reading finds that, and whoever writes has
/// to know.
///
/// Threads  Safe.
class Damage {
 public:
  /// Takes note of kDataLoss.
  void See(const Status& status);
  /// The first that was seen.
  [[nodiscard]] Status status() const;

 private:
  mutable Mutex mutex_;
  Status status_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace twofold::results
