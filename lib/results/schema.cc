#include "lib/results/schema.h"

#include <absl/strings/str_cat.h>

#include <vector>

#include "lib/results/schema_steps.h"

namespace twofold::results {
namespace {

// "TwOf": what `file` and other programs tell our files by.
constexpr int kApplicationId = 0x54774f66;

// A job's life is written by appending (job, then ended), because rows that grow in place cost more
// (docs/store.md has the numbers). What changes meanwhile, and what is unfinished, is in `live`,
// which stays small. No foreign keys: a check a row, for what one writer keeps right anyhow.
constexpr const char* kDurableJobs = R"sql(
CREATE TABLE job (
  id INTEGER PRIMARY KEY,
  queue TEXT NOT NULL,
  run TEXT,
  suite TEXT NOT NULL,
  priority INTEGER NOT NULL,
  options BLOB NOT NULL,
  spec BLOB NOT NULL,
  accepted_unix_ns INTEGER NOT NULL
);
CREATE INDEX job_by_run ON job (run) WHERE run IS NOT NULL;

CREATE TABLE live (
  id INTEGER PRIMARY KEY,
  attempts INTEGER NOT NULL,
  lost_attempts INTEGER NOT NULL,
  started_unix_ns INTEGER,
  process_key INTEGER,
  node TEXT,
  pod TEXT,
  device TEXT
);

CREATE TABLE member (
  job INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  member_job INTEGER NOT NULL,
  process_key INTEGER NOT NULL,
  node TEXT NOT NULL,
  pod TEXT NOT NULL,
  device TEXT NOT NULL,
  PRIMARY KEY (job, rank)
) WITHOUT ROWID;

CREATE TABLE ended (
  id INTEGER PRIMARY KEY,
  outcome INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  wait_ns INTEGER NOT NULL,
  run_ns INTEGER NOT NULL,
  total_ns INTEGER NOT NULL,
  node TEXT NOT NULL,
  pod TEXT NOT NULL,
  device TEXT NOT NULL,
  report BLOB NOT NULL,
  reason TEXT NOT NULL,
  ended_unix_ns INTEGER NOT NULL,
  requeued_as INTEGER
);
CREATE INDEX ended_by_time ON ended (ended_unix_ns);

CREATE TABLE queue (
  name TEXT PRIMARY KEY,
  sequence INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE outcome (
  number INTEGER PRIMARY KEY,
  name TEXT NOT NULL
);
INSERT INTO outcome VALUES
  (0, 'succeeded'), (1, 'failed'), (2, 'timed_out'), (3, 'cancelled'), (4, 'lost'),
  (5, 'rejected'), (6, 'abandoned');

CREATE VIEW waiting AS
SELECT id, queue, run, suite, priority, attempts, lost_attempts, length(spec) AS spec_bytes,
       datetime(accepted_unix_ns / 1000000000, 'unixepoch') AS accepted_utc
FROM live JOIN job USING (id)
WHERE started_unix_ns IS NULL;

CREATE VIEW running AS
SELECT live.id, queue, run, suite, priority, attempts, lost_attempts,
       coalesce(rank, 0) AS rank,
       coalesce(member.node, live.node) AS node,
       coalesce(member.pod, live.pod) AS pod,
       coalesce(member.device, live.device) AS device,
       datetime(started_unix_ns / 1000000000, 'unixepoch') AS started_utc
FROM live JOIN job USING (id) LEFT JOIN member ON member.job = live.id
WHERE started_unix_ns IS NOT NULL;

CREATE VIEW finished AS
SELECT ended.id, queue, run, suite, priority, outcome.name AS outcome, attempts,
       wait_ns / 1e9 AS wait_s, run_ns / 1e9 AS run_s, total_ns / 1e9 AS total_s,
       node, pod, device, reason, length(report) AS report_bytes,
       datetime(accepted_unix_ns / 1000000000, 'unixepoch') AS accepted_utc,
       datetime(ended_unix_ns / 1000000000, 'unixepoch') AS ended_utc,
       requeued_as
FROM ended JOIN job USING (id) LEFT JOIN outcome ON outcome.number = ended.outcome;
)sql";

int Pragma(SQLite::Database& database, const std::string& name) {
  return database.execAndGet("PRAGMA " + name).getInt();
}

/// A file that has something in it, and not from us.
bool IsForeign(SQLite::Database& database) {
  if (Pragma(database, "application_id") == kApplicationId) return false;
  return database.execAndGet("SELECT count(*) FROM sqlite_schema").getInt() > 0 ||
         Pragma(database, "user_version") != 0;
}

Status OthersFile(const std::string& path) {
  return absl::InvalidArgumentError(absl::StrCat(path, " is the database of another program"));
}

Status NewerFile(const std::string& path, int version, int known) {
  return absl::FailedPreconditionError(
      absl::StrCat(path, " was written by a newer frontend: its schema has version ", version,
                   ", this frontend knows versions up to ", known));
}

void Take(SQLite::Database& database, const char* step, int version) {
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  database.exec(step);
  database.exec(absl::StrCat("PRAGMA application_id = ", kApplicationId));
  database.exec(absl::StrCat("PRAGMA user_version = ", version));
  transaction.commit();
}

}  // namespace

Migrations AllMigrations() {
  static const std::vector<const char*> steps = {kDurableJobs, kRunsAndMeasurements,
                                                 kPlacesOfBests};
  return steps;
}

Status BringUpToDate(SQLite::Database& database, const std::string& path, Migrations steps) {
  if (IsForeign(database)) return OthersFile(path);
  const int known = static_cast<int>(steps.size());
  int version = Pragma(database, "user_version");
  if (version > known) return NewerFile(path, version, known);
  while (version < known) {
    const char* const step = steps[static_cast<std::size_t>(version)];
    Take(database, step, ++version);
  }
  return absl::OkStatus();
}

Result<bool> IsUpToDate(SQLite::Database& database, const std::string& path, Migrations steps) {
  if (Pragma(database, "application_id") != kApplicationId) return OthersFile(path);
  const int known = static_cast<int>(steps.size());
  const int version = Pragma(database, "user_version");
  if (version > known) return NewerFile(path, version, known);
  return version == known;
}

}  // namespace twofold::results
