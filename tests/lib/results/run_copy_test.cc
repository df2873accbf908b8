// A run from one file to another: whole or not at all, once, with ids that nobody gives out again.

#include "lib/results/run_copy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/results/schema.h"
#include "tests/fakes/faulty_vfs.h"
#include "tests/lib/results/benchmark_samples.h"
#include "tests/lib/results/temp_dir.h"

namespace twofold::results {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class RunCopyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(source_->Commit(std::vector<Record>{
                  SweepCreated(), Placed(1, 1, 1), EndedWith(1, FullResult(9)), Placed(2, 1, 2),
                  Ended(2, 20, queue::Outcome::kFailed), Placed(3, 1, 2),
                  EndedWith(3, FullResult(11)), JobRequeued{2, 3}, Placed(4, 2, 1), Started(4),
                  Accepted(5, "other"), Ended(5), RunCancelled{"sweep", kCancelledUnixNs}}),
              absl::OkStatus());
    reader_ = RunReader::Open(source_->path()).value();
  }
  std::unique_ptr<SqliteStore> NewTarget(const std::string& name) {
    return SqliteStore::Open(dir_.Path(name)).value();
  }
  /// Jobs of "sweep" in a store, with all they have measured.
  static std::vector<StoredJob> JobsOf(const SqliteStore& store) {
    std::vector<StoredJob> jobs = *store.List({.run = "sweep"});
    for (StoredJob& job : jobs) job = *store.Find(job.accepted.id);
    return jobs;
  }

  const TempDir dir_;
  const std::unique_ptr<SqliteStore> source_ = SqliteStore::Open(dir_.Path("source.db")).value();
  std::unique_ptr<RunReader> reader_;
};

TEST_F(RunCopyTest, FinishedJobsComeWithAllTheyHaveMeasured) {
  const auto target = NewTarget("target.db");
  const auto copied = CopyRun(*reader_, "sweep", *target);
  ASSERT_TRUE(copied.ok()) << copied.status();
  EXPECT_EQ(copied->jobs, 3u);
  EXPECT_EQ(copied->unfinished, 1u);
  const auto jobs = JobsOf(*target);
  ASSERT_THAT(jobs, SizeIs(3));
  JobEnded first = std::get<JobEnded>(jobs[0].state);
  first.job = 1;
  EXPECT_EQ(first, EndedWith(1, FullResult(9)));
  EXPECT_EQ(jobs[0].accepted.place, Placed(1, 1, 1).place);
  EXPECT_EQ(jobs[1].requeued_as, jobs[2].accepted.id);
  const v1::Run run = RunReader::Open(target->path()).value()->Find("sweep").value();
  EXPECT_EQ(run.definition(), SweepCreated().run.definition());
  EXPECT_EQ(run.cancelled_unix_ns(), kCancelledUnixNs);
  EXPECT_THAT(*target->List({.run = "other"}), IsEmpty());
}

TEST_F(RunCopyTest, RunOfAnOlderFileIsCopied) {
  const std::string path = dir_.Path("older.db");
  {
    SQLite::Database file(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    ASSERT_TRUE(BringUpToDate(file, path, AllMigrations().first(1)).ok());
    file.exec(
        "INSERT INTO job VALUES (1, 'sleep', 'sweep', 'command', 0, x'', x'', 30);"
        "INSERT INTO ended VALUES (1, 0, 1, 0, 0, 0, 'n', 'p', '', x'72', '', 50, NULL)");
  }
  const auto target = NewTarget("target.db");
  const auto copied = CopyRun(*RunReader::Open(path).value(), "sweep", *target);
  ASSERT_TRUE(copied.ok()) << copied.status();
  EXPECT_EQ(copied->jobs, 1u);
  EXPECT_EQ(std::get<JobEnded>(JobsOf(*target).at(0).state).report, "r");
}

TEST_F(RunCopyTest, SecondTimeIsToldAndChangesNothing) {
  const auto target = NewTarget("target.db");
  ASSERT_TRUE(CopyRun(*reader_, "sweep", *target).ok());
  const auto before = JobsOf(*target);
  EXPECT_EQ(CopyRun(*reader_, "sweep", *target).status(),
            absl::AlreadyExistsError("run 'sweep' is in " + target->path() + " already"));
  EXPECT_EQ(JobsOf(*target), before);
  EXPECT_TRUE(absl::IsNotFound(CopyRun(*reader_, "nope", *target).status()));
}

// Its queue "sleep" has number 0 there, too, and has given out ids 1 to 5.
TEST_F(RunCopyTest, IdsAreThoseOfNoQueueOfTheTarget) {
  const auto target = NewTarget("target.db");
  const std::vector<Record> own = {Accepted(1, "own"), SequenceUsed{"sleep", 5},
                                   Accepted(Id(255, 9), "own"), SequenceUsed{"q", Id(255, 9)}};
  ASSERT_TRUE(target->Commit(own).ok());
  ASSERT_TRUE(CopyRun(*reader_, "sweep", *target).ok());
  ASSERT_TRUE(CopyRun(*reader_, "other", *target).ok());
  EXPECT_THAT(IdsOf(JobsOf(*target)), ElementsAre(Id(254, 1), Id(254, 2), Id(254, 3)));
  EXPECT_THAT(IdsOf(*target->List({.run = "other"})), ElementsAre(Id(254, 4)));
  EXPECT_EQ(LoadAll(*target)->sequences.at("(copied)"), Id(254, 4));
}

TEST_F(RunCopyTest, DiskThatFailsInTheMiddleLeavesNothing) {
  FaultyVfs vfs;
  bool failed_all = false;
  for (std::uint64_t n = 0; !failed_all; ++n) {
    const std::string path = dir_.Path("target-" + std::to_string(n));
    Status status;
    {
      const auto target = SqliteStore::Open(path, {.vfs = FaultyVfs::name()}).value();
      vfs.Fail(FaultyVfs::Fault::kFull, n, UINT64_MAX);
      status = CopyRun(*reader_, "sweep", *target).status();
      failed_all = vfs.operations() <= n;
    }
    vfs.Fail(FaultyVfs::Fault::kFull, UINT64_MAX, 0);
    const auto target = SqliteStore::Open(path).value();
    const auto jobs = JobsOf(*target);
    if (status.ok()) {
      ASSERT_THAT(jobs, SizeIs(3)) << "operation " << n;
    } else {
      ASSERT_TRUE(absl::IsResourceExhausted(status) || absl::IsUnavailable(status)) << status;
      ASSERT_TRUE(jobs.empty() || jobs.size() == 3) << "operation " << n;
      ASSERT_EQ(CopyRun(*reader_, "sweep", *target).ok(), jobs.empty()) << "operation " << n;
    }
  }
}

}  // namespace
}  // namespace twofold::results
