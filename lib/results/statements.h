#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/strings/string_view.h>

#include <memory>
#include <string>
#include <utility>

#include "lib/results/row_write.h"
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
/// Errors   throws what its engine throws.
class Prepared {
 public:
  explicit Prepared(std::unique_ptr<Statement> statement) : statement_(std::move(statement)) {}

  /// Runs a statement that returns no rows, with these values for its parameters, in their order.
  /// Returns how many rows it changed.
  template <typename... Values>
  std::int64_t Run(const Values&... values) {
    const Rows rows(*this, values...);
    return statement_->Execute();
  }

  /// The rows of a query: while (rows.Next()) rows[0]...; the statement is busy while this lives.
  class Rows {
   public:
    template <typename... Values>
    explicit Rows(Prepared& prepared, const Values&... values) : statement_(*prepared.statement_) {
      (Bind(values), ...);
    }
    ~Rows() { statement_.Reset(); }
    Rows(const Rows&) = delete;
    Rows& operator=(const Rows&) = delete;

    bool Next() { return statement_.Step(); }
    Cell operator[](int column) const { return {statement_, column}; }

    /// Sets what the columns keep, of a message or a record, to what is in them from `first` on.
    template <typename Columns, typename To>
    void Read(const Columns& columns, int first, To& to) const {
      columns.Read(statement_, first, to);
    }

   private:
    void Bind(const auto& value) { BindValue(statement_, value); }
    template <typename Columns, typename Of>
    void Bind(const Fields<Columns, Of>& fields) {
      fields.columns.Bind(fields.of, statement_);
    }

    Statement& statement_;
  };

 private:
  std::unique_ptr<Statement> statement_;
};

/// The statements of a connection, by their SQL. Each is compiled when it is asked for first.
///
/// Threads  Not safe; neither is what it gives.
/// Errors   throws what its engine throws.
/// Cost     A look-up by hash. None is forgotten: SQL that has values in it does not belong here.
class Statements {
 public:
  explicit Statements(Database& database) : database_(database) {}

  // What these give is valid as long as this.

  Prepared& operator[](absl::string_view sql) {
    return Known(prepared_[sql], [&] { return database_.Prepare(std::string(sql)); });
  }
  /// REQUIRES: the write outlives this.
  Prepared& operator[](const RowWrite& write) {
    return Known(writes_[&write], [&] { return database_.Prepare(write); });
  }
  /// For a query of whose many rows perhaps only the first are wanted.
  Prepared& Stream(absl::string_view sql) {
    return Known(streams_[sql], [&] { return database_.PrepareStream(std::string(sql)); });
  }

 private:
  template <typename Prepare>
  static Prepared& Known(std::unique_ptr<Prepared>& known, const Prepare& prepare) {
    if (known == nullptr) known = std::make_unique<Prepared>(prepare());
    return *known;
  }

  Database& database_;
  absl::flat_hash_map<std::string, std::unique_ptr<Prepared>> prepared_;
  absl::flat_hash_map<std::string, std::unique_ptr<Prepared>> streams_;
  absl::flat_hash_map<const RowWrite*, std::unique_ptr<Prepared>> writes_;
};

}  // namespace twofold::results
