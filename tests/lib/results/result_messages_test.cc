// Runs as messages, the same from a frontend and from a file.

#include "lib/results/result_messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/results/sqlite_store.h"
#include "lib/words/run_state.h"
#include "tests/lib/results/benchmark_samples.h"
#include "tests/lib/results/temp_dir.h"

namespace twofold::results {
namespace {

class RunMessagesTest : public ::testing::Test {
 protected:
  void Commit(const std::vector<Record>& records) {
    ASSERT_EQ(store_->Commit(records), absl::OkStatus());
  }
  void Open() { reader_ = RunReader::Open(path_).value(); }

  v1::Run Run() { return reader_->Find("sweep").value(); }

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

  const TempDir dir_;
  const std::string path_ = dir_.Path("jobs.db");
  const std::unique_ptr<SqliteStore> store_ = SqliteStore::Open(path_).value();
  std::unique_ptr<RunReader> reader_;
};

TEST_F(RunMessagesTest, RunSaysHowFarItIs) {
  Commit({SweepCreated(), Placed(1, 1, 1), Ended(1, 10), Placed(2, 1, 2)});
  Open();
  const v1::Run run = Run();
  EXPECT_EQ(run.labels().at("team"), "net");
  EXPECT_EQ(run.definition(), "kind: BenchmarkSet\n");
  EXPECT_EQ(run.counts().ended().at("succeeded"), 1u);
  EXPECT_EQ(run.counts().waiting(), 1u);
  EXPECT_EQ(run.ended_unix_ns(), 0);
  EXPECT_STREQ(StateOf(run), "waiting") << "none of its jobs runs";
}

TEST_F(RunMessagesTest, PausedRunIsPausedAndOneThatGoesOnHasEachJobOnce) {
  const auto state = [&] {
    const v1::Run run = Run();
    const v1::RunCounts& counts = run.counts();
    std::uint64_t ended = 0;
    for (const auto& [outcome, jobs] : counts.ended()) ended += jobs;
    EXPECT_EQ(counts.planned() + counts.waiting() + counts.running() + ended, 6u);
    return std::string(StateOf(run));
  };
  const auto withdrawn = queue::Outcome::kCancelled;
  Commit({SweepCreated()});
  Open();
  EXPECT_EQ(state(), "planned");
  Commit({Placed(1, 1, 1), Ended(1, 10), Placed(2, 1, 2), Placed(3, 1, 3)});
  EXPECT_EQ(state(), "waiting");
  Commit({Started(2)});
  EXPECT_EQ(state(), "running");
  Commit({Ended(2, 20), Ended(3, 20, withdrawn)});
  EXPECT_EQ(state(), "paused") << "1 withdrawn, 3 not submitted";
  EXPECT_EQ(Run().ended_unix_ns(), 0);
  Commit({Placed(4, 1, 3), Placed(5, 2, 1), Placed(6, 2, 2), Placed(7, 2, 3)});
  Commit({Ended(4, 30), Ended(5, 30, queue::Outcome::kFailed), Ended(6, 30, withdrawn),
          Ended(7, 40, withdrawn), RunCancelled{"sweep", kCancelledUnixNs}});
  EXPECT_EQ(state(), "cancelled");
  EXPECT_EQ(Run().counts().submitted_again(), 1u);
  EXPECT_EQ(WithdrawnOf(Run().counts()), 2u);
  EXPECT_EQ(Run().ended_unix_ns(), 40);
  Commit({Placed(8, 2, 2), Ended(8, 50), Placed(9, 2, 3), Ended(9, 60)});
  EXPECT_EQ(state(), "ended") << "a cancelled run was gone on with";
}

// The run goes on with job 2, which takes the cancelling back; the second cancelling counts again.
TEST_F(RunMessagesTest, CancelledRunThatIsGoneOnWithAndPausedIsPaused) {
  const auto withdrawn = queue::Outcome::kCancelled;
  Commit({SweepCreated(), Placed(1, 1, 1), Ended(1, 10, withdrawn),
          RunCancelled{"sweep", kCancelledUnixNs}});
  Open();
  EXPECT_STREQ(StateOf(Run()), "cancelled");
  JobAccepted again = Placed(2, 1, 1);
  again.accepted_unix_ns = kCancelledUnixNs + 5;
  Commit({again, Ended(2, 20, withdrawn)});
  EXPECT_STREQ(StateOf(Run()), "paused");
  EXPECT_EQ(Run().ended_unix_ns(), 0);
  const std::vector<Record> cancelled = {RunCancelled{"sweep", kCancelledUnixNs + 9}};
  Commit(cancelled);
  Commit(cancelled);
  EXPECT_STREQ(StateOf(Run()), "cancelled");
  EXPECT_EQ(Run().cancelled_unix_ns(), kCancelledUnixNs + 9);
}

TEST_F(RunMessagesTest, WithdrawnJobsAreNoFailures) {
  Commit({SweepCreated(), Placed(1, 1, 1), Ended(1, 10, queue::Outcome::kFailed), Placed(2, 1, 2),
          Ended(2, 10, queue::Outcome::kCancelled), Placed(3, 1, 3),
          Ended(3, 10, queue::Outcome::kRejected), Placed(4, 1, 2), EndedWith(4, FullResult())});
  Open();
  const v1::PermutationResult result = Results(false).at(0).permutations(0);
  EXPECT_EQ(result.succeeded(), 1u);
  EXPECT_EQ(result.failed(), 1u);
  EXPECT_EQ(result.withdrawn(), 1u) << "the other one was submitted again";
}

TEST_F(RunMessagesTest, RunThatOnlyItsJobsHaveMadeEndsWithThem) {
  Commit({Accepted(1, "sweep"), Accepted(2, "sweep"), Ended(1, 10),
          Ended(2, 20, queue::Outcome::kCancelled)});
  Open();
  EXPECT_STREQ(StateOf(Run()), "ended");
  Commit({RunCancelled{"sweep", kCancelledUnixNs}});
  EXPECT_STREQ(StateOf(Run()), "cancelled");
}

TEST_F(RunMessagesTest, RunHasEndedWhenAllPlannedJobsHave) {
  std::vector<Record> records = {SweepCreated()};
  for (JobId id = 1; id <= 5; ++id) {
    records.emplace_back(Placed(id, 1, 1));
    records.emplace_back(Ended(id, static_cast<std::int64_t>(id)));
  }
  Commit(records);
  Open();
  EXPECT_EQ(Run().ended_unix_ns(), 0) << "one of six was not submitted yet";
  Commit({Placed(6, 1, 1), Ended(6, 60)});
  EXPECT_EQ(Run().ended_unix_ns(), 60);
  EXPECT_STREQ(StateOf(Run()), "ended");
}

TEST_F(RunMessagesTest, JobsOfALargePermutationAreSpreadAndNoneIsLost) {
  v1::BenchmarkResult large = ResultOf("osu");
  for (int i = 0; i < 2000; ++i) {
    *large.add_measurements() = Number("latency_" + std::to_string(i), 1.5);
    large.mutable_measurements(i)->set_headline(i == 0);
  }
  std::vector<Record> records = {SweepCreated()};
  for (JobId id = 1; id <= 60; ++id) {
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
  EXPECT_EQ(jobs, (std::map<std::uint64_t, int>{{1, 30}, {2, 30}}));
  EXPECT_EQ(with_statistics, (std::map<std::uint64_t, int>{{1, 1}, {2, 1}}));
}

TEST_F(RunMessagesTest, SeriesAreInTheFirstMessageOfAPermutationIfAskedFor) {
  Commit({SweepCreated(), Placed(1, 1, 1), EndedWith(1, FullResult())});
  Open();
  v1::RunResultsRequest request;
  request.set_id("sweep");
  for (const bool series : {false, true}) {
    request.set_series(series);
    auto messages = ResultMessages::Of(*reader_, request).value();
    EXPECT_EQ(messages.Next().value()->permutations(0).series_size(), series ? 1 : 0);
  }
}

TEST_F(RunMessagesTest, ListGoesOnWhereItsTokenSays) {
  for (JobId id = 1; id <= 3; ++id) {
    Commit({Accepted(id, "run-" + std::to_string(id))});
  }
  Open();
  v1::ListRunsRequest request;
  request.set_page_size(2);
  const auto first = reader_->List(request).value();
  ASSERT_EQ(first.runs_size(), 2);
  EXPECT_EQ(first.runs(0).id(), "run-3");
  request.set_page_token(first.next_page_token());
  const auto second = reader_->List(request).value();
  ASSERT_EQ(second.runs_size(), 1);
  EXPECT_EQ(second.next_page_token(), "");
  request.set_page_token("nonsense");
  EXPECT_EQ(reader_->List(request).status(),
            absl::InvalidArgumentError("page_token is not one that a last page gave"));
}

TEST_F(RunMessagesTest, ArtifactComesInPieces) {
  v1::BenchmarkResult big = ResultOf("fio");
  v1::Artifact& out = *big.add_ranks()->add_stages()->mutable_out();
  out.set_name("stdout");
  out.set_zstd(std::string(1'200'000, 'z'));
  Commit({Accepted(7), EndedWith(7, big)});
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
}  // namespace twofold::results
