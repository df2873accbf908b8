#include "lib/results/sqlite_store.h"

#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "lib/results/schema.h"

namespace twofold::results {
namespace {

constexpr int kCheckpointPages = 4000;  // 16 MiB of log: few syncs of the file, a short recovery
constexpr int kCacheKiB = 16 * 1024;

// A connection is used by one thread at a time, so SQLite's own locks would only cost.
constexpr int kOneThread = SQLITE_OPEN_NOMUTEX;

int Milliseconds(Duration duration) {
  return static_cast<int>(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count());
}

Status CheckIsFile(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status)) {
    return absl::OkStatus();
  }
  const bool folder = std::filesystem::is_directory(status);
  return absl::InvalidArgumentError(
      absl::StrCat(path, folder ? " is a folder, not a file" : " is not a regular file"));
}

/// Whoever had the file open last has not closed it: SQLite would have emptied the log.
bool EndedUnclean(const std::string& path) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path + "-wal", error);
  return !error && bytes > 0;
}

/// Whether the tables can be read. Reads all of the file.
Status QuickCheck(SQLite::Database& database, const std::string& path) {
  const std::string found = database.execAndGet("PRAGMA quick_check(1)").getString();
  if (found == "ok") return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(path, ": it is damaged: ", found));
}

/// With a write-ahead log and synchronous = FULL, a commit is one sync, and what was committed
/// outlives a loss of power.
Status Configure(SQLite::Database& database, const std::string& path, std::uint64_t longest_log) {
  const std::string mode = database.execAndGet("PRAGMA journal_mode = WAL").getString();
  if (mode != "wal") {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": its file system cannot hold SQLite's write-ahead log"));
  }
  database.exec("PRAGMA synchronous = FULL");
  database.exec(absl::StrCat("PRAGMA wal_autocheckpoint = ", kCheckpointPages));
  database.exec(absl::StrCat("PRAGMA journal_size_limit = ", longest_log));
  database.exec(absl::StrCat("PRAGMA cache_size = ", -kCacheKiB));
  return absl::OkStatus();
}

}  // namespace

Result<std::unique_ptr<SqliteStore>> SqliteStore::Open(const std::string& path,
                                                       const SqliteOptions& options) {
  if (Status status = CheckIsFile(path); !status.ok()) return status;
  Result<FileLock> lock = FileLock::Take(path);
  if (!lock.ok()) return lock.status();
  // Those of a frontend that was killed; SQLite gives new ones the mode of the file.
  for (const char* part : {"-wal", "-shm"}) MakePrivate(path + part);
  const bool ended_unclean = EndedUnclean(path);
  std::unique_ptr<SqliteStore> store;
  try {
    store.reset(new SqliteStore(path, *std::move(lock), options));
    Status status = ended_unclean ? QuickCheck(store->database_, path) : absl::OkStatus();
    if (status.ok()) status = store->Start();
    if (!status.ok()) return status;
    return store;
  } catch (const SQLite::Exception& error) {
    return StatusOfOpening(error, store ? SystemErrno(store->database_) : 0, path);
  }
}

SqliteStore::SqliteStore(std::string path, FileLock lock, const SqliteOptions& options)
    : path_(std::move(path)),
      options_(options),
      lock_(std::move(lock)),
      database_(path_, SQLite::OPEN_READWRITE | kOneThread, Milliseconds(options.busy_timeout),
                options.vfs) {}

Status SqliteStore::Start() {
  Status status = BringUpToDate(database_, path_, AllMigrations());
  if (status.ok()) status = Configure(database_, path_, options_.longest_log);
  if (!status.ok()) return status;
  connection_.emplace(SQLite::Database(path_, SQLite::OPEN_READONLY | kOneThread,
                                       Milliseconds(options_.busy_timeout), options_.vfs),
                      path_, options_.longest_read, damage_);
  reader_.emplace(connection_->sql());
  tables_.reader().Sequences();  // so that the log is there
  files_.emplace(database_, path_);
  return status;
}

Status SqliteStore::Commit(std::span<const Record> records) {
  return InTransaction([&] { return tables_.Write(records); });
}

Status SqliteStore::CommitAll(const std::function<Result<std::vector<Record>>()>& next) {
  return InTransaction([&]() -> Status {
    for (;;) {
      const Result<std::vector<Record>> records = next();
      if (!records.ok() || records->empty()) return records.status();
      if (Status status = tables_.Write(*records); !status.ok()) return status;
    }
  });
}

/// What is in a file that is not there any more is not kept, and nothing is added to a damaged one.
template <typename Write>
Status SqliteStore::InTransaction(const Write& write) {
  Status status = Check();
  if (!status.ok()) return status;
  status = Guarded(database_, path_, [&]() -> Status {
    SQLite::Transaction transaction(database_, SQLite::TransactionBehavior::IMMEDIATE);
    if (Status written = write(); !written.ok()) return written;
    transaction.commit();
    tables_.Committed();
    return absl::OkStatus();
  });
  if (status.ok()) status = Check();
  if (!status.ok()) {
    tables_.RolledBack();
  } else if (files_->log_bytes() > options_.longest_log) {
    ShortenLog();
  }
  return status;
}

Status SqliteStore::Check() {
  if (Status damaged = damage_->status(); !damaged.ok()) return damaged;
  return files_->Check();
}

/// SQLite's own checkpoints do not wait for readers. If there is always one, the log would never
/// begin anew; so now and then one waits, a moment only, as commits wait for it.
void SqliteStore::ShortenLog() {
  if (Now() < next_shortening_) return;
  next_shortening_ = Now() + options_.checkpoint_pause;
  database_.setBusyTimeout(Milliseconds(options_.checkpoint_wait));
  const Status status = Guarded(database_, path_, [&]() -> Status {
    const bool held = database_.execAndGet("PRAGMA wal_checkpoint(TRUNCATE)").getInt() != 0;
    if (held && !log_is_held_) {
      spdlog::warn("{}-wal has {} MiB and cannot be emptied: another program reads {} for long",
                   path_, files_->log_bytes() >> 20, path_);
    }
    log_is_held_ = held;
    return absl::OkStatus();
  });
  if (!status.ok()) spdlog::warn("the log cannot be emptied: {}", std::string(status.message()));
  database_.setBusyTimeout(Milliseconds(options_.busy_timeout));
}

Result<std::map<std::string, std::uint64_t>> SqliteStore::Load(const Visit& visit) {
  using Sequences = Result<std::map<std::string, std::uint64_t>>;
  return Guarded(database_, path_, [&]() -> Sequences {
    SQLite::Transaction transaction(database_);
    return tables_.Load(visit);
  });
}

Status SqliteStore::ReadSpecs(const WantedSpecs& wanted) {
  return Guarded(database_, path_, [&]() -> Status {
    tables_.ReadSpecs(wanted);
    return absl::OkStatus();
  });
}

Result<StoredJob> SqliteStore::Find(JobId job) const {
  return connection_->Run([&]() -> Result<StoredJob> {
    std::optional<StoredJob> found = reader_->Find(job);
    if (!found) return absl::NotFoundError(absl::StrCat("no job ", job, " in ", path_));
    return *std::move(found);
  });
}

Result<std::vector<StoredJob>> SqliteStore::List(const JobQuery& query) const {
  return connection_->Run([&]() -> Result<std::vector<StoredJob>> { return reader_->List(query); });
}

Result<std::size_t> SqliteStore::Forget(const Retention& retention, std::size_t at_most) {
  Result<std::size_t> forgotten = Guarded(database_, path_, [&]() -> Result<std::size_t> {
    const std::vector<JobId> jobs = tables_.Forgettable(retention, at_most);
    if (jobs.empty() && !retention.HasDrafts()) return 0;
    SQLite::Transaction transaction(database_, SQLite::TransactionBehavior::IMMEDIATE);
    tables_.Delete(jobs);
    tables_.DeleteDrafts(retention, at_most);
    transaction.commit();
    tables_.Committed();
    return jobs.size();
  });
  if (!forgotten.ok()) tables_.RolledBack();
  return forgotten;
}

Result<std::uint64_t> SqliteStore::Bytes() {
  return Guarded(database_, path_, [&]() -> Result<std::uint64_t> {
    const auto value = [this](const char* pragma) {
      return static_cast<std::uint64_t>(database_.execAndGet(pragma).getInt64());
    };
    return (value("PRAGMA page_count") - value("PRAGMA freelist_count")) *
           value("PRAGMA page_size");
  });
}

}  // namespace twofold::results
