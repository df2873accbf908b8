#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "lib/common/result.h"
#include "lib/postgres/connection.h"
#include "lib/postgres/target.h"
#include "lib/results/statement.h"

namespace twofold::results {

class PostgresWrite;

/// What a server has answered instead of doing what it was asked; see postgres::StatusOf.
class SqlError : public std::runtime_error {
 public:
  explicit SqlError(Status status)
      : std::runtime_error(std::string(status.message())), status_(std::move(status)) {}

  [[nodiscard]] const Status& status() const { return status_; }

 private:
  Status status_;
};

/// A gathered write has not done what its writer took for granted: a row was there, or was not.
/// The same transaction succeeds row by row.
class NotAsExpected : public std::runtime_error {
 public:
  NotAsExpected() : std::runtime_error("the rows are not as expected") {}
};

/// Statements of a PostgreSQL database, in transactions.
///
/// A round trip to a server costs more than what it does for a row. So a transaction can gather
/// what it writes: each RowWrite then answers that it has changed one row, keeps the values, and
/// many go out together, a statement for each kind of row: when a kind has kRowsAhead of them,
/// which the server then writes while the next are gathered, before the next statement of another
/// kind, and with the commit.
///
/// Threads  Not safe.
/// Errors   throws SqlError, also when the connection breaks; NotAsExpected while it gathers. Call
///          Rollback then.
/// Cost     A transaction that only gathers is one round trip.
class PostgresDatabase final : public Database {
 public:
  /// `settings` is SQL that begins each connection. Begin connects.
  PostgresDatabase(postgres::Target target, std::string settings, postgres::Patience patience);
  ~PostgresDatabase() override;

  [[nodiscard]] const std::string& name() const { return target_.name(); }
  [[nodiscard]] bool is_open() const { return connection_ != nullptr && connection_->is_open(); }

  std::unique_ptr<Statement> Prepare(const std::string& sql) override;
  std::unique_ptr<Statement> PrepareStream(const std::string& sql) override;
  std::unique_ptr<Statement> Prepare(const RowWrite& write) override;

  enum class Writes { kRowByRow, kGathered };

  /// Begins a transaction, with the first statement that is sent. Connects if need be.
  void Begin(Writes writes, const std::string& sql = "BEGIN");

  /// `fence` is a query that fails if this must not be committed, by dividing by zero.
  /// Errors   SqlError with kFailedPrecondition: the fence has failed.
  void Commit(const postgres::Statement* fence = nullptr);

  /// No-op without a transaction. Must not throw: a connection on which it fails is closed.
  void Rollback();

  /// Runs SQL without parameters, outside of a transaction.
  void Script(const std::string& sql);

  // ---- For its statements

  [[nodiscard]] bool gathers() const { return writes_ == Writes::kGathered; }
  void Gather(PostgresWrite* write) { gathered_.push_back(write); }

  static constexpr std::int64_t kRowsAhead = 1000;

  /// Sends what was gathered; whether it works is known after the next Run.
  void SendAhead();

  /// Sends what was gathered, then these. Returns the answers to these.
  std::vector<postgres::Rows> Run(std::vector<postgres::Statement> statements);

 private:
  void Connect();
  std::vector<postgres::Statement> TakeBeginning();
  [[noreturn]] void Fail(Status status, std::size_t own);

  const postgres::Target target_;
  const std::string settings_;
  const postgres::Patience patience_;
  std::unique_ptr<postgres::Connection> connection_;
  Writes writes_ = Writes::kRowByRow;
  std::string begin_;  // not sent yet; empty: it was, or there is no transaction
  bool is_begun_ = false;
  int streams_ = 0;
  std::vector<PostgresWrite*> gathered_;  // those that have rows, in the order of their first
  std::size_t ahead_ = 0;                 // statements that were sent and not answered
};

/// Calls `body`, which returns a Status or Result and may throw what a PostgresDatabase throws
/// (other than NotAsExpected), and Damaged.
template <typename Body>
std::invoke_result_t<Body> Guarded(const PostgresDatabase& database, const Body& body) {
  try {
    return body();
  } catch (const SqlError& error) {
    return error.status();
  } catch (const Damaged& error) {
    return absl::DataLossError(database.name() + ": it is damaged: " + error.what());
  }
}

}  // namespace twofold::results
