#pragma once

#include <google/protobuf/message.h>

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>

#include "lib/common/instant.h"
#include "lib/queue/types.h"
#include "lib/results/records.h"
#include "lib/results/statement.h"
#include "lib/words/word.h"
#include "twofold/v1/results.pb.h"

/// How values of this program are in the tables: unsigned numbers as signed ones, times as
/// nanoseconds, outcomes as numbers, other enums as their words.
///
/// What repeats is JSON, so that SQL can look into it: a list of texts, an object where each
/// entry is a pair of texts ({"direction":"reverse"}), else a list of objects.
///
/// Errors   reading throws Damaged for what was not written so.
namespace twofold::results {

/// Bytes that are no text.
struct Blob {
  const std::string& bytes;
};

/// Numbers for a condition "IN (?, ?, ...)" with `marks` parameters: those that are too many repeat
/// `filler`, which no row has.
struct Numbered {
  std::span<const JobId> numbers;
  std::size_t marks;
  std::int64_t filler;
};

/// One value of a row. Valid as long as the row is the current one.
class Cell {
 public:
  Cell(const Statement& row, int column) : row_(row), column_(column) {}

  [[nodiscard]] bool IsNull() const { return row_.IsNull(column_); }
  [[nodiscard]] std::int64_t Integer() const { return row_.Integer(column_); }
  [[nodiscard]] bool Boolean() const { return Integer() != 0; }
  [[nodiscard]] double Real() const { return row_.Real(column_); }
  [[nodiscard]] std::string Text() const { return std::string(row_.Text(column_)); }
  /// Of a number that was bound as an unsigned one.
  [[nodiscard]] std::uint64_t Unsigned() const { return static_cast<std::uint64_t>(Integer()); }

 private:
  const Statement& row_;
  const int column_;
};

/// The outcome of this number in the tables.
inline queue::Outcome OutcomeOf(std::int64_t number) {
  if (0 <= number && number < queue::kOutcomes) return static_cast<queue::Outcome>(number);
  throw Damaged("no outcome has the number " + std::to_string(number));
}

/// Texts and bytes are not copied: they outlive the use of the statement.
inline void BindValue(Statement& statement, std::integral auto value) {
  statement.BindInteger(static_cast<std::int64_t>(value));
}
inline void BindValue(Statement& statement, bool value) { statement.BindBoolean(value); }
inline void BindValue(Statement& statement, queue::Outcome value) {
  statement.BindInteger(static_cast<int>(value));
}
inline void BindValue(Statement& statement, Duration value) {
  statement.BindInteger(value.count());
}
inline void BindValue(Statement& statement, const std::string& value) { statement.BindText(value); }
inline void BindValue(Statement& statement, const Blob& value) { statement.BindBytes(value.bytes); }
inline void BindValue(Statement& statement, double value) { statement.BindReal(value); }
inline void BindValue(Statement& statement, v1::Better value) {
  statement.BindTemporary(Word(value));
}
void BindValue(Statement& statement, const Numbered& list);
void BindValue(Statement& statement, const google::protobuf::RepeatedPtrField<std::string>& texts);
void BindValue(Statement& statement,
               const google::protobuf::RepeatedPtrField<v1::Dimension>& dimensions);
void BindValue(Statement& statement, const google::protobuf::RepeatedPtrField<v1::Column>& columns);
void BindValue(Statement& statement, const google::protobuf::Map<std::string, std::string>& map);

template <std::integral Number>
void ReadValue(const Cell& cell, Number& value) {
  value = static_cast<Number>(cell.Integer());
}
inline void ReadValue(const Cell& cell, queue::Outcome& value) {
  value = OutcomeOf(cell.Integer());
}
inline void ReadValue(const Cell& cell, Duration& value) { value = Duration(cell.Integer()); }
inline void ReadValue(const Cell& cell, std::string& value) { value = cell.Text(); }

/// Sets the field of this name.
void ReadField(const Cell& cell, const std::string& name, google::protobuf::Message& message);

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
