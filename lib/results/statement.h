#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace twofold::results {

struct RowWrite;

/// What is stored is not as this program writes it: kDataLoss of a Store.
class Damaged : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A statement of a database engine, compiled once and used often. A use binds its parameters in
/// their order, then calls Execute or Step, then Reset.
///
/// Threads  Not safe.
/// Errors   throws what its engine throws (see Database).
class Statement {
 public:
  Statement() = default;
  virtual ~Statement() = default;
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // The next parameter. Texts and bytes outlive the use of the statement: nobody copies them.
  virtual void BindInteger(std::int64_t value) = 0;
  virtual void BindReal(double value) = 0;
  virtual void BindBoolean(bool value) = 0;
  virtual void BindText(const std::string& text) = 0;
  virtual void BindBytes(const std::string& bytes) = 0;
  virtual void BindNullText() = 0;
  /// A text that is gone before the statement is used.
  virtual void BindTemporary(const std::string& text) = 0;

  /// Runs a statement that returns no rows. Returns how many rows it changed.
  virtual std::int64_t Execute() = 0;

  /// Goes to the next row of a query; false: there are no more.
  virtual bool Step() = 0;

  // Of the current row; columns count from 0. NULL: 0, an empty text.
  [[nodiscard]] virtual bool IsNull(int column) const = 0;
  [[nodiscard]] virtual std::int64_t Integer(int column) const = 0;  ///< also of a boolean
  [[nodiscard]] virtual double Real(int column) const = 0;
  [[nodiscard]] virtual std::string_view Text(int column) const = 0;  ///< valid until Step or Reset

  /// Ends the use. Must not throw.
  virtual void Reset() = 0;
};

/// A connection to a database engine: SQL becomes statements. SQL is written once for all engines,
/// with `?` or `?1` for parameters, CASE instead of iif, and a name for every subquery.
///
/// Errors   SqliteDatabase throws SQLite::Exception, PostgresDatabase throws SqlError.
class Database {
 public:
  Database() = default;
  virtual ~Database() = default;
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  virtual std::unique_ptr<Statement> Prepare(const std::string& sql) = 0;

  /// For a query of whose many rows perhaps only the first are wanted.
  virtual std::unique_ptr<Statement> PrepareStream(const std::string& sql) { return Prepare(sql); }

  /// For a change that the engine may gather with others of its kind (see RowWrite).
  virtual std::unique_ptr<Statement> Prepare(const RowWrite& write) = 0;
};

}  // namespace twofold::results
