#include "lib/results/run_writer.h"

#include <absl/strings/str_cat.h>

namespace twofold::results {
namespace {

// The row of table `run` for jobs that are in none.
constexpr std::int64_t kOutside = 0;

}  // namespace

RunWriter::RunWriter(SQLite::Database& database)
    : insert_run_(database,
                  absl::StrCat("INSERT INTO run (id, ", tables_.run.List(), ") VALUES (?, ",
                               tables_.run.List("?"), ") ON CONFLICT (id) DO NOTHING")),
      find_run_(database, "SELECT number FROM run WHERE id = ?"),
      // A run that only its jobs have made so far is filled in; another one stays.
      fill_run_(database, absl::StrCat("UPDATE run SET ", tables_.run.List("$0 = ?"),
                                       " WHERE number = ? AND definition = ''")),
      insert_permutation_(database,
                          absl::StrCat("INSERT INTO permutation VALUES (?, ",
                                       tables_.permutation.List("?"), ") ON CONFLICT DO NOTHING")),
      // The first time counts, and the first one after the run was gone on with.
      cancel_run_(database,
                  "UPDATE run SET cancelled_unix_ns = ?2 WHERE id = ?1"
                  " AND (cancelled_unix_ns IS NULL OR EXISTS"
                  " (SELECT 1 FROM place JOIN job ON job.id = place.job"
                  " WHERE place.run = run.number AND accepted_unix_ns > cancelled_unix_ns))"),
      insert_place_(database, absl::StrCat("INSERT INTO place VALUES (?, ?, ",
                                           tables_.place.List("?"), ") ON CONFLICT DO NOTHING")),
      find_place_(database, "SELECT run FROM place WHERE job = ?"),
      delete_place_(database, "DELETE FROM place WHERE job = ?"),
      has_jobs_(database, "SELECT 1 FROM place WHERE run = ? LIMIT 1"),
      delete_run_(database, "DELETE FROM run WHERE number = ?"),
      delete_permutations_(database, "DELETE FROM permutation WHERE run = ?") {}

void RunWriter::Create(const RunCreated& created) {
  const v1::Run& run = created.run;
  const std::int64_t number = NumberOf(run.id(), run.created_unix_ns());
  if (fill_run_.Run(Fields{tables_.run, run}, number) == 0) return;
  for (const v1::Permutation& each : created.permutations) {
    insert_permutation_.Run(number, Fields{tables_.permutation, each});
  }
}

void RunWriter::Cancel(const RunCancelled& cancelled) {
  cancel_run_.Run(cancelled.run, cancelled.cancelled_unix_ns);
}

void RunWriter::Place(const JobAccepted& job) {
  if (job.run.empty()) return;
  insert_place_.Run(job.id, NumberOf(job.run, job.accepted_unix_ns),
                    Fields{tables_.place, job.place});
}

void RunWriter::PlaceOutside(JobId job) {
  insert_place_.Run(job, kOutside, Fields{tables_.place, v1::RunPlace::default_instance()});
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
    v1::Run begun;
    begun.set_created_unix_ns(unix_ns);
    insert_run_.Run(id, Fields{tables_.run, begun});
    Prepared::Rows rows(find_run_, id);
    rows.Next();
    return rows[0].getInt64();
  });
}

}  // namespace twofold::results
