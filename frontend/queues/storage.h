#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "lib/common/instant.h"
#include "lib/common/result.h"
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
};

/// The store of a frontend's durable jobs, and the journal that writes it.
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

  /// What became of results that workers have reported.
  const results::ReportReader& reports() const { return reports_; }

  /// From here on the store is written by the journal alone.
  results::Journal& StartJournal();

  /// Waits until all is on disk, and its messages are on their way, that the journal has got so
  /// far; `limit` at most. REQUIRES: StartJournal has been called.
  void Flush(Duration limit);

  /// REQUIRES: StartJournal has been called.
  results::Journal& journal() { return *journal_; }

 private:
  Storage(std::unique_ptr<results::Store> store, std::unique_ptr<results::RunReader> runs,
          const results::JournalOptions& options)
      : store_(std::move(store)), runs_(std::move(runs)), options_(options) {}

  const std::unique_ptr<results::Store> store_;
  const std::unique_ptr<results::RunReader> runs_;
  results::JournalOptions options_;
  results::ReportReader reports_;
  std::unique_ptr<results::Journal> journal_;
  bool stopped_ = false;
};

}  // namespace twofold::frontend
