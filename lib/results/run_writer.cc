#include "lib/results/run_writer.h"

#include <absl/strings/str_cat.h>

#include <optional>
#include <set>

#include "lib/results/batches.h"
#include "lib/results/tables.h"

namespace twofold::results {
namespace {

// The row of table `run` for jobs that are in none.
constexpr std::int64_t kOutside = 0;

RowWrite InsertPlace() { return InsertInto("place", {"job", "run"}, kPlaceColumns); }

}  // namespace

void RunWriter::Create(const RunCreated& created) {
  const std::int64_t number = NumberOf(created.run.id(), created.run.created_unix_ns());
  // A run that only its jobs have made so far is filled in; another one stays.
  static const std::string kFill = absl::StrCat("UPDATE run SET ", kRunColumns.List("$0 = ?"),
                                                " WHERE number = ? AND definition = ''");
  if (sql_[kFill].Run(Fields{kRunColumns, created.run}, number) == 0) return;
  static const RowWrite kPermutation =
      InsertInto("permutation", {"run"}, kPermutationColumns).With(" ON CONFLICT DO NOTHING");
  for (const v1::Permutation& each : created.permutations) {
    sql_[kPermutation].Run(number, Fields{kPermutationColumns, each});
  }
}

// The first time counts, and the first one after the run was gone on with.
void RunWriter::Cancel(const RunCancelled& cancelled) {
  constexpr const char* kCancel =
      "UPDATE run SET cancelled_unix_ns = ?2 WHERE id = ?1"
      " AND (cancelled_unix_ns IS NULL OR EXISTS"
      " (SELECT 1 FROM place JOIN job ON job.id = place.job"
      " WHERE place.run = run.number AND accepted_unix_ns > cancelled_unix_ns))";
  sql_[kCancel].Run(cancelled.run, cancelled.cancelled_unix_ns);
}

void RunWriter::Place(const JobAccepted& job) {
  if (job.run.empty()) return;
  static const RowWrite kPlace = InsertPlace().IfNew();
  sql_[kPlace].Run(job.id, NumberOf(job.run, job.accepted_unix_ns),
                   Fields{kPlaceColumns, job.place});
}

void RunWriter::PlaceOutside(JobId job) {
  static const RowWrite kPlace = InsertPlace().With(" ON CONFLICT DO NOTHING");
  sql_[kPlace].Run(job, kOutside, Fields{kPlaceColumns, v1::RunPlace::default_instance()});
}

std::vector<JobId> RunWriter::Deletable(const RunDeleted& deleted) {
  std::optional<std::int64_t> run;
  for (Prepared::Rows row(sql_["SELECT number FROM run WHERE id = ? AND NOT EXISTS"
                               " (SELECT 1 FROM place JOIN live ON live.id = place.job"
                               " WHERE place.run = run.number)"],
                          deleted.run);
       row.Next();) {
    run = row[0].Integer();
  }
  if (!run) return {};
  std::vector<JobId> jobs;
  for (Prepared::Rows row(sql_["SELECT job FROM place WHERE run = ? LIMIT ?"], *run,
                          deleted.at_most);
       row.Next();) {
    jobs.push_back(static_cast<JobId>(row[0].Integer()));
  }
  if (jobs.empty()) DeleteEmpty(*run);
  return jobs;
}

std::size_t RunWriter::DeleteDrafts(std::int64_t begun_before_unix_ns, std::size_t at_most) {
  std::vector<std::int64_t> drafts;
  for (Prepared::Rows row(sql_["SELECT number FROM run WHERE number <> 0 AND created_unix_ns < ?"
                               " AND NOT EXISTS (SELECT 1 FROM place WHERE place.run = run.number)"
                               " LIMIT ?"],
                          begun_before_unix_ns, at_most);
       row.Next();) {
    drafts.push_back(row[0].Integer());
  }
  for (const std::int64_t run : drafts) DeleteEmpty(run);
  return drafts.size();
}

void RunWriter::DeleteEmpty(std::int64_t run) {
  static const RowWrite kPermutations = DeleteFrom("permutation", "run");
  constexpr const char* kIfEmpty =
      "DELETE FROM run WHERE number = ?1 AND NOT EXISTS (SELECT 1 FROM place WHERE run = ?1)";
  if (sql_[kIfEmpty].Run(run) == 0) return;
  sql_[kPermutations].Run(run);
  runs_.Forget();
}

void RunWriter::Delete(std::span<const JobId> jobs) {
  static const RowWrite kPlace = DeleteFrom("place", "job");
  const std::vector<std::int64_t> runs = RunsOf(jobs);
  for (const JobId job : jobs) sql_[kPlace].Run(job);
  for (const std::int64_t run : runs) DeleteEmpty(run);
}

/// Without that of jobs which are in none.
std::vector<std::int64_t> RunWriter::RunsOf(std::span<const JobId> jobs) {
  static const std::string kRuns = absl::StrCat("SELECT DISTINCT run FROM place WHERE run <> ",
                                                kOutside, " AND ", AmongBatch("job"));
  std::set<std::int64_t> runs;
  InBatches(jobs, [&](const Numbered& batch) {
    for (Prepared::Rows row(sql_[kRuns], batch); row.Next();) runs.insert(row[0].Integer());
  });
  return {runs.begin(), runs.end()};
}

std::int64_t RunWriter::NumberOf(const std::string& id, std::int64_t unix_ns) {
  return runs_.At(id, [&] {
    static const std::string kInsert =
        InsertInto("run", {"id"}, kRunColumns).With(" ON CONFLICT (id) DO NOTHING").one;
    v1::Run begun;
    begun.set_created_unix_ns(unix_ns);
    sql_[kInsert].Run(id, Fields{kRunColumns, begun});
    Prepared::Rows row(sql_["SELECT number FROM run WHERE id = ?"], id);
    row.Next();
    return row[0].Integer();
  });
}

}  // namespace twofold::results
