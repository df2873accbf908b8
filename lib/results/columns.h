#pragma once

#include <absl/strings/str_join.h>
#include <absl/strings/substitute.h>
#include <google/protobuf/message.h>

#include <concepts>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "lib/results/values.h"

namespace twofold::results {

/// How a column keeps a text or a list.
enum class As {
  kIs,
  kBytes,           ///< it is no text
  kNullIfEmpty,     ///< of a text
  kNothingIfEmpty,  ///< of a list, instead of {} or []
};

inline const std::string kNothing;  // an empty text that outlives each statement

/// A column of a table, and what it keeps: a member of a record, or the field of the same name of a
/// message, with its getter.
template <typename Get>
struct Column {
  constexpr Column(const char* of_table, Get of_row, As of_value = As::kIs)
      : name(of_table), get(of_row), as(of_value) {}

  /// Of a record or a message.
  [[nodiscard]] decltype(auto) In(const auto& row) const {
    if constexpr (std::is_member_function_pointer_v<Get>) {
      return (row.*get)();
    } else {
      return (row.*get);
    }
  }

  void Bind(const auto& row, Statement& statement) const {
    const auto& value = In(row);
    if constexpr (requires { value.empty(); }) {
      if (value.empty() && as == As::kNullIfEmpty) return statement.BindNullText();
      if (value.empty() && as == As::kNothingIfEmpty) return statement.BindText(kNothing);
    }
    if constexpr (std::same_as<decltype(value), const std::string&>) {
      if (as == As::kBytes) return BindValue(statement, Blob{value});
    }
    BindValue(statement, value);
  }

  const char* name;
  Get get;
  As as;
};

/// Of a getter that has overloads for the entries of its list.
template <typename Message, typename Entry>
Column(const char*, const google::protobuf::RepeatedPtrField<Entry>& (Message::*)() const,
       As = As::kIs)
    -> Column<const google::protobuf::RepeatedPtrField<Entry>& (Message::*)() const>;

/// Which fields of a message, or members of a record, the columns of a table keep. Statements are
/// made of their names, rows are written from it and read into it.
///
/// Threads  Safe.
/// Errors   Read throws Damaged for a column that is not as it was written.
template <typename... Column>
class Columns {
 public:
  constexpr explicit Columns(Column... columns) : columns_(columns...) {}

  [[nodiscard]] static constexpr int size() { return sizeof...(Column); }

  [[nodiscard]] std::vector<std::string> Names() const {
    return std::apply(
        [](const auto&... column) { return std::vector<std::string>{column.name...}; }, columns_);
  }

  /// "suite, left_out, parsed_ns"; with `pattern` "$0 = ?" "suite = ?, left_out = ?, ...".
  [[nodiscard]] std::string List(const std::string& pattern = "$0",
                                 const std::string& between = ", ") const {
    return absl::StrJoin(Names(), between, [&](std::string* out, const std::string& name) {
      absl::SubstituteAndAppend(out, pattern, name);
    });
  }

  /// The same for rows that have the same in all columns, and only for them.
  [[nodiscard]] std::string Key(const auto& row) const {
    std::string key;
    key.reserve(256);
    std::apply([&](const auto&... column) { (AppendKey(key, column.In(row)), ...); }, columns_);
    return key;
  }

  /// Binds what the row has to the next parameters.
  void Bind(const auto& row, Statement& statement) const {
    std::apply([&](const auto&... column) { (column.Bind(row, statement), ...); }, columns_);
  }

  /// Sets what the columns keep to what those of `from` have, from `first` on.
  template <typename Row>
  void Read(const Statement& from, int first, Row& row) const {
    const auto read = [&](const auto& column) {
      const Cell value(from, first++);
      if constexpr (std::derived_from<Row, google::protobuf::Message>) {
        ReadField(value, column.name, row);
      } else {
        ReadValue(value, row.*column.get);
      }
    };
    std::apply([&](const auto&... column) { (read(column), ...); }, columns_);
  }

 private:
  std::tuple<Column...> columns_;
};

/// Of all these, in their order.
std::vector<std::string> NamesOf(const auto&... columns) {
  std::vector<std::string> names;
  [[maybe_unused]] const auto add = [&](const std::vector<std::string>& more) {
    names.insert(names.end(), more.begin(), more.end());
  };
  (add(columns.Names()), ...);
  return names;
}

}  // namespace twofold::results
