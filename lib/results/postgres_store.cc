#include "lib/results/postgres_store.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "lib/results/postgres_schema.h"
#include "lib/results/postgres_sql.h"

namespace twofold::results {
namespace {

// The journal's statements name rows by their keys. With arrays of unknown length the planner would
// rather read whole tables, and those rows that are long dead.
constexpr const char* kWriteSettings =
    "SET plan_cache_mode = force_generic_plan;"
    "SET enable_hashjoin = off; SET enable_mergejoin = off;"
    "SET enable_bitmapscan = off; SET enable_seqscan = off;"
    "SET default_transaction_isolation = 'read committed';"
    // Who waits in the middle of a transaction keeps its successor out.
    "SET idle_in_transaction_session_timeout = 10000;"
    "SET lock_timeout = 10000;"
    "SELECT set_config('synchronous_commit', 'on', false)"
    " WHERE current_setting('synchronous_commit') IN ('off', 'local')";

// Ids of jobs that a frontend may give out before it writes again how far it has come.
constexpr std::uint64_t kReserve = 1 << 16;

constexpr Duration kVersionInterval = std::chrono::seconds(1);

// Others add finished jobs meanwhile, so they are counted again after so many looks.
constexpr int kForgetsPerCount = 60;

constexpr const char* kHeld = " WHERE number = $1 AND epoch = $2 AND owner_incarnation = $3";

std::vector<postgres::Parameter> ParametersOf(const Fence& fence) {
  std::vector<postgres::Parameter> parameters;
  for (const std::uint64_t value :
       {std::uint64_t{fence.partition}, fence.epoch, fence.incarnation}) {
    parameters.push_back(
        postgres::Parameter::Of(postgres::Type::kInteger, static_cast<std::int64_t>(value)));
  }
  return parameters;
}

// Last in its transaction: a frontend that vanishes before must not hold the row that its successor
// has to change.
postgres::Statement MakeSure(const Fence& fence) {
  return {absl::StrCat("SELECT 1 / count(*) FROM (SELECT 1 FROM partition", kHeld,
                       " FOR SHARE) AS held"),
          ParametersOf(fence)};
}

postgres::Statement CountUp(const Fence& fence, std::uint64_t version,
                            const std::optional<QueueHalted>& asked) {
  postgres::Statement statement{absl::StrCat("WITH held AS (UPDATE partition SET version = $4",
                                             asked ? ", paused = $5, drains = $6" : "", kHeld,
                                             " RETURNING 1) SELECT 1 / count(*) FROM held"),
                                ParametersOf(fence)};
  statement.parameters.push_back(
      postgres::Parameter::Of(postgres::Type::kInteger, static_cast<std::int64_t>(version)));
  if (!asked) return statement;
  for (const bool value : {asked->paused, asked->drains}) {
    statement.parameters.push_back(postgres::Parameter::Of(postgres::Type::kBoolean, value));
  }
  return statement;
}

/// What the last of them says.
std::optional<QueueHalted> AskedBy(std::span<const Record> records) {
  std::optional<QueueHalted> asked;
  for (const Record& record : records) {
    if (const auto* halted = std::get_if<QueueHalted>(&record)) asked = *halted;
  }
  return asked;
}

}  // namespace

PostgresStore::PostgresStore(const postgres::Target& target, const PostgresOptions& options)
    : fence_(options.fence),
      database_(target, kWriteSettings, options.patience),
      tables_(sql_, fence_ ? kReserve : 0),
      version_(fence_ ? fence_->version : 0),
      reads_(target, options.longest_read, options.patience) {}

Result<std::unique_ptr<PostgresStore>> PostgresStore::Open(const postgres::Target& target,
                                                           const PostgresOptions& options) {
  std::unique_ptr<PostgresStore> store(new PostgresStore(target, options));
  Status status = Guarded(store->database_,
                          [&] { return BringUpToDate(store->database_, PostgresMigrations()); });
  if (!status.ok()) return status;
  return store;
}

Status PostgresStore::Commit(std::span<const Record> records) {
  if (Status status = AddNames(records); !status.ok()) return status;
  asked_ = AskedBy(records);
  Status status = InTransaction([&] {
    is_uncounted_ = true;
    return tables_.Write(records);
  });
  asked_.reset();
  if (status.ok() && fence_ && is_uncounted_) Remember(records);
  return status;
}

void PostgresStore::Remember(std::span<const Record> records) {
  for (const Record& record : records) {
    if (const auto* accepted = std::get_if<JobAccepted>(&record)) last_accepted_ = accepted->id;
    if (const auto* ended = std::get_if<JobEnded>(&record)) last_ended_ = ended->job;
  }
}

/// In a transaction of its own, in the order of the names, so that frontends that write the same
/// ones do not wait for each other in a circle.
Status PostgresStore::AddNames(std::span<const Record> records) {
  if (!tables_.FindNewNames(records)) return absl::OkStatus();
  return Transact(PostgresDatabase::Writes::kRowByRow, [this] {
    tables_.AddNewNames();
    return absl::OkStatus();
  });
}

/// A version covers all that was committed before it: then there is nothing to remember.
void PostgresStore::CommitFenced() {
  if (!fence_) return database_.Commit();
  const bool is_due = asked_ || (is_uncounted_ && Now() >= next_version_);
  const postgres::Statement last =
      is_due ? CountUp(*fence_, version_ + 1, asked_) : MakeSure(*fence_);
  database_.Commit(&last);
  if (!is_due) return;
  ++version_;
  next_version_ = Now() + kVersionInterval;
  is_uncounted_ = false;
  last_accepted_ = last_ended_ = 0;
}

/// The log is a prefix: who still has the newest has all.
Status PostgresStore::CheckKept() {
  is_kept_ = is_kept_ && database_.is_open();
  if (is_kept_) return absl::OkStatus();
  database_.Begin(PostgresDatabase::Writes::kRowByRow);
  Prepared::Rows found(sql_["SELECT (? = 0 OR EXISTS (SELECT 1 FROM job WHERE id = ?))"
                            " AND (? = 0 OR EXISTS (SELECT 1 FROM ended WHERE id = ?))"
                            " AND (SELECT version >= ? FROM partition WHERE number = ?)"],
                       last_accepted_, last_accepted_, last_ended_, last_ended_, version_,
                       fence_->partition);
  found.Next();
  is_kept_ = found[0].Integer() != 0;
  database_.Rollback();
  if (is_kept_) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat(database_.name(), ": it has lost commits that it had acknowledged"));
}

/// A group is sent as if all in it were new, as it is unless it was committed before. What `change`
/// takes for granted then is checked by the statements themselves.
template <typename Change>
Status PostgresStore::InTransaction(const Change& change) {
  try {
    return Transact(PostgresDatabase::Writes::kGathered, change);
  } catch (const NotAsExpected&) {
    database_.Rollback();
    tables_.RolledBack();
  }
  return Transact(PostgresDatabase::Writes::kRowByRow, change);
}

template <typename Change>
Status PostgresStore::Transact(PostgresDatabase::Writes writes, const Change& change) {
  Status status = Guarded(database_, [&]() -> Status {
    if (Status kept = fence_ ? CheckKept() : absl::OkStatus(); !kept.ok()) return kept;
    database_.Begin(writes);
    if (Status changed = change(); !changed.ok()) return changed;
    CommitFenced();
    tables_.Committed();
    return absl::OkStatus();
  });
  if (!status.ok()) {
    database_.Rollback();
    tables_.RolledBack();
  }
  return status;
}

Status PostgresStore::Check() {
  return Transact(PostgresDatabase::Writes::kRowByRow, [this] {
    // With a fence the commit asks the server; a transaction without a statement does not.
    if (!fence_) Prepared::Rows(sql_["SELECT 1"]).Next();
    return absl::OkStatus();
  });
}

Result<std::map<std::string, std::uint64_t>> PostgresStore::Load(const Visit& visit) {
  std::map<std::string, std::uint64_t> sequences;
  Status status = Transact(PostgresDatabase::Writes::kRowByRow, [&]() -> Status {
    sequences = tables_.Load(visit, fence_ ? std::optional(fence_->partition) : std::nullopt);
    if (!fence_) return absl::OkStatus();
    Prepared::Rows row(sql_["SELECT paused, drains FROM partition WHERE number = ?"],
                       fence_->partition);
    if (row.Next()) halted_ = {.paused = row[0].Integer() != 0, .drains = row[1].Integer() != 0};
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  return sequences;
}

Status PostgresStore::ReadSpecs(const WantedSpecs& wanted) {
  return Transact(PostgresDatabase::Writes::kRowByRow, [&] {
    tables_.ReadSpecs(wanted);
    return absl::OkStatus();
  });
}

Result<StoredJob> PostgresStore::Find(JobId job) const {
  return reads_.Run([&]() -> Result<StoredJob> {
    std::optional<StoredJob> found = reader_.Find(job);
    if (!found) return absl::NotFoundError(absl::StrCat("no job ", job, " in ", reads_.name()));
    return *std::move(found);
  });
}

Result<std::vector<StoredJob>> PostgresStore::List(const JobQuery& query) const {
  return reads_.Run([&]() -> Result<std::vector<StoredJob>> { return reader_.List(query); });
}

Result<std::size_t> PostgresStore::Forget(const Retention& retention, std::size_t at_most) {
  std::size_t forgotten = 0;
  if (forgets_++ % kForgetsPerCount == 0) tables_.CountAgain();
  Status status = InTransaction([&]() -> Status {
    const std::vector<JobId> jobs = tables_.Forgettable(retention, at_most);
    tables_.Delete(jobs);
    tables_.DeleteDrafts(retention, at_most);
    forgotten = jobs.size();
    for (JobId* const last : {&last_accepted_, &last_ended_}) {
      if (std::find(jobs.begin(), jobs.end(), *last) != jobs.end()) *last = 0;
    }
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  return forgotten;
}

Result<std::uint64_t> PostgresStore::Bytes() {
  std::uint64_t bytes = 0;
  Status status = Transact(PostgresDatabase::Writes::kRowByRow, [&] {
    Prepared::Rows row(sql_["SELECT pg_database_size(current_database())"]);
    if (row.Next()) bytes = static_cast<std::uint64_t>(row[0].Integer());
    return absl::OkStatus();
  });
  if (!status.ok()) return status;
  return bytes;
}

}  // namespace twofold::results
