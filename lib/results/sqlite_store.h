#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/common/instant.h"
#include "lib/results/connection.h"
#include "lib/results/job_reader.h"
#include "lib/results/job_tables.h"
#include "lib/results/store.h"
#include "lib/results/store_files.h"

namespace twofold::results {

struct SqliteOptions {
  /// How long to wait for another program that writes to the file (a person with `sqlite3`).
  Duration busy_timeout = std::chrono::seconds(1);
  /// SQLite's virtual file system; empty: the default one.
  std::string vfs = {};
  /// A write-ahead log that is longer on disk is emptied and cut, which waits for readers.
  std::uint64_t longest_log = 64 << 20;
  /// How long that waits, and how soon it is tried again.
  Duration checkpoint_wait = std::chrono::milliseconds(200);
  Duration checkpoint_pause = std::chrono::seconds(10);
  Duration longest_read = kLongestRead;
};

/// A Store in one SQLite file, documented in docs/store.md. Others may read the file meanwhile.
///
/// What it has committed is safe only as long as the files are there: before and after each commit
/// it looks whether they still are those that were opened, and whole. The file is readable for its
/// owner only.
///
/// Cost     Commit: one transaction, one sync of the write-ahead log. Now and then it moves the log
///          into the file (a checkpoint: two syncs more).
class SqliteStore final : public Store {
 public:
  /// Opens the file, or makes it, and brings its schema up to date.
  ///
  /// Beside PATH there are PATH-wal and PATH-shm (SQLite's) while it is open, and PATH.lock, which
  /// is left behind. A second frontend is kept out under each name that the file has. If the last
  /// one has not closed it, all of it is read, to find damage before it is used.
  /// Errors   those of Store, and: kInvalidArgument: the path is a folder, no database, or cannot
  ///          be opened; kFailedPrecondition: in use by another frontend, or written by a newer
  ///          one.
  static Result<std::unique_ptr<SqliteStore>> Open(const std::string& path,
                                                   const SqliteOptions& options = {});

  Status Commit(std::span<const Record> records) override;
  Status Check() override;

  /// Commits the groups that `next` gives until it gives an empty one, all of them or none. As
  /// Commit otherwise; what `next` returns as an error is returned.
  Status CommitAll(const std::function<Result<std::vector<Record>>()>& next);

  [[nodiscard]] const std::string& path() const { return path_; }
  /// For other readers of the file: what they find counts for Commit and Check, too.
  [[nodiscard]] const std::shared_ptr<Damage>& damage() const { return damage_; }
  Result<std::map<std::string, std::uint64_t>> Load(const Visit& visit) override;
  Status ReadSpecs(const WantedSpecs& wanted) override;
  Result<StoredJob> Find(JobId job) const override;
  Result<std::vector<StoredJob>> List(const JobQuery& query) const override;
  Result<std::size_t> Forget(const Retention& retention, std::size_t at_most) override;
  Result<std::uint64_t> Bytes() override;

 private:
  SqliteStore(std::string path, FileLock lock, const SqliteOptions& options);
  Status Start();  // throws SQLite::Exception

  template <typename Write>
  Status InTransaction(const Write& write);
  void ShortenLog();

  const std::string path_;
  const SqliteOptions options_;
  const FileLock lock_;
  const std::shared_ptr<Damage> damage_ = std::make_shared<Damage>();

  // Of the thread that commits.
  SQLite::Database database_;
  SqliteDatabase engine_{database_};
  Statements sql_{engine_};
  JobTables tables_{sql_};
  std::optional<StoreFiles> files_;
  Instant next_shortening_{};
  bool log_is_held_ = false;  // by a reader, as the log has been told

  // Of all others.
  std::optional<SqliteReads> connection_;
  mutable std::optional<JobReader> reader_;
};

}  // namespace twofold::results
