#include "lib/results/run_reader.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <utility>

#include "lib/results/connection.h"
#include "lib/results/permutation_results.h"
#include "lib/results/postgres_reads.h"
#include "lib/results/postgres_schema.h"
#include "lib/results/schema.h"
#include "lib/results/tables.h"
#include "lib/words/run_state.h"

namespace twofold::results {
namespace {

constexpr std::uint32_t kDefaultRuns = 50;
constexpr std::uint32_t kMostRuns = 200;

// How kCounts tells states from outcomes, which count from 0.
constexpr int kIsWaiting = -1;
constexpr int kIsRunning = -2;
constexpr int kIsRequeued = -3;

constexpr const char* kCounts =
    "SELECT CASE WHEN requeued_as IS NOT NULL THEN -3 WHEN ended.id IS NOT NULL THEN outcome"
    " WHEN started_unix_ns IS NULL THEN -1 ELSE -2 END AS state, count(*), max(ended_unix_ns)"
    " FROM place LEFT JOIN live ON live.id = place.job"
    " LEFT JOIN ended ON ended.id = place.job WHERE run = ? GROUP BY state";

// Jobs that have ended, and in whose place of the run another one came later, by outcome.
constexpr const char* kReplaced =
    "SELECT outcome, count(*) FROM (SELECT job, max(job) OVER"
    " (PARTITION BY permutation, repetition, warm_up) AS newest"
    " FROM place WHERE run = ? AND permutation > 0) AS placed"
    " JOIN ended ON ended.id = job WHERE job < newest AND requeued_as IS NULL GROUP BY outcome";

// Of the last attempt, whether it has ended or not: when it began, and its worker. A job that ended
// in the line has none.
constexpr const char* kWhenAndWhere =
    "CASE WHEN ended.attempts > 0 THEN ended_unix_ns - run_ns"
    " ELSE coalesce(live.started_unix_ns, 0) END,"
    " coalesce(ended.node, live.node, member.node, ''),"
    " coalesce(ended.pod, live.pod, member.pod, ''),"
    " coalesce(ended.device, live.device, member.device, '')";

/// `which` are conditions.
std::string SelectRuns(const std::string& which) {
  return absl::StrCat("SELECT number, id, cancelled_unix_ns, ", kRunColumns.List(),
                      " FROM run WHERE number > 0 AND ", which);
}

/// Of a row of SelectRuns; without what its jobs say.
v1::Run RunOf(const Prepared::Rows& row) {
  v1::Run run;
  run.set_id(row[1].Text());
  run.set_cancelled_unix_ns(row[2].Integer());
  row.Read(kRunColumns, 3, run);
  return run;
}

/// Of a row of RunReader::Jobs; without what it has measured.
v1::JobResult JobOf(const Prepared::Rows& row) {
  v1::JobResult job;
  job.set_id(row[0].Unsigned());
  job.set_state(row[1].IsNull() ? v1::JOB_STATE_WAITING : v1::JOB_STATE_RUNNING);
  if (!row[2].IsNull()) {
    job.set_state(v1::JOB_STATE_FINISHED);
    // The core counts from 0, the contract from 1.
    job.set_outcome(static_cast<v1::Outcome>(static_cast<int>(OutcomeOf(row[2].Integer())) + 1));
  }
  job.set_run_ns(row[3].Unsigned());
  job.set_submitted_again_as(row[4].Unsigned());
  job.set_started_unix_ns(row[5].Integer());
  job.set_node(row[6].Text());
  job.set_pod(row[7].Text());
  job.set_device(row[8].Text());
  row.Read(kPlaceColumns, 9, *job.mutable_place());
  return job;
}

/// A job that ran waits, as in the line of a frontend that finds it in its store.
void TakeBack(v1::JobResult& job) {
  job.set_state(v1::JOB_STATE_WAITING);
  job.clear_started_unix_ns();
  job.clear_node();
  job.clear_pod();
  job.clear_device();
}

/// The number of the last run of the page before; the highest there is for the first page.
Result<std::int64_t> BeforeOf(const std::string& page_token) {
  std::int64_t before = std::numeric_limits<std::int64_t>::max();
  if (page_token.empty() || (absl::SimpleAtoi(page_token, &before) && before > 0)) return before;
  return absl::InvalidArgumentError("page_token is not one that a last page gave");
}

Status NoSuchRun(const std::string& id) {
  return absl::NotFoundError(absl::StrCat("id: there is no run '", id, "'"));
}

}  // namespace

std::unique_ptr<RunReader> RunReader::Open(const postgres::Target& target) {
  return std::unique_ptr<RunReader>(
      new RunReader(std::make_unique<PostgresReads>(target, kLongestRead, postgres::Patience{})));
}

Result<std::unique_ptr<RunReader>> RunReader::Open(const StoreAddress& address) {
  const auto* const target = std::get_if<postgres::Target>(&address);
  if (target == nullptr) return Open(std::get<StoreFile>(address).path);
  PostgresDatabase database(*target, "SELECT 1", {});
  const Status checked =
      Guarded(database, [&] { return CheckUpToDate(database, PostgresMigrations()); });
  if (!checked.ok()) return checked;
  return Open(*target);
}

Result<std::unique_ptr<RunReader>> RunReader::Open(const std::string& path,
                                                   std::shared_ptr<Damage> damage) {
  if (!std::filesystem::is_regular_file(path)) {
    return absl::NotFoundError(absl::StrCat("there is no file ", path));
  }
  try {
    auto database = OpenToRead(path);
    if (!database.ok()) return database.status();
    return std::unique_ptr<RunReader>(new RunReader(std::make_unique<SqliteReads>(
        *std::move(database), path, kLongestRead, std::move(damage))));
  } catch (const SQLite::Exception& error) {
    return StatusOfOpening(error, 0, path);
  }
}

Result<v1::ListRunsReply> RunReader::List(const v1::ListRunsRequest& request) const {
  const auto before = BeforeOf(request.page_token());
  if (!before.ok()) return before.status();
  const std::size_t limit =
      request.page_size() == 0 ? kDefaultRuns : std::min(request.page_size(), kMostRuns);
  static const std::string kList = SelectRuns("number < ? ORDER BY number DESC LIMIT ?");
  return connection_->Run([&]() -> Result<v1::ListRunsReply> {
    v1::ListRunsReply reply;
    std::size_t runs = 0;
    for (Prepared::Rows row(sql_[kList], *before, limit); row.Next();) {
      const std::int64_t number = row[0].Integer();
      v1::Run& run = *reply.add_runs() = RunOf(row);
      run.clear_definition();
      run.clear_plan();
      ReadState(number, run);
      if (++runs == limit) reply.set_next_page_token(absl::StrCat(number));
    }
    return reply;
  });
}

Result<v1::Run> RunReader::Find(const std::string& id) const {
  static const std::string kFind = SelectRuns("id = ?");
  return connection_->Run([&]() -> Result<v1::Run> {
    Prepared::Rows row(sql_[kFind], id);
    if (!row.Next()) return NoSuchRun(id);
    v1::Run run = RunOf(row);
    ReadState(row[0].Integer(), run);
    return run;
  });
}

Result<std::int64_t> RunReader::NumberOf(const std::string& id) const {
  return connection_->Run([&]() -> Result<std::int64_t> {
    Prepared::Rows row(sql_["SELECT number FROM run WHERE number > 0 AND id = ?"], id);
    if (!row.Next()) return NoSuchRun(id);
    return row[0].Integer();
  });
}

/// What the jobs of a run say of it.
void RunReader::ReadState(std::int64_t number, v1::Run& run) const {
  ReadCounts(number, run);
  constexpr const char* kAcceptedAfter =
      "SELECT 1 FROM place JOIN job ON job.id = place.job"
      " WHERE place.run = ? AND accepted_unix_ns > ? LIMIT 1";
  // Who has gone on with a cancelled run has taken the cancelling back.
  if (run.cancelled_unix_ns() != 0 &&
      Prepared::Rows(sql_[kAcceptedAfter], number, run.cancelled_unix_ns()).Next()) {
    run.clear_cancelled_unix_ns();
  }
  v1::RunCounts& counts = *run.mutable_counts();
  std::uint64_t known = counts.waiting() + counts.running();
  for (const auto& [outcome, jobs] : counts.ended()) known += jobs;
  if (known < run.jobs()) counts.set_planned(run.jobs() - known);
  const bool is_over = counts.waiting() + counts.running() == 0 &&
                       (run.cancelled_unix_ns() != 0 || !IsIncomplete(run));
  if (!is_over) run.clear_ended_unix_ns();
}

void RunReader::ReadCounts(std::int64_t number, v1::Run& run) const {
  v1::RunCounts& counts = *run.mutable_counts();
  bool withdrawn = false;
  for (Prepared::Rows row(sql_[kCounts], number); row.Next();) {
    const std::int64_t state = row[0].Integer();
    const std::uint64_t jobs = row[1].Unsigned();
    run.set_ended_unix_ns(std::max(run.ended_unix_ns(), row[2].Integer()));
    if (state == kIsWaiting) {
      counts.set_waiting(jobs);
    } else if (state == kIsRunning) {
      counts.set_running(jobs);
    } else if (state == kIsRequeued) {
      counts.set_submitted_again(jobs);
    } else {
      const queue::Outcome outcome = OutcomeOf(state);
      (*counts.mutable_ended())[std::string(queue::Name(outcome))] = jobs;
      withdrawn = withdrawn || queue::IsWithdrawn(outcome);
    }
  }
  if (counts.running() > 0 && IsLeft(run)) {
    counts.set_waiting(counts.waiting() + counts.running());
    counts.clear_running();
  }
  if (!withdrawn) return;
  // Of its own, as few runs have such, and looking for them costs five times the rest.
  for (Prepared::Rows row(sql_[kReplaced], number); row.Next();) {
    const queue::Outcome outcome = OutcomeOf(row[0].Integer());
    if (!queue::IsWithdrawn(outcome)) continue;
    const std::uint64_t jobs = row[1].Unsigned();
    const std::string word(queue::Name(outcome));
    counts.set_submitted_again(counts.submitted_again() + jobs);
    if (((*counts.mutable_ended())[word] -= jobs) == 0) counts.mutable_ended()->erase(word);
  }
}

/// Whether nothing of the run goes on, whatever was written last: the process that brought its
/// frontend and workers is gone.
bool RunReader::IsLeft(const v1::Run& run) const {
  return !LabelOf(run, kLocalLabel).empty() && !connection_->IsWritten();
}

bool RunReader::IsLeft(std::int64_t number) const {
  static const std::string kByNumber = SelectRuns("number = ?");
  Prepared::Rows row(sql_[kByNumber], number);
  return row.Next() && IsLeft(RunOf(row));
}

Result<Overlaps> RunReader::FindOverlaps(std::int64_t run) const {
  constexpr const char* kRan =
      "SELECT live.started_unix_ns, ended_unix_ns, run_ns FROM place"
      " LEFT JOIN live ON live.id = place.job LEFT JOIN ended ON ended.id = place.job"
      " WHERE run = ? AND (ended.attempts > 0"
      " OR (ended.id IS NULL AND live.started_unix_ns IS NOT NULL))";
  return connection_->Run([&]() -> Result<Overlaps> {
    std::vector<Ran> all;
    for (Prepared::Rows row(sql_[kRan], run); row.Next();) {
      all.push_back(row[1].IsNull() ? RanSince(row[0].Integer())
                                    : RanUntil(row[1].Integer(), row[2].Integer()));
    }
    return Overlaps(all);
  });
}

Result<std::vector<v1::PermutationResult>> RunReader::Results(std::int64_t run, std::uint64_t from,
                                                              const Overlaps& overlaps,
                                                              bool series) const {
  return connection_->Run([&]() -> Result<std::vector<v1::PermutationResult>> {
    std::vector<v1::PermutationResult> results =
        PermutationResults(sql_, jobs_.benchmarks(), run, from, overlaps, series);
    const bool is_left = IsLeft(run);
    for (v1::PermutationResult& each : results) {
      if (is_left) each.clear_running();
    }
    return results;
  });
}

Result<std::vector<v1::JobResult>> RunReader::Jobs(std::int64_t run, std::uint64_t permutation,
                                                   std::optional<JobId> after,
                                                   std::size_t limit) const {
  static const std::string kJobs =
      absl::StrCat("SELECT place.job, live.started_unix_ns, outcome, run_ns, requeued_as, ",
                   kWhenAndWhere, ", ", kPlaceColumns.List(),
                   " FROM place LEFT JOIN live ON live.id = place.job"
                   " LEFT JOIN member ON member.job = place.job AND member.rank = 0"
                   " LEFT JOIN ended ON ended.id = place.job WHERE run = ?"
                   " AND permutation = ? AND place.job > ? ORDER BY place.job LIMIT ?");
  return connection_->Run([&]() -> Result<std::vector<v1::JobResult>> {
    std::vector<v1::JobResult> jobs;
    const JobId last = after.value_or(kBeforeAllJobs);
    const bool is_left = IsLeft(run);
    for (Prepared::Rows row(sql_[kJobs], run, permutation, last, limit); row.Next();) {
      v1::JobResult& job = jobs.emplace_back(JobOf(row));
      jobs_.benchmarks().ReadMeasurements(job.id(), *job.mutable_measurements());
      if (is_left && job.state() == v1::JOB_STATE_RUNNING) TakeBack(job);
    }
    return jobs;
  });
}

Result<std::vector<v1::Permutation>> RunReader::Permutations(std::int64_t run,
                                                             std::size_t limit) const {
  static const std::string kPermutations =
      absl::StrCat("SELECT ", kPermutationColumns.List(),
                   " FROM permutation WHERE run = ? ORDER BY number LIMIT ?");
  return connection_->Run([&]() -> Result<std::vector<v1::Permutation>> {
    std::vector<v1::Permutation> permutations;
    for (Prepared::Rows row(sql_[kPermutations], run, limit); row.Next();) {
      row.Read(kPermutationColumns, 0, permutations.emplace_back());
    }
    return permutations;
  });
}

Result<std::vector<StoredJob>> RunReader::FinishedJobs(std::int64_t run, const JobCursor& after,
                                                       std::size_t limit) const {
  constexpr const char* kFinished =
      "SELECT place.job FROM place JOIN ended ON ended.id = place.job WHERE run = ?"
      " AND (permutation, place.job) > (?, ?) ORDER BY permutation, place.job LIMIT ?";
  return connection_->Run([&]() -> Result<std::vector<StoredJob>> {
    std::vector<StoredJob> jobs;
    for (Prepared::Rows row(sql_[kFinished], run, after.permutation, after.job, limit);
         row.Next();) {
      if (auto job = jobs_.Find(row[0].Unsigned())) jobs.push_back(*std::move(job));
    }
    return jobs;
  });
}

Result<v1::Artifact> RunReader::FindArtifact(const v1::GetArtifactRequest& request) const {
  return connection_->Run([&]() -> Result<v1::Artifact> {
    if (auto found = jobs_.benchmarks().FindArtifact(request)) return *std::move(found);
    const bool known = Prepared::Rows(sql_["SELECT 1 FROM job WHERE id = ?"], request.job()).Next();
    return absl::NotFoundError(
        known ? absl::StrCat("job ", request.job(), " has no such output of rank ", request.rank())
              : absl::StrCat("id: there is no job ", request.job()));
  });
}

}  // namespace twofold::results
