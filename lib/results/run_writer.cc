#include "lib/results/run_writer.h"

namespace twofold::results {
namespace {

// The row of table `run` for jobs that are in none.
constexpr std::int64_t kOutside = 0;

}  // namespace

RunWriter::RunWriter(SQLite::Database& database)
    : insert_run_(
          database,
          "INSERT INTO run (id, name, kind, definition, labels, jobs, created_unix_ns, plan)"
          " VALUES (?, '', '', '', '{}', 0, ?, '') ON CONFLICT (id) DO NOTHING"),
      find_run_(database, "SELECT number FROM run WHERE id = ?"),
      // A run that only its jobs have made so far is filled in; another one stays.
      fill_run_(database,
                "UPDATE run SET name = ?2, kind = ?3, definition = ?4, labels = ?5, jobs = ?6,"
                " created_unix_ns = ?7, plan = ?8 WHERE id = ?1 AND definition = ''"),
      insert_permutation_(database,
                          "INSERT INTO permutation VALUES (?, ?, ?) ON CONFLICT DO NOTHING"),
      cancel_run_(database,
                  "UPDATE run SET cancelled_unix_ns = coalesce(cancelled_unix_ns, ?2)"
                  " WHERE id = ?1"),
      insert_place_(database,
                    "INSERT INTO place VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"),
      find_place_(database, "SELECT run FROM place WHERE job = ?"),
      delete_place_(database, "DELETE FROM place WHERE job = ?"),
      has_jobs_(database, "SELECT 1 FROM place WHERE run = ? LIMIT 1"),
      delete_run_(database, "DELETE FROM run WHERE number = ?"),
      delete_permutations_(database, "DELETE FROM permutation WHERE run = ?") {}

void RunWriter::Create(const RunCreated& run) {
  const std::int64_t number = NumberOf(run.id, run.created_unix_ns);
  const int filled = fill_run_.Run(run.id, run.name, run.kind, run.definition, run.labels, run.jobs,
                                   run.created_unix_ns, run.plan);
  if (filled == 0) return;
  for (const Permutation& each : run.permutations) {
    insert_permutation_.Run(number, each.number, each.varied);
  }
}

void RunWriter::Cancel(const RunCancelled& cancelled) {
  cancel_run_.Run(cancelled.run, cancelled.cancelled_unix_ns);
}

void RunWriter::Place(const JobAccepted& job) {
  if (job.run.empty()) return;
  const RunPlace& place = job.place;
  insert_place_.Run(job.id, NumberOf(job.run, job.accepted_unix_ns), place.permutation,
                    place.number, place.repetition, place.warm_up, place.name);
}

void RunWriter::PlaceOutside(JobId job) {
  insert_place_.Run(job, kOutside, 0, 0, 0, false, std::string());
}

void RunWriter::Delete(JobId job) {
  std::int64_t run = kOutside;
  {
    Prepared::Rows rows(find_place_, job);
    if (!rows.Next()) return;
    run = rows[0].getInt64();
  }
  delete_place_.Run(job);
  if (run == kOutside) return;
  {
    Prepared::Rows rows(has_jobs_, run);
    if (rows.Next()) return;
  }
  delete_run_.Run(run);
  delete_permutations_.Run(run);
  runs_.Forget();
}

std::int64_t RunWriter::NumberOf(const std::string& id, std::int64_t unix_ns) {
  return runs_.Number(id, [&] {
    insert_run_.Run(id, unix_ns);
    Prepared::Rows rows(find_run_, id);
    rows.Next();
    return rows[0].getInt64();
  });
}

}  // namespace twofold::results
