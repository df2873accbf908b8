#include "lib/results/store_copy.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <deque>
#include <utility>

namespace twofold::results {
namespace {

constexpr std::int64_t kRowsBetweenLooks = 1000;

/// Tells `watch` of rows, now and then.
class Counter {
 public:
  Counter(CopyProgress::Phase phase, std::int64_t all, WatchCopy watch)
      : phase_(phase), all_(all), watch_(watch) {}

  Status Next(const Table& table) {
    if (done_++ % kRowsBetweenLooks != 0) return absl::OkStatus();
    return watch_({.phase = phase_, .table = table.name, .done = done_, .all = all_});
  }

 private:
  const CopyProgress::Phase phase_;
  const std::int64_t all_;
  const WatchCopy watch_;
  std::int64_t done_ = 0;
};

Status CheckEmpty(StoreEnd& to, const std::vector<Table>& tables) {
  std::vector<std::string> found;
  for (const Table& table : tables) {
    const auto rows = to.Count(table);
    if (!rows.ok()) return rows.status();
    if (*rows != table.rows_of_new_store) found.push_back(absl::StrCat(table.name, ": ", *rows));
  }
  if (found.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(to.name(), " is not empty: it has rows (",
                                                    absl::StrJoin(found, ", "),
                                                    "); copy into an empty store"));
}

Result<std::int64_t> CountAll(StoreEnd& from, const std::vector<Table>& tables) {
  std::int64_t all = 0;
  for (const Table& table : tables) {
    const auto rows = from.Count(table);
    if (!rows.ok()) return rows.status();
    all += *rows;
  }
  return all;
}

/// Rows as the store that they go to keeps them.
class Fitter {
 public:
  Fitter(const Table& table, const StoreEnd& to) : table_(table), to_(to) {}

  /// Valid until the next call.
  Row Fit(Row row) {
    texts_.clear();
    fitted_.assign(row.begin(), row.end());
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto* const text = std::get_if<std::string_view>(&row[i]);
      if (text == nullptr || table_.columns[i].kind != Kind::kText) continue;
      auto instead = to_.InsteadOf(*text);
      if (!instead) continue;
      fitted_[i] = texts_.emplace_back(*std::move(instead));
      ++replaced_;
    }
    return fitted_;
  }

  [[nodiscard]] std::int64_t replaced() const { return replaced_; }

 private:
  const Table& table_;
  const StoreEnd& to_;
  std::vector<Value> fitted_;
  std::deque<std::string> texts_;  // of fitted_; they never move
  std::int64_t replaced_ = 0;
};

/// The rows that a new store has are replaced by those of the other one, which has them, too.
Result<CopiedTable> CopyTable(const Table& table, StoreEnd& from, StoreEnd& to, Counter& counter) {
  if (Status cleared = to.Clear(table); !cleared.ok()) return cleared;
  CopiedTable copied{.name = table.name, .from = {}, .to = {}};
  Fitter fitter(table, to);
  const Status read = from.Read(table, [&](Row row) {
    const Row fitted = fitter.Fit(row);
    copied.from.Add(fitted);
    const Status added = to.Add(table, fitted);
    return added.ok() ? counter.Next(table) : added;
  });
  if (!read.ok()) return read;
  copied.replaced = fitter.replaced();
  return copied;
}

Status Verify(const std::vector<Table>& tables, StoreEnd& to, Counter& counter,
              CopiedStore& copied) {
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const Status read = to.Read(tables[i], [&](Row row) {
      copied.tables[i].to.Add(row);
      return counter.Next(tables[i]);
    });
    if (!read.ok()) return read;
  }
  return absl::OkStatus();
}

Result<CopiedStore> CopyTables(const std::vector<Table>& tables, StoreEnd& from, StoreEnd& to,
                               Counter& counter) {
  CopiedStore copied;
  for (const Table& table : tables) {
    auto one = CopyTable(table, from, to, counter);
    if (!one.ok()) return one.status();
    copied.tables.push_back(*std::move(one));
  }
  if (Status alone = from.CheckAlone(); !alone.ok()) return alone;
  return copied;
}

}  // namespace

bool CopiedStore::same() const {
  return std::all_of(tables.begin(), tables.end(),
                     [](const CopiedTable& table) { return table.same(); });
}

std::int64_t CopiedStore::rows() const {
  std::int64_t rows = 0;
  for (const CopiedTable& table : tables) rows += table.from.rows();
  return rows;
}

std::int64_t CopiedStore::replaced() const {
  std::int64_t texts = 0;
  for (const CopiedTable& table : tables) texts += table.replaced;
  return texts;
}

Result<CopiedStore> CopyStore(StoreEnd& from, StoreEnd& to, WatchCopy watch) {
  const std::vector<Table> tables = TablesOfStore();
  if (Status empty = CheckEmpty(to, tables); !empty.ok()) return empty;
  const auto all = CountAll(from, tables);
  if (!all.ok()) return all.status();
  Counter copying(CopyProgress::Phase::kCopying, *all, watch);
  auto copied = CopyTables(tables, from, to, copying);
  if (!copied.ok()) return copied.status();
  Counter verifying(CopyProgress::Phase::kVerifying, *all, watch);
  Status status = Verify(tables, to, verifying, *copied);
  if (status.ok() && copied->same()) status = to.Commit();
  if (!status.ok()) return status;
  return copied;
}

}  // namespace twofold::results
