#include "frontend/queues/storage.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <array>
#include <future>
#include <utility>

#include "lib/results/postgres_store.h"
#include "lib/results/sqlite_store.h"
#include "lib/results/store_address.h"

namespace twofold::frontend {
namespace {

constexpr Duration kStopLimit = std::chrono::seconds(5);

results::JournalOptions ToJournal(const StorageOptions& options) {
  results::JournalOptions result;
  if (options.keep_finished_for > 0) result.keep_for = FromSeconds(options.keep_finished_for);
  if (options.keep_finished > 0) result.keep_at_most = options.keep_finished;
  return result;
}

/// For people who look who has the database.
std::string HostName() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

struct Parts {
  std::unique_ptr<results::Store> store;
  std::unique_ptr<results::RunReader> runs;
};

Result<Parts> OpenSqlite(const std::string& path) {
  auto store = results::SqliteStore::Open(path);
  if (!store.ok()) return store.status();
  auto runs = results::RunReader::Open(path, (*store)->damage());
  if (!runs.ok()) return runs.status();
  return Parts{*std::move(store), *std::move(runs)};
}

Result<Parts> OpenPostgres(const postgres::Target& target) {
  auto store = results::PostgresStore::Open(target, {.owner = HostName()});
  if (!store.ok()) return store.status();
  return Parts{*std::move(store), results::RunReader::Open(target)};
}

Result<Parts> OpenParts(const results::StoreAddress& address) {
  if (const auto* const target = std::get_if<postgres::Target>(&address)) {
    return OpenPostgres(*target);
  }
  return OpenSqlite(std::get<results::StoreFile>(address).path);
}

}  // namespace

Result<std::unique_ptr<Storage>> Storage::Open(const StorageOptions& options) {
  const auto address = results::ParseStoreAddress({.store = options.url, .file = options.file});
  if (!address.ok()) return address.status();
  auto parts = OpenParts(*address);
  if (!parts.ok()) return parts.status();
  return std::unique_ptr<Storage>(
      new Storage(std::move(parts->store), std::move(parts->runs), ToJournal(options)));
}

void Storage::Stop() {
  if (journal_ && !std::exchange(stopped_, true) && !journal_->Stop(kStopLimit)) {
    spdlog::error("the store could not be written at the end: {}", journal_->trouble());
  }
}

results::Journal& Storage::StartJournal() {
  options_.prepare = [this](results::Record& record) { reports_.Read(record); };
  journal_ = std::make_unique<results::Journal>(*store_, options_);
  return *journal_;
}

void Storage::Flush(Duration limit) {
  const auto flushed = std::make_shared<std::promise<void>>();
  journal_->Append({}, [flushed] { flushed->set_value(); });
  flushed->get_future().wait_for(limit);
}

}  // namespace twofold::frontend
