#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/postgres/target.h"
#include "lib/results/journal.h"
#include "lib/results/report_reader.h"
#include "lib/results/run_reader.h"
#include "lib/results/store.h"

namespace twofold::frontend {

/// What the command line says of keeping jobs.
struct StorageOptions {
  [[nodiscard]] bool is_given() const { return !url.empty() || !file.empty(); }

  // As ParseStoreAddress takes them.
  std::string url = {};
  std::string file = {};
  double keep_finished_for = 7 * 86400;     ///< seconds; 0 = for ever
  std::uint64_t keep_finished = 1'000'000;  ///< jobs; 0 = all
  std::uint64_t limit = 0;                  ///< MiB that the store may take; 0 = no limit
  /// How long a database that cannot be reached at first is tried again: it may start together with
  /// this program. A signal that ends the program ends that, too.
  Duration first_connection = std::chrono::minutes(1);
};

/// What a queue that stops waits for its journal. A disk that works takes far less; one that does
/// not is tried again until Storage gives up.
constexpr Duration kFlushLimit = std::chrono::seconds(1);

/// Writes the durable jobs of one partition, of which several frontends share the database.
struct PartitionStore {
  PartitionStore(std::unique_ptr<results::Store> opened, const results::JournalOptions& options)
      : store(std::move(opened)), journal(*store, options) {}

  const std::unique_ptr<results::Store> store;
  results::Journal journal;  ///< from here on the store is written by it alone
};

/// The store of a frontend's durable jobs, and the journal that writes it. If several frontends
/// share the database, that journal writes runs only, and jobs go to the PartitionStore of their
/// queue.
///
/// Threads  The journal and the store's reading calls are safe; Start once, after Load is done.
class Storage {
 public:
  /// Errors   those of ParseStoreAddress; else those of the store.
  static Result<std::unique_ptr<Storage>> Open(const StorageOptions& options);

  ~Storage() { Stop(); }

  /// Commits what is left, for a few seconds at most; what is appended later is dropped. Reads go
  /// on. No-op the second time.
  void Stop();

  results::Store& store() { return *store_; }
  const results::RunReader& run_reader() const { return *runs_; }

  /// The database that several frontends share; nullptr: this one has the store alone.
  [[nodiscard]] const postgres::Target* shared() const { return shared_ ? &*shared_ : nullptr; }

  /// How a PartitionStore's journal works. `forgets`: it deletes old jobs, of all partitions.
  [[nodiscard]] results::JournalOptions PartitionJournal(bool forgets);

  /// What became of results that workers have reported.
  const results::ReportReader& reports() const { return reports_; }

  /// `changed` is called when a journal becomes writable, or no longer is; on its thread. Call it
  /// before the first one starts.
  void WhenWritableChanges(std::function<void()> changed) { changed_ = std::move(changed); }

  /// From here on the store is written by the journal alone.
  results::Journal& StartJournal();

  /// REQUIRES: StartJournal has been called.
  results::Journal& journal() { return *journal_; }

 private:
  Storage(std::unique_ptr<results::Store> store, std::unique_ptr<results::RunReader> runs,
          const results::JournalOptions& options, std::optional<postgres::Target> shared)
      : store_(std::move(store)),
        runs_(std::move(runs)),
        options_(options),
        shared_(std::move(shared)) {}

  static Result<std::unique_ptr<Storage>> OpenSqlite(const std::string& path,
                                                     const results::JournalOptions& options);
  static Result<std::unique_ptr<Storage>> OpenPostgres(const postgres::Target& target,
                                                       const results::JournalOptions& options,
                                                       Duration first_connection);

  const std::unique_ptr<results::Store> store_;
  const std::unique_ptr<results::RunReader> runs_;
  const results::JournalOptions options_;
  const std::optional<postgres::Target> shared_;
  std::function<void()> changed_;
  results::ReportReader reports_;
  std::unique_ptr<results::Journal> journal_;
  bool stopped_ = false;
};

}  // namespace twofold::frontend
