#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include <concepts>
#include <cstdint>
#include <string>

#include "lib/common/instant.h"
#include "lib/queue/types.h"

/// How values of this program are in the file: unsigned numbers as signed ones, times as
/// nanoseconds, outcomes as numbers.
namespace twofold::results {

/// Bytes that are no text.
struct Blob {
  const std::string& bytes;
};

/// A number that was bound as an unsigned one.
inline std::uint64_t Unsigned(const SQLite::Column& column) {
  return static_cast<std::uint64_t>(column.getInt64());
}

/// The outcome of this number in the file.
/// Errors   throws SQLite::Exception: it is none, the file is damaged.
inline queue::Outcome OutcomeOf(std::int64_t number) {
  if (0 <= number && number < queue::kOutcomes) return static_cast<queue::Outcome>(number);
  throw SQLite::Exception("no outcome has the number " + std::to_string(number), SQLITE_CORRUPT);
}

/// Texts and bytes are not copied: they outlive the use of the statement.
inline void BindValue(SQLite::Statement& statement, int index, std::integral auto value) {
  statement.bind(index, static_cast<std::int64_t>(value));
}
inline void BindValue(SQLite::Statement& statement, int index, queue::Outcome value) {
  statement.bind(index, static_cast<int>(value));
}
inline void BindValue(SQLite::Statement& statement, int index, Duration value) {
  statement.bind(index, value.count());
}
inline void BindValue(SQLite::Statement& statement, int index, const std::string& value) {
  statement.bindNoCopy(index, value);
}
inline void BindValue(SQLite::Statement& statement, int index, const Blob& value) {
  statement.bindNoCopy(index, value.bytes.data(), static_cast<int>(value.bytes.size()));
}

template <std::integral Number>
void ReadValue(const SQLite::Column& column, Number& value) {
  value = static_cast<Number>(column.getInt64());
}
inline void ReadValue(const SQLite::Column& column, queue::Outcome& value) {
  value = OutcomeOf(column.getInt64());
}
inline void ReadValue(const SQLite::Column& column, Duration& value) {
  value = Duration(column.getInt64());
}
inline void ReadValue(const SQLite::Column& column, std::string& value) {
  value = column.getString();
}

}  // namespace twofold::results
