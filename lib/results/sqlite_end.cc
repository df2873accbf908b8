#include "lib/results/sqlite_end.h"

#include <absl/strings/str_cat.h>
#include <sqlite3.h>

#include <filesystem>
#include <vector>

#include "lib/results/connection.h"
#include "lib/results/row_write.h"
#include "lib/results/schema.h"
#include "lib/results/sqlite_store.h"

namespace twofold::results {
namespace {

constexpr int kBusyMs = 1000;

/// Columns of SQLite can hold anything.
Value ValueOf(const SQLite::Column& cell, Kind kind) {
  const int type = cell.getType();
  if (type == SQLITE_NULL) return std::monostate();
  const auto fits = [&](bool does) {
    if (!does)
      throw Damaged(absl::StrCat("column ", cell.getName(), " has a value of another kind"));
  };
  switch (kind) {
    case Kind::kInteger:
      fits(type == SQLITE_INTEGER);
      return std::int64_t{cell.getInt64()};
    case Kind::kReal:
      fits(type == SQLITE_FLOAT);
      return cell.getDouble();
    case Kind::kText:
    case Kind::kBytes:
      fits(type == SQLITE_TEXT || type == SQLITE_BLOB);
  }
  const auto* const bytes = static_cast<const char*>(cell.getBlob());
  const auto size = static_cast<std::size_t>(cell.getBytes());
  return bytes == nullptr ? std::string_view() : std::string_view(bytes, size);
}

/// Bytes are not copied: they outlive the use of the statement.
void BindTo(SQLite::Statement& statement, int index, const Value& value, Kind kind) {
  if (const auto* const number = std::get_if<std::int64_t>(&value)) {
    statement.bind(index, *number);
  } else if (const auto* const real = std::get_if<double>(&value)) {
    statement.bind(index, *real);
  } else if (const auto* const text = std::get_if<std::string_view>(&value)) {
    if (kind == Kind::kText) return statement.bind(index, std::string(*text));
    // Not nullptr, which would be NULL.
    const char* const begin = text->empty() ? "" : text->data();
    statement.bindNoCopy(index, begin, static_cast<int>(text->size()));
  } else {
    statement.bind(index);
  }
}

Result<SQLite::Database> OpenFile(const std::string& path, Use use) {
  if (use == Use::kRead) return OpenToRead(path);
  return SQLite::Database(path, SQLite::OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, kBusyMs);
}

}  // namespace

Result<std::unique_ptr<StoreEnd>> SqliteEnd::Open(const std::string& path, Use use) {
  if (use == Use::kWrite) {
    // Makes it, with the right mode, and its tables.
    if (const auto made = SqliteStore::Open(path); !made.ok()) return made.status();
  } else if (!std::filesystem::is_regular_file(path)) {
    return absl::NotFoundError(absl::StrCat("there is no file ", path));
  }
  auto lock = FileLock::Take(path);
  if (!lock.ok()) return lock.status();
  try {
    auto database = OpenFile(path, use);
    if (!database.ok()) return database.status();
    std::unique_ptr<SqliteEnd> end(new SqliteEnd(path, *std::move(lock), *std::move(database)));
    if (Status begun = end->Begin(use); !begun.ok()) return begun;
    return end;
  } catch (const SQLite::Exception& error) {
    return StatusOfOpening(error, 0, path);
  }
}

Status SqliteEnd::Begin(Use use) {
  return Guarded(database_, path_, [&]() -> Status {
    if (use == Use::kRead) {
      database_.exec("BEGIN");
      return absl::OkStatus();
    }
    database_.exec("PRAGMA synchronous = FULL; BEGIN IMMEDIATE");
    files_.emplace(database_, path_);
    return absl::OkStatus();
  });
}

Result<std::int64_t> SqliteEnd::Count(const Table& table) {
  return Guarded(database_, path_, [&]() -> Result<std::int64_t> {
    return database_.execAndGet("SELECT count(*) FROM " + table.name).getInt64();
  });
}

Status SqliteEnd::Read(const Table& table, Take take) {
  return Guarded(database_, path_, [&]() -> Status {
    SQLite::Statement query(database_,
                            absl::StrCat("SELECT ", table.ColumnList(), " FROM ", table.name));
    std::vector<Value> row(table.columns.size());
    while (query.executeStep()) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        row[i] = ValueOf(query.getColumn(static_cast<int>(i)), table.columns[i].kind);
      }
      if (Status taken = take(row); !taken.ok()) return taken;
    }
    return absl::OkStatus();
  });
}

Status SqliteEnd::Clear(const Table& table) {
  return Guarded(database_, path_, [&]() -> Status {
    database_.exec("DELETE FROM " + table.name);
    return absl::OkStatus();
  });
}

Status SqliteEnd::Add(const Table& table, Row row) {
  return Guarded(database_, path_, [&]() -> Status {
    if (adding_to_ != &table) {
      add_.emplace(database_, absl::StrCat("INSERT INTO ", table.name, " (", table.ColumnList(),
                                           ") VALUES (", Marks(table.columns.size()), ")"));
      adding_to_ = &table;
    }
    for (std::size_t i = 0; i < row.size(); ++i) {
      BindTo(*add_, static_cast<int>(i) + 1, row[i], table.columns[i].kind);
    }
    add_->exec();
    add_->reset();
    return absl::OkStatus();
  });
}

Status SqliteEnd::Commit() {
  add_.reset();
  adding_to_ = nullptr;
  if (Status same = files_->Check(); !same.ok()) return same;
  return Guarded(database_, path_, [&]() -> Status {
    database_.exec("COMMIT");
    database_.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    return absl::OkStatus();
  });
}

/// The lock keeps frontends out.
Status SqliteEnd::CheckAlone() { return absl::OkStatus(); }

}  // namespace twofold::results
