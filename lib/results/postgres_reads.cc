#include "lib/results/postgres_reads.h"

#include <absl/strings/str_cat.h>

namespace twofold::results {
namespace {

std::string ReadSettings(Duration longest_read) {
  const auto limit = std::chrono::ceil<std::chrono::milliseconds>(longest_read).count();
  return absl::StrCat("SET statement_timeout = ", limit,
                      ";SET idle_in_transaction_session_timeout = ", 2 * limit);
}

// A server that ends the statement says more than a client that gives up.
postgres::Patience LongerThan(Duration longest_read, postgres::Patience patience) {
  patience.answer = std::max(patience.answer, longest_read + std::chrono::seconds(5));
  return patience;
}

}  // namespace

PostgresReads::PostgresReads(const postgres::Target& target, Duration longest_read,
                             const postgres::Patience& patience)
    : database_(target, ReadSettings(longest_read), LongerThan(longest_read, patience)) {}

// A connection that was idle may have broken long ago, so a second one is tried.
Status PostgresReads::InTransaction(absl::FunctionRef<Status()> read) const {
  const MutexLock lock(mutex_);
  const bool was_open = database_.is_open();
  Status status = Once(read);
  if (status.ok() || !was_open || database_.is_open()) return status;
  return Once(read);
}

Status PostgresReads::Once(absl::FunctionRef<Status()> read) const {
  Status status = Guarded(database_, [&]() -> Status {
    database_.Begin(PostgresDatabase::Writes::kRowByRow,
                    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    Status done = read();
    if (done.ok()) database_.Commit();
    return done;
  });
  if (!status.ok()) database_.Rollback();
  return status;
}

}  // namespace twofold::results
