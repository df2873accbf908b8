// `twofold run` against a real frontend with a store; workers do at once what the test says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "cli/command/command.h"
#include "lib/common/options.h"
#include "lib/show/table.h"
#include "tests/frontend/frontend_fixture.h"
#include "twofold/v1/results.pb.h"

namespace twofold::cli {
namespace {

using ::testing::HasSubstr;
using twofold::testing::Assigned;
using twofold::testing::WorkerStream;

/// A worker process that answers each job with what `outcome` says of it.
class Worker {
 public:
  using Outcomes = std::function<v1::Outcome(const Assigned&)>;

  Worker(const std::string& address, std::uint64_t key, Outcomes outcome)
      : stream_(address), outcome_(std::move(outcome)) {
    stream_.Join("fio", key, 1);
    thread_ = std::jthread([this](const std::stop_token& stop) { Work(stop); });
  }
  ~Worker() {
    thread_.request_stop();
    thread_.join();
  }

  [[nodiscard]] int jobs() const { return jobs_; }

 private:
  void Work(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      if (stream_.assigned.empty()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        continue;
      }
      const Assigned job = stream_.assigned.Take();
      ++jobs_;
      stream_.Answer(job, outcome_(job), report_);
    }
  }

  static v1::Report ReportOf(double throughput) {
    v1::BenchmarkResult result;
    result.set_suite("fio");
    v1::Measurement& headline = *result.add_measurements();
    headline.set_name("throughput");
    headline.set_unit("MiB/s");
    headline.set_value(throughput);
    headline.set_headline(true);
    v1::Report report;
    report.set_data(result.SerializeAsString());
    return report;
  }

  WorkerStream stream_;
  const v1::Report report_ = ReportOf(9.25);
  const Outcomes outcome_;
  std::atomic<int> jobs_ = 0;
  std::jthread thread_;
};

class RunCommandTest : public frontend::FrontendTest {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "runXXXXXX";
    folder_ = mkdtemp(pattern.data());
    Serve([this](frontend::Options& options) {
      options.queues = {"fio", "iperf"};
      options.storage.url = "sqlite:" + (folder_ / "store.db").string();
    });
    file_ = folder_ / "f.yaml";
    Write(
        "template: {kind: Fio}\n  permutations: {product: {rw: [read, write]}}\n"
        "  repetitions: 2\n");
  }
  void TearDown() override {
    worker_.reset();
    frontend_.reset();
    std::filesystem::remove_all(folder_);
  }

  void Write(const std::string& spec) {
    std::ofstream(file_) << "apiVersion: twofold/v1\nkind: BenchmarkSet\nmetadata: {name: set}\n"
                         << "spec:\n  " << spec;
  }

  void StartWorker(Worker::Outcomes outcome = [](const Assigned&) {
    return v1::OUTCOME_SUCCEEDED;
  }) {
    worker_ = std::make_unique<Worker>(frontend_->worker_address(), 1, std::move(outcome));
  }

  /// The exit code of "twofold run ...".
  int Run(std::vector<std::string> words) {
    words.insert(words.begin(), "run");
    return Twofold(std::move(words));
  }

  int Twofold(std::vector<std::string> words) {
    words.insert(words.begin(), "twofold");
    words.insert(words.end(), {"--frontend", frontend_->client_address()});
    CLI::App app("", "twofold");
    Globals globals;
    Action chosen;
    AddCommands(app, AllCommands(), globals, chosen);
    std::vector<const char*> argv;
    for (const std::string& word : words) argv.push_back(word.c_str());
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    const auto code = ParseCommandLine(app, static_cast<int>(argv.size()), argv.data());
    const Status status = code ? Status() : chosen();
    log_ = ::testing::internal::GetCapturedStderr();
    output_ = ::testing::internal::GetCapturedStdout();
    message_ = std::string(status.message());
    return code ? *code : ExitCode(status);
  }

  /// The ids of a run's jobs, by permutation and repetition.
  std::vector<std::uint64_t> JobsOf(const std::string& run) {
    EXPECT_EQ(Twofold({"results", run, "--all", "--json"}), 0) << message_;
    std::map<std::pair<int, int>, std::uint64_t> found;
    const show::Json json = show::Json::parse(output_);
    for (const show::Json& permutation : json["permutations"]) {
      for (const show::Json& job : permutation["jobs"]) {
        found[{permutation["permutation"], job["repetition"]}] =
            std::stoull(job["job"].get<std::string>());
      }
    }
    std::vector<std::uint64_t> ids;
    for (const auto& [place, id] : found) ids.push_back(id);
    return ids;
  }

  /// The names in the folder that begin so.
  std::string FilesBeside(const std::string& prefix) const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      names.insert(entry.path().filename());
    }
    std::string beside;
    for (const std::string& name : names) {
      if (name.starts_with(prefix)) beside += name + " ";
    }
    return beside;
  }

  std::filesystem::path folder_;
  std::string file_;
  std::unique_ptr<Worker> worker_;
  std::string output_;
  std::string log_;
  std::string message_;
};

TEST_F(RunCommandTest, RunsTheFileAndShowsWhatCameOfIt) {
  StartWorker();
  EXPECT_EQ(Run({file_, "--runid", "a"}), 0) << message_;
  EXPECT_THAT(output_,
              HasSubstr("PERMUTATION  rw     N  HEADLINE    MEAN  +-  CV %  UNIT   FAILED\n"
                        "          1  read   2  throughput  9.25   0   0.0  MiB/s       0\n"));
  EXPECT_THAT(output_, HasSubstr("Fio: 4 of 4 jobs succeeded\n"));
  EXPECT_THAT(log_, HasSubstr("4/4 done"));
  EXPECT_EQ(worker_->jobs(), 4);
}

TEST_F(RunCommandTest, AnIdThatWasUsedIsAnsweredWithTheStoredRun) {
  StartWorker();
  EXPECT_EQ(Run({file_, "--runid", "a"}), 0) << message_;
  EXPECT_EQ(Run({file_, "--runid", "a"}), 0) << message_;
  EXPECT_THAT(log_, HasSubstr("there is a run a already; nothing is run"));
  EXPECT_THAT(output_, HasSubstr("4 of 4 jobs succeeded"));
  EXPECT_EQ(worker_->jobs(), 4);
}

TEST_F(RunCommandTest, ADetachedRunIsAttachedToLater) {
  EXPECT_EQ(Run({file_, "--runid", "a", "--detach", "--unchecked"}), 0) << message_;
  EXPECT_THAT(log_, HasSubstr("run a: 4 jobs; attach with `twofold run --resume a`"));
  EXPECT_EQ(Queue("fio").waiting(), 4U);
  StartWorker();
  EXPECT_EQ(Run({"--resume", "a"}), 0) << message_;
  EXPECT_THAT(output_, HasSubstr("4 of 4 jobs succeeded"));
  EXPECT_EQ(worker_->jobs(), 4);
}

TEST_F(RunCommandTest, AFileThatHasChangedSinceDoesNotChangeTheRun) {
  EXPECT_EQ(Run({file_, "--runid", "a", "--detach", "--unchecked"}), 0) << message_;
  Write("template: {kind: Fio}\n");
  StartWorker();
  EXPECT_EQ(Run({"--resume", "a"}), 0) << message_;
  EXPECT_EQ(worker_->jobs(), 4);
}

TEST_F(RunCommandTest, FailedJobsAreNamedAndRunAgain) {
  std::atomic<bool> fails = true;
  StartWorker([&](const Assigned& job) {
    const bool write = job.spec.find("write") != std::string::npos;
    return fails && write ? v1::OUTCOME_FAILED : v1::OUTCOME_SUCCEEDED;
  });
  EXPECT_EQ(Run({file_, "--runid", "a"}), 1);
  EXPECT_THAT(log_, HasSubstr("failed, permutation 2 repetition 1 (rw=write)"));
  EXPECT_THAT(message_, HasSubstr("run a: 2 failed of 4 jobs; the first that failed: permutation 2 "
                                  "repetition 1 (rw=write)"));
  EXPECT_THAT(message_, HasSubstr("; `twofold run --retry-failed a` runs those that failed again"));
  fails = false;
  EXPECT_EQ(Run({"--retry-failed", "a"}), 0) << message_;
  EXPECT_THAT(log_, HasSubstr("run again: 2 jobs"));
  EXPECT_THAT(output_, HasSubstr("4 of 4 jobs succeeded"));
  EXPECT_EQ(worker_->jobs(), 6);
}

TEST_F(RunCommandTest, FailFastEndsTheRun) {
  Write("template: {kind: Fio}\n  repetitions: 50\n  failFast: true\n  maxParallel: 1\n");
  StartWorker([](const Assigned&) { return v1::OUTCOME_FAILED; });
  EXPECT_EQ(Run({file_, "--runid", "a"}), 1);
  EXPECT_THAT(message_, HasSubstr("a job failed, so all others were cancelled"));
  AwaitQueue("fio", [](const v1::Queue& queue) { return queue.waiting() + queue.running() == 0; });
}

TEST_F(RunCommandTest, JobsRunOneAtATimeHoweverManySlotsThereAre) {
  WorkerStream worker(frontend_->worker_address());
  worker.Join("fio", 1, 4);
  AwaitQueue("fio", [](const v1::Queue& queue) { return queue.worker_processes() == 1; });
  EXPECT_EQ(Run({file_, "--runid", "a", "--detach"}), 0) << message_;
  for (std::uint64_t left = 4; left > 0; --left) {
    const Assigned job = worker.assigned.Take();
    const v1::Queue queue = Queue("fio");
    EXPECT_EQ(queue.running(), 1U);
    EXPECT_EQ(queue.waiting(), left - 1);
    worker.Answer(job, v1::OUTCOME_SUCCEEDED);
  }
}

TEST_F(RunCommandTest, SoManyJobsRunAtOnceAsTheFileSays) {
  Write("template: {kind: Fio}\n  repetitions: 4\n  maxParallel: 3\n");
  WorkerStream worker(frontend_->worker_address());
  worker.Join("fio", 1, 4);
  AwaitQueue("fio", [](const v1::Queue& queue) { return queue.worker_processes() == 1; });
  EXPECT_EQ(Run({file_, "--runid", "a", "--detach"}), 0) << message_;
  AwaitQueue("fio", [](const v1::Queue& queue) { return queue.running() == 3; });
  EXPECT_EQ(Queue("fio").waiting(), 1U);
}

TEST_F(RunCommandTest, APausedRunGoesOn) {
  EXPECT_EQ(Run({file_, "--runid", "a", "--detach", "--unchecked"}), 0) << message_;
  EXPECT_EQ(Run({"--pause", "a"}), 0) << message_;
  EXPECT_THAT(output_, HasSubstr("0 of 4 jobs succeeded, 4 withdrawn"));
  EXPECT_EQ(Queue("fio").waiting(), 0U);
  StartWorker();
  EXPECT_EQ(Run({"--resume", "a"}), 0) << message_;
  EXPECT_EQ(worker_->jobs(), 4);
}

TEST_F(RunCommandTest, EveryPairOfNodesRunsOnThatPair) {
  Write(
      "template: {kind: Fio, spec: {numWorkers: 2}}\n"
      "  nodes: {select: ['*'], combinations: 2}\n");
  std::vector<std::unique_ptr<Worker>> workers;
  for (std::uint64_t key = 1; key <= 3; ++key) {
    workers.push_back(std::make_unique<Worker>(frontend_->worker_address(), key,
                                               [](const auto&) { return v1::OUTCOME_SUCCEEDED; }));
  }
  EXPECT_EQ(Run({file_, "--runid", "a"}), 0) << message_;
  EXPECT_THAT(output_, HasSubstr(R"(["node-2","node-3"])"));
  for (const auto& worker : workers) EXPECT_EQ(worker->jobs(), 2);  // of three pairs
}

TEST_F(RunCommandTest, ARunOnChosenNodesGoesOnWithoutAnybodyWatching) {
  Write("template: {kind: Fio}\n  nodes: {select: ['*'], combinations: 1}\n");
  StartWorker();
  Worker other(frontend_->worker_address(), 2, [](const auto&) { return v1::OUTCOME_SUCCEEDED; });
  AwaitQueue("fio", [](const v1::Queue& queue) { return queue.worker_processes() == 2; });
  EXPECT_EQ(Run({file_, "--runid", "a", "--detach"}), 0) << message_;
  AwaitQueue("fio", [](const v1::Queue& queue) { return queue.waiting() + queue.running() == 0; });
  EXPECT_EQ(worker_->jobs(), 1);
  EXPECT_EQ(other.jobs(), 1);
}

TEST_F(RunCommandTest, WhatNoWorkerCanRunIsSaidAtOnce) {
  EXPECT_EQ(Run({file_}), 5);
  EXPECT_THAT(message_, HasSubstr("no worker of queue fio is connected"));
  StartWorker();
  Write("template: {kind: Fio, spec: {hostNetwork: true}}\n");
  EXPECT_EQ(Run({file_}), 5);
  EXPECT_THAT(message_, HasSubstr("hostNetwork=true; none of the 1 of queue fio has it"));
  Write("template: {kind: Fio, spec: {numWorkers: 2}}\n");
  EXPECT_EQ(Run({file_}), 5);
  EXPECT_THAT(message_, HasSubstr("takes 2 workers at once; queue fio has 1"));
  Write("template: {kind: MPIPingPong}\n");
  EXPECT_EQ(Run({file_}), 3);
  EXPECT_THAT(message_, HasSubstr("mpi-pingpong"));
  EXPECT_EQ(worker_->jobs(), 0);
}

TEST_F(RunCommandTest, WhatIsWrongIsSaidBeforeAnythingIsQueued) {
  Write("template: {kind: Fio}\n  permutations: {product: {rw: [read, wrong]}}\n");
  EXPECT_EQ(Run({file_}), 2);
  EXPECT_THAT(message_, HasSubstr("f.yaml:6:"));
  EXPECT_THAT(message_, HasSubstr("(permutation 2: rw=\"wrong\")"));
  EXPECT_EQ(Run({"--resume", "none"}), 3);
  EXPECT_EQ(Run({file_, "--runid", "a/b"}), 2);
  EXPECT_NE(Run({}), 0);
}

TEST_F(RunCommandTest, ADryRunListsTheJobs) {
  EXPECT_EQ(Run({file_, "--dry-run"}), 0) << message_;
  EXPECT_THAT(output_, HasSubstr("4 jobs of Fio: 2 permutations x 2 repetitions"));
  EXPECT_EQ(Queue("fio").waiting(), 0U);
}

TEST_F(RunCommandTest, TwoRunsInTurnAreComparedAtTheEnd) {
  StartWorker();
  EXPECT_EQ(Run({file_, "--interleave", file_, "--runid", "x"}), 0) << message_;
  EXPECT_THAT(output_, HasSubstr("RATIO"));
  const auto a = JobsOf("x-a");
  const auto b = JobsOf("x-b");
  ASSERT_EQ(a.size(), 4U);
  ASSERT_EQ(b.size(), 4U);
  const std::vector<std::uint64_t> in_turn = {a[0], b[0], b[1], a[1], a[2], b[2], b[3], a[3]};
  EXPECT_TRUE(std::is_sorted(in_turn.begin(), in_turn.end()));
  EXPECT_EQ(Run({file_, "--interleave", file_, "--runid", "x"}), 5);
  EXPECT_THAT(message_, HasSubstr("there is a run x-a already"));
}

TEST_F(RunCommandTest, JobsOfTwoRunsInTurnRunOneAtATime) {
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  const auto watched = [&](const Assigned&) {
    most = std::max<int>(most, ++running);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    --running;
    return v1::OUTCOME_SUCCEEDED;
  };
  StartWorker(watched);
  const Worker second(frontend_->worker_address(), 2, watched);
  EXPECT_EQ(Run({file_, "--interleave", file_, "--runid", "x"}), 0) << message_;
  EXPECT_EQ(most, 1);
}

TEST_F(RunCommandTest, RunsInTurnGoOnInTurn) {
  Write("template: {kind: Fio}\n  repetitions: 4\n  failFast: true\n");
  StartWorker([first = true](const Assigned&) mutable {
    return std::exchange(first, false) ? v1::OUTCOME_FAILED : v1::OUTCOME_SUCCEEDED;
  });
  EXPECT_EQ(Run({file_, "--interleave", file_, "--runid", "x"}), 1);
  EXPECT_THAT(message_, HasSubstr("a job failed, so all others were cancelled"));
  EXPECT_EQ(Run({"--retry-failed", "x-a"}), 5);
  EXPECT_THAT(message_, HasSubstr("--resume goes on with both"));
  EXPECT_EQ(Run({"--resume", "x-b"}), 1);
  EXPECT_THAT(message_, HasSubstr("run x-a: 1 failed of 4 jobs"));
  EXPECT_THAT(output_, HasSubstr("RATIO"));
}

TEST_F(RunCommandTest, RunsThatCannotTakeTurnsAreRefused) {
  const std::string other = folder_ / "other.yaml";
  const auto refusal = [&](const std::string& spec) {
    std::ofstream(other) << "apiVersion: twofold/v1\nkind: BenchmarkSet\nmetadata: {name: set}\n"
                         << "spec:\n  " << spec;
    EXPECT_EQ(Run({file_, "--interleave", other}), 5) << spec;
    return message_;
  };
  const std::string same =
      "template: {kind: Fio}\n  permutations: {product: {rw: [read, write]}}\n";
  EXPECT_THAT(refusal(same + "  repetitions: 3\n"), HasSubstr("the files plan different jobs"));
  EXPECT_THAT(refusal(same + "  repetitions: 2\n  maxParallel: 2\n"), HasSubstr("maxParallel"));
  EXPECT_THAT(refusal(same + "  until: {relativeInterval: 3%, max: 9}\n"), HasSubstr("spec.until"));
  EXPECT_THAT(refusal("template: {kind: IPerf}\n"), HasSubstr("two kinds"));
  EXPECT_NE(Run({file_, "--interleave", file_, "--detach"}), 0);
}

TEST_F(RunCommandTest, DryRunOfTwoRunsInTurnListsTheirJobs) {
  EXPECT_EQ(Run({file_, "--interleave", file_, "--runid", "x", "--dry-run"}), 0) << message_;
  EXPECT_THAT(output_, HasSubstr("8 jobs of Fio: 4 permutations x 2 repetitions"));
}

TEST_F(RunCommandTest, ARunIsExportedAsAFileThatAnswersAsTheFrontendDoes) {
  StartWorker();
  ASSERT_EQ(Run({file_, "--runid", "a"}), 0) << message_;
  ASSERT_EQ(Run({file_, "--runid", "b"}), 0) << message_;
  const std::string copy = folder_ / "a.db";
  ASSERT_EQ(Twofold({"results", "export", "a", copy}), 0) << message_;
  EXPECT_EQ(output_, "run a: 4 jobs copied to " + copy + "\n");
  ASSERT_EQ(Twofold({"results", "a", "--csv"}), 0) << message_;
  const std::string rows = output_;
  EXPECT_EQ(Twofold({"results", "a", "--csv", "--store", copy}), 0) << message_;
  EXPECT_EQ(output_, rows);
  EXPECT_EQ(Twofold({"results", "b", "--store", copy}), 3) << "it has no other run";
  EXPECT_EQ(FilesBeside("store.db"), "store.db store.db-shm store.db-wal store.db.lock ");
}

TEST_F(RunCommandTest, AnExportOfWhatIsNotThereLeavesNothing) {
  EXPECT_EQ(Twofold({"results", "export", "nope", folder_ / "nope.db"}), 3);
  EXPECT_THAT(message_, HasSubstr("there is no run 'nope'"));
  EXPECT_EQ(FilesBeside("nope"), "");
  EXPECT_EQ(FilesBeside("store.db"), "store.db store.db-shm store.db-wal store.db.lock ");
}

TEST_F(RunCommandTest, JsonHasTheWholeRun) {
  StartWorker();
  EXPECT_EQ(Run({file_, "--runid", "a", "--output", "json"}), 0) << message_;
  const Json json = Json::parse(output_);
  EXPECT_EQ(json.at("run").at("id"), "a");
  EXPECT_EQ(json.at("run").at("state"), "ended");
  ASSERT_EQ(json.at("permutations").size(), 2U);
  EXPECT_EQ(json.at("permutations").at(1).at("jobs").at(1).at("outcome"), "succeeded");
}

TEST_F(RunCommandTest, AJobThatIsWaitedForShowsWhatItHasMeasured) {
  StartWorker();
  EXPECT_EQ(Twofold({"job", "submit", "fio", "--wait"}), 0) << message_;
  EXPECT_THAT(output_, HasSubstr("\nthroughput: 9.25 MiB/s\n"));
}

}  // namespace
}  // namespace twofold::cli
