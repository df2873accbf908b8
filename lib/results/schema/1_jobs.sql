-- A job's life is written by appending (job, then ended), because rows that grow in place cost more
-- (docs/store.md has the numbers). What changes meanwhile, and what is unfinished, is in `live`,
-- which stays small. No foreign keys: a check a row, for what one writer keeps right anyhow.

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
