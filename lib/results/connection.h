#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <absl/strings/str_cat.h>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "lib/common/instant.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"
#include "lib/results/read_connection.h"
#include "lib/results/sqlite_database.h"
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

/// Reads a SQLite file.
class SqliteReads final : public ReadConnection {
 public:
  /// `damage` takes note of what reading shows; nullptr: nobody wants to know.
  SqliteReads(SQLite::Database database, std::string path, Duration longest_read,
              std::shared_ptr<Damage> damage)
      : path_(std::move(path)),
        longest_read_(longest_read),
        damage_(std::move(damage)),
        database_(std::move(database)) {}

  [[nodiscard]] Statements& sql() const override { return sql_; }
  [[nodiscard]] const std::string& name() const override { return path_; }
  [[nodiscard]] bool IsWritten() const override { return FileLock::IsHeld(path_); }

 private:
  Status InTransaction(absl::FunctionRef<Status()> read) const override;

  const std::string path_;
  const Duration longest_read_;
  const std::shared_ptr<Damage> damage_;
  mutable Mutex mutex_;
  mutable SQLite::Database database_;  // guarded by mutex_
  mutable SqliteDatabase engine_{database_};
  mutable Statements sql_{engine_};
};

}  // namespace twofold::results
