// Real faults under SqliteStore: a disk that fails at any operation, a full one, a process killed.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <thread>

#include "lib/results/journal.h"
#include "lib/results/sqlite_store.h"
#include "tests/fakes/faulty_vfs.h"
#include "tests/fakes/memory_store.h"
#include "tests/lib/results/benchmark_samples.h"
#include "tests/lib/results/temp_dir.h"

namespace twofold::results {
namespace {

/// What job `id` has measured: a row in each table, and names that other jobs have as well.
v1::BenchmarkResult MeasuredBy(JobId id) {
  v1::BenchmarkResult measured =
      ResultOf("osu", {Throughput(static_cast<double>(id)), Number("own", 1)});
  v1::Series& series = *measured.add_series();
  series.set_name("latency");
  AddColumn(series, "size");
  AddColumn(series, "us");
  for (const double value : {1, 2}) series.add_values(value);
  v1::RankRecord& rank = *measured.add_ranks();
  rank.set_node("node-" + std::to_string(id % 3));
  v1::StageRecord& stage = *rank.add_stages();
  stage.set_name("run");
  stage.mutable_out()->set_name("stdout");
  stage.mutable_out()->set_zstd("z");
  return measured;
}

/// GroupOfJob n of a steady stream: jobs are accepted, started and ended, a few groups apart.
std::vector<Record> GroupOfJob(JobId n) {
  std::vector<Record> records = {SweepCreated()};
  for (JobId i = 0; i < 5; ++i) {
    records.emplace_back(Placed(5 * n + i, i, 1));
    if (n > 2) records.emplace_back(Started(5 * (n - 1) + i));
    if (n <= 3) continue;
    const JobId ended = 5 * (n - 2) + i;
    records.emplace_back(i == 0 ? Ended(ended) : EndedWith(ended, MeasuredBy(ended)));
  }
  records.emplace_back(SequenceUsed{"sleep", 5 * n + 4});
  return records;
}

/// Job by job, since only so they come with what they have measured.
std::vector<StoredJob> Contents(const Store& store) {
  std::vector<StoredJob> jobs = *store.List({.limit = 1'000'000});
  for (StoredJob& job : jobs) job = *store.Find(job.accepted.id);
  return jobs;
}

/// What is there after groups 1 to n.
const std::vector<StoredJob>& AfterGroups(JobId n) {
  static std::map<JobId, std::vector<StoredJob>> known;
  const auto [place, is_new] = known.try_emplace(n);
  if (!is_new) return place->second;
  MemoryStore model;
  for (JobId i = 1; i <= n; ++i) EXPECT_TRUE(model.Commit(GroupOfJob(i)).ok());
  return place->second = Contents(model);
}

class DiskFaults : public ::testing::TestWithParam<FaultyVfs::Fault> {
 protected:
  [[nodiscard]] std::unique_ptr<SqliteStore> Open(const std::string& path) const {
    return SqliteStore::Open(path, {.vfs = FaultyVfs::name()}).value();
  }
  /// An empty store; to make its tables takes longer than what is tried with it.
  std::unique_ptr<SqliteStore> OpenNew(const std::string& path) {
    const std::string empty = dir_.Path("empty");
    if (!std::filesystem::exists(empty)) Open(empty).reset();
    std::filesystem::copy_file(empty, path);
    return Open(path);
  }

  const TempDir dir_;
  FaultyVfs vfs_;
};

// Also what a failure leaves behind in the connection is tested: the same one goes on.
TEST_P(DiskFaults, CommitFailsOrSucceedsWholeAtEveryOperation) {
  constexpr JobId kGroups = 4;
  bool failed_all = false;
  for (std::uint64_t n = 0; !failed_all; ++n) {
    const std::string path = dir_.Path(std::to_string(n));
    {
      const auto store = OpenNew(path);
      vfs_.Fail(GetParam(), n, 2);
      for (JobId i = 1; i <= kGroups; ++i) {
        Status status = store->Commit(GroupOfJob(i));
        const bool has_failed = !status.ok();
        while (!status.ok()) {
          ASSERT_TRUE(absl::IsUnavailable(status) || absl::IsResourceExhausted(status)) << status;
          ASSERT_EQ(Contents(*store), AfterGroups(i - 1)) << "operation " << n;
          status = store->Commit(GroupOfJob(i));
        }
        if (has_failed) {
          ASSERT_EQ(Contents(*store), AfterGroups(i)) << "operation " << n;
        }
      }
      failed_all = vfs_.operations() <= n;
      vfs_.Fail(GetParam(), UINT64_MAX, 0);
    }
    ASSERT_EQ(Contents(*Open(path)), AfterGroups(kGroups)) << "operation " << n;
  }
}

// Nothing can be written from some operation on, until the process has ended.
TEST_P(DiskFaults, WhatWasCommittedIsThereAfterReopening) {
  constexpr JobId kGroups = 4;
  bool failed_all = false;
  for (std::uint64_t n = 0; !failed_all; ++n) {
    const std::string path = dir_.Path(std::to_string(n));
    JobId committed = 0;
    {
      const auto store = OpenNew(path);
      vfs_.Fail(GetParam(), n, UINT64_MAX);
      while (committed < kGroups && store->Commit(GroupOfJob(committed + 1)).ok()) ++committed;
      failed_all = vfs_.operations() <= n;
    }
    vfs_.Fail(GetParam(), UINT64_MAX, 0);
    const auto reopened = Open(path);
    const std::vector<StoredJob> contents = Contents(*reopened);
    // A group whose last sync failed may be there all the same, but never in part.
    if (contents != AfterGroups(committed)) {
      ASSERT_EQ(contents, AfterGroups(committed + 1)) << "operation " << n;
    }
    for (JobId i = committed + 1; i <= kGroups; ++i)
      ASSERT_TRUE(reopened->Commit(GroupOfJob(i)).ok());
    ASSERT_EQ(Contents(*reopened), AfterGroups(kGroups)) << "operation " << n;
  }
}

std::string NameOf(const ::testing::TestParamInfo<FaultyVfs::Fault>& fault) {
  constexpr std::array<const char*, 3> kNames = {"Io", "Full", "Torn"};
  return kNames[static_cast<std::size_t>(fault.param)];
}

INSTANTIATE_TEST_SUITE_P(Faults, DiskFaults,
                         ::testing::Values(FaultyVfs::Fault::kIo, FaultyVfs::Fault::kFull,
                                           FaultyVfs::Fault::kTorn),
                         NameOf);

// What docs/performance.md says of durable jobs hangs on it, both ways: not less, and not more.
TEST(SyncsOfTheStore, AreOneForEachGroupHoweverManyRecordsItHas) {
  const TempDir dir;
  FaultyVfs vfs;
  const auto store = SqliteStore::Open(dir.Path("jobs.db"), {.vfs = FaultyVfs::name()}).value();
  ASSERT_TRUE(store->Commit(GroupOfJob(1)).ok());  // begins the log, which takes another one
  vfs.Fail(FaultyVfs::Fault::kIo, UINT64_MAX, 0);
  for (JobId i = 2; i <= 6; ++i) {
    ASSERT_TRUE(store->Commit(GroupOfJob(i)).ok());
    EXPECT_EQ(vfs.syncs(), i - 1);
  }
}

TEST(DiskFaultCodes, FullDiskAndFailedSyncAreToldApart) {
  const TempDir dir;
  FaultyVfs vfs;
  const std::string path = dir.Path("jobs.db");
  const auto store = SqliteStore::Open(path, {.vfs = FaultyVfs::name()}).value();
  vfs.Fail(FaultyVfs::Fault::kFull, 0, 1);
  const Status full = store->Commit(GroupOfJob(1));
  EXPECT_TRUE(absl::IsResourceExhausted(full));
  EXPECT_THAT(std::string(full.message()), ::testing::StartsWith(path + ": the disk is full"));
  vfs.Fail(FaultyVfs::Fault::kIo, 0, 1);
  EXPECT_TRUE(absl::IsUnavailable(store->Commit(GroupOfJob(1))));
}

/// Runs `body` in a child process and returns how it ended. No gtest in there.
template <typename Body>
int InChild(const Body& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

/// What a frontend would see when the disk fills up under its journal, and space comes back.
/// Returns the line that went wrong; 0: none. Runs in a child process.
int FillsUpAndRecovers(const std::string& path) {
  signal(SIGXFSZ, SIG_IGN);
  const auto store = SqliteStore::Open(path).value();
  Journal journal(*store, {.commit_bytes = 1, .first_pause = std::chrono::milliseconds(1)});
  const rlimit small{200'000, RLIM_INFINITY};
  const rlimit unlimited{RLIM_INFINITY, RLIM_INFINITY};
  if (setrlimit(RLIMIT_FSIZE, &small) != 0) return __LINE__;

  JobId appended = 0;
  while (journal.writable()) {
    journal.Append(GroupOfJob(++appended), [] {});
    if (appended > 10'000) return __LINE__;
  }
  if (journal.trouble().find("the disk is full") == std::string::npos) return __LINE__;
  if (journal.pending_bytes() == 0) return __LINE__;
  if (!store->Find(5).ok()) return __LINE__;  // reading goes on

  if (setrlimit(RLIMIT_FSIZE, &unlimited) != 0) return __LINE__;
  if (!journal.Stop(std::chrono::seconds(30))) return __LINE__;
  if (!journal.writable()) return __LINE__;
  return store->Find(5 * appended).ok() ? 0 : __LINE__;
}

TEST(FullDisk, JournalWaitsAndGoesOnWhenSpaceIsBack) {
  const TempDir dir;
  const std::string path = dir.Path("jobs.db");
  const int status = InChild([&] { return FillsUpAndRecovers(path); });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << "line";
}

/// Commits group after group, starting with `first`, and tells the number of each that is done.
[[noreturn]] void CommitForEver(const std::string& path, JobId first, int tell) {
  const auto store = SqliteStore::Open(path).value();
  for (JobId n = first;; ++n) {
    if (!store->Commit(GroupOfJob(n)).ok()) _exit(1);
    if (write(tell, &n, sizeof n) != sizeof n) _exit(2);
  }
}

/// A child that commits, killed without warning some time after its first commit. Returns the last
/// number it told.
JobId KilledWhileCommitting(const std::string& path, JobId first, Duration life) {
  int ends[2];
  EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const pid_t child = fork();
  if (child == 0) CommitForEver(path, first, ends[1]);
  close(ends[1]);
  JobId last = first - 1;
  std::optional<Instant> kill_at;
  while ((!kill_at || Now() < *kill_at) && read(ends[0], &last, sizeof last) == sizeof last) {
    if (!kill_at) kill_at = Now() + life;
  }
  EXPECT_EQ(kill(child, SIGKILL), 0);
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
  while (read(ends[0], &last, sizeof last) == sizeof last) {
  }
  close(ends[0]);
  return last;
}

TEST(Kill, EveryCommittedGroupOutlivesTheProcess) {
  const TempDir dir;
  const std::string path = dir.Path("jobs.db");
  std::mt19937 random(4711);
  MemoryStore model;
  JobId done = 0;
  const auto include = [&](JobId last) {
    while (done < last) {
      ++done;
      EXPECT_TRUE(model.Commit(GroupOfJob(done)).ok());
    }
  };
  for (int i = 0; i < 20; ++i) {
    include(KilledWhileCommitting(path, done + 1, std::chrono::microseconds(random() % 15'000)));
    const auto store = SqliteStore::Open(path).value();
    const std::vector<StoredJob> contents = Contents(*store);
    // It may have died between a commit and telling of it.
    if (contents != Contents(model)) include(done + 1);
    ASSERT_EQ(contents, Contents(model)) << "kill " << i;
    ASSERT_EQ(LoadAll(*store)->jobs, LoadAll(model)->jobs) << "kill " << i;
    ASSERT_EQ(LoadAll(*store)->sequences, LoadAll(model)->sequences) << "kill " << i;
  }
  EXPECT_GE(done, 20u);
}

// ---- Files that go away or are damaged under an open store

class LostFiles : public ::testing::Test {
 protected:
  Status Commit() { return store_->Commit(GroupOfJob(++group_)); }
  std::string Why() { return std::string(store_->Check().message()); }

  const TempDir dir_;
  const std::string path_ = dir_.Path("jobs.db");
  std::unique_ptr<SqliteStore> store_ = SqliteStore::Open(path_).value();
  JobId group_ = 0;
};

TEST_F(LostFiles, NothingIsKeptInAFileThatWasDeletedUntilItIsBack) {
  for (const std::string part : {"", "-wal", "-shm"}) {
    const std::string path = path_ + part;
    ASSERT_TRUE(Commit().ok());
    std::filesystem::rename(path, path + ".away");
    EXPECT_TRUE(absl::IsUnavailable(Commit())) << path;
    EXPECT_THAT(Why(), ::testing::HasSubstr(path + " was deleted"));
    std::filesystem::rename(path + ".away", path);
    EXPECT_TRUE(store_->Check().ok());
    EXPECT_TRUE(store_->Commit(GroupOfJob(group_)).ok()) << "the same again";
  }
  EXPECT_EQ(Contents(*store_), AfterGroups(group_));
}

TEST_F(LostFiles, NothingIsKeptIfAnotherFileIsInItsPlace) {
  ASSERT_TRUE(Commit().ok());
  std::filesystem::rename(path_, path_ + ".away");
  std::filesystem::copy_file(path_ + ".away", path_);
  EXPECT_TRUE(absl::IsUnavailable(Commit()));
  EXPECT_THAT(Why(), ::testing::HasSubstr("is not the file that was opened"));
}

TEST_F(LostFiles, OverwrittenBeginningIsDamage) {
  ASSERT_TRUE(Commit().ok());
  std::filesystem::resize_file(path_, 0);
  EXPECT_TRUE(absl::IsDataLoss(Commit()));
  EXPECT_TRUE(absl::IsDataLoss(store_->Check()));
}

TEST_F(LostFiles, FileThatWasCutIsDamageBeforeAnythingIsAdded) {
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(Commit().ok());
  store_.reset();  // all is in the file itself
  store_ = SqliteStore::Open(path_).value();
  ASSERT_TRUE(Commit().ok());
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) - 4096);
  EXPECT_TRUE(absl::IsDataLoss(Commit()));
  EXPECT_THAT(Why(), ::testing::HasSubstr("it is damaged: it had "));
}

TEST_F(LostFiles, LogThatWasCutIsDamageBeforeAnythingIsAdded) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Commit().ok());
  std::filesystem::resize_file(path_ + "-wal", 4096);
  EXPECT_TRUE(absl::IsDataLoss(Commit()));
  EXPECT_THAT(Why(), ::testing::HasSubstr("-wal: it is damaged"));
}

TEST_F(LostFiles, LogWhoseEndWasOverwrittenIsDamage) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Commit().ok());
  const auto size = std::filesystem::file_size(path_ + "-wal");
  {
    std::fstream file(path_ + "-wal", std::ios::in | std::ios::out | std::ios::binary);
    file << std::string(size, 'x');
  }
  EXPECT_TRUE(absl::IsDataLoss(Commit()));
}

/// Garbage in all pages but the first, which has the schema, as a disk may
/// return it.
void DamagePages(const std::string& path) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  const auto size = std::filesystem::file_size(path);
  file.seekp(4096);
  file << std::string(size - 4096, '\xff');
}

TEST_F(LostFiles, DamageThatAReaderFindsEndsCommits) {
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(Commit().ok());
  store_.reset();  // all is in the file itself
  store_ = SqliteStore::Open(path_).value();
  DamagePages(path_);
  EXPECT_TRUE(store_->Check().ok()) << "it cannot be seen from outside";
  EXPECT_TRUE(absl::IsDataLoss(store_->List({}).status()));
  EXPECT_TRUE(absl::IsDataLoss(store_->Check()));
  EXPECT_TRUE(absl::IsDataLoss(Commit()));
}

TEST(UncleanEnd, DamageIsFoundBeforeTheStoreIsUsed) {
  const TempDir dir;
  const std::string path = dir.Path("jobs.db");
  {
    const auto store = SqliteStore::Open(path).value();
    for (JobId n = 1; n <= 200; ++n) ASSERT_TRUE(store->Commit(GroupOfJob(n)).ok());
  }
  KilledWhileCommitting(path, 201, std::chrono::milliseconds(20));
  ASSERT_GT(std::filesystem::file_size(path + "-wal"), 0u);
  EXPECT_TRUE(SqliteStore::Open(path).ok());
  KilledWhileCommitting(path, 100'001, std::chrono::milliseconds(20));
  DamagePages(path);
  const auto damaged = SqliteStore::Open(path);
  EXPECT_TRUE(absl::IsDataLoss(damaged.status())) << damaged.status();
}

// ---- One frontend a file, whatever it calls it

TEST(OneFrontend, LinksAreNoWayAround) {
  const TempDir dir;
  const std::string path = dir.Path("jobs.db");
  const auto store = SqliteStore::Open(path).value();
  std::filesystem::create_symlink(path, dir.Path("symbolic.db"));
  std::filesystem::create_hard_link(path, dir.Path("hard.db"));
  for (const char* name : {"symbolic.db", "hard.db"}) {
    EXPECT_TRUE(absl::IsFailedPrecondition(SqliteStore::Open(dir.Path(name)).status())) << name;
    EXPECT_TRUE(store->Commit(GroupOfJob(1)).ok());
  }
}

TEST(OneFrontend, DeletedLockIsNoWayAround) {
  const TempDir dir;
  const std::string path = dir.Path("jobs.db");
  {
    const auto store = SqliteStore::Open(path).value();
    std::filesystem::remove(path + ".lock");
    EXPECT_TRUE(absl::IsFailedPrecondition(SqliteStore::Open(path).status()));
    EXPECT_TRUE(store->Commit(GroupOfJob(1)).ok());
  }
  EXPECT_TRUE(SqliteStore::Open(path).ok()) << "it is free again";
}

/// The child of a fork has the parent's descriptors: the store is opened after
/// it.
TEST(OneFrontend, OtherProcessesAreRefusedByTheFileItself) {
  const TempDir dir;
  const std::string path = dir.Path("jobs.db");
  int go[2];
  ASSERT_EQ(pipe2(go, O_CLOEXEC), 0);
  { ASSERT_TRUE(SqliteStore::Open(path).ok()); }
  std::filesystem::create_hard_link(path, dir.Path("hard.db"));
  const pid_t child = fork();
  if (child == 0) {
    char byte = 0;
    const bool told = read(go[0], &byte, 1) == 1;
    const auto store = SqliteStore::Open(dir.Path("hard.db"));
    _exit(told && absl::IsFailedPrecondition(store.status()) ? 0 : 1);
  }
  const auto store = SqliteStore::Open(path).value();
  ASSERT_EQ(write(go[1], "x", 1), 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_TRUE(store->Commit(GroupOfJob(1)).ok());
}

TEST_F(LostFiles, JournalNoticesItWithoutACommit) {
  Journal journal(*store_, {.check_interval = std::chrono::milliseconds(1)});
  std::filesystem::rename(path_, path_ + ".away");
  while (journal.writable()) std::this_thread::yield();
  EXPECT_THAT(journal.trouble(), ::testing::HasSubstr("was deleted"));
  std::filesystem::rename(path_ + ".away", path_);
  while (!journal.writable()) std::this_thread::yield();
}

// ---- The write-ahead log

class LogOfReaders : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kLongest = 256 << 10;

  std::uint64_t LogBytes() const { return std::filesystem::file_size(path_ + "-wal"); }
  void Commit(JobId groups) {
    for (JobId i = 0; i < groups; ++i) ASSERT_TRUE(store_->Commit(GroupOfJob(++group_)).ok());
  }

  const TempDir dir_;
  const std::string path_ = dir_.Path("jobs.db");
  std::unique_ptr<SqliteStore> store_ =
      SqliteStore::Open(path_, {.longest_log = kLongest,
                                .checkpoint_wait = std::chrono::milliseconds(1),
                                .checkpoint_pause = Duration::zero()})
          .value();
  JobId group_ = 0;
};

TEST_F(LogOfReaders, IsCutWhenTheReaderThatHeldItHasEnded) {
  {
    SQLite::Database other(path_, SQLite::OPEN_READONLY);
    SQLite::Transaction reads(other);
    other.execAndGet("SELECT count(*) FROM job");
    while (LogBytes() < 4 * kLongest) Commit(10);
  }
  Commit(1);
  EXPECT_LE(LogBytes(), kLongest);
}

TEST_F(LogOfReaders, ReadThatTakesTooLongIsEnded) {
  Commit(500);
  store_.reset();
  store_ = SqliteStore::Open(path_, {.longest_read = Duration::zero()}).value();
  const Status status = store_->List({.limit = 100'000}).status();
  EXPECT_TRUE(absl::IsDeadlineExceeded(status)) << status;
  EXPECT_TRUE(store_->Commit(GroupOfJob(++group_)).ok());
  EXPECT_TRUE(store_->Find(5 * group_).ok()) << "a short one";
}

TEST(StoreFilesTest, AreReadableForTheirOwnerOnly) {
  const TempDir dir;
  const std::string path = dir.Path("jobs.db");
  for (const char* part : {"", ".lock"}) {
    std::ofstream(path + part) << "";
    std::filesystem::permissions(path + part, std::filesystem::perms(0644));
  }
  const auto store = SqliteStore::Open(path).value();
  ASSERT_TRUE(store->Commit(GroupOfJob(1)).ok());
  for (const char* part : {"", "-wal", "-shm", ".lock"}) {
    EXPECT_EQ(std::filesystem::status(path + part).permissions(), std::filesystem::perms(0600))
        << part;
  }
}

}  // namespace
}  // namespace twofold::results
