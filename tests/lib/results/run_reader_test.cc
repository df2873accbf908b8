// Runs as people ask for them: counts, and statistics over repetitions, page by page.

#include "lib/results/run_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "lib/stats/comparison.h"
#include "lib/stats/repetitions.h"
#include "lib/words/run_state.h"
#include "tests/lib/results/benchmark_samples.h"
#include "tests/lib/results/engines.h"

namespace twofold::results {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

v1::BenchmarkResult Measured(double throughput) {
  return ResultOf("iperf", {Number("retransmits", 3), Throughput(throughput)});
}

/// What a headline is, without its numbers.
v1::Measurement MetricOf(const v1::MetricResult& headline) {
  v1::Measurement metric = Number(headline.name(), 0, headline.unit(), headline.better());
  metric.set_headline(true);
  *metric.mutable_dimensions() = headline.dimensions();
  return metric;
}

class RunReaderTest : public ::testing::TestWithParam<EngineKind> {
 protected:
  void SetUp() override {
    engine_ = MakeEngine(GetParam());
    if (engine_ == nullptr) GTEST_SKIP() << "PostgreSQL is not installed";
    store_ = engine_->OpenStore();
  }

  void Commit(const std::vector<Record>& records) {
    ASSERT_EQ(store_->Commit(records), absl::OkStatus());
  }
  v1::Run Run(const std::string& id = "sweep") {
    const auto run = Reader().Find(id);
    EXPECT_TRUE(run.ok()) << run.status();
    return run.ok() ? *run : v1::Run{};
  }
  std::int64_t Number() { return Reader().NumberOf("sweep").value(); }
  const RunReader& Reader() {
    if (!reader_) reader_ = engine_->OpenReader();
    return *reader_;
  }
  /// Of all pages.
  std::vector<v1::PermutationResult> Results() {
    std::vector<v1::PermutationResult> all;
    const std::int64_t run = Number();
    for (std::uint64_t from = 0;;) {
      const auto page = Reader().Results(run, from);
      EXPECT_TRUE(page.ok()) << page.status();
      if (!page.ok() || page->empty()) return all;
      ++pages_;
      all.insert(all.end(), page->begin(), page->end());
      from = all.back().number() + 1;
    }
  }

  std::unique_ptr<TestEngine> engine_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<RunReader> reader_;
  int pages_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Engines, RunReaderTest, kEngineKinds, EngineName);

TEST_P(RunReaderTest, RunIsThereBeforeItsFirstJob) {
  Commit({SweepCreated()});
  v1::Run expected = SweepCreated().run;
  expected.mutable_counts()->set_planned(6);
  EXPECT_EQ(Run(), expected);
  EXPECT_THAT(Results(), IsEmpty());
}

TEST_P(RunReaderTest, ARunThatStoppedByLookingHasTheIntervalOfLooks) {
  RunCreated created = SweepCreated(1);
  (*created.run.mutable_labels())[kUntilLabel] = "3 %";
  std::vector<Record> records = {created};
  std::vector<double> values;
  for (JobId id = 1; id <= 8; ++id) {
    values.push_back(100.0 + static_cast<double>(id));
    records.emplace_back(Placed(id, 1, static_cast<std::uint32_t>(id)));
    records.emplace_back(EndedWith(id, Measured(values.back())));
  }
  Commit(records);
  const v1::MetricResult headline = Results().at(0).headlines(0);
  EXPECT_TRUE(headline.looked());
  EXPECT_DOUBLE_EQ(headline.half_width(), stats::IntervalOfLooks(values).half_width);
  EXPECT_EQ(headline.doubt(), "correlated");
}

TEST_P(RunReaderTest, ARunThatStoppedByLookingLeavesOutItsWarmUpAndSaysSo) {
  RunCreated created = SweepCreated(1);
  (*created.run.mutable_labels())[kUntilLabel] = "3 %";
  std::vector<Record> records = {created};
  for (JobId id = 1; id <= 16; ++id) {
    records.emplace_back(Placed(id, 1, static_cast<std::uint32_t>(id)));
    const double value = id == 1 ? 70.0 : 100.0 + static_cast<double>(id % 3);
    records.emplace_back(EndedWith(id, Measured(value)));
  }
  Commit(records);
  const v1::MetricResult headline = Results().at(0).headlines(0);
  EXPECT_EQ(headline.n(), 14U) << "half as many again as are seen";
  EXPECT_EQ(headline.least(), 100.0);
  EXPECT_EQ(headline.doubt(), "warm-up");
}

TEST_P(RunReaderTest, PeakIsOneHeadlineWhereverItWasFound) {
  std::vector<Record> records = {SweepCreated(1)};
  const char* const sizes[] = {"4194304", "2097152", "2097152"};
  for (JobId id = 1; id <= 3; ++id) {
    records.emplace_back(Placed(id, 1, static_cast<std::uint32_t>(id)));
    records.emplace_back(
        EndedWith(id, ResultOf("osu", {Peak(99 + static_cast<double>(id), sizes[id - 1])})));
  }
  Commit(records);
  const auto results = Results();
  ASSERT_THAT(results, SizeIs(1));
  ASSERT_THAT(results[0].headlines(), SizeIs(1));
  const v1::MetricResult& peak = results[0].headlines(0);
  v1::Measurement metric = Peak(0, "");
  metric.clear_at();
  EXPECT_EQ(MetricOf(peak), metric);
  EXPECT_EQ(peak.n(), 3u);
  EXPECT_DOUBLE_EQ(peak.mean(), 101);
  ASSERT_THAT(peak.at(), SizeIs(2));
  EXPECT_EQ(peak.at(0).place(0), Peak(0, "2097152").at(0));
  EXPECT_EQ(peak.at(0).n(), 2u);
  EXPECT_EQ(peak.at(1).place(0), Peak(0, "4194304").at(0));
  EXPECT_EQ(peak.at(1).n(), 1u);
  EXPECT_EQ(Reader().Jobs(Number(), 1, std::nullopt, 9)->front().measurements(0),
            Peak(100, "4194304"));
}

TEST_P(RunReaderTest, JobsThatRanAtTheSameTimeAreCounted) {
  const v1::BenchmarkResult measured = Measured(9);
  JobEnded beside = EndedWith(2, measured);
  beside.run_time = std::chrono::seconds(2);  // since before the end of the first
  Commit({SweepCreated(1), Placed(1, 1, 1), EndedWith(1, measured), Placed(2, 1, 2), beside,
          Placed(3, 1, 3), EndedWith(3, measured), Placed(4, 1, 4)});
  const auto overlaps = Reader().FindOverlaps(Number());
  ASSERT_TRUE(overlaps.ok()) << overlaps.status();
  const auto page = Reader().Results(Number(), 0, *overlaps);
  ASSERT_TRUE(page.ok()) << page.status();
  EXPECT_EQ(page->at(0).succeeded(), 3U);
  EXPECT_EQ(page->at(0).overlapped(), 2U);
  EXPECT_EQ(page->at(0).most_overlaps(), 1U);
}

TEST_P(RunReaderTest, UnknownRunIsNamed) {
  EXPECT_EQ(Reader().Find("nope").status(), absl::NotFoundError("id: there is no run 'nope'"));
}

TEST_P(RunReaderTest, SecondRunWithTheSameIdChangesNothing) {
  RunCreated other = SweepCreated(5);
  other.run.set_definition("another");
  Commit({SweepCreated()});
  Commit({other});
  EXPECT_EQ(Run().definition(), "kind: BenchmarkSet\n");
}

TEST_P(RunReaderTest, RunThatOnlyItsJobsHaveMadeIsFilledIn) {
  Commit({Accepted(1, "sweep")});
  EXPECT_EQ(Run().definition(), "");
  Commit({SweepCreated()});
  EXPECT_EQ(Run().definition(), "kind: BenchmarkSet\n");
  EXPECT_EQ(Run().plan(), SweepCreated().run.plan());
}

TEST_P(RunReaderTest, CancellingIsRememberedFromTheFirstTime) {
  Commit({SweepCreated(), RunCancelled{"sweep", 5}});
  Commit({RunCancelled{"sweep", 6}, RunCancelled{"nope", 7}});
  EXPECT_EQ(Run().cancelled_unix_ns(), 5);
}

TEST_P(RunReaderTest, DeletedRunGoesWithItsJobsStepByStepAndOthersStay) {
  Commit({SweepCreated(), Placed(1, 1, 1), Ended(1, 10), Placed(2, 1, 2), Ended(2, 20),
          Placed(3, 1, 3), Ended(3, 30), Accepted(9, "other"), Ended(9, 40)});
  Commit({RunDeleted{"sweep", 2}});
  EXPECT_EQ(Run().counts().ended().at("succeeded"), 1u);
  Commit({RunDeleted{"sweep", 2}, RunDeleted{"nope", 2}});
  EXPECT_TRUE(absl::IsNotFound(Reader().Find("sweep").status()));
  EXPECT_EQ(Run("other").counts().ended().at("succeeded"), 1u);
  EXPECT_EQ(store_->List({.limit = 10})->size(), 1u);
  Commit({SweepCreated()});
  EXPECT_EQ(Run().counts().ended_size(), 0) << "its id is for use again";
}

TEST_P(RunReaderTest, RunWithUnfinishedJobsIsNotDeleted) {
  Commit({SweepCreated(), Placed(1, 1, 1), Ended(1, 10), Placed(2, 1, 2)});
  Commit({RunDeleted{"sweep", 10}});
  EXPECT_EQ(Run().counts().waiting(), 1u);
  EXPECT_EQ(Run().counts().ended().at("succeeded"), 1u);
}

TEST_P(RunReaderTest, RunToWhichNoJobHasComeIsForgottenWhenItIsOld) {
  RunCreated draft = SweepCreated();
  draft.run.set_id("draft");
  draft.run.set_created_unix_ns(100);
  RunCreated begun = SweepCreated();
  begun.run.set_created_unix_ns(100);
  Commit({draft, begun, Placed(1, 1, 1)});
  ASSERT_TRUE(store_->Forget({.drafts_older_than_unix_ns = 100}, 10).ok());
  EXPECT_EQ(Run("draft").created_unix_ns(), 100);
  ASSERT_TRUE(store_->Forget({.drafts_older_than_unix_ns = 101}, 10).ok());
  EXPECT_TRUE(absl::IsNotFound(Reader().Find("draft").status()));
  EXPECT_EQ(Run().created_unix_ns(), 100);
}

TEST_P(RunReaderTest, JobsAreCountedByHowTheyAre) {
  Commit({SweepCreated(), Placed(1, 1, 1), Placed(2, 1, 2), Started(2), Placed(3, 1, 3),
          Ended(3, 30), Placed(4, 2, 1), Ended(4, 40, queue::Outcome::kFailed), Placed(5, 2, 1),
          JobRequeued{4, 5}, Placed(6, 2, 2), Ended(6, 35, queue::Outcome::kLost)});
  v1::RunCounts expected;
  expected.set_waiting(2);
  expected.set_running(1);
  (*expected.mutable_ended())["succeeded"] = 1;
  (*expected.mutable_ended())["lost"] = 1;
  expected.set_submitted_again(1);
  expected.set_planned(1);
  EXPECT_EQ(Run().counts(), expected);
}

TEST_P(RunReaderTest, NewestRunsComeFirstInPages) {
  for (JobId id = 1; id <= 5; ++id) Commit({Accepted(id, "run-" + std::to_string(id))});
  v1::ListRunsRequest request;
  request.set_page_size(3);
  const auto first = Reader().List(request);
  ASSERT_THAT(first->runs(), SizeIs(3));
  EXPECT_EQ(first->runs(0).id(), "run-5");
  EXPECT_EQ(first->runs(0).counts().waiting(), 1u);
  request.set_page_token(first->next_page_token());
  const auto second = Reader().List(request);
  ASSERT_THAT(second->runs(), SizeIs(2));
  EXPECT_EQ(second->runs(1).id(), "run-1");
}

TEST_P(RunReaderTest, StatisticsAreOfMeasuredJobsThatSucceeded) {
  Commit({SweepCreated(), Placed(1, 1, 1, true), EndedWith(1, Measured(1000)), Placed(2, 1, 1),
          EndedWith(2, Measured(3)), Placed(3, 1, 2), EndedWith(3, Measured(5)), Placed(4, 1, 3),
          EndedWith(4, Measured(900), queue::Outcome::kFailed), Placed(5, 2, 1),
          Ended(5, 1, queue::Outcome::kTimedOut), Placed(6, 2, 2), Placed(7, 1, 4),
          EndedWith(7, Measured(800)), Placed(8, 1, 4), JobRequeued{7, 8}});
  const auto results = Results();
  ASSERT_THAT(results, SizeIs(2));
  EXPECT_EQ(results[0].number(), 1u);
  EXPECT_EQ(results[0].varied(), R"({"streams":1})");
  EXPECT_EQ(results[0].succeeded(), 2u);
  EXPECT_EQ(results[0].failed(), 1u);
  EXPECT_EQ(results[0].warm_ups(), 1u);
  EXPECT_EQ(results[0].unfinished(), 1u);
  ASSERT_THAT(results[0].headlines(), SizeIs(1));
  EXPECT_EQ(MetricOf(results[0].headlines(0)), Throughput(0));
  EXPECT_EQ(results[0].headlines(0).n(), 2u);
  EXPECT_EQ(results[0].headlines(0).mean(), 4.0);
  EXPECT_EQ(results[1].failed(), 1u);
  EXPECT_EQ(results[1].unfinished(), 1u);
  EXPECT_THAT(results[1].headlines(), IsEmpty());
}

TEST_P(RunReaderTest, APermutationKnowsHowManyOfItsJobsRun) {
  Commit({SweepCreated(), Placed(1, 1, 1), Started(1), Ended(1), Placed(2, 1, 2), Started(2),
          Placed(3, 1, 3), Placed(4, 2, 1)});
  const auto results = Results();
  ASSERT_THAT(results, SizeIs(2));
  EXPECT_EQ(results[0].unfinished(), 2u);
  EXPECT_EQ(results[0].running(), 1u);
  EXPECT_EQ(results[1].unfinished(), 1u);
  EXPECT_EQ(results[1].running(), 0u);
}

TEST_P(RunReaderTest, EachHeadlineOfAJobHasItsOwnStatistics) {
  for (JobId id = 1; id <= 3; ++id) {
    v1::BenchmarkResult both = Measured(static_cast<double>(id));
    *both.add_measurements() = Throughput(10.0 * static_cast<double>(id), "reverse");
    Commit({Placed(id, 1, 1), EndedWith(id, both)});
  }
  const auto results = Results();
  ASSERT_THAT(results, SizeIs(1));
  EXPECT_EQ(results[0].succeeded(), 3u);
  ASSERT_THAT(results[0].headlines(), SizeIs(2));
  EXPECT_EQ(MetricOf(results[0].headlines(1)), Throughput(0, "reverse"));
  EXPECT_EQ(results[0].headlines(1).mean(), 20.0);
}

TEST_P(RunReaderTest, LongRunsComeInPagesAndNothingIsCutInTwo) {
  std::vector<Record> records = {SweepCreated(1200)};
  for (JobId id = 0; id < 2400; ++id) {
    records.emplace_back(Placed(id + 1, id % 1200 + 1, 1));
    records.emplace_back(EndedWith(id + 1, Measured(1)));
  }
  Commit(records);
  const auto results = Results();
  EXPECT_EQ(pages_, 3);
  ASSERT_THAT(results, SizeIs(1200));
  for (std::size_t i = 0; i < results.size(); ++i) {
    ASSERT_EQ(results[i].number(), i + 1);
    ASSERT_EQ(results[i].headlines(0).n(), 2u);
  }
}

TEST_P(RunReaderTest, JobsOfAPermutationComeInPagesWithAllTheirNumbers) {
  const JobId high = Id(200, 1);
  Commit({Placed(1, 1, 1), EndedWith(1, Measured(3)), Placed(high, 1, 2), Placed(2, 1, 3, true),
          Started(2), Placed(3, 2, 1)});
  const auto first = Reader().Jobs(Number(), 1, std::nullopt, 2);
  ASSERT_THAT(*first, SizeIs(2));
  EXPECT_EQ((*first)[0].id(), high);
  EXPECT_EQ((*first)[0].state(), v1::JOB_STATE_WAITING);
  EXPECT_EQ((*first)[1].place(), Placed(1, 1, 1).place);
  const auto measured = Measured(3).measurements();
  EXPECT_THAT((*first)[1].measurements(),
              ElementsAre(measured[1], measured[0]));  // headlines first
  EXPECT_EQ((*first)[1].run_ns(), static_cast<std::uint64_t>(Ended(1).run_time.count()));
  EXPECT_EQ((*first)[1].outcome(), v1::OUTCOME_SUCCEEDED);
  const auto second = Reader().Jobs(Number(), 1, first->back().id(), 2);
  ASSERT_THAT(*second, SizeIs(1));
  EXPECT_EQ(second->front().state(), v1::JOB_STATE_RUNNING);
  EXPECT_TRUE(second->front().place().warm_up());
}

/// A run of one job that runs and one that waits.
std::vector<Record> HalfWay(const std::string& local) {
  RunCreated created = SweepCreated(1);
  if (!local.empty()) (*created.run.mutable_labels())[kLocalLabel] = local;
  return {created, Placed(1, 1, 1), Started(1), Placed(2, 1, 2)};
}

TEST(RunReaderOfAFile, WhatRanOfALocalRunWaitsOnceNobodyHasTheFile) {
  SqliteEngine engine;
  std::unique_ptr<Store> store = engine.OpenStore();
  ASSERT_EQ(store->Commit(HalfWay("vm")), absl::OkStatus());
  const std::unique_ptr<RunReader> reader = engine.OpenReader();
  const std::int64_t number = reader->NumberOf("sweep").value();
  EXPECT_STREQ(StateOf(reader->Find("sweep").value()), "running");
  EXPECT_EQ(reader->Results(number, 0)->front().running(), 1);
  EXPECT_EQ(reader->Jobs(number, 1, std::nullopt, 1)->front().state(), v1::JOB_STATE_RUNNING);

  store.reset();  // as a process that is killed leaves it
  const v1::Run run = reader->Find("sweep").value();
  EXPECT_STREQ(StateOf(run), "waiting");
  EXPECT_EQ(run.counts().waiting(), 2);
  EXPECT_EQ(run.counts().running(), 0);
  EXPECT_STREQ(StateOf(reader->List({})->runs(0)), "waiting");
  EXPECT_EQ(reader->Results(number, 0)->front().running(), 0);
  EXPECT_EQ(reader->Results(number, 0)->front().unfinished(), 2);
  const v1::JobResult job = reader->Jobs(number, 1, std::nullopt, 1)->front();
  EXPECT_EQ(job.state(), v1::JOB_STATE_WAITING);
  EXPECT_EQ(job.started_unix_ns(), 0);
  EXPECT_EQ(job.pod(), "");
}

TEST(RunReaderOfAFile, WhatRanOnAClusterMayRunThoughNobodyHasTheFile) {
  SqliteEngine engine;
  ASSERT_EQ(engine.OpenStore()->Commit(HalfWay("")), absl::OkStatus());
  EXPECT_STREQ(StateOf(engine.OpenReader()->Find("sweep").value()), "running")
      << "workers outlive a frontend";
}

TEST_P(RunReaderTest, JobsSayWhenTheyBeganAndWhere) {
  const JobEnded withdrawn = [] {
    JobEnded ended = Ended(4, 1'760'000'002'000'000'000, queue::Outcome::kCancelled);
    ended.attempts = 0;
    ended.node = ended.pod = ended.device = "";
    return ended;
  }();
  Commit({Placed(1, 1, 1), Ended(1), Placed(2, 1, 2), Started(2), Placed(3, 1, 3),
          StartedGang(3, 2), Placed(4, 1, 4), withdrawn, Placed(5, 1, 5)});
  const auto jobs = Reader().Jobs(Number(), 1, std::nullopt, 9);
  ASSERT_THAT(*jobs, SizeIs(5)) << "a gang is one job";
  EXPECT_EQ((*jobs)[0].started_unix_ns(), 1'760'000'001'750'000'000) << "0.25 s before its end";
  EXPECT_EQ((*jobs)[0].node(), "node-1");
  EXPECT_EQ((*jobs)[0].pod(), "pod-1");
  EXPECT_EQ((*jobs)[0].device(), "gpu0");
  EXPECT_EQ((*jobs)[1].started_unix_ns(), Started(2).started_unix_ns);
  EXPECT_EQ((*jobs)[1].device(), "gpu0");
  EXPECT_EQ((*jobs)[2].started_unix_ns(), 7);
  EXPECT_EQ((*jobs)[2].pod(), "pod-0") << "of a gang rank 0";
  for (const int nobodys : {3, 4}) {
    EXPECT_EQ((*jobs)[static_cast<std::size_t>(nobodys)].started_unix_ns(), 0);
    EXPECT_EQ((*jobs)[static_cast<std::size_t>(nobodys)].node(), "");
  }
}

TEST_P(RunReaderTest, ArtifactIsFoundByRankStageAndName) {
  Commit({Accepted(7), EndedWith(7, FullResult())});
  const auto find = [&](JobId job, std::uint32_t rank, const char* stage, const char* name) {
    v1::GetArtifactRequest request;
    request.set_job(job);
    request.set_rank(rank);
    request.set_stage(stage);
    request.set_name(name);
    return Reader().FindArtifact(request);
  };
  EXPECT_EQ(*find(7, 0, "", ""), FullResult().ranks(0).stages(0).out());
  EXPECT_EQ(find(7, 0, "server", "stderr")->name(), "stderr");
  EXPECT_EQ(find(7, 1, "client", "")->name(), "/tmp/a file");
  EXPECT_EQ(find(7, 1, "again", "").status(),
            absl::NotFoundError("job 7 has no such output of rank 1"));
  EXPECT_EQ(find(8, 0, "", "").status(), absl::NotFoundError("id: there is no job 8"));
}

// ---- The view that has the same

TEST_P(RunReaderTest, ViewHasTheSameStatistics) {
  std::vector<Record> records = {SweepCreated()};
  const double values[] = {3, 5, 4, 10, 6.5};
  for (JobId id = 1; id <= 5; ++id) {
    records.emplace_back(Placed(id, 1, 1));
    records.emplace_back(EndedWith(id, Measured(values[id - 1])));
  }
  records.insert(records.end(), {Placed(6, 1, 1), Ended(6, 1, queue::Outcome::kFailed),
                                 Placed(7, 2, 1), Ended(7, 1, queue::Outcome::kFailed)});
  Commit(records);
  const auto results = Results();
  const v1::MetricResult& summary = results.at(0).headlines(0);
  const auto rows = engine_->Rows(
      "SELECT n, failed, mean, median, sd, cv, lower, upper, least, most, varied ->> 'streams'"
      " FROM by_permutation WHERE run = 'sweep' ORDER BY permutation");
  ASSERT_EQ(rows.size(), 2u) << "a permutation without a number is there as well";
  const double expected[] = {5,
                             1,
                             summary.mean(),
                             summary.median(),
                             summary.sd(),
                             summary.cv(),
                             summary.mean() - summary.half_width(),
                             summary.mean() + summary.half_width(),
                             summary.least(),
                             summary.most(),
                             1};
  for (std::size_t i = 0; i < std::size(expected); ++i) {
    EXPECT_NEAR(std::stod(rows[0][i]), expected[i], 1e-5) << i;
  }
  EXPECT_EQ(rows[1][0], "0");
  EXPECT_EQ(rows[1][1], "1");
}

TEST_P(RunReaderTest, ViewsFactorsAreStudents) {
  const auto rows = engine_->Rows("SELECT degrees, factor FROM student");
  EXPECT_GT(rows.size(), 30u);
  for (const auto& row : rows) {
    EXPECT_NEAR(std::stod(row[1]), stats::StudentFactor(0.95, std::stod(row[0])), 1e-6);
  }
}

TEST_P(RunReaderTest, HeadlineViewHasARowAJobAndNumber) {
  Commit({SweepCreated(), Placed(1, 2, 1), EndedWith(1, FullResult())});
  EXPECT_EQ(engine_->Rows("SELECT job, run, varied ->> 'streams', name, value FROM headline"),
            (std::vector<std::vector<std::string>>{{"1", "sweep", "2", "throughput", "9.25"}}));
}

// ---- What is not as it was written

TEST(RunReaderFiles, FileThatIsNotOursIsRefused) {
  const TempDir dir;
  const std::string text = dir.Path("text");
  std::ofstream(text) << std::string(5000, 'x');
  EXPECT_EQ(RunReader::Open(text).status(),
            absl::InvalidArgumentError(text + " is no SQLite database"));
  const std::string other = dir.Path("other.db");
  SQLite::Database(other, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec("CREATE TABLE t (x)");
  EXPECT_EQ(RunReader::Open(other).status(),
            absl::InvalidArgumentError(other + " is the database of another program"));
  EXPECT_EQ(RunReader::Open(dir.Path("none")).status(),
            absl::NotFoundError("there is no file " + dir.Path("none")));
}

TEST_P(RunReaderTest, AnOutcomeThatIsNoneIsDataLoss) {
  Commit({Placed(1, 1, 1), EndedWith(1, Measured(1))});
  for (const char* number : {"99", "7", "4294967296"}) {
    engine_->Script(std::string("UPDATE ended SET outcome = ") + number);
    EXPECT_TRUE(absl::IsDataLoss(Reader().Find("sweep").status())) << number;
    EXPECT_TRUE(absl::IsDataLoss(store_->Find(1).status())) << number;
  }
}

TEST_P(RunReaderTest, DamagedTextInATableIsDataLoss) {
  Commit({Placed(1, 1, 1), EndedWith(1, Measured(1))});
  engine_->Script("UPDATE metric SET dimensions = '{'");
  EXPECT_TRUE(absl::IsDataLoss(Reader().Results(Number(), 0).status()));
  EXPECT_TRUE(absl::IsDataLoss(store_->Find(1).status()));
  EXPECT_EQ(Run().counts().ended().at("succeeded"), 1u) << "what is whole is read";
}

}  // namespace
}  // namespace twofold::results
