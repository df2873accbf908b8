#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/types.h>

#include <cstdint>
#include <memory>
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

/// Keeps others from a database, whatever they call it, for as long as this lives.
///
/// The lock is on the file itself, so links to it are no way around. It is the kernel's, so it ends
/// with the process, however that ends. It belongs to a descriptor (an OFD lock), not to the
/// process as SQLite's own do, and is on a byte that SQLite does not use. As the end of any
/// descriptor of a file ends SQLite's locks on it in this process, this one lives as long as SQLite
/// has the file open, and a file that this process has is not opened a second time.
///
/// There is an flock on PATH.lock as well, which holds the process's number, for people, and the
/// same lock as on the database, for those who ask. It stays when the lock ends, since deleting it
/// would race with the next owner.
///
/// REQUIRES: it outlives all connections to the database in this process.
class FileLock {
 public:
  /// Makes the database if there is none, empty, as SQLite would; nobody else may read it.
  ///
  /// Errors   kFailedPrecondition: somebody has it, and who; kInvalidArgument: it, or PATH.lock,
  ///          cannot be opened.
  static Result<FileLock> Take(const std::string& path);

  /// Whether somebody, here or in another process, has the database: true if that cannot be seen.
  /// Takes no lock, so it is in nobody's way. Known by PATH.lock, of `path` or of the file that it
  /// is a link to.
  static bool IsHeld(const std::string& path);

 private:
  FileLock(Descriptor owner, std::shared_ptr<void> claim, Descriptor database)
      : owner_(std::move(owner)), claim_(std::move(claim)), database_(std::move(database)) {}

  Descriptor owner_;  // PATH.lock
  std::shared_ptr<void> claim_;
  Descriptor database_;
};

/// Whether a database is still in the files in which it was opened, and these still have what was
/// put there last, as far as that shows from outside: none was cut, the file begins as a database
/// does, and the log ends with the frame that SQLite knows as its last one.
///
/// Threads  Not safe. Cost: a system call for each of three files, and two reads of some bytes.
class StoreFiles {
 public:
  /// REQUIRES: the database outlives this, and has been read, so that its log is there, too.
  StoreFiles(const SQLite::Database& database, const std::string& path);

  /// Errors   kUnavailable: one was deleted, or is not the one that was opened; kDataLoss: one was
  ///          cut or overwritten.
  [[nodiscard]] Status Check();

  /// Bytes of the write-ahead log on disk.
  [[nodiscard]] std::uint64_t log_bytes() const;

 private:
  struct File {
    std::string path;
    dev_t device;
    ino_t inode;
  };

  [[nodiscard]] Status CheckLog() const;

  const SQLite::Database& database_;
  std::vector<File> files_;
  off_t size_ = 0;  // of the database, at most so far
  Descriptor log_;
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
