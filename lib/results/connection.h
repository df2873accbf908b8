#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <absl/strings/str_cat.h>
#include <sqlite3.h>

#include <chrono>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "lib/common/instant.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"
#include "lib/results/sqlite_database.h"
#include "lib/results/statements.h"
#include "lib/results/store_files.h"

namespace twofold::results {

/// What an exception of SQLiteCpp means to the caller of a Store (see its Errors), with the path.
/// `system_errno` is SystemErrno's; 0: unknown.
Status StatusOf(const SQLite::Exception& error, int system_errno, const std::string& path);

/// The same when the file was to be opened.
Status StatusOfOpening(const SQLite::Exception& error, int system_errno, const std::string& path);

/// The errno of the last operation that failed on the files of this connection; 0: none did.
/// Only of use right after an error.
int SystemErrno(const SQLite::Database& database);

/// Calls `body`, which returns a Status or Result and may throw what SQLiteCpp throws, and Damaged.
template <typename Body>
std::invoke_result_t<Body> Guarded(const SQLite::Database& database, const std::string& path,
                                   const Body& body) {
  try {
    return body();
  } catch (const SQLite::Exception& error) {
    return StatusOf(error, SystemErrno(database), path);
  } catch (const Damaged& error) {
    return absl::DataLossError(absl::StrCat(path, ": it is damaged: ", error.what()));
  }
}

/// So long one read may take: as long as it goes on, the log of what was written since cannot be
/// emptied.
inline constexpr Duration kLongestRead = std::chrono::seconds(30);

/// A connection that only reads a file, which others may be writing meanwhile.
///
/// Threads  Safe; one read at a time.
class ReadConnection {
 public:
  /// `damage` takes note of what reading shows; nullptr: nobody wants to know.
  ReadConnection(SQLite::Database database, std::string path, Duration longest_read,
                 std::shared_ptr<Damage> damage)
      : path_(std::move(path)),
        longest_read_(longest_read),
        damage_(std::move(damage)),
        database_(std::move(database)) {}

  /// For use within Run.
  Statements& sql() const { return sql_; }
  [[nodiscard]] const std::string& path() const { return path_; }

  /// Calls `read`, which returns a Result and may throw what SQLiteCpp throws. It sees what was
  /// committed when it began.
  template <typename Read>
  std::invoke_result_t<Read> Run(const Read& read) const {
    const MutexLock lock(mutex_);
    auto result = Guarded(database_, path_, [&]() -> std::invoke_result_t<Read> {
      const Limit limit(database_, longest_read_);
      SQLite::Transaction transaction(database_);
      return read();
    });
    if (damage_ != nullptr) damage_->See(result.status());
    return result;
  }

 private:
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

  const std::string path_;
  const Duration longest_read_;
  const std::shared_ptr<Damage> damage_;
  mutable Mutex mutex_;
  mutable SQLite::Database database_;  // guarded by mutex_
  mutable SqliteDatabase engine_{database_};
  mutable Statements sql_{engine_};
};

}  // namespace twofold::results
