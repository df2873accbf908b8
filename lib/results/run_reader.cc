#include "lib/results/run_reader.h"

#include <SQLiteCpp/Backup.h>
#include <absl/strings/str_cat.h>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "lib/results/prepared.h"
#include "lib/results/read_limit.h"
#include "lib/results/run_statements.h"
#include "lib/results/schema.h"
#include "lib/results/sqlite_status.h"

namespace twofold::results {
namespace {

// A page ends with the first permutation after so many.
constexpr std::size_t kPagePermutations = 500;
constexpr std::size_t kPageRows = 20'000;
constexpr std::size_t kPageBytes = 1 << 20;  // of their values

constexpr int kBusyMs = 1000;

StoredRun RunOf(const Prepared::Rows& row) {
  return {.created = {.id = row[1].getString(),
                      .name = row[2].getString(),
                      .kind = row[3].getString(),
                      .definition = row[4].getString(),
                      .labels = row[5].getString(),
                      .jobs = Unsigned(row[6]),
                      .created_unix_ns = row[7].getInt64(),
                      .plan = row[9].getString(),
                      .permutations = {}},
          .cancelled_unix_ns = row[8].getInt64(),
          .counts = {},
          .number = row[0].getInt64()};
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

// Of its own, as few runs have such, and looking for them costs five times the rest.
void TakeOutReplaced(RunStatements& statements, std::int64_t run, RunCounts& counts) {
  for (Prepared::Rows row(statements.replaced, run); row.Next();) {
    const queue::Outcome outcome = OutcomeOf(row[0].getInt64());
    if (!queue::IsWithdrawn(outcome)) continue;
    const std::uint64_t jobs = Unsigned(row[1]);
    counts.submitted_again += jobs;
    if ((counts.ended[outcome] -= jobs) == 0) counts.ended.erase(outcome);
  }
}

}  // namespace

RunReader::RunReader(const std::string& path, SQLite::Database database,
                     std::shared_ptr<Damage> damage)
    : path_(path), damage_(std::move(damage)), database_(std::move(database)) {}

RunReader::~RunReader() = default;

Result<std::unique_ptr<RunReader>> RunReader::Open(const std::string& path,
                                                   std::shared_ptr<Damage> damage) {
  if (!std::filesystem::is_regular_file(path)) {
    return absl::NotFoundError(absl::StrCat("there is no file ", path));
  }
  try {
    auto database = OpenToRead(path);
    if (!database.ok()) return database.status();
    std::unique_ptr<RunReader> reader(new RunReader(path, *std::move(database), std::move(damage)));
    reader->statements_ = std::make_unique<RunStatements>(reader->database_);
    return reader;
  } catch (const SQLite::Exception& error) {
    if (error.getErrorCode() == SQLITE_NOTADB) {
      return absl::InvalidArgumentError(absl::StrCat(path, " is no SQLite database"));
    }
    return StatusOf(error, 0, path);
  }
}

template <typename Read>
auto RunReader::Reading(const Read& read) const {
  const std::lock_guard lock(mutex_);
  auto result = Guarded(database_, path_, [&]() -> std::invoke_result_t<Read> {
    const ReadLimit limit(database_, kLongestRead);
    SQLite::Transaction transaction(database_);
    return read();
  });
  if (damage_ != nullptr) damage_->See(result.status());
  return result;
}

Result<std::vector<StoredRun>> RunReader::List(std::int64_t before, std::size_t limit) const {
  return Reading([&]() -> Result<std::vector<StoredRun>> {
    const std::int64_t first = before == 0 ? std::numeric_limits<std::int64_t>::max() : before;
    std::vector<StoredRun> runs;
    for (Prepared::Rows row(statements_->list, first, limit); row.Next();) {
      runs.push_back(RunOf(row));
      runs.back().created.definition.clear();
      runs.back().created.plan.clear();
    }
    for (StoredRun& run : runs) run.counts = CountsOf(run.number);
    return runs;
  });
}

Result<StoredRun> RunReader::Find(const std::string& id) const {
  return Reading([&]() -> Result<StoredRun> {
    std::optional<StoredRun> run = FindRun(id);
    if (!run) return absl::NotFoundError(absl::StrCat("id: there is no run '", id, "'"));
    run->counts = CountsOf(run->number);
    return *std::move(run);
  });
}

std::optional<StoredRun> RunReader::FindRun(const std::string& id) const {
  Prepared::Rows row(statements_->find, id);
  if (!row.Next()) return std::nullopt;
  return RunOf(row);
}

RunCounts RunReader::CountsOf(std::int64_t run) const {
  RunCounts counts;
  bool withdrawn = false;
  for (Prepared::Rows row(statements_->counts, run); row.Next();) {
    const std::int64_t state = row[0].getInt64();
    const std::uint64_t jobs = Unsigned(row[1]);
    counts.last_end_unix_ns = std::max(counts.last_end_unix_ns, row[2].getInt64());
    if (state == RunStatements::kIsWaiting) {
      counts.waiting = jobs;
    } else if (state == RunStatements::kIsRunning) {
      counts.running = jobs;
    } else if (state == RunStatements::kIsRequeued) {
      counts.submitted_again = jobs;
    } else {
      const queue::Outcome outcome = OutcomeOf(state);
      counts.ended[outcome] = jobs;
      withdrawn = withdrawn || queue::IsWithdrawn(outcome);
    }
  }
  if (withdrawn) TakeOutReplaced(*statements_, run, counts);
  return counts;
}

Result<std::vector<PermutationResults>> RunReader::Results(std::int64_t run,
                                                           std::uint64_t from) const {
  return Reading([&]() -> Result<std::vector<PermutationResults>> {
    PermutationGatherer gatherer(statements_->metrics);
    std::size_t bytes = 0;
    const auto finish = [&] {
      const std::uint64_t done = gatherer.page().back().permutation.number;
      gatherer.Finish(statements_->VariedOf(run, done));
      bytes += gatherer.page().back().permutation.varied.size();
    };
    const auto is_full = [&](std::size_t rows) {
      return rows >= kPageRows || bytes >= kPageBytes ||
             gatherer.page().size() >= kPagePermutations;
    };
    std::size_t rows = 0;
    for (Prepared::Rows row(statements_->results, run, from); row.Next(); ++rows) {
      if (!gatherer.is_empty() && Unsigned(row[0]) != gatherer.page().back().permutation.number) {
        finish();
        if (is_full(rows)) break;
      }
      gatherer.Add(row);
    }
    if (!gatherer.is_empty()) finish();
    return std::move(gatherer.page());
  });
}

Result<std::vector<RunJob>> RunReader::Jobs(std::int64_t run, std::uint64_t permutation,
                                            std::optional<JobId> after, std::size_t limit) const {
  return Reading([&]() -> Result<std::vector<RunJob>> {
    std::vector<RunJob> jobs = ReadJobs(run, permutation, after, limit);
    for (RunJob& job : jobs) job.measurements = statements_->benchmarks.Measurements(job.id);
    return jobs;
  });
}

std::vector<RunJob> RunReader::ReadJobs(std::int64_t run, std::uint64_t permutation,
                                        std::optional<JobId> after, std::size_t limit) const {
  const std::int64_t last =
      after ? static_cast<std::int64_t>(*after) : std::numeric_limits<std::int64_t>::min();
  std::vector<RunJob> jobs;
  for (Prepared::Rows row(statements_->jobs, run, permutation, last, limit); row.Next();) {
    RunJob& job = jobs.emplace_back();
    job.id = Unsigned(row[0]);
    job.place = {.number = Unsigned(row[1]),
                 .permutation = permutation,
                 .repetition = row[2].getUInt(),
                 .warm_up = row[3].getInt() != 0,
                 .name = row[4].getString()};
    job.running = !row[5].isNull();
    if (!row[6].isNull()) job.outcome = OutcomeOf(row[6].getInt64());
    job.run_time = Duration(row[7].getInt64());
    job.requeued_as = Unsigned(row[8]);
  }
  return jobs;
}

Result<std::vector<Permutation>> RunReader::Permutations(std::int64_t run,
                                                         std::size_t limit) const {
  return Reading([&]() -> Result<std::vector<Permutation>> {
    std::vector<Permutation> permutations;
    for (Prepared::Rows row(statements_->permutations, run, limit); row.Next();) {
      permutations.push_back({Unsigned(row[0]), row[1].getString()});
    }
    return permutations;
  });
}

Result<std::vector<StoredJob>> RunReader::FinishedJobs(std::int64_t run, const JobCursor& after,
                                                       std::size_t limit) const {
  return Reading([&]() -> Result<std::vector<StoredJob>> {
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

Result<Artifact> RunReader::FindArtifact(JobId job,
                                         const BenchmarkReader::ArtifactPlace& place) const {
  return Reading([&]() -> Result<Artifact> {
    if (std::optional<Artifact> found = statements_->benchmarks.FindArtifact(job, place)) {
      return *std::move(found);
    }
    const bool known = Prepared::Rows(statements_->job, job).Next();
    return absl::NotFoundError(
        known ? absl::StrCat("job ", job, " has no such output of rank ", place.rank)
              : absl::StrCat("id: there is no job ", job));
  });
}

}  // namespace twofold::results
