#include "lib/results/postgres_database.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <iterator>

#include "lib/postgres/errors.h"
#include "lib/results/postgres_sql.h"
#include "lib/results/postgres_statements.h"

namespace twofold::results {

PostgresDatabase::PostgresDatabase(postgres::Target target, std::string settings,
                                   postgres::Patience patience)
    : target_(std::move(target)), settings_(std::move(settings)), patience_(patience) {}

PostgresDatabase::~PostgresDatabase() = default;

std::unique_ptr<Statement> PostgresDatabase::Prepare(const std::string& sql) {
  return std::make_unique<PostgresStatement>(*this, WithDollars(sql));
}

std::unique_ptr<Statement> PostgresDatabase::PrepareStream(const std::string& sql) {
  return std::make_unique<PostgresStream>(*this, WithDollars(sql),
                                          absl::StrCat("stream", ++streams_));
}

std::unique_ptr<Statement> PostgresDatabase::Prepare(const RowWrite& write) {
  return std::make_unique<PostgresWrite>(*this, write);
}

void PostgresDatabase::Connect() {
  if (is_open()) return;
  auto opened = postgres::Connection::Open(target_, settings_, patience_);
  if (!opened.ok()) throw SqlError(opened.status());
  connection_ = *std::move(opened);
}

void PostgresDatabase::Begin(Writes writes, const std::string& sql) {
  Connect();
  writes_ = writes;
  begin_ = sql;
}

std::vector<postgres::Rows> PostgresDatabase::Run(std::vector<postgres::Statement> statements) {
  std::vector<postgres::Statement> all = TakeBeginning();
  const std::size_t own = std::exchange(ahead_, 0) + all.size();
  std::move(statements.begin(), statements.end(), std::back_inserter(all));
  auto rows = connection_->Run(all);
  if (!rows.ok()) Fail(rows.status(), own);
  rows->erase(rows->begin(), rows->begin() + static_cast<std::ptrdiff_t>(own));
  return *std::move(rows);
}

void PostgresDatabase::SendAhead() {
  const std::vector<postgres::Statement> all = TakeBeginning();
  ahead_ += all.size();
  if (Status sent = connection_->SendAhead(all); !sent.ok()) throw SqlError(std::move(sent));
}

/// BEGIN, if it was not sent yet, and what was gathered: deletes, then inserts, then updates, as
/// RowWrite says.
std::vector<postgres::Statement> PostgresDatabase::TakeBeginning() {
  std::vector<postgres::Statement> statements;
  if (!begin_.empty()) {
    statements.push_back({std::exchange(begin_, {})});
    is_begun_ = true;
  }
  std::stable_sort(gathered_.begin(), gathered_.end(),
                   [](const auto* a, const auto* b) { return a->kind() < b->kind(); });
  for (PostgresWrite* const write : std::exchange(gathered_, {})) {
    statements.push_back(write->TakeGathered());
  }
  return statements;
}

/// `own` statements were BEGIN and what was gathered.
void PostgresDatabase::Fail(Status status, std::size_t own) {
  const postgres::Connection::Failure& failure = connection_->failure();
  const bool is_surprise = failure.sql_state == postgres::kDivisionByZero ||
                           failure.sql_state == postgres::kUniqueViolation;
  if (gathers() && failure.statement < own && is_surprise) throw NotAsExpected();
  throw SqlError(std::move(status));
}

void PostgresDatabase::Commit(const postgres::Statement* fence) {
  if (!is_begun_ && gathered_.empty() && fence == nullptr) {
    begin_.clear();
    return;
  }
  std::vector<postgres::Statement> last;
  if (fence != nullptr) last.push_back(*fence);
  last.push_back({"COMMIT"});
  try {
    Run(std::move(last));
  } catch (const SqlError&) {
    if (fence == nullptr || connection_->failure().sql_state != postgres::kDivisionByZero) throw;
    throw SqlError(absl::FailedPreconditionError(absl::StrCat(
        name(), ": another frontend has taken it over; this one keeps nothing any more")));
  }
  is_begun_ = false;
}

void PostgresDatabase::Rollback() {
  for (PostgresWrite* const write : std::exchange(gathered_, {})) write->Drop();
  begin_.clear();
  const bool waits = std::exchange(ahead_, 0) > 0;
  if (!std::exchange(is_begun_, false) || !is_open()) return;
  if (waits) static_cast<void>(connection_->Run(std::vector<postgres::Statement>()));
  if (!is_open()) return;
  if (!connection_->Script("ROLLBACK").ok()) connection_.reset();
}

void PostgresDatabase::Script(const std::string& sql) {
  Connect();
  if (const Status status = connection_->Script(sql); !status.ok()) throw SqlError(status);
}

}  // namespace twofold::results
