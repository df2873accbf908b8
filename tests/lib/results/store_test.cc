// What every Store does: the same tests on each.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <set>

#include "lib/results/postgres_store.h"
#include "lib/results/sqlite_store.h"
#include "tests/fakes/memory_store.h"
#include "tests/lib/results/benchmark_samples.h"
#include "tests/lib/results/samples.h"
#include "tests/lib/results/temp_dir.h"
#include "tests/support/postgres_server.h"

namespace twofold::results {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using twofold::testing::PostgresServer;

using MakeStore = std::function<std::unique_ptr<Store>(const std::string& path)>;

struct StoreKind {
  const char* name;
  MakeStore make;
};

void PrintTo(const StoreKind& kind, std::ostream* out) { *out << kind.name; }

class StoreTest : public ::testing::TestWithParam<StoreKind> {
 protected:
  Status Commit(const std::vector<Record>& records) { return store_->Commit(records); }

  /// The job; a failure if it is not there.
  StoredJob Get(JobId job) {
    Result<StoredJob> found = store_->Find(job);
    EXPECT_TRUE(found.ok()) << found.status();
    return found.ok() ? *found : StoredJob{};
  }

  std::vector<JobId> List(const JobQuery& query) {
    const auto jobs = store_->List(query);
    EXPECT_TRUE(jobs.ok()) << jobs.status();
    return jobs.ok() ? IdsOf(*jobs) : std::vector<JobId>{};
  }

  Loaded Load() {
    Result<Loaded> loaded = LoadAll(*store_);
    EXPECT_TRUE(loaded.ok()) << loaded.status();
    return loaded.ok() ? *loaded : Loaded{};
  }

  /// Jobs 1..n, job i ended at time 10 * i.
  void CommitFinished(JobId n) {
    for (JobId i = 1; i <= n; ++i) {
      ASSERT_TRUE(Commit({Accepted(i), Ended(i, static_cast<std::int64_t>(10 * i))}).ok());
    }
  }

  void SetUp() override {
    store_ = GetParam().make(dir_.Path("jobs.db"));
    if (store_ == nullptr) GTEST_SKIP() << "PostgreSQL is not installed";
  }

  const TempDir dir_;
  std::unique_ptr<Store> store_;
};

TEST_P(StoreTest, EmptyStoreHasNothing) {
  EXPECT_THAT(Load().jobs, IsEmpty());
  EXPECT_THAT(Load().sequences, IsEmpty());
  EXPECT_THAT(List({}), IsEmpty());
  EXPECT_TRUE(absl::IsNotFound(store_->Find(1).status()));
}

TEST_P(StoreTest, AcceptedJobWaits) {
  ASSERT_TRUE(Commit({Accepted(7)}).ok());
  EXPECT_EQ(Get(7), (StoredJob{.accepted = Accepted(7), .state = Waiting{}}));
}

TEST_P(StoreTest, JobOfNoRunAndWithNothingInItIsKeptToo) {
  const JobAccepted bare{.id = 7, .queue = "q"};
  ASSERT_TRUE(Commit({bare}).ok());
  EXPECT_EQ(Get(7).accepted, bare);
}

TEST_P(StoreTest, StartedJobRunsWithItsWorker) {
  ASSERT_TRUE(Commit({Accepted(7)}).ok());
  ASSERT_TRUE(Commit({Started(7)}).ok());
  EXPECT_EQ(Get(7).state, (decltype(StoredJob::state)(Started(7))));
}

TEST_P(StoreTest, GangKeepsAllItsMembersByRank) {
  ASSERT_TRUE(Commit({Accepted(7), StartedGang(7, 12)}).ok());
  EXPECT_EQ(Get(7).state, (decltype(StoredJob::state)(StartedGang(7, 12))));
}

TEST_P(StoreTest, NextAttemptReplacesTheOneBefore) {
  ASSERT_TRUE(Commit({Accepted(7), StartedGang(7, 3)}).ok());
  ASSERT_TRUE(Commit({Started(7, 2)}).ok());
  EXPECT_EQ(Get(7).state, (decltype(StoredJob::state)(Started(7, 2))));
}

TEST_P(StoreTest, AttemptThatWasGivenUpLetsTheJobWait) {
  ASSERT_TRUE(Commit({Accepted(7), StartedGang(7, 3)}).ok());
  ASSERT_TRUE(Commit({AttemptGivenUp{.job = 7, .attempt = 4, .lost_attempts = 2}}).ok());
  EXPECT_EQ(Get(7).state, (decltype(StoredJob::state)(Waiting{4, 2})));
}

TEST_P(StoreTest, EndedJobKeepsItsEnd) {
  ASSERT_TRUE(Commit({Accepted(7)}).ok());
  ASSERT_TRUE(Commit({StartedGang(7, 3)}).ok());
  ASSERT_TRUE(Commit({Ended(7)}).ok());
  EXPECT_EQ(Get(7).state, (decltype(StoredJob::state)(Ended(7))));
  EXPECT_THAT(Load().jobs, IsEmpty());
}

TEST_P(StoreTest, JobEndsOnce) {
  ASSERT_TRUE(Commit({Accepted(7), Ended(7, 10)}).ok());
  ASSERT_TRUE(Commit({Ended(7, 20, queue::Outcome::kLost), Started(7)}).ok());
  ASSERT_TRUE(Commit({AttemptGivenUp{.job = 7, .attempt = 4}}).ok());
  EXPECT_EQ(Get(7).state, (decltype(StoredJob::state)(Ended(7, 10))));
}

TEST_P(StoreTest, EveryOutcomeComesBackAsItWas) {
  for (int i = 0; i < queue::kOutcomes; ++i) {
    const auto job = static_cast<JobId>(i + 1);
    const auto outcome = static_cast<queue::Outcome>(i);
    ASSERT_TRUE(Commit({Accepted(job), Ended(job, 1, outcome)}).ok());
    EXPECT_THAT(List({.outcomes = {outcome}}), ElementsAre(job));
  }
}

TEST_P(StoreTest, RequeuedJobKnowsItsSuccessor) {
  ASSERT_TRUE(Commit({Accepted(7), Ended(7)}).ok());
  ASSERT_TRUE(Commit({Accepted(8), JobRequeued{.from = 7, .to = 8}}).ok());
  EXPECT_EQ(Get(7).requeued_as, 8u);
  EXPECT_EQ(Get(8).requeued_as, 0u);
}

TEST_P(StoreTest, UnfinishedJobIsNotRequeued) {
  ASSERT_TRUE(Commit({Accepted(7), JobRequeued{.from = 7, .to = 8}}).ok());
  EXPECT_EQ(Get(7).requeued_as, 0u);
}

TEST_P(StoreTest, TakenJobIsNotThereAnyMore) {
  ASSERT_TRUE(Commit({Accepted(7), AttemptGivenUp{.job = 7, .attempt = 2}, Accepted(8)}).ok());
  ASSERT_TRUE(Commit({JobTaken{7}, JobTaken{9}}).ok());
  EXPECT_THAT(List({}), ElementsAre(8));
  EXPECT_THAT(Load().ids(), ElementsAre(8));
  ASSERT_TRUE(Commit({Accepted(7)}).ok());
  EXPECT_THAT(Load().ids(), ElementsAre(7, 8)) << "it may come again";
}

TEST_P(StoreTest, EndedJobIsNotTaken) {
  ASSERT_TRUE(Commit({Accepted(7), Ended(7)}).ok());
  ASSERT_TRUE(Commit({JobTaken{7}}).ok());
  EXPECT_THAT(List({}), ElementsAre(7));
}

TEST_P(StoreTest, RecordsOfAJobThatIsNotThereChangeNothing) {
  ASSERT_TRUE(Commit({Started(7), StartedGang(8, 2), AttemptGivenUp{.job = 9, .attempt = 1},
                      Ended(10), JobRequeued{.from = 11, .to = 12}})
                  .ok());
  EXPECT_THAT(List({}), IsEmpty());
  EXPECT_THAT(Load().jobs, IsEmpty());
}

TEST_P(StoreTest, CommittingAGroupAgainChangesNothing) {
  const std::vector<Record> group = {Accepted(1),
                                     Accepted(2),
                                     Accepted(3),
                                     Accepted(4),
                                     Started(1),
                                     Started(2),
                                     StartedGang(3, 3),
                                     Ended(1),
                                     JobRequeued{.from = 1, .to = 4},
                                     AttemptGivenUp{.job = 2, .attempt = 1, .lost_attempts = 1},
                                     SequenceUsed{.queue = "sleep", .sequence = 4}};
  ASSERT_TRUE(Commit(group).ok());
  const auto before = store_->List({});
  ASSERT_TRUE(Commit(group).ok());
  EXPECT_EQ(store_->List({}), before);
  EXPECT_THAT(Load().ids(), ElementsAre(2, 3, 4));
}

TEST_P(StoreTest, OtherJobWithTheSameIdIsRefusedWithItsWholeGroup) {
  ASSERT_TRUE(Commit({Accepted(7)}).ok());
  JobAccepted other = Accepted(7);
  other.spec = "another";
  EXPECT_TRUE(absl::IsAlreadyExists(Commit({Accepted(6), other, Accepted(8)})));
  EXPECT_THAT(List({}), ElementsAre(7));
  EXPECT_EQ(Get(7).accepted, Accepted(7));
}

TEST_P(StoreTest, EndedJobThatIsAcceptedAgainDoesNotComeBack) {
  ASSERT_TRUE(Commit({Accepted(7), Ended(7)}).ok());
  ASSERT_TRUE(Commit({Accepted(7)}).ok());
  EXPECT_THAT(Load().jobs, IsEmpty());
  EXPECT_EQ(Get(7).state, (decltype(StoredJob::state)(Ended(7))));
  JobAccepted other = Accepted(7);
  other.spec = "another";
  EXPECT_TRUE(absl::IsAlreadyExists(Commit({other})));
  EXPECT_EQ(Get(7).accepted, Accepted(7));
}

TEST_P(StoreTest, TwoJobsOfOneGroupWithTheSameIdAreRefused) {
  JobAccepted other = Accepted(7);
  other.spec = "another";
  EXPECT_TRUE(absl::IsAlreadyExists(Commit({Accepted(7), other})));
  EXPECT_THAT(List({}), IsEmpty());
}

TEST_P(StoreTest, LoadGivesUnfinishedJobsInOrderOfTheirSequence) {
  ASSERT_TRUE(Commit({Accepted(Id(2, 10)), Accepted(Id(0, 30)), Accepted(Id(200, 20)),
                      Accepted(Id(1, 5)), Accepted(Id(1, 6)), Started(Id(1, 5)), Ended(Id(1, 6))})
                  .ok());
  EXPECT_THAT(Load().ids(), ElementsAre(Id(1, 5), Id(2, 10), Id(200, 20), Id(0, 30)));
}

TEST_P(StoreTest, LongSpecsOfDurableJobsStayUntilTheyAreWanted) {
  const std::string spec = std::string(kLongSpec, '\0') + "\xff";
  for (const JobId id : {Id(1, 1) | queue::kDurableBit, Id(1, 2) | queue::kDurableBit, Id(1, 3)}) {
    JobAccepted job = Accepted(id);
    job.spec = queue::Sequence(queue::JobId{id}) == 2 ? spec.substr(1) : spec;
    ASSERT_TRUE(Commit({job}).ok());
  }
  std::vector<std::size_t> here;
  for (const StoredJob& job : Load().jobs) {
    here.push_back(job.accepted.spec.size());
    EXPECT_EQ(job.accepted.spec.size() + job.spec_left, Get(job.accepted.id).accepted.spec.size());
  }
  EXPECT_THAT(here, ElementsAre(kLongSpec + 1, 0, kLongSpec)) << "the first is volatile";
  const auto wanted = [](JobId id) { return std::make_shared<WantedSpec>(WantedSpec{.job = id}); };
  const JobId first = Id(1, 1) | queue::kDurableBit;
  const WantedSpecs specs = {wanted(first), wanted(7), wanted(Id(1, 3)), wanted(first)};
  ASSERT_TRUE(store_->ReadSpecs(specs).ok());
  EXPECT_FALSE(specs[1]->found);
  for (const std::size_t place : {0U, 2U, 3U}) {
    EXPECT_TRUE(specs[place]->found) << place;
    EXPECT_EQ(specs[place]->spec, spec) << place;
  }
}

TEST_P(StoreTest, HighestSequenceOfEachQueueStays) {
  ASSERT_TRUE(Commit({SequenceUsed{"a", 5}, SequenceUsed{"b", 1}, SequenceUsed{"a", 4}}).ok());
  ASSERT_TRUE(Commit({SequenceUsed{"b", 9}, SequenceUsed{"a", 2}}).ok());
  EXPECT_THAT(Load().sequences, ElementsAre(Pair("a", 5), Pair("b", 9)));
}

TEST_P(StoreTest, ListComesByIdInPages) {
  for (JobId job = 1; job <= 7; ++job) ASSERT_TRUE(Commit({Accepted(8 - job)}).ok());
  EXPECT_THAT(List({.limit = 3}), ElementsAre(1, 2, 3));
  EXPECT_THAT(List({.after = 3, .limit = 3}), ElementsAre(4, 5, 6));
  EXPECT_THAT(List({.after = 6, .limit = 3}), ElementsAre(7));
  EXPECT_THAT(List({.limit = 0}), IsEmpty());
}

TEST_P(StoreTest, PagesReachQueuesOfHighNumbersToo) {
  ASSERT_TRUE(Commit({Accepted(Id(1, 1)), Accepted(Id(200, 1)), Accepted(Id(200, 2))}).ok());
  EXPECT_THAT(List({.limit = 2}), ElementsAre(Id(200, 1), Id(200, 2)));
  EXPECT_THAT(List({.after = Id(200, 2), .limit = 2}), ElementsAre(Id(1, 1)));
}

TEST_P(StoreTest, ListPicksByQueueRunAndOutcome) {
  JobAccepted media = Accepted(4, "sweep");
  media.queue = "media";
  ASSERT_TRUE(Commit({Accepted(1), Accepted(2, "sweep"), Accepted(3, ""), media,
                      Ended(2, 1, queue::Outcome::kFailed), Ended(4, 1)})
                  .ok());
  EXPECT_THAT(List({.queue = "sleep"}), ElementsAre(1, 2, 3));
  JobAccepted shard = Accepted(5);
  JobAccepted other = Accepted(6);
  shard.queue = "media/1";
  other.queue = "media1";
  ASSERT_TRUE(Commit({shard, other}).ok());
  EXPECT_THAT(List({.queue = "media"}), ElementsAre(4, 5));
  EXPECT_THAT(List({.queue = "media/1"}), ElementsAre(5));
  EXPECT_THAT(List({.run = "sweep"}), ElementsAre(2, 4));
  EXPECT_THAT(List({.run = ""}), ElementsAre(3));
  EXPECT_THAT(List({.queue = "media", .run = "sweep"}), ElementsAre(4));
  EXPECT_THAT(List({.outcomes = {queue::Outcome::kFailed}}), ElementsAre(2));
  EXPECT_THAT(List({.outcomes = {queue::Outcome::kFailed, queue::Outcome::kSucceeded}}),
              ElementsAre(2, 4));
  EXPECT_THAT(List({.run = "sweep", .outcomes = {queue::Outcome::kSucceeded}}), ElementsAre(4));
}

TEST_P(StoreTest, ListShowsJobsWhole) {
  ASSERT_TRUE(Commit({Accepted(1), Accepted(2), StartedGang(2, 3), Accepted(3), Ended(3)}).ok());
  const auto jobs = store_->List({});
  ASSERT_TRUE(jobs.ok());
  EXPECT_THAT(*jobs, ElementsAre(Get(1), Get(2), Get(3)));
}

TEST_P(StoreTest, ListShowsHeadlinesWhereTheyAreAskedFor) {
  ASSERT_TRUE(
      Commit({Accepted(1), EndedWith(1, FullResult(3.5)), Accepted(2), Ended(2), Accepted(3)})
          .ok());
  const auto jobs = store_->List({.headlines = true});
  ASSERT_TRUE(jobs.ok());
  ASSERT_EQ(jobs->size(), 3U);
  const v1::BenchmarkResult headlines = ResultOf("iperf", {Throughput(3.5)});
  EXPECT_EQ(std::get<JobEnded>((*jobs)[0].state).benchmark, SharedBenchmark(headlines));
  EXPECT_EQ(std::get<JobEnded>((*jobs)[1].state).benchmark, SharedBenchmark());
  const auto without = store_->List({});
  ASSERT_TRUE(without.ok());
  EXPECT_EQ(std::get<JobEnded>((*without)[0].state).benchmark, SharedBenchmark());
}

TEST_P(StoreTest, ForgetsJobsThatEndedTooLongAgo) {
  CommitFinished(5);
  EXPECT_EQ(*store_->Forget({.older_than_unix_ns = 30}, 100), 2u);
  EXPECT_THAT(List({}), ElementsAre(3, 4, 5));
  EXPECT_EQ(*store_->Forget({.older_than_unix_ns = 30}, 100), 0u);
}

TEST_P(StoreTest, ForgetsAllButSoMany) {
  CommitFinished(5);
  EXPECT_EQ(*store_->Forget({.keep_at_most = 2}, 100), 3u);
  EXPECT_THAT(List({}), ElementsAre(4, 5));
  CommitFinished(7);
  EXPECT_EQ(*store_->Forget({.keep_at_most = 2}, 100), 5u);
  EXPECT_THAT(List({}), ElementsAre(6, 7));
}

TEST_P(StoreTest, ForgetsInStepsThoseThatEndedFirst) {
  ASSERT_TRUE(
      Commit({Accepted(1), Accepted(2), Accepted(3), Ended(1, 30), Ended(2, 10), Ended(3, 20)})
          .ok());
  EXPECT_EQ(*store_->Forget({.keep_at_most = 0}, 2), 2u);
  EXPECT_THAT(List({}), ElementsAre(1));
  EXPECT_EQ(*store_->Forget({.keep_at_most = 0}, 2), 1u);
}

TEST_P(StoreTest, NeverForgetsUnfinishedJobsNorSequences) {
  ASSERT_TRUE(Commit({Accepted(1), Started(1), Accepted(2), SequenceUsed{"sleep", 2}}).ok());
  EXPECT_EQ(*store_->Forget({.older_than_unix_ns = INT64_MAX, .keep_at_most = 0}, 100), 0u);
  EXPECT_THAT(Load().ids(), ElementsAre(1, 2));
  EXPECT_THAT(Load().sequences, ElementsAre(Pair("sleep", 2)));
}

TEST_P(StoreTest, ForgottenIdCanBeUsedAgain) {
  CommitFinished(1);
  ASSERT_EQ(*store_->Forget({.keep_at_most = 0}, 100), 1u);
  ASSERT_TRUE(Commit({Accepted(1, "another")}).ok());
  EXPECT_EQ(Get(1), (StoredJob{.accepted = Accepted(1, "another")}));
}

std::unique_ptr<Store> MakeMemoryStore(const std::string&) {
  return std::make_unique<MemoryStore>();
}

std::unique_ptr<Store> MakeSqliteStore(const std::string& path) {
  return SqliteStore::Open(path).value();
}

std::unique_ptr<Store> MakePostgresStore(const std::string&) {
  if (!PostgresServer::IsInstalled()) return nullptr;
  return PostgresStore::Open(PostgresServer::TargetOf(PostgresServer::Shared().NewDatabase()))
      .value();
}

const auto kKinds =
    ::testing::Values(StoreKind{"memory", MakeMemoryStore}, StoreKind{"sqlite", MakeSqliteStore},
                      StoreKind{"postgres", MakePostgresStore});

INSTANTIATE_TEST_SUITE_P(Stores, StoreTest, kKinds,
                         [](const auto& each) { return std::string(each.param.name); });

/// Lives of jobs at random, split into groups at random.
class RandomLives {
 public:
  explicit RandomLives(std::uint64_t seed) : random_(seed) {}

  std::vector<Record> Group() {
    std::vector<Record> group;
    const std::size_t size = 1 + random_() % 20;
    while (group.size() < size) group.push_back(Next());
    return group;
  }

  /// A group is of this job and the forty before it at most.
  [[nodiscard]] JobId newest() const { return jobs_; }

 private:
  Record Next() {
    if (jobs_ == 0 || random_() % 4 == 0) return Accepted(++jobs_);
    // One of the last, so that most of them are not finished, or even forgotten.
    const JobId job = jobs_ - random_() % std::min<JobId>(jobs_, 20);
    if (taken_.contains(job)) return Accepted(++jobs_);  // nothing comes after that
    const auto attempt = static_cast<std::uint32_t>(1 + random_() % 4);
    switch (random_() % 6) {
      case 0:
        return Started(job, attempt);
      case 1:
        return StartedGang(job, attempt);
      case 2:
        return AttemptGivenUp{.job = job, .attempt = attempt, .lost_attempts = 1};
      case 3:
        if (ended_.contains(job)) return JobRequeued{.from = job, .to = job + 1};
        [[fallthrough]];
      case 4:
        if (!ended_.contains(job)) {
          taken_.insert(job);
          return JobTaken{job};
        }
        [[fallthrough]];
      default:
        ended_.insert(job);
        return Ended(job, static_cast<std::int64_t>(random_() % 100));
    }
  }

  std::mt19937_64 random_;
  JobId jobs_ = 0;
  std::set<JobId> ended_;
  std::set<JobId> taken_;
};

class StoreModelTest : public StoreTest {};

// A whole group is written at once; what comes out must be as if record by record.
TEST_P(StoreModelTest, GroupsHaveTheEffectOfTheirRecordsOneByOne) {
  MemoryStore model;
  RandomLives lives(4711);
  for (int i = 0; i < 300; ++i) {
    const std::vector<Record> group = lives.Group();
    ASSERT_EQ(store_->Commit(group).code(), model.Commit(group).code());
    if (i % 10 == 0) {
      const Retention retention{.older_than_unix_ns = 10, .keep_at_most = 12};
      ASSERT_EQ(store_->Forget(retention, 3), model.Forget(retention, 3));
    }
    const JobQuery touched{.after = lives.newest() - std::min<JobId>(lives.newest(), 40)};
    ASSERT_EQ(store_->List(touched), model.List(touched)) << "group " << i;
  }
  EXPECT_EQ(store_->List({}), model.List({}));
  EXPECT_EQ(LoadAll(*store_)->jobs, LoadAll(model)->jobs);
}

INSTANTIATE_TEST_SUITE_P(Stores, StoreModelTest, kKinds,
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace twofold::results
