#include "frontend/queues/storage.h"

#include <spdlog/spdlog.h>

#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "lib/common/program.h"
#include "lib/results/postgres_store.h"
#include "lib/results/sqlite_store.h"
#include "lib/results/store_address.h"

namespace twofold::frontend {
namespace {

// Who begins a run submits its jobs right after.
constexpr Duration kKeepDrafts = std::chrono::hours(24);

constexpr Duration kStopLimit = std::chrono::seconds(5);

results::JournalOptions ToJournal(const StorageOptions& options) {
  results::JournalOptions result;
  if (options.keep_finished_for > 0) result.keep_for = FromSeconds(options.keep_finished_for);
  if (options.keep_finished > 0) result.keep_at_most = options.keep_finished;
  result.keep_drafts_for = kKeepDrafts;
  result.most_bytes = options.limit << 20;
  return result;
}

using Opened = Result<std::unique_ptr<Storage>>;

constexpr Duration kBetweenTries = std::chrono::milliseconds(500);

/// The database, once it can be reached; each new reason why it cannot is said.
Result<std::unique_ptr<results::PostgresStore>> OpenAtFirst(const postgres::Target& target,
                                                            Duration patience) {
  const Instant given_up = Now() + patience;
  std::string said;
  for (;;) {
    auto store = results::PostgresStore::Open(target);
    const bool is_away = absl::IsUnavailable(store.status());
    if (!is_away || Now() >= given_up || ShutdownSignals::Pending()) return store;
    const std::string why(store.status().message());
    if (why != std::exchange(said, why)) {
      spdlog::warn("{}; tried again for {:.0f} s", why, ToSeconds(given_up - Now()));
    }
    std::this_thread::sleep_for(kBetweenTries);
  }
}

}  // namespace

Opened Storage::OpenSqlite(const std::string& path, const results::JournalOptions& options) {
  auto store = results::SqliteStore::Open(path);
  if (!store.ok()) return store.status();
  auto runs = results::RunReader::Open(path, (*store)->damage());
  if (!runs.ok()) return runs.status();
  return std::unique_ptr<Storage>(
      new Storage(*std::move(store), *std::move(runs), options, std::nullopt));
}

Opened Storage::OpenPostgres(const postgres::Target& target, const results::JournalOptions& options,
                             Duration first_connection) {
  auto store = OpenAtFirst(target, first_connection);
  if (!store.ok()) return store.status();
  auto runs = results::RunReader::Open(target);
  return std::unique_ptr<Storage>(new Storage(*std::move(store), std::move(runs), options, target));
}

Opened Storage::Open(const StorageOptions& options) {
  const auto address = results::ParseStoreAddress({.store = options.url, .file = options.file});
  if (!address.ok()) return address.status();
  if (const auto* const target = std::get_if<postgres::Target>(&*address)) {
    return OpenPostgres(*target, ToJournal(options), options.first_connection);
  }
  return OpenSqlite(std::get<results::StoreFile>(*address).path, ToJournal(options));
}

results::JournalOptions Storage::PartitionJournal(bool forgets) {
  results::JournalOptions options = forgets ? options_ : results::JournalOptions();
  options.most_bytes = options_.most_bytes;
  options.prepare = [this](results::Record& record) { reports_.Read(record); };
  options.on_change = changed_;
  return options;
}

void Storage::Stop() {
  if (journal_ && !std::exchange(stopped_, true) && !journal_->Stop(kStopLimit)) {
    spdlog::error("the store could not be written at the end: {}", journal_->trouble());
  }
}

results::Journal& Storage::StartJournal() {
  journal_ = std::make_unique<results::Journal>(*store_, PartitionJournal(!shared_));
  return *journal_;
}

}  // namespace twofold::frontend
