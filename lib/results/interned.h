#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <absl/container/flat_hash_map.h>
#include <absl/strings/str_cat.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "lib/results/prepared.h"
#include "lib/results/tables.h"

namespace twofold::results {

/// Numbers of rows that many others refer to (a metric, a host), by what is in them. A sweep asks
/// for the same few again and again, and is answered without a look into the file.
///
/// Cost     A hash look-up; `find_or_add` for what was not asked for before. Bounded: all is
///          forgotten when there are too many.
class Interned {
 public:
  using FindOrAdd = std::function<std::int64_t()>;

  std::int64_t Number(const std::string& key, const FindOrAdd& find_or_add) {
    const auto found = numbers_.find(key);
    if (found != numbers_.end()) return found->second;
    if (numbers_.size() >= kMost) numbers_.clear();
    const std::int64_t number = find_or_add();
    numbers_.emplace(key, number);
    return number;
  }

  /// The file may have fewer rows than it seemed: a transaction was rolled back, or rows deleted.
  void Forget() { numbers_.clear(); }

 private:
  static constexpr std::size_t kMost = 20'000;

  absl::flat_hash_map<std::string, std::int64_t> numbers_;
};

/// A table whose rows many others refer to by their `number`, each written once.
///
/// Errors   throws SQLite::Exception.
class InternedTable {
 public:
  InternedTable(SQLite::Database& database, const std::string& table, const Columns& columns)
      : columns_(columns),
        add_(database, absl::StrCat("INSERT INTO ", table, " (", columns.List(), ") VALUES (",
                                    columns.List("?"), ") ON CONFLICT DO NOTHING")),
        find_(database, absl::StrCat("SELECT number FROM ", table, " WHERE ",
                                     columns.List("$0 = ?", " AND "))) {}

  /// Of the row with what the message has in these columns, which is written if it is not there.
  template <typename Message>
  std::int64_t NumberOf(const Message& message) {
    return numbers_.Number(KeyOf(message), [&] {
      add_.Run(Fields{columns_, message});
      Prepared::Rows rows(find_, Fields{columns_, message});
      rows.Next();
      return rows[0].getInt64();
    });
  }

  void Forget() { numbers_.Forget(); }

 private:
  const Columns& columns_;
  Prepared add_;
  Prepared find_;
  Interned numbers_;
};

}  // namespace twofold::results
