// What a stream hears of the jobs of others (SubmitReply.others_started), end to end in one
// process.

#include "tests/frontend/frontend_fixture.h"
#include "tests/lib/results/temp_dir.h"

namespace twofold::frontend {
namespace {

/// A queue with one worker, which runs each job at once.
class OthersStartedTest : public FrontendTest {
 protected:
  void SetUp() override {
    Serve([&](Options& options) { options.storage.url = "sqlite:" + folder_.Path("jobs.db"); });
    worker_ = NewWorker();
    worker_->Join("sleep", 1, 2);
  }

  void RunNext() { worker_->Answer(worker_->assigned.Take(), v1::OUTCOME_SUCCEEDED); }

  testing::Ended Run(testing::SubmitStream& stream, const v1::JobOptions& options) {
    stream.Submit(options, 1);
    RunNext();
    return stream.results.Take();
  }

  /// Runs a job of the stream, and says what the stream hears with its result.
  std::uint64_t Others(testing::SubmitStream& stream) {
    return Run(stream, OnSleep()).others_started;
  }

  void RunSingle(bool durable) {
    v1::SubmitJobRequest request;
    *request.mutable_options() = OnSleep();
    request.mutable_options()->set_durable(durable);
    EXPECT_TRUE(Call<v1::Job>("Clients/SubmitJob", request).ok());
    RunNext();
  }

  static v1::JobOptions OnSleep() {
    v1::JobOptions options;
    options.set_queue("sleep");
    return options;
  }

  const results::TempDir folder_;
  std::unique_ptr<testing::WorkerStream> worker_;
};

TEST_F(OthersStartedTest, AStreamThatIsAloneHearsOfNone) {
  auto stream = NewClient();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Others(*stream), 0U);
}

TEST_F(OthersStartedTest, EachStreamHearsOfTheOther) {
  auto one = NewClient();
  auto other = NewClient();
  EXPECT_EQ(Others(*one), 0U);
  EXPECT_EQ(Others(*other), 0U) << "what was handed out before the stream's first job";
  EXPECT_EQ(Others(*other), 0U);
  EXPECT_EQ(Others(*one), 2U);
  EXPECT_EQ(Others(*other), 1U);
  EXPECT_EQ(Others(*one), 3U) << "the count never falls";
}

TEST_F(OthersStartedTest, JobsThatNoStreamSubmittedAreOthers) {
  auto stream = NewClient();
  EXPECT_EQ(Others(*stream), 0U);
  RunSingle(false);
  RunSingle(true);
  EXPECT_EQ(Others(*stream), 2U);
}

TEST_F(OthersStartedTest, ADurableJobOfTheStreamIsItsOwn) {
  auto stream = NewClient();
  v1::JobOptions durable = OnSleep();
  durable.set_durable(true);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Run(*stream, durable).others_started, 0U);
}

TEST_F(OthersStartedTest, StreamsOfOneLoadAreNoOthersToEachOther) {
  auto one = NewClient();
  auto two = NewClient();
  auto other = NewClient();
  one->load_key = two->load_key = 7;
  other->load_key = 8;
  Others(*one);
  Others(*two);
  Others(*other);
  EXPECT_EQ(Others(*one), 1U);
  EXPECT_EQ(Others(*two), 1U);
  one->Break();
  EXPECT_EQ(Others(*two), 1U) << "a stream that ends takes nothing back";
  auto three = NewClient();
  three->load_key = 7;
  EXPECT_EQ(Others(*three), 0U);
  EXPECT_EQ(Others(*two), 1U);
}

TEST_F(OthersStartedTest, AResultWithoutAWorkerBringsTheCountToo) {
  auto stream = NewClient();
  auto other = NewClient();
  Others(*stream);
  Others(*other);
  EXPECT_EQ(Others(*stream), 1U);
  stream->Submit("nowhere", 2);
  EXPECT_EQ(stream->results.Take().others_started, 1U);
}

TEST_F(OthersStartedTest, AGangIsOneJobAndEachAttemptOfAJobOne) {
  auto stream = NewClient();
  auto other = NewClient();
  Others(*stream);
  v1::JobOptions gang = OnSleep();
  gang.mutable_gang()->set_size(2);
  other->Submit(gang, 1);
  RunNext();
  RunNext();
  other->results.Take();
  EXPECT_EQ(Others(*stream), 1U);
  other->Submit(OnSleep(), 2);
  worker_->HandBack(worker_->assigned.Take());
  RunNext();
  other->results.Take();
  EXPECT_EQ(Others(*stream), 3U);
}

TEST_F(OthersStartedTest, AStreamOfTwoQueuesHearsOfBoth) {
  auto media = NewWorker();
  media->Join("media", 2, 1);
  auto stream = NewClient();
  auto other = NewClient();
  const auto on_media = [&](testing::SubmitStream& client) {
    client.Submit("media", 1);
    media->Answer(media->assigned.Take(), v1::OUTCOME_SUCCEEDED);
    return client.results.Take().others_started;
  };
  Others(*stream);
  on_media(*stream);
  Others(*other);
  on_media(*other);
  EXPECT_EQ(Others(*stream), 1U);
  EXPECT_EQ(on_media(*stream), 2U);
}

TEST_F(OthersStartedTest, AStreamHearsHowItsJobsStand) {
  auto stream = NewClient();
  for (std::uint64_t tag = 1; tag <= 4; ++tag) stream->Submit(OnSleep(), tag);
  AwaitQueue("sleep", [](const v1::Queue& queue) { return queue.waiting() == 2; });
  RunNext();
  const auto standing = stream->results.Take().standing;
  ASSERT_TRUE(standing);
  EXPECT_EQ(standing->running(), 2U) << "the freed worker has its next job";
  EXPECT_EQ(standing->waiting(), 1U);
  EXPECT_EQ(standing->most_running(), 2U);
  EXPECT_GT(standing->waited_ns(), 0U);
}

}  // namespace
}  // namespace twofold::frontend
