#include "frontend/queues/storage.h"

#include <absl/strings/str_cat.h>
#include <spdlog/spdlog.h>

#include <future>
#include <string_view>
#include <utility>

#include "lib/results/sqlite_store.h"

namespace twofold::frontend {
namespace {

constexpr std::string_view kScheme = "sqlite:";
constexpr Duration kStopLimit = std::chrono::seconds(5);

results::JournalOptions ToJournal(const StorageOptions& options) {
  results::JournalOptions result;
  if (options.keep_finished_for > 0) result.keep_for = FromSeconds(options.keep_finished_for);
  if (options.keep_finished > 0) result.keep_at_most = options.keep_finished;
  return result;
}

}  // namespace

Result<std::unique_ptr<Storage>> Storage::Open(const StorageOptions& options) {
  if (!options.url.starts_with(kScheme) || options.url.size() == kScheme.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("--store: '", options.url, "' is not like sqlite:PATH"));
  }
  const std::string path = options.url.substr(kScheme.size());
  auto store = results::SqliteStore::Open(path);
  if (!store.ok()) return store.status();
  auto runs = results::RunReader::Open(path, (*store)->damage());
  if (!runs.ok()) return runs.status();
  return std::unique_ptr<Storage>(
      new Storage(*std::move(store), *std::move(runs), ToJournal(options)));
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
