#include "lib/results/store_tables.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <array>

#include "lib/results/schema.h"
#include "lib/results/statement.h"

namespace twofold::results {
namespace {

struct KindName {
  std::string_view declared;
  Kind kind;
};

constexpr auto kKindNames = std::to_array<KindName>({{"INTEGER", Kind::kInteger},
                                                     {"REAL", Kind::kReal},
                                                     {"TEXT", Kind::kText},
                                                     {"BLOB", Kind::kBytes}});

Kind KindOf(const std::string& declared) {
  const auto* const known =
      std::find_if(kKindNames.begin(), kKindNames.end(),
                   [&](const KindName& each) { return each.declared == declared; });
  if (known == kKindNames.end()) throw Damaged("no column has the type " + declared);
  return known->kind;
}

std::vector<TableColumn> ColumnsOf(const std::string& table, SQLite::Database& store) {
  std::vector<TableColumn> columns;
  SQLite::Statement column(store, "SELECT name, type FROM pragma_table_info(?) ORDER BY cid");
  column.bind(1, table);
  while (column.executeStep()) {
    columns.push_back({column.getColumn(0).getString(), KindOf(column.getColumn(1).getString())});
  }
  return columns;
}

}  // namespace

std::string Table::ColumnList() const {
  return absl::StrJoin(columns, ", ", [](std::string* out, const TableColumn& column) {
    absl::StrAppend(out, column.name);
  });
}

std::vector<Table> TablesOfStore() {
  SQLite::Database store(":memory:", SQLite::OPEN_READWRITE);
  if (const Status made = BringUpToDate(store, "a new store", AllMigrations()); !made.ok()) {
    throw Damaged(std::string(made.message()));
  }
  std::vector<Table> tables;
  SQLite::Statement table(store,
                          "SELECT name FROM sqlite_schema WHERE type = 'table'"
                          " AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY rowid");
  while (table.executeStep()) {
    const std::string name = table.getColumn(0).getString();
    const std::int64_t rows = store.execAndGet("SELECT count(*) FROM " + name).getInt64();
    tables.push_back({name, ColumnsOf(name, store), rows});
  }
  return tables;
}

}  // namespace twofold::results
