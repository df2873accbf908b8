#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/functional/function_ref.h>
#include <libpq-fe.h>

#include <memory>
#include <string>
#include <vector>

#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/postgres/parameter.h"
#include "lib/postgres/rows.h"
#include "lib/postgres/target.h"

namespace twofold::postgres {

/// How long to wait for what. What the address says itself counts before `connect` and `silence`.
struct Patience {
  Duration connect = std::chrono::seconds(10);
  Duration silence = std::chrono::seconds(20);  ///< of the network, while the server should answer
  Duration answer = std::chrono::seconds(30);   ///< the connection is given up then
};

/// A statement with its parameters, "... WHERE id = $1".
struct Statement {
  std::string sql;
  std::vector<Parameter> parameters = {};
};

/// A connection to a PostgreSQL server. Statements are prepared when they are first used; those of
/// one Run share a round trip.
///
/// Threads  Not safe.
/// Errors   those of StatusOf, and kUnavailable when the connection breaks or the server does not
///          answer in time; it is then not usable any more (is_open), and what it was doing may
///          have been done or not.
/// Cost     Run: one round trip. The statements stay prepared as long as the connection: SQL with
///          values in it does not belong here.
class Connection {
 public:
  /// `settings` is SQL that is run first, such as "SET statement_timeout = 1000".
  /// Errors   also kPermissionDenied, kNotFound: what the address names is refused or not there.
  static Result<std::unique_ptr<Connection>> Open(const Target& target, const std::string& settings,
                                                  const Patience& patience = {});

  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] bool is_open() const;

  /// Runs the statements in their order until one fails, whose error is returned. Outside of
  /// BEGIN and COMMIT they are one transaction.
  ///
  /// A warning makes it an error, too, and closes the connection: a server warns of a commit that
  /// its standby has not got, and says that it has succeeded.
  Result<std::vector<Rows>> Run(const std::vector<Statement>& statements);

  /// Sends statements without waiting for answers: the server works on them meanwhile. They are the
  /// first ones of the next Run, which returns their answers, too; that is all that may be called
  /// next.
  Status SendAhead(const std::vector<Statement>& statements);

  /// One statement.
  Result<Rows> Run(const std::string& sql, std::vector<Parameter> parameters = {});

  /// Runs a query and gives `take` its rows one by one as they come, so that however many there are
  /// need no memory. An error that `take` returns is returned, and closes the connection.
  using Take = absl::FunctionRef<Status(const Rows& row)>;
  Status Stream(const std::string& sql, Take take);

  /// Of the last Run, Stream or Script that failed: which statement, and its SQLSTATE; empty: the
  /// connection broke.
  struct Failure {
    std::size_t statement = 0;
    std::string sql_state = {};
  };
  [[nodiscard]] const Failure& failure() const { return failure_; }

  /// Runs SQL without parameters, any number of statements; outside of a transaction they are one.
  Status Script(const std::string& sql);

 private:
  struct Finish {
    void operator()(PGconn* connection) const { PQfinish(connection); }
  };

  Connection(PGconn* connection, std::string name, const Patience& patience);

  Status Send(const std::vector<Statement>& statements);
  bool Send(const Statement& statement);
  bool SendPrepare(const Statement& statement, const std::string& key, const std::string& name);
  Status Receive(std::vector<Rows>& rows);
  Result<PGresult*> Next(Instant deadline);
  Status Broken(const std::string& why);
  Status FailureOf(const PGresult* result, std::size_t statement);
  static void OnNotice(void* self, const PGresult* notice);

  const std::string name_;
  const Patience patience_;
  std::unique_ptr<PGconn, Finish> connection_;
  /// What was sent and not answered yet, in order.
  struct Sent {
    std::size_t statement;
    std::string prepares;  // the key of what was to be prepared; empty: it ran
  };
  std::vector<Sent> sent_;
  absl::flat_hash_map<std::string, std::string> prepared_;  // names by SQL and types
  std::size_t last_name_ = 0;
  std::string warning_;
  Failure failure_;
};

}  // namespace twofold::postgres
