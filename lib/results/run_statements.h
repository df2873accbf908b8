#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <absl/strings/str_cat.h>

#include <cstdint>
#include <string>

#include "lib/results/benchmark_reader.h"
#include "lib/results/job_reader.h"
#include "lib/results/metric_rows.h"
#include "lib/results/permutation_gatherer.h"
#include "lib/results/prepared.h"

namespace twofold::results {

/// The statements of a RunReader, compiled once.
///
/// Errors   throws SQLite::Exception.
struct RunStatements {
  explicit RunStatements(SQLite::Database& database)
      : list(database,
             "SELECT * FROM run WHERE number < ? AND number > 0 ORDER BY number DESC LIMIT ?"),
        find(database, "SELECT * FROM run WHERE id = ? AND number > 0"),
        counts(database,
               "SELECT iif(ended.id IS NOT NULL, iif(requeued_as IS NULL, outcome, -3),"
               " iif(started_unix_ns IS NULL, -1, -2)) AS state, count(*), max(ended_unix_ns)"
               " FROM place LEFT JOIN live ON live.id = place.job"
               " LEFT JOIN ended ON ended.id = place.job WHERE run = ? GROUP BY state"),
        replaced(database,
                 "SELECT outcome, count(*) FROM (SELECT job, max(job) OVER"
                 " (PARTITION BY permutation, repetition, warm_up) AS newest"
                 " FROM place WHERE run = ? AND permutation > 0)"
                 " JOIN ended ON ended.id = job WHERE job < newest AND requeued_as IS NULL"
                 " GROUP BY outcome"),
        results(
            database,
            absl::StrCat(
                "SELECT ", PermutationGatherer::kColumns,
                " FROM place LEFT JOIN ended ON ended.id = place.job"
                " LEFT JOIN measured ON measured.job = place.job AND outcome = 0 AND NOT warm_up"
                " AND requeued_as IS NULL AND measured.number < 0"
                " WHERE run = ? AND permutation >= ? ORDER BY permutation, place.job")),
        varied(database, "SELECT varied FROM permutation WHERE run = ? AND number = ?"),
        jobs(
            database,
            "SELECT place.job, number, repetition, warm_up, name, started_unix_ns, outcome, run_ns,"
            " requeued_as FROM place LEFT JOIN live ON live.id = place.job"
            " LEFT JOIN ended ON ended.id = place.job"
            " WHERE run = ? AND permutation = ? AND place.job > ? ORDER BY place.job LIMIT ?"),
        permutations(
            database,
            "SELECT number, varied FROM permutation WHERE run = ? ORDER BY number LIMIT ?"),
        finished(database,
                 "SELECT place.job FROM place JOIN ended ON ended.id = place.job WHERE run = ?"
                 " AND (permutation, place.job) > (?, ?) ORDER BY permutation, place.job LIMIT ?"),
        job(database, "SELECT 1 FROM job WHERE id = ?"),
        job_reader(database),
        metrics(database),
        benchmarks(database) {}

  std::string VariedOf(std::int64_t run, std::uint64_t permutation) {
    Prepared::Rows row(varied, run, permutation);
    return row.Next() ? row[0].getString() : std::string("{}");
  }

  // How `counts` tells states from outcomes, which count from 0.
  static constexpr int kIsWaiting = -1;
  static constexpr int kIsRunning = -2;
  static constexpr int kIsRequeued = -3;

  Prepared list;
  Prepared find;
  Prepared counts;
  Prepared replaced;
  Prepared results;
  Prepared varied;
  Prepared jobs;
  Prepared permutations;
  Prepared finished;
  Prepared job;
  JobReader job_reader;
  MetricRows metrics;
  BenchmarkReader benchmarks;
};

}  // namespace twofold::results
