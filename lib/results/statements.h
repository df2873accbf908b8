#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <absl/container/flat_hash_map.h>
#include <absl/strings/string_view.h>

#include <cstdint>
#include <memory>
#include <string>

#include "lib/results/values.h"

namespace twofold::results {

/// As many values as there are columns: what a message or a record has for each.
template <typename Columns, typename Of>
struct Fields {
  const Columns& columns;
  const Of& of;
};
template <typename Columns, typename Of>
Fields(const Columns&, const Of&) -> Fields<Columns, Of>;

/// A statement that is compiled once and run often. Values are bound without a copy.
/// Errors   throws SQLite::Exception.
class Prepared {
 public:
  Prepared(SQLite::Database& database, const std::string& sql) : statement_(database, sql) {}

  /// Runs a statement that returns no rows, with these values for its parameters, in their order.
  /// Returns how many rows it changed.
  template <typename... Values>
  int Run(const Values&... values) {
    const Rows rows(*this, values...);
    return statement_.exec();
  }

  /// The rows of a query: while (rows.Next()) rows[0]...; the statement is busy while this lives.
  class Rows {
   public:
    template <typename... Values>
    explicit Rows(Prepared& prepared, const Values&... values) : statement_(prepared.statement_) {
      (Bind(values), ...);
    }
    // Without this a finished query would keep its view of the file, and the log could not shrink.
    ~Rows() { statement_.tryReset(); }
    Rows(const Rows&) = delete;
    Rows& operator=(const Rows&) = delete;

    bool Next() { return statement_.executeStep(); }
    SQLite::Column operator[](int column) const { return statement_.getColumn(column); }

    /// Sets what the columns keep, of a message or a record, to what is in them from `first` on.
    template <typename Columns, typename To>
    void Read(const Columns& columns, int first, To& to) const {
      columns.Read(statement_, first, to);
    }

   private:
    void Bind(const auto& value) { BindValue(statement_, index_++, value); }
    template <typename Columns, typename Of>
    void Bind(const Fields<Columns, Of>& fields) {
      fields.columns.Bind(fields.of, statement_, &index_);
    }

    SQLite::Statement& statement_;
    int index_ = 1;
  };

 private:
  SQLite::Statement statement_;
};

/// The statements of a connection, by their SQL. Each is compiled when it is asked for first.
///
/// Threads  Not safe; neither is what it gives.
/// Errors   throws SQLite::Exception.
/// Cost     A look-up by hash. None is forgotten: SQL that has values in it does not belong here.
class Statements {
 public:
  explicit Statements(SQLite::Database& database) : database_(database) {}

  /// Valid as long as this.
  Prepared& operator[](absl::string_view sql) {
    std::unique_ptr<Prepared>& known = prepared_[sql];
    if (known == nullptr) known = std::make_unique<Prepared>(database_, std::string(sql));
    return *known;
  }

  SQLite::Database& database() { return database_; }

 private:
  SQLite::Database& database_;
  absl::flat_hash_map<std::string, std::unique_ptr<Prepared>> prepared_;
};

}  // namespace twofold::results
