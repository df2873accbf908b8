// What only SqliteStore does: opening, locking, its schema.

#include "lib/results/sqlite_store.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "lib/results/run_reader.h"
#include "lib/results/schema.h"
#include "tests/lib/results/benchmark_samples.h"
#include "tests/lib/results/temp_dir.h"

namespace twofold::results {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The error of opening; OK if it opens.
Status OpenStatus(const std::string& path) { return SqliteStore::Open(path).status(); }

std::string Message(const Status& status) { return std::string(status.message()); }

class SqliteStoreTest : public ::testing::Test {
 protected:
  const TempDir dir_;
  const std::string path_ = dir_.Path("jobs.db");
};

TEST_F(SqliteStoreTest, ReopenedStoreHasEverything) {
  {
    const auto store = SqliteStore::Open(path_).value();
    ASSERT_TRUE(store
                    ->Commit(std::vector<Record>{Accepted(1), StartedGang(1, 3), Accepted(2),
                                                 Ended(2), SequenceUsed{"sleep", 2}})
                    .ok());
  }
  const auto store = SqliteStore::Open(path_).value();
  EXPECT_EQ(store->Find(1)->state, (decltype(StoredJob::state)(StartedGang(1, 3))));
  EXPECT_EQ(store->Find(2)->state, (decltype(StoredJob::state)(Ended(2))));
  EXPECT_EQ(LoadAll(*store)->sequences.at("sleep"), 2u);
  EXPECT_EQ(*store->Forget({.keep_at_most = 0}, 10), 1u);
}

TEST_F(SqliteStoreTest, FolderIsRefused) {
  EXPECT_EQ(OpenStatus(dir_.Path("")),
            absl::InvalidArgumentError(dir_.Path("") + " is a folder, not a file"));
}

TEST_F(SqliteStoreTest, MissingFolderIsNamed) {
  const Status status = OpenStatus(dir_.Path("missing/jobs.db"));
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(Message(status), HasSubstr("missing/jobs.db.lock: No such file or directory"));
}

TEST_F(SqliteStoreTest, OtherFileIsRefusedAndNotTouched) {
  const std::string text(5000, 'x');
  std::ofstream(path_) << text;
  EXPECT_EQ(OpenStatus(path_), absl::InvalidArgumentError(path_ + " is no SQLite database"));
  std::ifstream file(path_);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), text);
}

TEST_F(SqliteStoreTest, DatabaseOfAnotherProgramIsRefused) {
  SQLite::Database(path_, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec("CREATE TABLE t (x)");
  EXPECT_EQ(OpenStatus(path_),
            absl::InvalidArgumentError(path_ + " is the database of another program"));
}

TEST_F(SqliteStoreTest, FileWithoutPermissionIsRefused) {
  std::ofstream(path_) << "";
  std::ofstream(path_ + ".lock") << "";
  std::filesystem::permissions(path_ + ".lock", std::filesystem::perms::all);
  std::filesystem::permissions(path_, std::filesystem::perms::none);
  const pid_t child = fork();
  if (child == 0) {  // as nobody, since root may do everything
    if (geteuid() == 0 && (chmod(dir_.Path("").c_str(), 0755) != 0 || setuid(65534) != 0)) _exit(2);
    const Status status = OpenStatus(path_);
    _exit(status == absl::InvalidArgumentError("cannot open " + path_ + ": Permission denied") ? 0
                                                                                               : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(SqliteStoreTest, DamagedFileIsDataLoss) {
  {
    std::vector<Record> jobs;
    for (JobId id = 1; id < 5000; ++id) jobs.emplace_back(Accepted(id));
    ASSERT_TRUE(SqliteStore::Open(path_).value()->Commit(jobs).ok());
  }
  {
    const auto size = std::filesystem::file_size(path_);
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(size / 2));  // behind the schema: it still opens
    file << std::string(size / 2, '\xee');
  }
  const auto store = SqliteStore::Open(path_).value();
  EXPECT_TRUE(absl::IsDataLoss(LoadAll(*store).status())) << LoadAll(*store).status();
}

// ---- Who has the file

TEST_F(SqliteStoreTest, SecondStoreOnTheFileIsRefused) {
  const auto store = SqliteStore::Open(path_).value();
  EXPECT_TRUE(FileLock::IsHeld(path_));
  EXPECT_EQ(OpenStatus(path_),
            absl::FailedPreconditionError(path_ + " is in use by another frontend (pid " +
                                          std::to_string(getpid()) + ")"));
}

TEST_F(SqliteStoreTest, LockEndsWithItsProcess) {
  std::array<int, 2> ready{};
  ASSERT_EQ(pipe(ready.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    const auto store = SqliteStore::Open(path_).value();
    if (write(ready[1], "x", 1) != 1) _exit(1);
    for (;;) pause();
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  const Status refused = OpenStatus(path_);
  EXPECT_TRUE(absl::IsFailedPrecondition(refused));
  EXPECT_THAT(Message(refused), HasSubstr("(pid " + std::to_string(child) + ")"));
  const std::string link = path_ + ".link";
  std::filesystem::create_symlink(path_, link);
  EXPECT_TRUE(FileLock::IsHeld(path_));
  EXPECT_TRUE(FileLock::IsHeld(link));
  ASSERT_EQ(kill(child, SIGKILL), 0);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_FALSE(FileLock::IsHeld(path_));
  EXPECT_FALSE(FileLock::IsHeld(link));
  EXPECT_TRUE(OpenStatus(path_).ok());
  close(ready[0]);
  close(ready[1]);
}

TEST_F(SqliteStoreTest, OthersMayReadMeanwhile) {
  const auto store = SqliteStore::Open(path_).value();
  SQLite::Database other(path_, SQLite::OPEN_READONLY);
  SQLite::Statement count(other, "SELECT count(*) FROM waiting");
  ASSERT_TRUE(count.executeStep());  // its view of the file stays while the store commits
  ASSERT_TRUE(store->Commit(std::vector<Record>{Accepted(1)}).ok());
  EXPECT_EQ(count.getColumn(0).getInt(), 0);
  count.reset();
  ASSERT_TRUE(count.executeStep());
  EXPECT_EQ(count.getColumn(0).getInt(), 1);
}

TEST_F(SqliteStoreTest, OtherWriterIsWaitedForThenToldOf) {
  const auto store =
      SqliteStore::Open(path_, {.busy_timeout = std::chrono::milliseconds(5)}).value();
  SQLite::Database other(path_, SQLite::OPEN_READWRITE);
  other.exec("BEGIN IMMEDIATE");
  const Status status = store->Commit(std::vector<Record>{Accepted(1)});
  EXPECT_TRUE(absl::IsUnavailable(status));
  EXPECT_THAT(Message(status), HasSubstr("another program writes to it"));
  EXPECT_TRUE(absl::IsNotFound(store->Find(1).status()));  // reading goes on
  other.exec("ROLLBACK");
  EXPECT_TRUE(store->Commit(std::vector<Record>{Accepted(1)}).ok());
}

TEST_F(SqliteStoreTest, HeadlinesComeBeforeOtherNumbers) {
  const auto store = SqliteStore::Open(path_).value();
  const v1::BenchmarkResult benchmark = ResultOf(
      "iperf",
      {Number("retransmits", 1), Throughput(2, "reverse"), Number("cpu", 3), Throughput(4)});
  ASSERT_TRUE(store->Commit(std::vector<Record>{Accepted(1), EndedWith(1, benchmark)}).ok());
  const auto job = store->Find(1);
  std::vector<double> values;
  for (const auto& one : std::get<JobEnded>(job->state).benchmark.get()->measurements()) {
    values.push_back(one.value());
  }
  EXPECT_THAT(values, ElementsAre(2, 4, 1, 3));
}

TEST_F(SqliteStoreTest, PageOfARunIsFoundByIndex) {
  const auto store = SqliteStore::Open(path_).value();
  SQLite::Database other(path_, SQLite::OPEN_READONLY);
  SQLite::Statement plan(
      other, "EXPLAIN QUERY PLAN SELECT id FROM job WHERE run = ? AND id > ? ORDER BY id LIMIT 9");
  ASSERT_TRUE(plan.executeStep());
  EXPECT_THAT(plan.getColumn(3).getString(), HasSubstr("INDEX job_by_run (run=? AND rowid>?)"));
  EXPECT_FALSE(plan.executeStep());  // nothing is sorted
}

// ---- Schema

int VersionOf(const std::string& path) {
  return SQLite::Database(path, SQLite::OPEN_READONLY).execAndGet("PRAGMA user_version").getInt();
}

TEST_F(SqliteStoreTest, NewerFileIsRefusedAndNotTouched) {
  const int ours = static_cast<int>(AllMigrations().size());
  const std::string newer = std::to_string(ours + 1);
  SqliteStore::Open(path_).value().reset();
  SQLite::Database(path_, SQLite::OPEN_READWRITE).exec("PRAGMA user_version = " + newer);
  const Status status = OpenStatus(path_);
  EXPECT_EQ(status, absl::FailedPreconditionError(
                        path_ + " was written by a newer frontend: its schema has version " +
                        newer + ", this frontend knows versions up to " + std::to_string(ours)));
  EXPECT_EQ(VersionOf(path_), ours + 1);
}

/// The steps there are, with more of a future.
std::vector<const char*> WithFurther(std::vector<const char*> further) {
  std::vector<const char*> steps(AllMigrations().begin(), AllMigrations().end());
  steps.insert(steps.end(), further.begin(), further.end());
  return steps;
}

TEST_F(SqliteStoreTest, OlderFileIsBroughtUpToDateAndKeepsItsJobs) {
  {
    const auto store = SqliteStore::Open(path_).value();
    ASSERT_TRUE(store->Commit(std::vector<Record>{Accepted(1), Ended(1)}).ok());
  }
  SQLite::Database file(path_, SQLite::OPEN_READWRITE);
  const auto steps = WithFurther({"ALTER TABLE job ADD COLUMN owner TEXT NOT NULL DEFAULT 'nobody'",
                                  "UPDATE job SET owner = 'somebody' WHERE id = 1"});
  ASSERT_TRUE(BringUpToDate(file, path_, steps).ok());
  EXPECT_EQ(VersionOf(path_), static_cast<int>(steps.size()));
  EXPECT_EQ(
      file.execAndGet("SELECT owner || outcome FROM job JOIN finished USING (id)").getString(),
      "somebodysucceeded");
  ASSERT_TRUE(BringUpToDate(file, path_, steps).ok()) << "a second time there is nothing to do";
}

// As a frontend of the first version has left it.
TEST_F(SqliteStoreTest, FileOfVersionOneKeepsItsJobsAndGetsItsRuns) {
  {
    SQLite::Database file(path_, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    ASSERT_TRUE(BringUpToDate(file, path_, AllMigrations().first(1)).ok());
    file.exec(
        "INSERT INTO job VALUES (1, 'sleep', 'nightly', 'command', 0, x'', x'', 30),"
        " (2, 'sleep', 'nightly', 'command', 0, x'', x'', 20), (3, 'sleep', NULL, '', 0, x'', x'', "
        "5);"
        "INSERT INTO live (id, attempts, lost_attempts) VALUES (2, 0, 0);"
        "INSERT INTO ended VALUES (1, 0, 1, 0, 0, 0, 'n', 'p', '', x'72', '', 50, NULL),"
        " (3, 1, 1, 0, 0, 0, 'n', 'p', '', x'72', '', 40, NULL)");
  }
  EXPECT_TRUE(RunReader::Open(path_).value()->Find("nightly").ok());
  EXPECT_EQ(VersionOf(path_), 1) << "who only reads changes nothing";
  const auto store = SqliteStore::Open(path_).value();
  EXPECT_EQ(VersionOf(path_), static_cast<int>(AllMigrations().size()));
  EXPECT_EQ(store->Find(1)->accepted.run, "nightly");
  EXPECT_EQ(std::get<JobEnded>(store->Find(3)->state).report, "r");
  EXPECT_THAT(LoadAll(*store)->ids(), ::testing::ElementsAre(2));
  const v1::Run run = RunReader::Open(path_).value()->Find("nightly").value();
  EXPECT_EQ(run.created_unix_ns(), 20);
  EXPECT_EQ(run.counts().waiting(), 1u);
  EXPECT_EQ(run.counts().ended().at("succeeded"), 1u);
}

/// Two repetitions of osu_bw as version two has kept them: peaks at different sizes are different
/// metrics. A fio job has a size among its dimensions, too, and rightly.
void WriteVersionTwo(const std::string& path) {
  SQLite::Database file(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  ASSERT_TRUE(BringUpToDate(file, path, AllMigrations().first(2)).ok());
  file.exec(R"sql(
    INSERT INTO run VALUES (1, 'nightly', '', 'Osu', '', '{}', 3, 10, NULL, '');
    INSERT INTO permutation VALUES (1, 1, '{}');
    INSERT INTO metric VALUES
      (1, 'peak_bandwidth', 'MB/s', 'higher', 1, '{"test":"osu_bw","ranks":"2","size":"4194304"}'),
      (2, 'peak_bandwidth', 'MB/s', 'higher', 1, '{"test":"osu_bw","ranks":"2","size":"2097152"}'),
      (3, 'min_latency', 'us', 'lower', 1, '{"size":"1"}'),
      (4, 'wall_time', 's', 'lower', 0, '{"test":"osu_bw","ranks":"2"}'))sql");
  for (const char* job : {"1", "2", "3"}) {
    const std::string id = job;
    const std::string suite = id == "3" ? "fio" : "osu";
    file.exec(absl::StrCat(
        "INSERT INTO job VALUES (", id, ", 'q', 'nightly', '", suite,
        "', 0, x'', x'', 30); INSERT INTO place VALUES (", id, ", 1, 1, ", id, ", ", id,
        ", 0, ''); INSERT INTO ended VALUES (", id,
        ", 0, 1, 0, 0, 0, 'n', 'p', '', x'', '', 50, NULL); INSERT INTO benchmark VALUES (", id,
        ", '", suite, "', '', '', '[]', 0, 0, 0, 0, 0)"));
  }
  file.exec(
      "INSERT INTO measured VALUES (1, -2, 1, 100), (1, -1, 3, 0.5), (1, 0, 4, 9),"
      " (2, -2, 2, 102), (2, -1, 3, 0.7), (3, -1, 3, 77)");
}

/// What a run's one permutation has, as "name {dimensions} n mean @ place x times ...".
std::vector<std::string> HeadlinesIn(const RunReader& reader) {
  std::vector<std::string> lines;
  const auto results = reader.Results(*reader.NumberOf("nightly"), 0);
  EXPECT_TRUE(results.ok()) << results.status();
  for (const v1::MetricResult& each : results->front().headlines()) {
    std::string line = each.name();
    for (const auto& dimension : each.dimensions()) {
      line += " " + dimension.name() + "=" + dimension.value();
    }
    line +=
        " n=" + std::to_string(each.n()) + " mean=" + std::to_string(std::lround(10 * each.mean()));
    for (const v1::FoundAt& found : each.at()) {
      line += " @" + found.place(0).value() + " x" + std::to_string(found.n());
    }
    lines.push_back(line);
  }
  return lines;
}

TEST_F(SqliteStoreTest, PeaksOfVersionTwoAreOneHeadlineWhereverTheyWere) {
  WriteVersionTwo(path_);
  const auto expected =
      ElementsAre("peak_bandwidth test=osu_bw ranks=2 n=2 mean=1010 @4194304 x1 @2097152 x1",
                  "min_latency n=2 mean=6 @1 x2", "min_latency size=1 n=1 mean=770");
  EXPECT_THAT(HeadlinesIn(*RunReader::Open(path_).value()), expected);
  EXPECT_EQ(VersionOf(path_), 2) << "who only reads changes nothing";
  const auto store = SqliteStore::Open(path_).value();
  EXPECT_THAT(HeadlinesIn(*RunReader::Open(path_).value()), expected);
  SQLite::Database file(path_, SQLite::OPEN_READONLY);
  const auto text = [&](const std::string& sql) { return file.execAndGet(sql).getString(); };
  EXPECT_EQ(text("SELECT n || ' ' || at FROM by_permutation WHERE name = 'peak_bandwidth'"),
            R"(2 [{"size":"4194304"},{"size":"2097152"}])");
  EXPECT_EQ(text("SELECT at ->> 'size' FROM headline WHERE job = 2 AND name = 'peak_bandwidth'"),
            "2097152");
  EXPECT_EQ(text("SELECT count(*) FROM metric"), "4") << "what nothing refers to is gone";
  EXPECT_EQ(store->Find(2)->accepted.run, "nightly");
}

TEST_F(SqliteStoreTest, StepThatFailsLeavesTheVersionBefore) {
  SqliteStore::Open(path_).value().reset();
  SQLite::Database file(path_, SQLite::OPEN_READWRITE);
  const auto steps = WithFurther({"CREATE TABLE extra (x); CREATE TABLE job (x)"});
  EXPECT_THROW(static_cast<void>(BringUpToDate(file, path_, steps)), SQLite::Exception);
  EXPECT_EQ(VersionOf(path_), static_cast<int>(AllMigrations().size()));
  EXPECT_FALSE(file.tableExists("extra"));
}

TEST_F(SqliteStoreTest, OutcomesInTheFileHaveTheirNames) {
  const auto store = SqliteStore::Open(path_).value();
  SQLite::Database file(path_, SQLite::OPEN_READONLY);
  SQLite::Statement select(file, "SELECT number, name FROM outcome ORDER BY number");
  int number = 0;
  while (select.executeStep()) {
    EXPECT_EQ(select.getColumn(0).getInt(), number);
    EXPECT_EQ(select.getColumn(1).getString(), queue::Name(static_cast<queue::Outcome>(number)));
    ++number;
  }
  EXPECT_EQ(number, queue::kOutcomes);
}

// ---- docs/store.md

/// Everything between ```sql and ```.
std::vector<std::string> DocumentedQueries() {
  std::ifstream file(TWOFOLD_SOURCE "/docs/store.md");
  std::vector<std::string> queries;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line == "```sql") {
      inside = true;
      queries.emplace_back();
    } else if (line == "```") {
      inside = false;
    } else if (inside) {
      queries.back() += line + "\n";
    }
  }
  return queries;
}

TEST_F(SqliteStoreTest, DocumentedQueriesRunAndFindSomething) {
  const auto store = SqliteStore::Open(path_).value();
  ASSERT_TRUE(store
                  ->Commit(std::vector<Record>{Accepted(1), Accepted(2), Started(2), Accepted(3),
                                               StartedGang(3, 2), Accepted(4), Ended(4),
                                               Accepted(5), Ended(5, 1, queue::Outcome::kFailed),
                                               SequenceUsed{"sleep", 5}})
                  .ok());
  JobEnded refused = Ended(9);
  refused.refused = "suite is empty";
  ASSERT_TRUE(store
                  ->Commit(std::vector<Record>{
                      SweepCreated(), Placed(6, 1, 1), EndedWith(6, FullResult(9)), Placed(7, 1, 2),
                      EndedWith(7, FullResult(11)), Placed(8, 2, 1),
                      Ended(8, 1, queue::Outcome::kFailed), Placed(9, 2, 2), refused})
                  .ok());
  SQLite::Database file(path_, SQLite::OPEN_READONLY);
  const std::vector<std::string> queries = DocumentedQueries();
  ASSERT_GE(queries.size(), 10u);
  for (const std::string& query : queries) {
    SQLite::Statement statement(file, query);
    EXPECT_TRUE(statement.executeStep()) << query;
  }
}

TEST_F(SqliteStoreTest, ViewsShowWordsAndSeconds) {
  const auto store = SqliteStore::Open(path_).value();
  ASSERT_TRUE(store
                  ->Commit(std::vector<Record>{Accepted(1), Accepted(2), StartedGang(2, 2),
                                               Accepted(3), Started(3), Accepted(4), Ended(4)})
                  .ok());
  SQLite::Database file(path_, SQLite::OPEN_READONLY);
  const auto text = [&](const char* sql) {
    return file.execAndGet(std::string("SELECT ") + sql).getString();
  };
  EXPECT_EQ(text("group_concat(id) FROM waiting"), "1");
  EXPECT_EQ(text("group_concat(id || ':' || rank || ':' || node) FROM running"),
            "2:0:node-0,2:1:node-1,3:0:node-1");
  EXPECT_EQ(text("id || outcome || wait_s || ' ' || run_s || ' ' || ended_utc FROM finished"),
            "4succeeded1.5 0.25 2025-10-09 08:53:22");
}

}  // namespace
}  // namespace twofold::results
