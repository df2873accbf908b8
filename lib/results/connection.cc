#include "lib/results/connection.h"

#include <absl/strings/str_cat.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace twofold::results {
namespace {

struct Meaning {
  int sqlite;
  absl::StatusCode code;
  const char* text;
};

constexpr auto kMeanings = std::to_array<Meaning>({
    {SQLITE_FULL, absl::StatusCode::kResourceExhausted, "the disk is full"},
    {SQLITE_IOERR, absl::StatusCode::kUnavailable, "input or output failed"},
    {SQLITE_BUSY, absl::StatusCode::kUnavailable, "another program writes to it"},
    {SQLITE_LOCKED, absl::StatusCode::kUnavailable, "another program holds it"},
    {SQLITE_READONLY, absl::StatusCode::kUnavailable, "it cannot be written"},
    {SQLITE_CANTOPEN, absl::StatusCode::kUnavailable, "it cannot be opened"},
    {SQLITE_PROTOCOL, absl::StatusCode::kUnavailable, "another program holds it"},
    {SQLITE_INTERRUPT, absl::StatusCode::kDeadlineExceeded, "the read took too long and was ended"},
    {SQLITE_NOMEM, absl::StatusCode::kUnavailable, "out of memory"},
    {SQLITE_CORRUPT, absl::StatusCode::kDataLoss, "it is damaged"},
    {SQLITE_NOTADB, absl::StatusCode::kDataLoss, "it is no SQLite database any more"},
});

/// A full disk that shows only as a failed write: by quota, by ulimit, or when syncing.
bool IsFull(int system_errno) {
  return system_errno == ENOSPC || system_errno == EDQUOT || system_errno == EFBIG;
}

Meaning MeaningOf(const SQLite::Exception& error, int system_errno) {
  const int code = error.getErrorCode();
  if (code == SQLITE_IOERR && IsFull(system_errno)) return kMeanings.front();
  const auto* const known = std::find_if(kMeanings.begin(), kMeanings.end(),
                                         [&](const Meaning& each) { return each.sqlite == code; });
  if (known != kMeanings.end()) return *known;
  return {code, absl::StatusCode::kInternal, error.what()};
}

/// While it lives, what the connection does after the limit fails with SQLITE_INTERRUPT: a look
/// at the clock every some thousand steps of SQLite.
class Limit {
 public:
  Limit(const SQLite::Database& database, Duration limit)
      : handle_(database.getHandle()), end_(Now() + limit) {
    sqlite3_progress_handler(handle_, kSteps, &Limit::IsOver, this);
  }
  ~Limit() { sqlite3_progress_handler(handle_, 0, nullptr, nullptr); }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;

 private:
  static constexpr int kSteps = 10'000;

  static int IsOver(void* self) { return Now() >= static_cast<Limit*>(self)->end_ ? 1 : 0; }

  sqlite3* const handle_;
  const Instant end_;
};

}  // namespace

Status SqliteReads::InTransaction(absl::FunctionRef<Status()> read) const {
  const MutexLock lock(mutex_);
  Status status = Guarded(database_, path_, [&]() -> Status {
    const Limit limit(database_, longest_read_);
    SQLite::Transaction transaction(database_);
    return read();
  });
  if (damage_ != nullptr) damage_->See(status);
  return status;
}

Status StatusOf(const SQLite::Exception& error, int system_errno, const std::string& path) {
  const Meaning meaning = MeaningOf(error, system_errno);
  std::string message = absl::StrCat(path, ": ", meaning.text);
  if (system_errno != 0 && meaning.sqlite == SQLITE_IOERR) {
    absl::StrAppend(&message, ": ", std::strerror(system_errno));
  }
  // For who wants to look it up: "(SQLite: disk I/O error, 1034)".
  absl::StrAppend(&message, " (SQLite: ", error.getErrorStr(), ", ", error.getExtendedErrorCode(),
                  ")");
  return {meaning.code, message};
}

Status StatusOfOpening(const SQLite::Exception& error, int system_errno, const std::string& path) {
  if (error.getErrorCode() != SQLITE_NOTADB) return StatusOf(error, system_errno, path);
  return absl::InvalidArgumentError(absl::StrCat(path, " is no SQLite database"));
}

// sqlite3_system_errno does not tell of a commit that failed, the files do: the log, where commits
// go, then the database.
int SystemErrno(const SQLite::Database& database) {
  for (const int which : {SQLITE_FCNTL_JOURNAL_POINTER, SQLITE_FCNTL_FILE_POINTER}) {
    sqlite3_file* file = nullptr;
    int last = 0;
    if (sqlite3_file_control(database.getHandle(), nullptr, which, &file) == SQLITE_OK &&
        file != nullptr && file->pMethods != nullptr &&
        file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &last) == SQLITE_OK &&
        last != 0) {
      return last;
    }
  }
  return sqlite3_system_errno(database.getHandle());
}

}  // namespace twofold::results
