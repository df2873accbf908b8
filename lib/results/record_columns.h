#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>
#include <tuple>
#include <type_traits>

#include "lib/results/columns.h"
#include "lib/results/values.h"

namespace twofold::results {

/// How a column keeps a text.
enum class As { kText, kTextOrNull, kBytes };

/// A column of a table, and which member of a record it keeps.
template <typename Struct, typename Value>
struct RecordColumn {
  constexpr RecordColumn(const char* of_table, Value Struct::*of_record, As of_text = As::kText)
      : name(of_table), member(of_record), as(of_text) {}

  void Bind(const Struct& record, SQLite::Statement& statement, int index) const {
    const Value& value = record.*member;
    if constexpr (std::is_same_v<Value, std::string>) {
      if (as == As::kTextOrNull && value.empty()) return statement.bind(index);
      if (as == As::kBytes) return BindValue(statement, index, Blob{value});
    }
    BindValue(statement, index, value);
  }

  const char* name;
  Value Struct::*member;
  As as;
};

/// Which members of a record the columns of a table keep, as Columns says it of messages.
///
/// Errors   Read throws SQLite::Exception: an outcome is none, the file is damaged.
template <typename... Column>
class RecordColumns {
 public:
  constexpr explicit RecordColumns(Column... columns) : columns_(columns...) {}

  [[nodiscard]] static constexpr int size() { return sizeof...(Column); }

  /// As Columns::List.
  [[nodiscard]] std::string List(const std::string& pattern = "$0") const {
    return std::apply(
        [&](const auto&... column) { return JoinNames({column.name...}, pattern, ", "); },
        columns_);
  }

  template <typename Struct>
  void Bind(const Struct& record, SQLite::Statement& statement, int* index) const {
    std::apply([&](const auto&... column) { (column.Bind(record, statement, (*index)++), ...); },
               columns_);
  }

  template <typename Struct>
  void Read(const SQLite::Statement& row, int first, Struct& record) const {
    const auto read = [&](const auto& column) {
      ReadValue(row.getColumn(first++), record.*column.member);
    };
    std::apply([&](const auto&... column) { (read(column), ...); }, columns_);
  }

 private:
  std::tuple<Column...> columns_;
};

}  // namespace twofold::results
