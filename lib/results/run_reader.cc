#include "lib/results/run_reader.h"

#include <absl/strings/str_cat.h>
#include <sqlite3.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "lib/results/prepared.h"
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

}  // namespace

RunReader::RunReader(const std::string& path)
    : path_(path), database_(path, SQLite::OPEN_READONLY | SQLITE_OPEN_NOMUTEX, kBusyMs) {}

RunReader::~RunReader() = default;

Result<std::unique_ptr<RunReader>> RunReader::Open(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) {
    return absl::NotFoundError(absl::StrCat("there is no file ", path));
  }
  try {
    std::unique_ptr<RunReader> reader(new RunReader(path));
    if (Status status = reader->CheckVersion(); !status.ok()) return status;
    reader->statements_ = std::make_unique<RunStatements>(reader->database_);
    return reader;
  } catch (const SQLite::Exception& error) {
    if (error.getErrorCode() == SQLITE_NOTADB) {
      return absl::InvalidArgumentError(absl::StrCat(path, " is no SQLite database"));
    }
    return StatusOf(error, 0, path);
  }
}

Status RunReader::CheckVersion() { return CheckCurrent(database_, path_, AllMigrations()); }

template <typename Read>
auto RunReader::Reading(const Read& read) const {
  const std::lock_guard lock(mutex_);
  return Guarded(database_, path_, [&]() -> std::invoke_result_t<Read> {
    SQLite::Transaction transaction(database_);
    return read();
  });
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
  for (Prepared::Rows row(statements_->counts, run); row.Next();) {
    const int state = row[0].getInt();
    const std::uint64_t jobs = Unsigned(row[1]);
    counts.last_end_unix_ns = std::max(counts.last_end_unix_ns, row[2].getInt64());
    if (state == RunStatements::kIsWaiting) {
      counts.waiting = jobs;
    } else if (state == RunStatements::kIsRunning) {
      counts.running = jobs;
    } else if (state == RunStatements::kIsRequeued) {
      counts.submitted_again = jobs;
    } else {
      counts.ended[static_cast<queue::Outcome>(state)] = jobs;
    }
  }
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
    if (!row[6].isNull()) job.outcome = static_cast<queue::Outcome>(row[6].getInt());
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
