#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include <concepts>
#include <cstdint>
#include <string>

#include "lib/queue/types.h"
#include "lib/results/columns.h"

namespace twofold::results {

/// Bytes that are no text.
struct Blob {
  const std::string& bytes;
};

/// As many values as there are columns: what a message has for each.
struct Fields {
  const Columns& columns;
  const google::protobuf::Message& message;
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
      [[maybe_unused]] int index = 1;
      (Bind(index, values), ...);
    }
    // Without this a finished query would keep its view of the file, and the log could not shrink.
    ~Rows() { statement_.tryReset(); }
    Rows(const Rows&) = delete;
    Rows& operator=(const Rows&) = delete;

    bool Next() { return statement_.executeStep(); }
    SQLite::Column operator[](int column) const { return statement_.getColumn(column); }
    [[nodiscard]] const SQLite::Statement& statement() const { return statement_; }

    /// Sets the fields of a message to what is in the columns from `first` on.
    void Read(const Columns& columns, int first, google::protobuf::Message& message) const {
      columns.Read(statement_, first, message);
    }

   private:
    void Bind(int& index, const std::integral auto& value) {
      statement_.bind(index++, static_cast<std::int64_t>(value));
    }
    void Bind(int& index, const std::string& text) { statement_.bindNoCopy(index++, text); }
    void Bind(int& index, const Blob& blob) {
      statement_.bindNoCopy(index++, blob.bytes.data(), static_cast<int>(blob.bytes.size()));
    }
    void Bind(int& index, const Fields& fields) {
      fields.columns.Bind(fields.message, statement_, &index);
    }

    SQLite::Statement& statement_;
  };

 private:
  SQLite::Statement statement_;
};

}  // namespace twofold::results
