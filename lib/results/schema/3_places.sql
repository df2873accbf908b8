-- Where a best was found is no part of what it is.
--
-- Peaks had the size of their messages among their dimensions, so that repetitions whose peaks were
-- at different sizes fell into different headlines. Only the suites that wrote them so are changed:
-- elsewhere a size may well tell one number from another. They are named here because this is
-- history: files of version 2 have them under these names, whatever suites there are now.
--
-- And a job that was withdrawn (queue::IsWithdrawn) is no failure of its permutation.

ALTER TABLE measured ADD COLUMN at TEXT NOT NULL DEFAULT '';

CREATE TEMP TABLE peak AS
SELECT number AS old, name, unit, better, headline,
       json_remove(dimensions, '$.size') AS dimensions,
       json_object('size', dimensions ->> '$.size') AS at
FROM metric
WHERE headline AND dimensions ->> '$.size' IS NOT NULL
  AND (name GLOB 'peak[_]*' OR name GLOB 'min[_]*');

INSERT INTO metric (name, unit, better, headline, dimensions)
SELECT DISTINCT name, unit, better, headline, dimensions FROM peak WHERE TRUE
ON CONFLICT DO NOTHING;

UPDATE measured SET metric = joined.number, at = joined.at
FROM (SELECT old, number, at FROM peak
      JOIN metric USING (name, unit, better, headline, dimensions)) AS joined
WHERE measured.metric = joined.old
  AND job IN (SELECT job FROM benchmark WHERE suite IN ('osu', 'mpi-pingpong'));

DELETE FROM metric
WHERE number IN (SELECT old FROM peak) AND number NOT IN (SELECT metric FROM measured);

DROP TABLE peak;

DROP VIEW measurement;
CREATE VIEW measurement AS
SELECT place.job, run.id AS run, permutation, repetition, warm_up, suite, outcome.name AS outcome,
       metric.name, value, unit, better, headline, dimensions,
       nullif(at, '') AS at
FROM run JOIN place ON place.run = run.number
JOIN benchmark ON benchmark.job = place.job
JOIN ended ON ended.id = place.job
JOIN measured ON measured.job = place.job
JOIN metric ON metric.number = measured.metric
LEFT JOIN outcome ON outcome.number = ended.outcome;

DROP VIEW headline;
CREATE VIEW headline AS
SELECT place.job, run.id AS run, place.permutation, varied, repetition, warm_up, suite,
       outcome.name AS outcome, metric.name, value, unit, better, dimensions,
       nullif(at, '') AS at
FROM run JOIN place ON place.run = run.number
JOIN benchmark ON benchmark.job = place.job
JOIN ended ON ended.id = place.job
JOIN measured ON measured.job = place.job AND measured.number < 0
JOIN metric ON metric.number = measured.metric
LEFT JOIN permutation ON permutation.run = place.run AND permutation.number = place.permutation
LEFT JOIN outcome ON outcome.number = ended.outcome;

DROP VIEW by_permutation;
CREATE VIEW by_permutation AS
WITH counting AS (
  SELECT run.id AS run, place.run AS run_number, permutation, metric, value, outcome <> 0 AS failed,
         nullif(at, '') AS at
  FROM run JOIN place ON place.run = run.number JOIN ended ON ended.id = place.job
  LEFT JOIN measured ON measured.job = place.job AND outcome = 0 AND measured.number < 0
  WHERE NOT warm_up AND requeued_as IS NULL AND run.id <> ''
    AND outcome NOT IN (SELECT number FROM outcome WHERE name IN ('cancelled', 'rejected', 'abandoned'))
), placed AS (
  SELECT *, count(value) OVER one AS n, avg(value) OVER one AS mean,
         row_number() OVER (PARTITION BY run, permutation, metric ORDER BY value) AS position
  FROM counting WINDOW one AS (PARTITION BY run, permutation, metric)
), grouped AS (
  SELECT run, permutation, metric, run_number, n, mean, sum(failed) AS failed,
         avg(iif(position IN ((n + 1) / 2, (n + 2) / 2), value, NULL)) AS median,
         iif(n < 2, NULL, sqrt(sum((value - mean) * (value - mean)) / (n - 1))) AS sd,
         min(value) AS least, max(value) AS most,
         '[' || group_concat(DISTINCT at) || ']' AS at
  FROM placed GROUP BY run, permutation, metric
), complete AS (
  SELECT run, permutation, metric, run_number, n, mean, median, sd, least, most, at,
         sum(failed) OVER all_of AS failed, count(metric) OVER all_of AS metrics
  FROM grouped WINDOW all_of AS (PARTITION BY run, permutation)
)
SELECT complete.run, complete.permutation, varied, name, unit, better, dimensions, n, failed, mean,
       median, sd, sd / abs(mean) AS cv, mean - factor * sd / sqrt(n) AS lower,
       mean + factor * sd / sqrt(n) AS upper, least, most, at
FROM complete
LEFT JOIN permutation
  ON permutation.run = run_number AND permutation.number = complete.permutation
LEFT JOIN metric ON metric.number = complete.metric
LEFT JOIN student ON student.degrees = (SELECT max(degrees) FROM student WHERE degrees < n)
WHERE metric IS NOT NULL OR metrics = 0;
