// `twofold watch` as a program, with a real frontend and a real worker, whose fio is a script.

#include <algorithm>
#include <fstream>
#include <set>
#include <string>

#include "tests/integration/durable_cluster.h"

namespace twofold::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class WatchTest : public DurableClusterTest {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(Benchmarks());
    StartDurable();
    WriteFio();
    StartWorker();
  }

  std::string Benchmarks() const { return folder_ / "benchmarks"; }

  // It notes that it has begun, and ends well when there is a file `go`.
  void WriteFio() const {
    std::filesystem::create_directory(folder_ / "tools");
    const std::string fio = folder_ / "tools/fio";
    std::ofstream(fio) << "#!/bin/sh\ncase \"$*\" in *--create_only*|*--version*) exit;; esac\n"
                       << "echo begun >>" << folder_ / "begun"
                       << "\n"
                       << "while [ ! -e " << folder_ / "go"
                       << " ]; do sleep 0.02; done\n"
                       << "cat " << TWOFOLD_SOURCE << "/tests/golden/suites/fio/worker0.json\n";
    std::filesystem::permissions(fio, std::filesystem::perms::owner_all);
  }
  void Go() const { std::ofstream(folder_ / "go") << "go"; }

  void StartWorker() {
    worker_ = StartBackendWith(
        {"--suite-path", folder_ / "tools", "--backoff", "0.1", "--backoff-max", "0.5"}, {"fio"});
    AwaitProcesses(1);
  }

  /// A benchmark of two jobs; written beside, and then renamed.
  void Write(const std::string& name, const std::string& run_id, const std::string& rw = "randrw") {
    const std::string part = folder_ / "part";
    std::ofstream(part) << "apiVersion: twofold/v1\nkind: BenchmarkSet\n"
                        << "metadata: {name: set, runid: " << run_id << "}\nspec:\n"
                        << "  template: {kind: Fio, spec: {rw: " << rw
                        << ", rwmixread: 70, bs: 4k, iodepth: 4, numJobs: 2, direct: 0"
                        << ", runtime: 1s}}\n"
                        << "  repetitions: 2\n";
    std::filesystem::rename(part, Benchmarks() + "/" + name);
  }

  void StartWatch(Arguments more = {}) {
    Arguments words = {"watch",   Benchmarks(), "--name",     "test",
                       "--queue", "sleep",      "--frontend", client_address_};
    words.insert(words.end(), more.begin(), more.end());
    watch_ = std::make_unique<Program>("twofold", words);
  }
  void AwaitLog(const std::string& text) {
    EXPECT_TRUE(Await([&] { return Has(text); })) << text << " is not in\n" << watch_->output();
  }
  bool Has(const std::string& text) const {
    return watch_->output().find(text) != std::string::npos;
  }
  std::size_t Times(const std::string& text) const {
    const std::string log = watch_->output();
    std::size_t times = 0;
    for (std::size_t at = log.find(text); at != std::string::npos; at = log.find(text, at + 1)) {
      ++times;
    }
    return times;
  }
  void AwaitBegun() {
    EXPECT_TRUE(Await([&] { return std::filesystem::exists(folder_ / "begun"); }));
  }
  void EndWatch() {
    watch_->Signal(SIGTERM);
    EXPECT_EQ(watch_->Wait(), 0) << watch_->output();
    EXPECT_TRUE(Has("the watch ends"));
  }

  /// Both jobs of each of `runs` succeeded, each once, and run after run.
  void ExpectEachRanOnce(const std::vector<std::string>& runs) {
    std::uint64_t last = 0;
    for (const std::string& run : runs) {
      const auto jobs = List(run);
      std::set<std::string> keys;
      for (const v1::Job& job : jobs) {
        EXPECT_EQ(job.outcome(), v1::OUTCOME_SUCCEEDED) << job.ShortDebugString();
        EXPECT_GT(job.id(), last) << "of " << run << ": it went before another run";
        keys.insert(job.dedup_key());
      }
      EXPECT_EQ(jobs.size(), 2U) << run;
      EXPECT_EQ(keys.size(), 2U) << run;
      for (const v1::Job& job : jobs) last = std::max(last, job.id());
    }
  }

  std::unique_ptr<Program> worker_;
  std::unique_ptr<Program> watch_;
};

TEST_F(WatchTest, AFileThatAppearsIsRunOnce) {
  Go();
  StartWatch();
  Write("a.yaml", "r1");
  AwaitLog("a.yaml: run r1 is in line, 2 jobs");
  AwaitLog("run r1 of a.yaml: ended, 2 of 2 jobs succeeded");
  EXPECT_THAT(watch_->output(), HasSubstr("Fio: 2 of 2 jobs succeeded")) << "its results";
  EndWatch();
  StartWatch();
  AwaitLog("a.yaml: run r1 is there already, ended");
  EndWatch();
  ExpectEachRanOnce({"r1"});
}

TEST_F(WatchTest, ChangesInMidRunWaitInLine) {
  StartWatch();
  Write("a.yaml", "r1");
  AwaitBegun();
  for (const char* run : {"r2", "r3"}) {
    Write("a.yaml", run);
    AwaitLog(std::string("a.yaml: run ") + run + " is in line");
  }
  EXPECT_EQ(List("r2").size(), 0U) << "one run at a time";
  Go();
  AwaitLog("run r3 of a.yaml: ended");
  EndWatch();
  ExpectEachRanOnce({"r1", "r2", "r3"});
}

TEST_F(WatchTest, ARunIdThatWasUsedIsRefused) {
  Go();
  StartWatch();
  Write("a.yaml", "r1");
  AwaitLog("run r1 of a.yaml: ended");
  Write("b.yaml", "r1", "rw");
  AwaitLog("b.yaml: refused: runid r1 was used before, by run set (ended), which is another");
  Write("c.yaml", "r1");
  AwaitLog("c.yaml: run r1 is there already, ended");
  EndWatch();
  ExpectEachRanOnce({"r1"});
}

TEST_F(WatchTest, AWatchThatIsKilledLosesAndRepeatsNothing) {
  StartWatch();
  Write("a.yaml", "r1");
  AwaitBegun();
  Write("a.yaml", "r2");
  AwaitLog("run r2 is in line");
  Write("a.yaml", "nil");  // r2 is nowhere now but in the frontend
  AwaitLog("a.yaml: idle");
  watch_->Kill();
  StartWatch();
  AwaitLog("run r2 of a.yaml is taken up, planned");
  Go();
  AwaitLog("run r2 of a.yaml: ended");
  EndWatch();
  ExpectEachRanOnce({"r1", "r2"});
}

TEST_F(WatchTest, AFrontendThatIsKilledIsWaitedFor) {
  StartWatch();
  Write("a.yaml", "r1");
  AwaitBegun();
  EXPECT_EQ(frontend_->Kill(), -SIGKILL);
  Write("a.yaml", "r2");
  AwaitLog("a.yaml: no frontend answers");
  Write("a.yaml", "r3");
  StartDurable();
  AwaitLog("run r3 is in line");
  Go();
  AwaitLog("run r3 of a.yaml: ended");
  EXPECT_EQ(Times("a.yaml: no frontend answers"), 1U);
  EndWatch();
  ExpectEachRanOnce({"r1", "r2", "r3"});
}

TEST_F(WatchTest, AWatchWaitsForAFrontendToBegin) {
  EXPECT_EQ(frontend_->Kill(), -SIGKILL);
  Go();
  Write("a.yaml", "r1");
  StartWatch();
  AwaitLog("no frontend answers");
  StartDurable();
  AwaitLog("run r1 of a.yaml: ended");
  EXPECT_EQ(Times("no frontend answers"), 1U);
  EndWatch();
  ExpectEachRanOnce({"r1"});
}

// A measurement is not repeated silently: the job is lost, and the run says how to repeat it.
TEST_F(WatchTest, AJobWhoseWorkerIsKilledIsLostAndTheNextRunHasItsTurn) {
  StartWatch();
  Write("a.yaml", "r1");
  AwaitBegun();
  worker_->Kill();
  StartWorker();
  Go();
  AwaitLog("run r1 of a.yaml: ended, 1 of 2 jobs succeeded");
  EXPECT_TRUE(Has("--retry-failed r1"));
  Write("b.yaml", "r2");
  AwaitLog("run r2 of b.yaml: ended, 2 of 2 jobs succeeded");
  EndWatch();
  EXPECT_EQ(List("r1").size(), 2U);
  ExpectEachRanOnce({"r2"});
}

TEST_F(WatchTest, ABrokenFileIsSaidOnceAndTheOthersAreRun) {
  Go();
  Write("a.yaml", "r1", "wrong");
  Write("b.yaml", "r2");
  Write("c.yaml", "a/b");
  std::ofstream(Benchmarks() + "/d.yaml") << "metadata: [\n";
  StartWatch();
  AwaitLog("run r2 of b.yaml: ended");
  EXPECT_EQ(Times("a.yaml:5:"), 1U) << watch_->output();
  EXPECT_EQ(Times("c.yaml: metadata.runid: run id: must be"), 1U) << watch_->output();
  EXPECT_EQ(Times("d.yaml:2:"), 1U) << watch_->output();
  Write("a.yaml", "r1");  // mended: the id was not used up
  AwaitLog("run r1 of a.yaml: ended");
  EndWatch();
  ExpectEachRanOnce({"r2", "r1"});
}

TEST_F(WatchTest, ARunOfAFileThatIsGoneGoesOn) {
  StartWatch();
  Write("a.yaml", "r1");
  AwaitBegun();
  std::filesystem::remove(Benchmarks() + "/a.yaml");
  AwaitLog("a.yaml: is gone");
  Go();
  AwaitLog("run r1 of a.yaml: ended");
  EndWatch();
  ExpectEachRanOnce({"r1"});
}

TEST_F(WatchTest, WithoutAnIdAFileIsIdle) {
  StartWatch();
  std::ofstream(Benchmarks() + "/none.yaml")
      << "apiVersion: twofold/v1\nkind: Fio\nmetadata: {name: one}\n";
  Write("nil.yaml", "nil");
  Write("empty.yaml", "''");
  Write("null.yaml", "~");
  for (const char* file : {"none", "nil", "empty", "null"}) {
    AwaitLog(std::string(file) + ".yaml: idle, as it has no metadata.runid");
  }
  EndWatch();
  EXPECT_EQ(List().size(), 0U);
}

TEST_F(WatchTest, WithoutWorkersARunIsGivenUpAndTheNextOneHasItsTurn) {
  worker_->Kill();
  AwaitProcesses(0);
  Go();
  Write("a.yaml", "r1");
  StartWatch({"--patience", "2"});
  AwaitLog("run r1: no worker of queue sleep is connected");
  AwaitLog("run r1: given up");
  AwaitLog("run r1 of a.yaml: cancelled, 0 of 2 jobs succeeded");
  StartWorker();
  Write("a.yaml", "r2");
  AwaitLog("run r2 of a.yaml: ended");
  EndWatch();
  EXPECT_EQ(List("r1").size(), 0U);
}

TEST_F(WatchTest, ARunThatIsCancelledBeforeItsTurnIsNotRun) {
  StartWatch();
  Write("a.yaml", "r1");
  AwaitBegun();
  Write("a.yaml", "r2");
  AwaitLog("run r2 is in line");
  Program cancel("twofold", {"cancel", "r2", "--frontend", client_address_});
  EXPECT_EQ(cancel.Wait(), 0) << cancel.output();
  Go();
  AwaitLog("run r2 of a.yaml: cancelled, 0 of 2 jobs succeeded");
  EndWatch();
  ExpectEachRanOnce({"r1"});
  EXPECT_EQ(List("r2").size(), 0U);
}

TEST_F(WatchTest, ManyFilesAreRunInOrder) {
  Go();
  std::vector<std::string> runs;
  for (int i = 10; i < 18; ++i) {
    runs.push_back("r" + std::to_string(i));
    Write("f" + std::to_string(i) + ".yaml", runs.back());
  }
  StartWatch();
  AwaitLog("run r17 of f17.yaml: ended");
  EndWatch();
  ExpectEachRanOnce(runs);
}

}  // namespace
}  // namespace twofold::testing
