-- Runs, and what benchmarks have measured. docs/store.md says why the tables are so.

CREATE TABLE run (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  kind TEXT NOT NULL,
  definition TEXT NOT NULL,
  labels TEXT NOT NULL,
  jobs INTEGER NOT NULL,
  created_unix_ns INTEGER NOT NULL,
  cancelled_unix_ns INTEGER,
  plan TEXT NOT NULL
);

-- Of the jobs that are in no run and have results.
INSERT INTO run VALUES (0, '', '', '', '', '{}', 0, 0, NULL, '');

CREATE TABLE permutation (
  run INTEGER NOT NULL,
  number INTEGER NOT NULL,
  varied TEXT NOT NULL,
  PRIMARY KEY (run, number)
) WITHOUT ROWID;

CREATE TABLE place (
  job INTEGER PRIMARY KEY,
  run INTEGER NOT NULL,
  permutation INTEGER NOT NULL,
  number INTEGER NOT NULL,
  repetition INTEGER NOT NULL,
  warm_up INTEGER NOT NULL,
  name TEXT NOT NULL
);
CREATE INDEX place_by_run ON place (run, permutation);

INSERT INTO run (id, name, kind, definition, labels, jobs, created_unix_ns, plan)
SELECT run, '', '', '', '{}', 0, min(accepted_unix_ns), '' FROM job WHERE run IS NOT NULL GROUP BY run;
INSERT INTO place
SELECT job.id, run.number, 0, 0, 0, 0, '' FROM job JOIN run ON run.id = job.run;

CREATE TABLE benchmark (
  job INTEGER PRIMARY KEY,
  suite TEXT NOT NULL,
  tool TEXT NOT NULL,
  failed_stage TEXT NOT NULL,
  left_out TEXT NOT NULL,
  prepared_ns INTEGER NOT NULL,
  started_ns INTEGER NOT NULL,
  ended_ns INTEGER NOT NULL,
  collected_ns INTEGER NOT NULL,
  parsed_ns INTEGER NOT NULL
);

CREATE TABLE refused (
  job INTEGER PRIMARY KEY,
  reason TEXT NOT NULL
);

CREATE TABLE metric (
  number INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  unit TEXT NOT NULL,
  better TEXT NOT NULL,
  headline INTEGER NOT NULL,
  dimensions TEXT NOT NULL,
  UNIQUE (name, unit, better, headline, dimensions)
);

CREATE TABLE measured (
  job INTEGER NOT NULL,
  number INTEGER NOT NULL,
  metric INTEGER NOT NULL,
  value REAL NOT NULL,
  PRIMARY KEY (job, number)
) WITHOUT ROWID;

CREATE TABLE shape (
  number INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  dimensions TEXT NOT NULL,
  columns TEXT NOT NULL,
  UNIQUE (name, dimensions, columns)
);

CREATE TABLE series (
  job INTEGER NOT NULL,
  number INTEGER NOT NULL,
  shape INTEGER NOT NULL,
  points TEXT NOT NULL,
  PRIMARY KEY (job, number)
) WITHOUT ROWID;

CREATE TABLE part_failure (
  job INTEGER NOT NULL,
  number INTEGER NOT NULL,
  stage TEXT NOT NULL,
  reason TEXT NOT NULL,
  PRIMARY KEY (job, number)
) WITHOUT ROWID;

CREATE TABLE host (
  number INTEGER PRIMARY KEY,
  node TEXT NOT NULL,
  pod TEXT NOT NULL,
  address TEXT NOT NULL,
  kernel TEXT NOT NULL,
  cpu TEXT NOT NULL,
  cpus INTEGER NOT NULL,
  image TEXT NOT NULL,
  UNIQUE (node, pod, address, kernel, cpu, cpus, image)
);

CREATE TABLE rank (
  job INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  host INTEGER NOT NULL,
  PRIMARY KEY (job, rank)
) WITHOUT ROWID;

CREATE TABLE stage (
  job INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  number INTEGER NOT NULL,
  name TEXT NOT NULL,
  argv TEXT NOT NULL,
  tool_version TEXT NOT NULL,
  started_ns INTEGER NOT NULL,
  wall_ns INTEGER NOT NULL,
  exit_code INTEGER NOT NULL,
  signal INTEGER NOT NULL,
  error TEXT NOT NULL,
  PRIMARY KEY (job, rank, number)
) WITHOUT ROWID;

CREATE TABLE artifact (
  job INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  stage INTEGER NOT NULL,
  number INTEGER NOT NULL,
  name TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  left_out INTEGER NOT NULL,
  zstd BLOB NOT NULL,
  PRIMARY KEY (job, rank, stage, number)
);

CREATE TABLE student (
  degrees INTEGER PRIMARY KEY,
  factor REAL NOT NULL
);
INSERT INTO student VALUES
  (1, 12.706205), (2, 4.302653), (3, 3.182446), (4, 2.776445), (5, 2.570582), (6, 2.446912),
  (7, 2.364624), (8, 2.306004), (9, 2.262157), (10, 2.228139), (11, 2.200985), (12, 2.178813),
  (13, 2.160369), (14, 2.144787), (15, 2.131450), (16, 2.119905), (17, 2.109816), (18, 2.100922),
  (19, 2.093024), (20, 2.085963), (21, 2.079614), (22, 2.073873), (23, 2.068658), (24, 2.063899),
  (25, 2.059539), (26, 2.055529), (27, 2.051831), (28, 2.048407), (29, 2.045230), (30, 2.042272),
  (35, 2.030108), (40, 2.021075), (50, 2.008559), (60, 2.000298), (80, 1.990063), (100, 1.983972),
  (150, 1.975905), (200, 1.971896), (300, 1.967903), (500, 1.964720), (1000, 1.962339);

CREATE VIEW run_job AS
SELECT run.id AS run, place.permutation, varied, place.repetition, place.warm_up, place.number,
       place.name, place.job,
       coalesce(outcome.name, iif(started_unix_ns IS NULL, 'waiting', 'running')) AS outcome,
       requeued_as
FROM place JOIN run ON run.number = place.run
LEFT JOIN permutation ON permutation.run = place.run AND permutation.number = place.permutation
LEFT JOIN live ON live.id = place.job
LEFT JOIN ended ON ended.id = place.job
LEFT JOIN outcome ON outcome.number = ended.outcome;

CREATE VIEW measurement AS
SELECT place.job, run.id AS run, permutation, repetition, warm_up, suite, outcome.name AS outcome,
       metric.name, value, unit, better, headline, dimensions
FROM run JOIN place ON place.run = run.number
JOIN benchmark ON benchmark.job = place.job
JOIN ended ON ended.id = place.job
JOIN measured ON measured.job = place.job
JOIN metric ON metric.number = measured.metric
LEFT JOIN outcome ON outcome.number = ended.outcome;

CREATE VIEW headline AS
SELECT place.job, run.id AS run, place.permutation, varied, repetition, warm_up, suite,
       outcome.name AS outcome, metric.name, value, unit, better, dimensions
FROM run JOIN place ON place.run = run.number
JOIN benchmark ON benchmark.job = place.job
JOIN ended ON ended.id = place.job
JOIN measured ON measured.job = place.job AND measured.number < 0
JOIN metric ON metric.number = measured.metric
LEFT JOIN permutation ON permutation.run = place.run AND permutation.number = place.permutation
LEFT JOIN outcome ON outcome.number = ended.outcome;

CREATE VIEW series_value AS
SELECT series.job, shape.name AS series, dimensions, point.key + 1 AS row,
       json_extract(columns, '$[0].name') AS by,
       json_extract(point.value, '$[0]') AS at,
       json_extract(column.value, '$.name') AS name,
       json_extract(point.value, '$[' || column.key || ']') AS value,
       json_extract(column.value, '$.unit') AS unit
FROM series JOIN shape ON shape.number = series.shape
JOIN json_each(points) AS point JOIN json_each(columns) AS column
WHERE column.key > 0;

CREATE VIEW rank_stage AS
SELECT stage.job, stage.rank, node, pod, address, kernel, cpu, cpus, image,
       stage.number AS stage, name, argv, tool_version, started_ns / 1e9 AS started_s,
       wall_ns / 1e9 AS wall_s, exit_code, signal, error
FROM stage JOIN rank ON rank.job = stage.job AND rank.rank = stage.rank
JOIN host ON host.number = rank.host;

CREATE VIEW by_permutation AS
WITH counting AS (
  SELECT run.id AS run, place.run AS run_number, permutation, metric, value, outcome <> 0 AS failed
  FROM run JOIN place ON place.run = run.number JOIN ended ON ended.id = place.job
  LEFT JOIN measured ON measured.job = place.job AND outcome = 0 AND measured.number < 0
  WHERE NOT warm_up AND requeued_as IS NULL AND run.id <> ''
), placed AS (
  SELECT *, count(value) OVER one AS n, avg(value) OVER one AS mean,
         row_number() OVER (PARTITION BY run, permutation, metric ORDER BY value) AS position
  FROM counting WINDOW one AS (PARTITION BY run, permutation, metric)
), grouped AS (
  SELECT run, permutation, metric, run_number, n, mean, sum(failed) AS failed,
         avg(iif(position IN ((n + 1) / 2, (n + 2) / 2), value, NULL)) AS median,
         iif(n < 2, NULL, sqrt(sum((value - mean) * (value - mean)) / (n - 1))) AS sd,
         min(value) AS least, max(value) AS most
  FROM placed GROUP BY run, permutation, metric
), complete AS (
  SELECT run, permutation, metric, run_number, n, mean, median, sd, least, most,
         sum(failed) OVER all_of AS failed, count(metric) OVER all_of AS metrics
  FROM grouped WINDOW all_of AS (PARTITION BY run, permutation)
)
SELECT complete.run, complete.permutation, varied, name, unit, better, dimensions, n, failed, mean,
       median, sd, sd / abs(mean) AS cv, mean - factor * sd / sqrt(n) AS lower,
       mean + factor * sd / sqrt(n) AS upper, least, most
FROM complete
LEFT JOIN permutation
  ON permutation.run = run_number AND permutation.number = complete.permutation
LEFT JOIN metric ON metric.number = complete.metric
LEFT JOIN student ON student.degrees = (SELECT max(degrees) FROM student WHERE degrees < n)
WHERE metric IS NOT NULL OR metrics = 0;
