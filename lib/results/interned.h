#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/strings/str_cat.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "lib/results/statements.h"
#include "lib/results/tables.h"

namespace twofold::results {

/// What was found in the tables, by what it was looked for. A sweep asks for the same few again and
/// again, and is answered without a look into them. Bounded: all is forgotten when there is too
/// much.
template <typename Key, typename Value>
class Remembered {
 public:
  /// Valid until the next call. `find` is called for what was not asked for before.
  template <typename Find>
  const Value& At(const Key& key, const Find& find) {
    const auto known = values_.find(key);
    if (known != values_.end()) return known->second;
    if (values_.size() >= kMost) values_.clear();
    Value found = find();
    return values_[key] = std::move(found);
  }

  [[nodiscard]] bool Has(const Key& key) const { return values_.contains(key); }

  /// The tables may have fewer rows than it seemed: a transaction was rolled back, or rows deleted.
  void Forget() { values_.clear(); }

 private:
  static constexpr std::size_t kMost = 20'000;

  absl::flat_hash_map<Key, Value> values_;
};

/// Numbers of rows, by what is in them.
using Numbers = Remembered<std::string, std::int64_t>;

/// A table whose rows many others refer to by their `number`: a metric, a host. Each is written
/// once, and never changes.
///
/// Errors   throws what the engine throws, and Damaged.
template <typename Message, const auto& kColumns>
class InternedTable {
 public:
  InternedTable(Statements& sql, std::string table)
      : sql_(sql),
        table_(std::move(table)),
        add_(InsertInto(table_, {}, kColumns).With(" ON CONFLICT DO NOTHING").one),
        find_(absl::StrCat("SELECT number FROM ", table_, " WHERE ",
                           kColumns.List("$0 = ?", " AND "))),
        read_(absl::StrCat("SELECT ", kColumns.List(), " FROM ", table_, " WHERE number = ?")) {}

  /// Of the row with what the message has in these columns, which is written if it is not there.
  std::int64_t NumberOf(const Message& message) {
    return numbers_.At(kColumns.Key(message), [&] {
      const Fields fields{kColumns, message};
      sql_[add_].Run(fields);
      Prepared::Rows row(sql_[find_], fields);
      row.Next();
      return row[0].Integer();
    });
  }

  /// Keeps the message for AddNew if its number is not known. It outlives AddNew or Forget.
  void NoteIfNew(const Message& message) {
    std::string key = kColumns.Key(message);
    if (!numbers_.Has(key)) new_.emplace(std::move(key), &message);
  }
  [[nodiscard]] bool has_new() const { return !new_.empty(); }

  /// NumberOf for all that were kept, in the order of their keys.
  void AddNew() {
    for (const auto& [key, message] : std::exchange(new_, {})) NumberOf(*message);
  }

  /// A message with what is in the columns of this row. Valid until the next call.
  const Message& At(std::int64_t number) {
    return messages_.At(number, [&] {
      Prepared::Rows row(sql_[read_], number);
      if (!row.Next()) throw Damaged("a " + table_ + " is missing");
      Message message;
      row.Read(kColumns, 0, message);
      return message;
    });
  }

  void Forget() {
    numbers_.Forget();
    new_.clear();
  }

 private:
  Statements& sql_;
  const std::string table_;
  const std::string add_;
  const std::string find_;
  const std::string read_;
  Numbers numbers_;
  std::map<std::string, const Message*> new_;
  Remembered<std::int64_t, Message> messages_;
};

}  // namespace twofold::results
