#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <google/protobuf/message.h>
#include <sqlite3.h>

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <string>

#include "lib/common/instant.h"
#include "lib/queue/types.h"
#include "lib/words/word.h"
#include "twofold/v1/results.pb.h"

/// How values of this program are in the file: unsigned numbers as signed ones, times as
/// nanoseconds, outcomes as numbers, other enums as their words.
///
/// What repeats is JSON, so that `sqlite3` can look into it: a list of texts, an object where each
/// entry is a pair of texts ({"direction":"reverse"}), else a list of objects.
///
/// Errors   reading throws SQLite::Exception for what was not written so: the file is damaged.
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
inline void BindValue(SQLite::Statement& statement, int index, double value) {
  statement.bind(index, value);
}
inline void BindValue(SQLite::Statement& statement, int index, v1::Better value) {
  statement.bind(index, Word(value));
}
void BindValue(SQLite::Statement& statement, int index,
               const google::protobuf::RepeatedPtrField<std::string>& texts);
void BindValue(SQLite::Statement& statement, int index,
               const google::protobuf::RepeatedPtrField<v1::Dimension>& dimensions);
void BindValue(SQLite::Statement& statement, int index,
               const google::protobuf::RepeatedPtrField<v1::Column>& columns);
void BindValue(SQLite::Statement& statement, int index,
               const google::protobuf::Map<std::string, std::string>& map);

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

/// Sets the field of this name.
void ReadField(const SQLite::Column& column, const std::string& name,
               google::protobuf::Message& message);

/// Adds to a list of a message what the text of its column has.
void ReadList(const std::string& json, const std::string& field,
              google::protobuf::Message& message);

// ---- Parts of a key: numbers have one size, and the size of all else stands before it.

inline void AppendKey(std::string& key, std::int64_t number) {
  const auto bytes = std::bit_cast<std::array<char, sizeof number>>(number);
  key.append(bytes.data(), bytes.size());
}

inline void AppendKey(std::string& key, const std::string& text) {
  AppendKey(key, static_cast<std::int64_t>(text.size()));
  key += text;
}

/// Written out, as millions are made.
inline void AppendKey(std::string& key, const v1::Dimension& dimension) {
  AppendKey(key, dimension.name());
  AppendKey(key, dimension.value());
}

inline void AppendKey(std::string& key, const google::protobuf::Message& message) {
  AppendKey(key, message.SerializeAsString());
}

template <typename Entry>
void AppendKey(std::string& key, const google::protobuf::RepeatedPtrField<Entry>& list) {
  AppendKey(key, std::int64_t{list.size()});
  for (const Entry& each : list) AppendKey(key, each);
}

}  // namespace twofold::results
