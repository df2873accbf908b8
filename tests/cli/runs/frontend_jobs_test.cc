// A run's jobs in a real frontend with a store; the workers do as the test says.
#include "cli/runs/frontend_jobs.h"

#include <SQLiteCpp/Database.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <set>

#include "cli/runs/run_record.h"
#include "lib/common/arguments.h"
#include "tests/cli/runs/expansions.h"
#include "tests/fakes/fake_frontend.h"
#include "tests/frontend/frontend_fixture.h"
#include "twofold/v1/results.pb.h"

namespace twofold::cli {
namespace {

using run::JobKey;
using run::Seen;
using ::testing::ElementsAre;
using ::testing::SizeIs;
using twofold::testing::Assigned;

class FrontendJobsTest : public frontend::FrontendTest {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "jobsXXXXXX";
    folder_ = mkdtemp(pattern.data());
    Serve([this](frontend::Options& options) {
      options.queues = {"fio"};
      options.storage.url = "sqlite:" + (folder_ / "store.db").string();
    });
    sweep_.max_parallel = 2'000;  // so that all that a test submits can run
    globals_.frontend = frontend_->client_address();
    connection_ = std::make_unique<Frontend>(globals_);
  }
  void TearDown() override {
    connection_.reset();
    frontend_.reset();
    std::filesystem::remove_all(folder_);
  }

  /// A process that looks after the run.
  FrontendJobs NewJobs() {
    common_ = CommonOptions(record_, sweep_);
    return {*connection_, common_, "set", expansion_};
  }

  std::vector<Seen> Submitted(FrontendJobs& jobs, const std::vector<JobKey>& keys) {
    std::vector<Seen> accepted;
    const Status status = jobs.Submit(keys, [&](const Seen& seen) { accepted.push_back(seen); });
    EXPECT_TRUE(status.ok()) << status;
    return accepted;
  }

  static std::vector<Seen> Listed(FrontendJobs& jobs) {
    auto seen = jobs.List();
    EXPECT_TRUE(seen.ok()) << seen.status();
    return seen.ok() ? *std::move(seen) : std::vector<Seen>();
  }

  /// Looks until all that is listed has ended, and returns what was listed last of each job.
  std::map<JobKey, Seen> AwaitEnds(FrontendJobs& jobs, std::size_t count) {
    std::map<JobKey, Seen> last;
    for (int i = 0; i < 3000; ++i) {
      for (const Seen& seen : Listed(jobs)) {
        if (seen.id >= last[seen.key].id) last[seen.key] = seen;
      }
      const bool all = last.size() == count &&
                       std::all_of(last.begin(), last.end(),
                                   [](const auto& entry) { return HasEnded(entry.second.phase); });
      if (all) return last;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ADD_FAILURE() << last.size() << " of " << count << " jobs known, or not all ended";
    return last;
  }

  /// A result with one headline, and so many bytes beside it.
  static v1::Report ReportOf(double headline, std::size_t bytes = 0) {
    v1::BenchmarkResult result;
    result.set_suite("fio");
    v1::Measurement& other = *result.add_measurements();
    other.set_name("jobs");
    v1::Measurement& main = *result.add_measurements();
    main.set_name("throughput");
    main.set_unit("MiB/s");
    main.set_value(headline);
    main.set_headline(true);
    v1::Dimension& direction = *main.add_dimensions();
    direction.set_name("direction");
    direction.set_value("read");
    result.set_failed_stage(std::string(bytes, 'x'));
    v1::Report report;
    report.set_data(result.SerializeAsString());
    return report;
  }

  std::filesystem::path folder_;
  Globals globals_;
  spec::Expansion expansion_ = run::ExpansionOf(2, 600);
  RunRecord record_ = {.id = "r-1", .file = "f.yaml", .text = "", .queue = "fio"};
  const spec::Kind kind_ = {.name = "Fio", .suite = "fio"};
  spec::Sweep sweep_ = {.file = "f.yaml", .name = "set", .kind = &kind_, .spec = nullptr};
  v1::JobOptions common_;
  std::unique_ptr<Frontend> connection_;
};

TEST_F(FrontendJobsTest, AJobHasWhatTheRunAsksFor) {
  expansion_.permutations[1].spec = R"({"rw":"read"})";
  expansion_.permutations[1].gang = 2;
  expansion_.permutations[1].labels = {{"mtu", "9000"}};
  expansion_.permutations[1].nodes = {"node-1", "node-2"};
  sweep_.max_parallel = 3;
  record_.spread = true;
  sweep_.job_limit_seconds = 9;
  sweep_.run_limit_seconds = 99;
  auto jobs = NewJobs();
  Submitted(jobs, {{2, 5, true}});
  auto worker = NewWorker();
  worker->labels = {{"mtu", "9000"}};
  worker->Join("fio", 1, 1);
  auto other = NewWorker();
  other->labels = {{"mtu", "9000"}};
  other->Join("fio", 2, 1);
  const Assigned member = worker->assigned.Take();
  EXPECT_EQ(member.spec, EncodeArguments(std::vector<std::string>{R"({"rw":"read"})"}));
  const v1::JobOptions& options = member.options;
  EXPECT_EQ(options.suite(), "fio");
  EXPECT_EQ(options.run(), "r-1");
  EXPECT_EQ(options.dedup_key(), "r-1/2/w5");
  EXPECT_TRUE(options.durable());
  EXPECT_EQ(options.limit_ns(), 9'000'000'000U);
  EXPECT_EQ(options.deadline_ns(), 99'000'000'000U);
  EXPECT_EQ(options.key_limit(), 3U);
  EXPECT_THAT(options.placement().labels(), ElementsAre("mtu=9000"));
  EXPECT_THAT(options.placement().nodes(), ElementsAre("node-1", "node-2"));
  EXPECT_EQ(options.gang().size(), 2U);
  EXPECT_EQ(options.gang().spread(), v1::SPREAD_NODE);
}

TEST_F(FrontendJobsTest, ListsPhasesAndHeadlines) {
  auto jobs = NewJobs();
  const auto ids = Submitted(jobs, {{1, 1, false}, {1, 2, false}, {2, 1, false}, {2, 2, true}});
  ASSERT_THAT(ids, SizeIs(4));
  auto worker = NewWorker();
  worker->Join("fio", 1, 3);
  worker->Answer(worker->assigned.Take(), v1::OUTCOME_SUCCEEDED, ReportOf(12.5));
  v1::Report failed;
  failed.set_error("fio: disk full");
  worker->Answer(worker->assigned.Take(), v1::OUTCOME_FAILED, failed);
  AwaitQueue("fio", [](const v1::Queue& queue) { return queue.running() == 2; });
  EXPECT_TRUE(jobs.Cancel(ids[3].id).ok());
  std::map<JobKey, Seen> seen;
  auto later = NewJobs();
  for (const Seen& one : Listed(later)) seen[one.key] = one;
  EXPECT_EQ((seen[{1, 1, false}].phase), run::Phase::kSucceeded);
  EXPECT_EQ((seen[{1, 1, false}].headline), 12.5);
  EXPECT_EQ((seen[{1, 2, false}].phase), run::Phase::kFailed);
  EXPECT_EQ((seen[{1, 2, false}].reason), "fio: disk full");
  EXPECT_EQ((seen[{2, 1, false}].phase), run::Phase::kRunning);
  EXPECT_EQ(seen.size(), 4U);
}

// Else it would be taken for one that never was, and run again.
TEST_F(FrontendJobsTest, AJobWhoseEndIsNotOnDiskYetIsListedAsOpen) {
  auto jobs = NewJobs();
  Submitted(jobs, {{1, 1, false}, {1, 2, false}});
  auto worker = NewWorker();
  worker->Join("fio", 1, 1);
  const Assigned attempt = worker->assigned.Take();
  SQLite::Database other((folder_ / "store.db").string(), SQLite::OPEN_READWRITE);
  other.exec("BEGIN IMMEDIATE");  // nothing reaches the disk
  worker->Answer(attempt, v1::OUTCOME_SUCCEEDED, ReportOf(1));
  AwaitQueue("fio", [](const v1::Queue& queue) { return queue.waiting() == 0; });
  auto later = NewJobs();
  for (FrontendJobs* who : {&jobs, &later}) {
    std::set<JobKey> listed;
    for (const Seen& seen : Listed(*who)) {
      EXPECT_FALSE(HasEnded(seen.phase));
      listed.insert(seen.key);
    }
    EXPECT_THAT(listed, ElementsAre(JobKey{1, 1, false}, JobKey{1, 2, false}));
  }
  other.exec("ROLLBACK");
  worker->Answer(worker->assigned.Take(), v1::OUTCOME_SUCCEEDED, ReportOf(2));
  for (const auto& [key, seen] : AwaitEnds(jobs, 2)) EXPECT_EQ(seen.phase, run::Phase::kSucceeded);
}

TEST_F(FrontendJobsTest, TheSameJobSubmittedTwiceIsOne) {
  auto first = NewJobs();
  auto second = NewJobs();
  const auto ids = Submitted(first, {{1, 1, false}, {1, 2, false}});
  const auto again = Submitted(second, {{1, 1, false}, {1, 2, false}});
  ASSERT_THAT(again, SizeIs(2));
  EXPECT_EQ(ids[0].id, again[0].id);
  EXPECT_EQ(ids[1].id, again[1].id);
  EXPECT_EQ(Queue("fio").waiting(), 2U);
}

TEST_F(FrontendJobsTest, SubmitGoesWhereTheQueueIsServed) {
  fakes::FakeFrontend contact(fakes::Hold());
  contact.Move({.epoch = 5, .addresses = {frontend_->client_address()}, .queue = "fio"});
  Globals globals;
  globals.frontend = contact.address();
  const Frontend connection(globals);
  common_ = CommonOptions(record_, sweep_);
  FrontendJobs jobs(connection, common_, "set", expansion_);
  EXPECT_THAT(Submitted(jobs, {{1, 1}, {2, 1}}), SizeIs(2));
  EXPECT_THAT(Submitted(jobs, {{1, 2}}), SizeIs(1));  // there at once
  EXPECT_THAT(contact.epochs(), ElementsAre(0));
  FrontendJobs owners = NewJobs();
  std::set<JobKey> listed;
  for (const Seen& seen : Listed(owners)) listed.insert(seen.key);
  EXPECT_THAT(listed, ElementsAre(JobKey{1, 1}, JobKey{1, 2}, JobKey{2, 1}));
}

TEST_F(FrontendJobsTest, SubmitCanBeTriedAgainWhileNobodyServesTheQueue) {
  fakes::FakeFrontend contact(fakes::Hold());
  contact.Move({.epoch = 5, .queue = "fio"});
  Globals globals;
  globals.frontend = contact.address();
  const Frontend connection(globals);
  common_ = CommonOptions(record_, sweep_);
  FrontendJobs jobs(connection, common_, "set", expansion_);
  const auto submit = [&] { return jobs.Submit({{1, 1}}, [](const Seen&) {}); };
  Status status = submit();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("no frontend serves queue fio"));
  contact.Move({.epoch = 6, .addresses = {"127.0.0.1:1"}, .queue = "fio"});
  status = submit();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("at 127.0.0.1:1, which is said"));
  contact.Move({.epoch = 7, .addresses = {frontend_->client_address()}, .queue = "fio"});
  EXPECT_THAT(Submitted(jobs, {{1, 1}}), SizeIs(1));
}

TEST_F(FrontendJobsTest, JobsOfOthersAreNotListed) {
  auto jobs = NewJobs();
  Submitted(jobs, {{1, 1, false}});
  v1::JobOptions other = common_;
  other.set_run("r-2");
  FrontendJobs others(*connection_, other, "set", expansion_);
  Submitted(others, {{1, 2, false}});
  v1::JobOptions by_hand;
  by_hand.set_queue("fio");
  by_hand.set_run("r-1");
  auto client = NewClient();
  client->Submit(by_hand, 1);
  AwaitQueue("fio", [](const v1::Queue& queue) { return queue.waiting() == 3; });
  for (const Seen& seen : Listed(jobs)) EXPECT_EQ(seen.key, (JobKey{1, 1, false}));
}

TEST_F(FrontendJobsTest, ThousandJobsAreSeenToTheirEnds) {
  auto jobs = NewJobs();
  std::vector<JobKey> keys;
  for (std::uint32_t i = 1; i <= 600; ++i) {
    for (const std::uint64_t permutation : {1U, 2U}) keys.push_back({permutation, i, false});
  }
  EXPECT_THAT(Submitted(jobs, keys), SizeIs(1200));
  auto worker = NewWorker();
  worker->Join("fio", 1, 1200);
  for (int i = 0; i < 1100; ++i) {
    worker->Answer(worker->assigned.Take(), v1::OUTCOME_SUCCEEDED, ReportOf(i));
  }
  EXPECT_THAT(Listed(jobs), SizeIs(::testing::Ge(1200)));
  for (int i = 0; i < 100; ++i) {
    worker->Answer(worker->assigned.Take(), v1::OUTCOME_SUCCEEDED, ReportOf(i));
  }
  auto later = NewJobs();
  EXPECT_THAT(AwaitEnds(later, 1200), SizeIs(1200));
  Listed(jobs);
  EXPECT_LT(Listed(jobs).size(), 1200U);  // what has ended long ago is not listed again
}

TEST_F(FrontendJobsTest, LongResultsComeInSmallPages) {
  auto jobs = NewJobs();
  std::vector<JobKey> keys;
  for (std::uint32_t i = 1; i <= 40; ++i) keys.push_back({1, i, false});
  Submitted(jobs, keys);
  auto worker = NewWorker();
  worker->Join("fio", 1, 40);
  for (int i = 0; i < 40; ++i) {
    worker->Answer(worker->assigned.Take(), v1::OUTCOME_SUCCEEDED, ReportOf(i, 200'000));
  }
  const auto ended = AwaitEnds(jobs, 40);
  EXPECT_EQ(ended.rbegin()->second.headline, 39);
}

TEST_F(FrontendJobsTest, FailedJobsAreRunAgainAndTheNewOnesCount) {
  auto jobs = NewJobs();
  Submitted(jobs, {{1, 1, false}, {1, 2, false}});
  auto worker = NewWorker();
  worker->Join("fio", 1, 1);
  worker->Answer(worker->assigned.Take(), v1::OUTCOME_FAILED);
  worker->Answer(worker->assigned.Take(), v1::OUTCOME_SUCCEEDED, ReportOf(1));
  AwaitEnds(jobs, 2);
  const auto retried = jobs.RetryFailed();
  ASSERT_TRUE(retried.ok()) << retried.status();
  EXPECT_EQ(*retried, 1U);
  worker->Answer(worker->assigned.Take(), v1::OUTCOME_SUCCEEDED, ReportOf(2));
  AwaitQueue("fio", [](const v1::Queue& queue) { return queue.running() == 0; });
  for (const auto& [key, seen] : AwaitEnds(jobs, 2)) {
    EXPECT_EQ(seen.phase, run::Phase::kSucceeded) << key.repetition;
  }
}

TEST_F(FrontendJobsTest, OnlyWorkersInTheRightPlaceGetTheJob) {
  auto first = NewWorker();
  first->Join("fio", 1, 1);
  auto second = NewWorker();
  second->Join("fio", 2, 1);
  AwaitQueue("fio", [](const v1::Queue& queue) { return queue.workers_idle() == 2; });
  expansion_.permutations[0].nodes = {"node-2"};
  auto jobs = NewJobs();
  Submitted(jobs, {{1, 1, false}, {1, 2, false}, {2, 1, false}});
  EXPECT_EQ(first->assigned.Take().options.dedup_key(), "r-1/2/1");  // it passes the others
  second->Answer(second->assigned.Take(), v1::OUTCOME_SUCCEEDED);
  second->assigned.Take();
  EXPECT_TRUE(first->assigned.empty());
}

TEST_F(FrontendJobsTest, PlannedJobsHaveNamesAndNumbers) {
  auto jobs = NewJobs();
  Submitted(jobs, {{2, 1, false}, {1, 601, true}});
  auto worker = NewWorker();
  worker->Join("fio", 1, 2);
  for (int i = 0; i < 2; ++i) worker->Answer(worker->assigned.Take(), v1::OUTCOME_SUCCEEDED);
  AwaitEnds(jobs, 2);
  v1::ListJobsRequest request;
  request.set_run("r-1");
  request.set_finished(true);
  const auto reply = twofold::testing::Good(Call<v1::ListJobsReply>("Clients/ListJobs", request));
  ASSERT_EQ(reply.jobs_size(), 2);
  const v1::RunPlace& planned = reply.jobs(0).place();
  EXPECT_EQ(planned.number(), 601U);
  EXPECT_EQ(planned.name(), "set-0601");
  EXPECT_EQ(planned.permutation(), 2U);
  const v1::RunPlace& further = reply.jobs(1).place();
  EXPECT_EQ(further.number(), 0U);
  EXPECT_EQ(further.repetition(), 601U);
  EXPECT_TRUE(further.warm_up());
}

TEST_F(FrontendJobsTest, OneLooksAfterARun) {
  auto first = NewJobs();
  ASSERT_TRUE(first.Attend().ok());
  {
    auto second = NewJobs();
    const Status status = second.Attend();
    EXPECT_TRUE(absl::IsAlreadyExists(status)) << status;
    EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("is looked after by"));
    EXPECT_THAT(std::string(status.message()),
                ::testing::HasSubstr("process " + std::to_string(getpid())));
    EXPECT_THAT(Listed(second), SizeIs(0));  // looking is free
  }
}

TEST_F(FrontendJobsTest, WhoLeavesARunLetsOthersLookAfterIt) {
  { ASSERT_TRUE(NewJobs().Attend().ok()); }
  auto second = NewJobs();
  Status status;
  for (int i = 0; i < 500; ++i) {
    status = second.Attend();
    if (status.ok()) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(status.ok()) << status;
}

TEST_F(FrontendJobsTest, AfterAFrontendsRestartTheRunIsLookedAfterAgain) {
  auto jobs = NewJobs();
  ASSERT_TRUE(jobs.Attend().ok());
  const std::string address = frontend_->client_address();
  frontend_.reset();
  Serve([&](frontend::Options& options) {
    options.queues = {"fio"};
    options.client_address = address;
    options.storage.url = "sqlite:" + (folder_ / "store.db").string();
  });
  Status status;
  for (int i = 0; i < 500; ++i) {
    status = jobs.List().status();
    if (status.ok()) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(status.ok()) << status;
  auto other = NewJobs();
  EXPECT_TRUE(absl::IsAlreadyExists(other.Attend()));
}

TEST_F(FrontendJobsTest, AFrontendWithoutAStoreSaysSo) {
  Serve([](frontend::Options& options) { options.queues = {"fio"}; });
  globals_.frontend = frontend_->client_address();
  const Frontend connection(globals_);
  const v1::JobOptions common = CommonOptions(record_, sweep_);
  FrontendJobs jobs(connection, common, "set", expansion_);
  const Status status = jobs.Submit({{1, 1, false}}, [](const Seen&) { FAIL(); });
  EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("--store"));
}

}  // namespace
}  // namespace twofold::cli
