// Runs as messages, the same from a frontend and from a file.

#include "lib/runs/run_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/results/sqlite_store.h"
#include "lib/show/message.h"
#include "lib/show/run_state.h"
#include "tests/lib/results/benchmark_samples.h"
#include "tests/lib/results/temp_dir.h"

namespace twofold::runs {
namespace {

using results::EndedWith;
using results::Placed;
using results::Record;
using results::RunReader;

class RunMessagesTest : public ::testing::Test {
 protected:
  void Commit(const std::vector<Record>& records) {
    ASSERT_EQ(store_->Commit(records), absl::OkStatus());
  }
  void Open() { reader_ = RunReader::Open(path_).value(); }

  v1::Run Run() {
    v1::GetRunRequest request;
    request.set_id("sweep");
    return GetRun(*reader_, request).value();
  }

  std::vector<v1::RunResultsReply> Results(bool jobs) {
    v1::RunResultsRequest request;
    request.set_id("sweep");
    request.set_jobs(jobs);
    auto messages = ResultMessages::Of(*reader_, request).value();
    std::vector<v1::RunResultsReply> all;
    for (;;) {
      auto message = messages.Next();
      EXPECT_TRUE(message.ok()) << message.status();
      if (!message.ok() || !*message) return all;
      all.push_back(**message);
    }
  }

  const results::TempDir dir_;
  const std::string path_ = dir_.Path("jobs.db");
  const std::unique_ptr<results::SqliteStore> store_ = results::SqliteStore::Open(path_).value();
  std::unique_ptr<RunReader> reader_;
};

TEST_F(RunMessagesTest, RunSaysHowFarItIs) {
  Commit({results::SweepCreated(), Placed(1, 1, 1), results::Ended(1, 10), Placed(2, 1, 2)});
  Open();
  v1::GetRunRequest request;
  request.set_id("sweep");
  const v1::Run run = GetRun(*reader_, request).value();
  EXPECT_EQ(run.labels().at("team"), "net");
  EXPECT_EQ(run.definition(), "kind: BenchmarkSet\n");
  EXPECT_EQ(run.counts().ended().at("succeeded"), 1u);
  EXPECT_EQ(run.counts().waiting(), 1u);
  EXPECT_EQ(run.ended_unix_ns(), 0);
  EXPECT_STREQ(show::StateOf(run), "waiting") << "none of its jobs runs";
}

TEST_F(RunMessagesTest, PausedRunIsPausedAndOneThatGoesOnHasEachJobOnce) {
  const auto state = [&] {
    const v1::Run run = Run();
    const v1::RunCounts& counts = run.counts();
    std::uint64_t ended = 0;
    for (const auto& [outcome, jobs] : counts.ended()) ended += jobs;
    EXPECT_EQ(counts.planned() + counts.waiting() + counts.running() + ended, 6u);
    return std::string(show::StateOf(run));
  };
  const auto withdrawn = queue::Outcome::kCancelled;
  Commit({results::SweepCreated()});
  Open();
  EXPECT_EQ(state(), "planned");
  Commit({Placed(1, 1, 1), results::Ended(1, 10), Placed(2, 1, 2), Placed(3, 1, 3)});
  EXPECT_EQ(state(), "waiting");
  Commit({results::Started(2)});
  EXPECT_EQ(state(), "running");
  Commit({results::Ended(2, 20), results::Ended(3, 20, withdrawn)});
  EXPECT_EQ(state(), "paused") << "1 withdrawn, 3 not submitted";
  EXPECT_EQ(Run().ended_unix_ns(), 0);
  Commit({Placed(4, 1, 3), Placed(5, 2, 1), Placed(6, 2, 2), Placed(7, 2, 3)});
  Commit({results::Ended(4, 30), results::Ended(5, 30, queue::Outcome::kFailed),
          results::Ended(6, 30, withdrawn), results::Ended(7, 40, withdrawn),
          results::RunCancelled{"sweep", 35}});
  EXPECT_EQ(state(), "cancelled");
  EXPECT_EQ(Run().counts().submitted_again(), 1u);
  EXPECT_EQ(show::WithdrawnOf(Run().counts()), 2u);
  EXPECT_EQ(Run().ended_unix_ns(), 40);
  Commit({Placed(8, 2, 2), results::Ended(8, 50), Placed(9, 2, 3), results::Ended(9, 60)});
  EXPECT_EQ(state(), "ended") << "a cancelled run was gone on with";
}

TEST_F(RunMessagesTest, WithdrawnJobsAreNoFailures) {
  Commit({results::SweepCreated(), Placed(1, 1, 1), results::Ended(1, 10, queue::Outcome::kFailed),
          Placed(2, 1, 2), results::Ended(2, 10, queue::Outcome::kCancelled), Placed(3, 1, 3),
          results::Ended(3, 10, queue::Outcome::kRejected), Placed(4, 1, 2),
          EndedWith(4, results::FullBenchmark())});
  Open();
  const v1::PermutationResult result = Results(false).at(0).permutations(0);
  EXPECT_EQ(result.succeeded(), 1u);
  EXPECT_EQ(result.failed(), 1u);
  EXPECT_EQ(result.withdrawn(), 1u) << "the other one was submitted again";
}

TEST_F(RunMessagesTest, RunThatOnlyItsJobsHaveMadeEndsWithThem) {
  Commit({results::Accepted(1, "sweep"), results::Accepted(2, "sweep"), results::Ended(1, 10),
          results::Ended(2, 20, queue::Outcome::kCancelled)});
  Open();
  EXPECT_STREQ(show::StateOf(Run()), "ended");
  Commit({results::RunCancelled{"sweep", 30}});
  EXPECT_STREQ(show::StateOf(Run()), "cancelled");
}

TEST_F(RunMessagesTest, RunHasEndedWhenAllPlannedJobsHave) {
  std::vector<Record> records = {results::SweepCreated()};
  for (results::JobId id = 1; id <= 5; ++id) {
    records.emplace_back(Placed(id, 1, 1));
    records.emplace_back(results::Ended(id, static_cast<std::int64_t>(id)));
  }
  Commit(records);
  Open();
  v1::GetRunRequest request;
  request.set_id("sweep");
  EXPECT_EQ(GetRun(*reader_, request)->ended_unix_ns(), 0) << "one of six was not submitted yet";
  Commit({Placed(6, 1, 1), results::Ended(6, 60)});
  EXPECT_EQ(GetRun(*reader_, request)->ended_unix_ns(), 60);
  EXPECT_STREQ(show::StateOf(*GetRun(*reader_, request)), "ended");
}

TEST_F(RunMessagesTest, JobsOfALargePermutationAreSpreadAndNoneIsLost) {
  results::Benchmark large{.suite = "osu"};
  for (int i = 0; i < 2000; ++i) {
    large.measurements.push_back(
        {{.name = "latency_" + std::to_string(i), .headline = i == 0}, 1.5});
  }
  std::vector<Record> records = {results::SweepCreated()};
  for (results::JobId id = 1; id <= 120; ++id) {
    records.emplace_back(Placed(id, id % 2 + 1, 1));
    records.emplace_back(EndedWith(id, large));
  }
  Commit(records);
  Open();
  std::map<std::uint64_t, int> jobs;
  std::map<std::uint64_t, int> with_statistics;
  const auto messages = Results(true);
  for (const v1::RunResultsReply& reply : messages) {
    EXPECT_LT(reply.ByteSizeLong(), 2u << 20);
    for (const v1::PermutationResult& each : reply.permutations()) {
      jobs[each.number()] += each.jobs_size();
      if (!each.headlines().empty()) ++with_statistics[each.number()];
      for (const v1::JobResult& job : each.jobs()) EXPECT_EQ(job.measurements_size(), 2000);
    }
  }
  EXPECT_GT(messages.size(), 2u);
  EXPECT_EQ(jobs, (std::map<std::uint64_t, int>{{1, 60}, {2, 60}}));
  EXPECT_EQ(with_statistics, (std::map<std::uint64_t, int>{{1, 1}, {2, 1}}));
}

TEST_F(RunMessagesTest, UnknownStatisticsAreNullInJson) {
  Commit({results::SweepCreated(), Placed(1, 1, 1), EndedWith(1, results::FullBenchmark())});
  Open();
  const auto messages = Results(true);
  ASSERT_EQ(messages.size(), 1u);
  const show::Json json = show::ToJson(messages[0].permutations(0));
  EXPECT_EQ(json["varied"]["streams"], 1);
  EXPECT_EQ(json["headlines"][0]["mean"], 9.25);
  EXPECT_TRUE(json["headlines"][0]["sd"].is_null());
  EXPECT_TRUE(json["headlines"][0]["lower"].is_null());
  EXPECT_EQ(json["headlines"][0]["dimensions"]["direction"], "forward");
  EXPECT_EQ(json["jobs"][0]["job"], "1");
  EXPECT_EQ(json["jobs"][0]["outcome"], "succeeded");
  EXPECT_EQ(json["jobs"][0]["measurements"].size(), 3u);
}

TEST_F(RunMessagesTest, ListGoesOnWhereItsTokenSays) {
  for (results::JobId id = 1; id <= 3; ++id) {
    Commit({results::Accepted(id, "run-" + std::to_string(id))});
  }
  Open();
  v1::ListRunsRequest request;
  request.set_page_size(2);
  const auto first = ListRuns(*reader_, request).value();
  ASSERT_EQ(first.runs_size(), 2);
  EXPECT_EQ(first.runs(0).id(), "run-3");
  request.set_page_token(first.next_page_token());
  const auto second = ListRuns(*reader_, request).value();
  ASSERT_EQ(second.runs_size(), 1);
  EXPECT_EQ(second.next_page_token(), "");
  request.set_page_token("nonsense");
  EXPECT_EQ(ListRuns(*reader_, request).status(),
            absl::InvalidArgumentError("page_token is not one that a last page gave"));
}

TEST_F(RunMessagesTest, ArtifactComesInPieces) {
  results::Benchmark big{.suite = "fio", .ranks = {{.stages = {{.name = "fio"}}}}};
  big.ranks[0].stages[0].artifacts = {{.name = "stdout", .zstd = std::string(1'200'000, 'z')}};
  Commit({results::Accepted(7), EndedWith(7, big)});
  Open();
  v1::GetArtifactRequest request;
  request.set_job(7);
  std::string zstd;
  const auto pieces = GetArtifact(*reader_, request).value();
  EXPECT_EQ(pieces.size(), 3u);
  for (const v1::ArtifactPiece& piece : pieces) zstd += piece.zstd();
  EXPECT_EQ(zstd, std::string(1'200'000, 'z'));
  EXPECT_EQ(pieces[0].artifact().name(), "stdout");
}

}  // namespace
}  // namespace twofold::runs
