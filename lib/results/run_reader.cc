#include "lib/results/run_reader.h"

#include <SQLiteCpp/Backup.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <utility>

#include "lib/results/benchmark_reader.h"
#include "lib/results/job_reader.h"
#include "lib/results/permutation_gatherer.h"
#include "lib/results/prepared.h"
#include "lib/results/run_state.h"
#include "lib/results/schema.h"
#include "lib/results/tables.h"

namespace twofold::results {
namespace {

constexpr std::uint32_t kDefaultRuns = 50;
constexpr std::uint32_t kMostRuns = 200;

// A page of results ends with the first permutation after so many.
constexpr std::size_t kPagePermutations = 500;
constexpr std::size_t kPageRows = 20'000;
constexpr std::size_t kPageBytes = 1 << 20;  // of their values

constexpr int kBusyMs = 1000;

// How statement `counts` tells states from outcomes, which count from 0.
constexpr int kIsWaiting = -1;
constexpr int kIsRunning = -2;
constexpr int kIsRequeued = -3;

/// `which` are conditions.
std::string SelectRuns(const std::string& which) {
  return absl::StrCat("SELECT number, id, cancelled_unix_ns, ", AllTables().run.List(),
                      " FROM run WHERE number > 0 AND ", which);
}

/// Of a row of SelectRuns; without what its jobs say.
v1::Run RunOf(const Prepared::Rows& row) {
  v1::Run run;
  run.set_id(row[1].getString());
  run.set_cancelled_unix_ns(row[2].getInt64());
  row.Read(AllTables().run, 3, run);
  return run;
}

/// A file of an older version is read from a copy that has taken the steps since, so that the file
/// stays as it is: a frontend of that version may be using it. The copy goes with the connection.
Result<SQLite::Database> OpenToRead(const std::string& path) {
  SQLite::Database file(path, SQLite::OPEN_READONLY | SQLITE_OPEN_NOMUTEX, kBusyMs);
  const Result<bool> is_up_to_date = IsUpToDate(file, path, AllMigrations());
  if (!is_up_to_date.ok()) return is_up_to_date.status();
  if (*is_up_to_date) return file;
  SQLite::Database copy("", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                        kBusyMs);
  SQLite::Backup(copy, file).executeStep();
  if (Status status = BringUpToDate(copy, path, AllMigrations()); !status.ok()) return status;
  return copy;
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

/// Compiled once.
struct RunReader::Statements {
  explicit Statements(SQLite::Database& database)
      : list(database, SelectRuns("number < ? ORDER BY number DESC LIMIT ?")),
        find(database, SelectRuns("id = ?")),
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
        accepted_after(database,
                       "SELECT 1 FROM place JOIN job ON job.id = place.job"
                       " WHERE place.run = ? AND accepted_unix_ns > ? LIMIT 1"),
        results(
            database,
            absl::StrCat(
                "SELECT ", PermutationGatherer::kColumns,
                " FROM place LEFT JOIN ended ON ended.id = place.job"
                " LEFT JOIN measured ON measured.job = place.job AND outcome = 0 AND NOT warm_up"
                " AND requeued_as IS NULL AND measured.number < 0"
                " WHERE run = ? AND permutation >= ? ORDER BY permutation, place.job")),
        varied(database, "SELECT varied FROM permutation WHERE run = ? AND number = ?"),
        jobs(database,
             absl::StrCat("SELECT place.job, started_unix_ns, outcome, run_ns, requeued_as, ",
                          AllTables().place.List(),
                          " FROM place LEFT JOIN live ON live.id = place.job"
                          " LEFT JOIN ended ON ended.id = place.job WHERE run = ?"
                          " AND permutation = ? AND place.job > ? ORDER BY place.job LIMIT ?")),
        permutations(database,
                     absl::StrCat("SELECT ", AllTables().permutation.List(),
                                  " FROM permutation WHERE run = ? ORDER BY number LIMIT ?")),
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

  Prepared list;
  Prepared find;
  Prepared counts;
  Prepared replaced;
  Prepared accepted_after;
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

RunReader::RunReader(const std::string& path, SQLite::Database database,
                     std::shared_ptr<Damage> damage)
    : connection_(std::move(database), path, kLongestRead, std::move(damage)),
      statements_(std::make_unique<Statements>(connection_.database())) {}

RunReader::~RunReader() = default;

Result<std::unique_ptr<RunReader>> RunReader::Open(const std::string& path,
                                                   std::shared_ptr<Damage> damage) {
  if (!std::filesystem::is_regular_file(path)) {
    return absl::NotFoundError(absl::StrCat("there is no file ", path));
  }
  try {
    auto database = OpenToRead(path);
    if (!database.ok()) return database.status();
    return std::unique_ptr<RunReader>(new RunReader(path, *std::move(database), std::move(damage)));
  } catch (const SQLite::Exception& error) {
    if (error.getErrorCode() == SQLITE_NOTADB) {
      return absl::InvalidArgumentError(absl::StrCat(path, " is no SQLite database"));
    }
    return StatusOf(error, 0, path);
  }
}

Result<v1::ListRunsReply> RunReader::List(const v1::ListRunsRequest& request) const {
  const auto before = BeforeOf(request.page_token());
  if (!before.ok()) return before.status();
  const std::size_t limit =
      request.page_size() == 0 ? kDefaultRuns : std::min(request.page_size(), kMostRuns);
  return connection_.Run([&]() -> Result<v1::ListRunsReply> {
    std::vector<std::int64_t> numbers;
    v1::ListRunsReply reply;
    for (Prepared::Rows row(statements_->list, *before, limit); row.Next();) {
      numbers.push_back(row[0].getInt64());
      v1::Run& run = *reply.add_runs() = RunOf(row);
      run.clear_definition();
      run.clear_plan();
    }
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      ReadState(numbers[i], *reply.mutable_runs(static_cast<int>(i)));
    }
    if (numbers.size() == limit) reply.set_next_page_token(absl::StrCat(numbers.back()));
    return reply;
  });
}

Result<v1::Run> RunReader::Find(const std::string& id) const {
  return connection_.Run([&]() -> Result<v1::Run> {
    Prepared::Rows row(statements_->find, id);
    if (!row.Next()) return NoSuchRun(id);
    v1::Run run = RunOf(row);
    ReadState(row[0].getInt64(), run);
    return run;
  });
}

Result<std::int64_t> RunReader::NumberOf(const std::string& id) const {
  return connection_.Run([&]() -> Result<std::int64_t> {
    Prepared::Rows row(statements_->find, id);
    if (!row.Next()) return NoSuchRun(id);
    return row[0].getInt64();
  });
}

/// What the jobs of a run say of it.
void RunReader::ReadState(std::int64_t number, v1::Run& run) const {
  ReadCounts(number, run);
  // Who has gone on with a cancelled run has taken the cancelling back.
  if (run.cancelled_unix_ns() != 0 &&
      Prepared::Rows(statements_->accepted_after, number, run.cancelled_unix_ns()).Next()) {
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
  for (Prepared::Rows row(statements_->counts, number); row.Next();) {
    const std::int64_t state = row[0].getInt64();
    const std::uint64_t jobs = Unsigned(row[1]);
    run.set_ended_unix_ns(std::max(run.ended_unix_ns(), row[2].getInt64()));
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
  if (!withdrawn) return;
  // Of its own, as few runs have such, and looking for them costs five times the rest.
  for (Prepared::Rows row(statements_->replaced, number); row.Next();) {
    const queue::Outcome outcome = OutcomeOf(row[0].getInt64());
    if (!queue::IsWithdrawn(outcome)) continue;
    const std::uint64_t jobs = Unsigned(row[1]);
    const std::string word(queue::Name(outcome));
    counts.set_submitted_again(counts.submitted_again() + jobs);
    if (((*counts.mutable_ended())[word] -= jobs) == 0) counts.mutable_ended()->erase(word);
  }
}

Result<std::vector<v1::PermutationResult>> RunReader::Results(std::int64_t run,
                                                              std::uint64_t from) const {
  return connection_.Run([&]() -> Result<std::vector<v1::PermutationResult>> {
    PermutationGatherer gatherer(statements_->metrics);
    std::size_t bytes = 0;
    const auto finish = [&] {
      v1::PermutationResult& done = gatherer.page().back();
      gatherer.Finish(statements_->VariedOf(run, done.number()));
      bytes += done.varied().size();
    };
    const auto is_full = [&](std::size_t rows) {
      return rows >= kPageRows || bytes >= kPageBytes ||
             gatherer.page().size() >= kPagePermutations;
    };
    std::size_t rows = 0;
    for (Prepared::Rows row(statements_->results, run, from); row.Next(); ++rows) {
      if (!gatherer.is_empty() && Unsigned(row[0]) != gatherer.page().back().number()) {
        finish();
        if (is_full(rows)) break;
      }
      gatherer.Add(row);
    }
    if (!gatherer.is_empty()) finish();
    return std::move(gatherer.page());
  });
}

Result<std::vector<v1::JobResult>> RunReader::Jobs(std::int64_t run, std::uint64_t permutation,
                                                   std::optional<JobId> after,
                                                   std::size_t limit) const {
  const std::int64_t last =
      after ? static_cast<std::int64_t>(*after) : std::numeric_limits<std::int64_t>::min();
  return connection_.Run([&]() -> Result<std::vector<v1::JobResult>> {
    std::vector<v1::JobResult> jobs;
    ReadJobs(run, permutation, last, limit, jobs);
    for (v1::JobResult& job : jobs) {
      statements_->benchmarks.ReadMeasurements(job.id(), *job.mutable_measurements());
    }
    return jobs;
  });
}

void RunReader::ReadJobs(std::int64_t run, std::uint64_t permutation, std::int64_t after,
                         std::size_t limit, std::vector<v1::JobResult>& jobs) const {
  for (Prepared::Rows row(statements_->jobs, run, permutation, after, limit); row.Next();) {
    v1::JobResult& job = jobs.emplace_back();
    job.set_id(Unsigned(row[0]));
    job.set_state(row[1].isNull() ? v1::JOB_STATE_WAITING : v1::JOB_STATE_RUNNING);
    if (!row[2].isNull()) {
      job.set_state(v1::JOB_STATE_FINISHED);
      job.set_outcome(ToProto(OutcomeOf(row[2].getInt64())));
    }
    job.set_run_ns(Unsigned(row[3]));
    job.set_submitted_again_as(Unsigned(row[4]));
    row.Read(AllTables().place, 5, *job.mutable_place());
  }
}

Result<std::vector<v1::Permutation>> RunReader::Permutations(std::int64_t run,
                                                             std::size_t limit) const {
  return connection_.Run([&]() -> Result<std::vector<v1::Permutation>> {
    std::vector<v1::Permutation> permutations;
    for (Prepared::Rows row(statements_->permutations, run, limit); row.Next();) {
      row.Read(AllTables().permutation, 0, permutations.emplace_back());
    }
    return permutations;
  });
}

Result<std::vector<StoredJob>> RunReader::FinishedJobs(std::int64_t run, const JobCursor& after,
                                                       std::size_t limit) const {
  return connection_.Run([&]() -> Result<std::vector<StoredJob>> {
    std::vector<StoredJob> jobs;
    for (Prepared::Rows row(statements_->finished, run, after.permutation, after.job, limit);
         row.Next();) {
      if (auto job = statements_->job_reader.Find(Unsigned(row[0]))) {
        jobs.push_back(*std::move(job));
      }
    }
    return jobs;
  });
}

Result<v1::Artifact> RunReader::FindArtifact(const v1::GetArtifactRequest& request) const {
  return connection_.Run([&]() -> Result<v1::Artifact> {
    if (auto found = statements_->benchmarks.FindArtifact(request)) return *std::move(found);
    const bool known = Prepared::Rows(statements_->job, request.job()).Next();
    return absl::NotFoundError(
        known ? absl::StrCat("job ", request.job(), " has no such output of rank ", request.rank())
              : absl::StrCat("id: there is no job ", request.job()));
  });
}

}  // namespace twofold::results
