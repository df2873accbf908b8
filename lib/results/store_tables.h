#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// A store as tables of rows, whatever these mean: what a copy of all of it goes by.
namespace twofold::results {

/// What a column holds.
enum class Kind : std::uint8_t { kInteger, kReal, kText, kBytes };

struct TableColumn {
  std::string name;
  Kind kind;
};

struct Table {
  /// "id, queue, run"
  [[nodiscard]] std::string ColumnList() const;

  std::string name;
  std::vector<TableColumn> columns;
  std::int64_t rows_of_new_store = 0;  ///< that the schema itself puts there
};

/// The tables of docs/store.md, as the steps for SQLite make them. Those that only PostgreSQL has
/// (who owns what) say nothing of jobs, and are none of them.
///
/// Errors   throws SQLite::Exception; Damaged: a column of an unknown type.
/// Cost     Makes an empty store in memory: some milliseconds.
std::vector<Table> TablesOfStore();

/// NULL, an integer or a boolean, a real number, a text or bytes.
using Value = std::variant<std::monostate, std::int64_t, double, std::string_view>;

/// A value for each column of a table. Valid during the call that it is given to.
using Row = std::span<const Value>;

}  // namespace twofold::results
