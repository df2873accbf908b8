// A whole store from one engine to another: everything, or nothing, and a frontend goes on with it.

#include "lib/results/store_copy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <limits>
#include <set>
#include <thread>
#include <tuple>

#include "lib/results/schema.h"
#include "tests/lib/results/benchmark_samples.h"
#include "tests/lib/results/engines.h"
#include "tests/lib/results/samples.h"

namespace twofold::results {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

using Group = std::vector<Record>;

Status Go(const CopyProgress& /*progress*/) { return absl::OkStatus(); }

Result<CopiedStore> Copy(const TestEngine& from, const TestEngine& to, WatchCopy watch = Go) {
  const auto source = OpenEnd(from.where(), Use::kRead);
  if (!source.ok()) return source.status();
  const auto target = OpenEnd(to.where(), Use::kWrite);
  if (!target.ok()) return target.status();
  return CopyStore(**source, **target, watch);
}

constexpr JobId kCopiedJobs = 120;

/// Rows of every table, hundreds of most.
void Fill(TestEngine& engine) {
  const auto store = engine.OpenStore();
  Group group = {SweepCreated(kCopiedJobs), RunCancelled{"sweep", kCancelledUnixNs},
                 SequenceUsed{"sleep", Id(0, kCopiedJobs)}, SequenceUsed{"fio", Id(200, 7)}};
  for (JobId id = 1; id <= kCopiedJobs; ++id) {
    const JobId waiting = Id(200, id);
    const JobId gang = Id(1, id);
    JobEnded refused = Ended(Id(2, id));
    refused.refused = "too many ranks";
    v1::BenchmarkResult result = FullResult(static_cast<double>(id) / 7);
    result.mutable_ranks(0)->set_node("node-" + std::to_string(id));
    Group more = {Placed(id, id, 1, id % 2 == 0),
                  EndedWith(id, result),
                  Accepted(waiting, ""),
                  Accepted(gang, "run-" + std::to_string(id)),
                  StartedGang(gang, 3),
                  Accepted(refused.job, ""),
                  refused};
    group.insert(group.end(), more.begin(), more.end());
  }
  group.emplace_back(JobRequeued{.from = 1, .to = 2});
  ASSERT_EQ(store->Commit(group), absl::OkStatus());
}

/// Without PostgreSQL tests of it are skipped: then nothing is there.
std::unique_ptr<TestEngine> MakeFilled(EngineKind kind) {
  auto engine = MakeEngine(kind);
  if (engine != nullptr) Fill(*engine);
  return engine;
}

class StoreCopyTest : public ::testing::TestWithParam<std::tuple<EngineKind, EngineKind>> {
 protected:
  void SetUp() override {
    // Filled once, as that takes longest.
    static std::map<EngineKind, std::unique_ptr<TestEngine>> filled;
    const auto [from, to] = GetParam();
    if (!filled.contains(from)) filled[from] = MakeFilled(from);
    from_ = filled[from].get();
    to_ = MakeEngine(to);
    if (from_ == nullptr || to_ == nullptr) GTEST_SKIP() << "PostgreSQL is not installed";
  }

  TestEngine* from_ = nullptr;
  std::unique_ptr<TestEngine> to_;
};

using Direction = std::tuple<EngineKind, EngineKind>;

std::string DirectionName(const ::testing::TestParamInfo<Direction>& info) {
  const auto name = [](EngineKind kind) {
    return kind == EngineKind::kSqlite ? std::string("Sqlite") : std::string("Postgres");
  };
  return name(std::get<0>(info.param)) + "To" + name(std::get<1>(info.param));
}

INSTANTIATE_TEST_SUITE_P(All, StoreCopyTest, ::testing::Combine(kEngineKinds, kEngineKinds),
                         DirectionName);

TEST_P(StoreCopyTest, EveryRowOfEveryTableIsThere) {
  const auto copied = Copy(*from_, *to_);
  ASSERT_TRUE(copied.ok()) << copied.status();
  EXPECT_TRUE(copied->same());
  EXPECT_EQ(copied->replaced(), 0);
  EXPECT_GT(copied->rows(), 20 * static_cast<std::int64_t>(kCopiedJobs));
  for (const CopiedTable& table : copied->tables) {
    EXPECT_GT(table.from.rows(), 0) << table.name << ": nothing was tried";
    EXPECT_EQ(table.to.rows(), table.from.rows()) << table.name;
    EXPECT_EQ(to_->Count(table.name), table.to.rows()) << table.name;
  }
}

TEST_P(StoreCopyTest, StoreGivesTheSameJobsAndRuns) {
  ASSERT_TRUE(Copy(*from_, *to_).ok());
  const auto before = from_->OpenStore();
  const auto after = to_->OpenStore();
  const auto expected = LoadAll(*before);
  const auto found = LoadAll(*after);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->jobs, expected->jobs);
  EXPECT_EQ(found->sequences, expected->sequences);
  for (const JobId id : {JobId{1}, JobId{2}, Id(2, 5), Id(1, 5), Id(200, 5)}) {
    EXPECT_EQ(after->Find(id).value(), before->Find(id).value());
  }
  EXPECT_EQ(to_->OpenReader()->Find("sweep")->SerializeAsString(),
            from_->OpenReader()->Find("sweep")->SerializeAsString());
}

TEST_P(StoreCopyTest, FrontendGoesOnWithTheCopy) {
  ASSERT_TRUE(Copy(*from_, *to_).ok());
  const auto store = to_->OpenStore();
  v1::BenchmarkResult result = FullResult();
  result.mutable_ranks(0)->set_node("a node that is new");
  result.mutable_measurements(0)->set_name("a name that is new");
  result.mutable_series(0)->set_name("a series that is new");
  RunCreated run = SweepCreated();
  run.run.set_id("a run that is new");
  const JobId id = Id(0, kCopiedJobs + 1);
  ASSERT_EQ(store->Commit(Group{run, Accepted(id, "a run that is new"), EndedWith(id, result),
                                SequenceUsed{"sleep", id}}),
            absl::OkStatus());
  EXPECT_EQ(store->Find(id)->state, (decltype(StoredJob::state)(EndedWith(id, result))));
  EXPECT_EQ(to_->OpenReader()->List({})->runs(0).id(), "a run that is new")
      << "the newest run has the highest number";
  EXPECT_EQ(*store->Forget({.keep_at_most = 0}, 3), 3u);
}

TEST_P(StoreCopyTest, CopyBackIsTheSameAgain) {
  ASSERT_TRUE(Copy(*from_, *to_).ok());
  const auto back = MakeEngine(std::get<0>(GetParam()));
  const auto first = Copy(*from_, *back);
  ASSERT_TRUE(first.ok());
  const auto third = MakeEngine(std::get<0>(GetParam()));
  const auto second = Copy(*to_, *third);
  ASSERT_TRUE(second.ok()) << second.status();
  for (std::size_t i = 0; i < first->tables.size(); ++i) {
    EXPECT_EQ(second->tables[i].to, first->tables[i].from) << first->tables[i].name;
  }
}

TEST_P(StoreCopyTest, TargetThatIsNotEmptyIsRefusedAndSaysWhatItHas) {
  ASSERT_EQ(to_->OpenStore()->Commit(Group{Accepted(1, ""), Accepted(2, "")}), absl::OkStatus());
  const Status status = Copy(*from_, *to_).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("is not empty"), HasSubstr("job: 2, live: 2")));
  EXPECT_EQ(to_->Count("job"), 2);
}

/// Nothing of a copy that came to nothing is there, and the next one succeeds.
void ExpectNothing(TestEngine& from, TestEngine& to) {
  for (const Table& table : TablesOfStore()) {
    EXPECT_EQ(to.Count(table.name), table.rows_of_new_store) << table.name;
  }
  const auto copied = Copy(from, to);
  ASSERT_TRUE(copied.ok()) << copied.status();
  EXPECT_TRUE(copied->same());
}

TEST_P(StoreCopyTest, InterruptedCopyLeavesNothing) {
  const Status status = Copy(*from_, *to_, [](const CopyProgress& progress) -> Status {
                          if (progress.done < progress.all / 2) return absl::OkStatus();
                          return absl::CancelledError("enough");
                        }).status();
  EXPECT_TRUE(absl::IsCancelled(status)) << status;
  ExpectNothing(*from_, *to_);
}

TEST_P(StoreCopyTest, CopyThatIsInterruptedWhileItIsComparedLeavesNothing) {
  const Status status = Copy(*from_, *to_, [](const CopyProgress& progress) -> Status {
                          if (progress.phase == CopyProgress::Phase::kCopying)
                            return absl::OkStatus();
                          return absl::CancelledError("enough");
                        }).status();
  EXPECT_TRUE(absl::IsCancelled(status)) << status;
  ExpectNothing(*from_, *to_);
}

TEST_P(StoreCopyTest, KilledCopyLeavesNothing) {
  ASSERT_NE(to_->OpenStore(), nullptr);
  for (const auto phase : {CopyProgress::Phase::kCopying, CopyProgress::Phase::kVerifying}) {
    const pid_t child = fork();
    if (child == 0) {
      (void)Copy(*from_, *to_, [&](const CopyProgress& progress) {
        if (progress.phase == phase && progress.done > progress.all / 2) raise(SIGKILL);
        return absl::OkStatus();
      });
      _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    for (const Table& table : TablesOfStore()) {
      EXPECT_EQ(to_->Count(table.name), table.rows_of_new_store) << table.name;
    }
  }
  ExpectNothing(*from_, *to_);
}

/// An end whose engine loses or changes one row of table `measured`.
class FaultyEnd final : public StoreEnd {
 public:
  enum class Fault { kLoses, kChanges };

  FaultyEnd(StoreEnd& end, Fault fault) : end_(end), fault_(fault) {}

  [[nodiscard]] const std::string& name() const override { return end_.name(); }
  Result<std::int64_t> Count(const Table& table) override { return end_.Count(table); }
  Status Read(const Table& table, Take take) override { return end_.Read(table, take); }
  Status Clear(const Table& table) override { return end_.Clear(table); }
  Status Add(const Table& table, Row row) override {
    if (table.name != "measured" || ++added_ != kFaultyRow) return end_.Add(table, row);
    if (fault_ == Fault::kLoses) return absl::OkStatus();
    std::vector<Value> changed(row.begin(), row.end());
    changed[3] = std::get<double>(changed[3]) * (1 + 1e-15) + 1e-300;
    return end_.Add(table, changed);
  }
  Status Commit() override { return end_.Commit(); }
  Status CheckAlone() override { return end_.CheckAlone(); }

 private:
  static constexpr int kFaultyRow = 234;  // of several hundred

  StoreEnd& end_;
  const Fault fault_;
  int added_ = 0;
};

TEST_P(StoreCopyTest, LostOrChangedRowIsFoundAndNothingIsCopied) {
  for (const auto fault : {FaultyEnd::Fault::kLoses, FaultyEnd::Fault::kChanges}) {
    const auto engine = MakeEngine(std::get<1>(GetParam()));
    const auto from = OpenEnd(from_->where(), Use::kRead).value();
    auto to = OpenEnd(engine->where(), Use::kWrite).value();
    FaultyEnd faulty(*to, fault);
    const auto copied = CopyStore(*from, faulty, Go);
    to.reset();
    EXPECT_EQ(engine->Count("job"), 0);
    ASSERT_TRUE(copied.ok()) << copied.status();
    EXPECT_FALSE(copied->same());
    for (const CopiedTable& table : copied->tables) {
      EXPECT_EQ(table.same(), table.name != "measured") << table.name;
    }
  }
}

TEST_P(StoreCopyTest, ProgressGoesThroughBothPhasesToItsEnd) {
  std::map<CopyProgress::Phase, std::int64_t> last;
  std::int64_t all = 0;
  const auto copied = Copy(*from_, *to_, [&](const CopyProgress& progress) {
    EXPECT_GT(progress.done, last[progress.phase]);
    last[progress.phase] = progress.done;
    all = progress.all;
    return absl::OkStatus();
  });
  ASSERT_TRUE(copied.ok());
  EXPECT_EQ(all, copied->rows());
  for (const auto& [phase, done] : last) EXPECT_GT(done, all - 1000);
  EXPECT_EQ(last.size(), 2u);
}

// ---- What only some can do

class StoreCopies : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!twofold::testing::PostgresServer::IsInstalled()) {
      GTEST_SKIP() << "PostgreSQL is not installed";
    }
    postgres_.emplace();
  }

  SqliteEngine sqlite_;
  std::optional<PostgresEngine> postgres_;
};

TEST_F(StoreCopies, TextThatPostgresCannotStoreIsReplacedAndCounted) {
  JobAccepted odd = Accepted(7);
  odd.suite = std::string("a\0b\xff", 4);
  ASSERT_EQ(sqlite_.OpenStore()->Commit(Group{odd}), absl::OkStatus());
  const auto copied = Copy(sqlite_, *postgres_);
  ASSERT_TRUE(copied.ok()) << copied.status();
  EXPECT_TRUE(copied->same()) << "compared with what PostgreSQL can store";
  EXPECT_EQ(copied->replaced(), 1);
  EXPECT_EQ(postgres_->OpenStore()->Find(7)->accepted.suite, "a\ufffdb\ufffd");
  EXPECT_EQ(postgres_->OpenStore()->Find(7)->accepted.spec, odd.spec) << "bytes stay";
  SqliteEngine back;
  const auto again = Copy(*postgres_, back);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->replaced(), 0);
}

TEST_F(StoreCopies, LimitsOfNumbersSurviveBothWays) {
  v1::BenchmarkResult result = ResultOf(
      "iperf", {Number("zero", -0.0), Number("least", std::numeric_limits<double>::denorm_min()),
                Number("most", std::numeric_limits<double>::max()), Number("third", 1.0 / 3)});
  ASSERT_EQ(postgres_->OpenStore()->Commit(
                Group{Accepted(~JobId{0} - 1, ""), Accepted(1, ""), EndedWith(1, result)}),
            absl::OkStatus());
  const auto copied = Copy(*postgres_, sqlite_);
  ASSERT_TRUE(copied.ok()) << copied.status();
  EXPECT_TRUE(copied->same());
  const StoredJob job = sqlite_.OpenStore()->Find(1).value();
  EXPECT_EQ(std::get<JobEnded>(job.state).benchmark.get()->measurements(3).value(), 1.0 / 3);
  EXPECT_TRUE(sqlite_.OpenStore()->Find(~JobId{0} - 1).ok());
}

TEST_F(StoreCopies, FileThatAFrontendHasOpenIsRefused) {
  const auto frontend = sqlite_.OpenStore();
  ASSERT_NE(postgres_->OpenStore(), nullptr);
  for (const auto& status :
       {Copy(sqlite_, *postgres_).status(), Copy(*postgres_, sqlite_).status()}) {
    EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("in use by another frontend"));
  }
}

/// What a frontend does first, and then about once a second.
constexpr const char* kJoin = "INSERT INTO frontend VALUES ('f-1', 7, 1, false, '', '')";
constexpr const char* kBeat = "UPDATE frontend SET beat = beat + 1";

TEST_F(StoreCopies, DatabaseInWhichAFrontendBeatsIsRefused) {
  ASSERT_NE(postgres_->OpenStore(), nullptr);
  ASSERT_NE(sqlite_.OpenStore(), nullptr);
  postgres_->Script(kJoin);
  std::atomic<bool> is_done = false;
  std::thread frontend([&] {
    while (!is_done) {
      postgres_->Script(kBeat);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  });
  for (const auto& status :
       {Copy(sqlite_, *postgres_).status(), Copy(*postgres_, sqlite_).status()}) {
    EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr("a frontend is using it"));
  }
  is_done = true;
  frontend.join();
}

TEST_F(StoreCopies, FrontendThatJoinsInTheSourceDuringTheCopyEndsIt) {
  Fill(*postgres_);
  bool joined = false;
  const Status status = Copy(*postgres_, sqlite_, [&](const CopyProgress&) {
                          if (!std::exchange(joined, true)) postgres_->Script(kJoin);
                          return absl::OkStatus();
                        }).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("a frontend is using it"));
  EXPECT_EQ(sqlite_.Count("job"), 0);
}

TEST_F(StoreCopies, NoFrontendJoinsATargetThatIsWritten) {
  ASSERT_EQ(sqlite_.OpenStore()->Commit(Group{Accepted(1)}), absl::OkStatus());
  const auto from = OpenEnd(sqlite_.where(), Use::kRead).value();
  const auto to = OpenEnd(postgres_->where(), Use::kWrite).value();
  const auto frontend =
      postgres::Connection::Open(postgres_->target(), "SET lock_timeout = 50").value();
  std::set<CopyProgress::Phase> kept_out;
  const auto copied = CopyStore(*from, *to, [&](const CopyProgress& progress) {
    if (kept_out.insert(progress.phase).second) {
      EXPECT_TRUE(absl::IsUnavailable(frontend->Run(kJoin).status()));
    }
    return absl::OkStatus();
  });
  ASSERT_TRUE(copied.ok()) << copied.status();
  EXPECT_EQ(kept_out.size(), 2u);
  EXPECT_TRUE(frontend->Run(kJoin).ok());
}

TEST_F(StoreCopies, FrontendsThatHaveGoneLeaveNothingThatCounts) {
  ASSERT_NE(postgres_->OpenStore(), nullptr);
  postgres_->Script(kJoin);
  postgres_->Script("INSERT INTO partition VALUES (0, 'fio', 3, 'f-1', 7, '', 0, 0)");
  ASSERT_EQ(sqlite_.OpenStore()->Commit(Group{Accepted(1), SequenceUsed{"sleep", 1}}),
            absl::OkStatus());
  const auto copied = Copy(sqlite_, *postgres_);
  ASSERT_TRUE(copied.ok()) << copied.status();
  EXPECT_EQ(postgres_->Count("partition"), 0) << "number 0 is that of queue sleep now";
  EXPECT_EQ(postgres_->Count("frontend"), 0);
}

TEST_F(StoreCopies, ServerThatIsKilledInTheMiddleHasNothing) {
  Fill(sqlite_);
  twofold::testing::PostgresServer server;
  const auto target = twofold::testing::PostgresServer::TargetOf(server.NewDatabase());
  const auto copy = [&](WatchCopy watch) {
    const auto from = OpenEnd(sqlite_.where(), Use::kRead).value();
    const auto to = OpenEnd(target, Use::kWrite).value();
    return CopyStore(*from, *to, watch);
  };
  bool killed = false;
  const Status status = copy([&](const CopyProgress& progress) {
                          const bool is_half = progress.done > progress.all / 2;
                          if (is_half && !std::exchange(killed, true)) server.Kill();
                          return absl::OkStatus();
                        }).status();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  server.Start();
  const auto copied = copy(Go);
  ASSERT_TRUE(copied.ok()) << copied.status();
  EXPECT_TRUE(copied->same());
}

TEST_F(StoreCopies, DamagedFileIsDataLossAndLeavesNothing) {
  Fill(sqlite_);
  const std::string path = NameOf(sqlite_.where());
  const auto bytes = std::filesystem::file_size(path);
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    for (std::uintmax_t at = bytes / 2; at + 4096 < bytes; at += 64 * 4096) {
      file.seekp(static_cast<std::streamoff>(at - at % 4096));
      file << std::string(4096, '\xa5');
    }
  }
  const Status status = Copy(sqlite_, *postgres_).status();
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(path));
  EXPECT_EQ(postgres_->Count("job"), 0);
}

TEST_F(StoreCopies, ValueOfAnotherKindIsDataLoss) {
  ASSERT_EQ(sqlite_.OpenStore()->Commit(Group{Accepted(1, "")}), absl::OkStatus());
  sqlite_.Script("UPDATE job SET priority = 'high'");
  const Status status = Copy(sqlite_, *postgres_).status();
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("column priority"));
}

TEST_F(StoreCopies, MissingSourcesAreNotFoundAndNotMade) {
  const TempDir dir;
  const Status file = OpenEnd(StoreFile{dir.Path("none.db")}, Use::kRead).status();
  EXPECT_TRUE(absl::IsNotFound(file)) << file;
  EXPECT_FALSE(std::filesystem::exists(dir.Path("none.db")));
  const Status database = OpenEnd(postgres_->where(), Use::kRead).status();
  EXPECT_TRUE(absl::IsNotFound(database)) << database;
  EXPECT_THAT(std::string(database.message()), HasSubstr("has no tables of twofold"));
}

TEST_F(StoreCopies, FileOfAnOlderVersionIsCopiedAsItWouldBeNow) {
  const TempDir dir;
  const std::string path = dir.Path("older.db");
  {
    SQLite::Database file(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    ASSERT_TRUE(BringUpToDate(file, path, AllMigrations().first(1)).ok());
    file.exec("INSERT INTO job VALUES (1, 'sleep', 'sweep', 'command', 0, x'', x'', 30)");
  }
  const auto from = OpenEnd(StoreFile{path}, Use::kRead).value();
  const auto to = OpenEnd(postgres_->where(), Use::kWrite).value();
  const auto copied = CopyStore(*from, *to, Go);
  ASSERT_TRUE(copied.ok()) << copied.status();
  EXPECT_TRUE(copied->same());
  EXPECT_EQ(postgres_->Text("name FROM place"), "");
  EXPECT_EQ(SQLite::Database(path).execAndGet("PRAGMA user_version").getInt(), 1);
}

}  // namespace
}  // namespace twofold::results
