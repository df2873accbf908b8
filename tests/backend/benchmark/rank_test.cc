#include <absl/strings/str_cat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>

#include "lib/suite/text.h"
#include "tests/backend/benchmark/bench.h"

// What a plan asks of one rank, by a suite whose plan the test sets: a job that is no gang.
namespace twofold::backend {
namespace {

using std::chrono::milliseconds;
using suite::Phase;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

suite::GangPlan* the_plan = nullptr;  // of the test that runs

// What Parse got, and all lines of stdout that are numbers.
suite::Outputs* the_outputs = nullptr;

Result<std::uint32_t> Check(std::string_view spec) {
  if (spec == "bad") return absl::InvalidArgumentError("field: bad");
  return the_plan->ranks.size();
}

Result<suite::GangPlan> Plan(std::string_view, const suite::Gang& gang) {
  suite::GangPlan plan = *the_plan;
  for (std::string& folder : plan.ranks[0].folders) folder += gang.name;
  return plan;
}

std::optional<double> NumberIn(const std::string& out) {
  const auto lines = suite::Lines(out);
  return lines.empty() ? std::nullopt : suite::ToNumber(lines[0]);
}

Result<suite::Measurements> Parse(const suite::Outputs& outputs) {
  *the_outputs = outputs;
  suite::Measurements numbers;
  for (const suite::StageOutput& output : outputs.stages) {
    if (const auto number = NumberIn(output.out)) {
      numbers.measurements.push_back({"number", *number, "", suite::Better::kHigher, true, {}});
    }
  }
  if (numbers.measurements.empty()) return suite::Unreadable("run", "no number");
  return numbers;
}

constexpr suite::Suite kSuite = {
    .name = "fake", .kind = "Fake", .check = &Check, .plan = &Plan, .parse = &Parse};

suite::Stage Shell(const char* name, Phase phase, const std::string& text) {
  return {.name = name, .phase = phase, .argv = {"sh", "-c", text}};
}

class RankTest : public BenchTest {
 protected:
  RankTest() {
    the_plan = &plan_;
    the_outputs = &outputs_;
  }
  suite::RankPlan& rank() { return plan_.ranks[0]; }
  suite::Stage& Add(const char* name, Phase phase, const std::string& text) {
    return rank().stages.emplace_back(Shell(name, phase, text));
  }
  void ExpectError(const BenchEnd& end, const std::string& error) {
    EXPECT_EQ(end.outcome, v1::OUTCOME_FAILED);
    EXPECT_EQ(end.report.error(), error);
    EXPECT_EQ(end.result.failed_stage(), error.substr(0, error.find(':')));
    EXPECT_THAT(Left(), IsEmpty());
  }

  suite::GangPlan plan_{.ranks = std::vector<suite::RankPlan>(1)};
  suite::Outputs outputs_;
};

TEST_F(RankTest, StagesRunByPhaseInTheWorkFolderWithThePlansFiles) {
  options_.allowed.paths = {work_.Path("")};
  rank().folders = {work_.Path("volume-")};
  rank().files = {{"number", "42\n"}};
  Add("run", Phase::kRun, "cat number; echo \"$KEY\" > made; cat made >&2").environment = {
      {"KEY", "value"}};
  Add("mesh", Phase::kPrepare, "ls .. >&2; test -d \"$TMPDIR\"");
  rank().stages[0].collect = {"made", "missing"};
  const BenchEnd end = Run(kSuite, "");
  EXPECT_EQ(end.outcome, v1::OUTCOME_SUCCEEDED) << end.report.error();
  ASSERT_EQ(outputs_.stages.size(), 2U);
  EXPECT_EQ(outputs_.stages[0].stage, "mesh");
  EXPECT_EQ(outputs_.stages[1].out, "42\n");
  EXPECT_EQ(outputs_.stages[1].err, "value\n");
  EXPECT_THAT(outputs_.stages[1].files, ElementsAre(suite::File{"made", "value\n"}));
  EXPECT_EQ(outputs_.stages[1].exit_code, 0);
  EXPECT_GT(outputs_.stages[1].wall->count(), 0);
  EXPECT_EQ(end.result.ranks(0).stages_size(), 2);
}

/// By name, of all measurements of the machine.
std::map<std::string, double> MachineOf(const v1::BenchmarkResult& result) {
  std::map<std::string, double> found;
  for (const v1::Measurement& one : result.measurements()) {
    if (one.name().starts_with("machine_")) found[one.name()] = one.value();
  }
  return found;
}

TEST_F(RankTest, WhatTheMachineDidBesideAJobIsAmongItsNumbers) {
  int readings = 0;  // between two of them others are busy half of the time
  options_.host = {.read = [&](const std::string& path) -> std::optional<std::string> {
                     if (path != "/proc/stat") return std::nullopt;
                     const std::string ticks = std::to_string(++readings * 1000);
                     return "cpu " + ticks + " 0 0 " + ticks + " 0 0 0 0\n";
                   },
                   .processes = [] { return std::vector<int>(); }};
  Add("run", Phase::kRun, "sleep 0.12; echo 42");
  const std::map<std::string, double> half = {{"machine_others", 50}, {"machine_stolen", 0}};
  EXPECT_EQ(MachineOf(Run(kSuite, "").result), half);
}

TEST_F(RankTest, WhatMakesNoSenseIsAPlanError) {
  ExpectError(Run(kSuite, "bad"), "plan: field: bad");
  Make(kSuite);
  recorder_->Start(0, {"{}", "more"});
  ExpectError(EndOf(0), "plan: a job of fake has one argument, its spec");
  plan_.ranks.resize(2);
  ExpectError(Run(kSuite, ""),
              "plan: with this spec fake runs on 2 workers, as a gang of so many; it was given 1");
}

TEST_F(RankTest, PreparationThatCannotBeDoneSaysWhy) {
  options_.allowed.paths = {"/no/such/volume"};
  rank().folders = {"/no/such/volume/"};
  EXPECT_THAT(Run(kSuite, "").report.error(), StartsWith("prepare: /no/such/volume/job-0-1-"));
  rank().folders = {};
  Add("run", Phase::kRun, "").argv = {"no-such-tool"};
  EXPECT_THAT(Run(kSuite, "").report.error(), StartsWith("prepare: no-such-tool is not installed"));
  rank().stages[0].argv = {"sh"};
  rank().stages[0].starts = "no-such-benchmark";
  EXPECT_THAT(Run(kSuite, "").report.error(),
              StartsWith("prepare: no-such-benchmark is not installed"));
  rank().stages[0].starts = "";
  rank().stages[0].argv = {"/no/such/tool"};
  EXPECT_THAT(Run(kSuite, "").report.error(), StartsWith("run: start: /no/such/tool: No such"));
}

TEST_F(RankTest, FilesThatTheDiskCannotHoldAreRefusedBeforeTheFirstIsWritten) {
  rank().folders = {"data"};
  Add("run", Phase::kRun, "echo 42");
  rank().disk_bytes = std::uint64_t{1} << 59;
  EXPECT_THAT(Run(kSuite, "").report.error(),
              MatchesRegex("prepare: its files take 512 PiB, and /.* has .*iB free"));
  EXPECT_THAT(Left(), IsEmpty());
  rank().disk_bytes = 1;
  EXPECT_EQ(Run(kSuite, "").report.error(), "");
}

TEST_F(RankTest, FailedPreparationHasTheLastLineOfItsTool) {
  Add("mesh", Phase::kPrepare, "echo first; echo 'no room' >&2; exit 2");
  Add("run", Phase::kRun, "echo 42");
  const BenchEnd end = Run(kSuite, "");
  ExpectError(end, "mesh: exit code 2: no room");
  EXPECT_EQ(end.report.output(), "first\nno room\n");
  EXPECT_EQ(end.report.exit_code(), 2);
}

TEST_F(RankTest, AServerIsReadyWhenItSaysSoAndRunsUntilTheEnd) {
  suite::Stage& server =
      Add("server", Phase::kServe, "sleep 0.05; touch up; echo up; exec sleep 3600");
  server.ready.line = "up";
  Add("run", Phase::kRun, "test -f up && echo 42");
  const BenchEnd end = Run(kSuite, "");
  EXPECT_EQ(end.outcome, v1::OUTCOME_SUCCEEDED) << end.report.error();
  ASSERT_EQ(end.result.ranks(0).stages_size(), 2);
  EXPECT_EQ(end.result.ranks(0).stages(0).signal(), SIGTERM);
  EXPECT_EQ(end.result.ranks(0).stages(0).error(), "");
}

TEST_F(RankTest, AServerThatDiesEndsTheJob) {
  Add("server", Phase::kServe, "sleep 0.05; echo 'address in use' >&2; exit 1");
  Add("run", Phase::kRun, "sleep 3600");
  ExpectError(Run(kSuite, ""), "server: exit code 1: address in use");
}

TEST_F(RankTest, AStageIsStoppedAtItsLimit) {
  Add("run", Phase::kRun, "echo 42; sleep 3600").limit = milliseconds(50);
  ExpectError(Run(kSuite, ""), "run: ran past its limit of 0.05 s");
}

TEST_F(RankTest, OneThatGoesOnLeavesTheNumbersOfTheOthers) {
  suite::Stage& first = Add("first", Phase::kRun, "sleep 3600");
  first.limit = milliseconds(50);
  first.goes_on = true;
  Add("run", Phase::kRun, "echo 42");
  const BenchEnd end = Run(kSuite, "");
  EXPECT_EQ(end.outcome, v1::OUTCOME_FAILED);
  EXPECT_EQ(end.report.error(), "first: ran past its limit of 0.05 s");
  ASSERT_EQ(end.result.measurements_size(), 1);
  EXPECT_EQ(end.result.measurements(0).value(), 42);
}

TEST_F(RankTest, DaemonsThatSlipAwayAreFoundAndKilled) {
  Add("run", Phase::kRun, "(setsid sleep 3600 &) ; (setsid sh -c 'sleep 3600' &) ; echo 42");
  EXPECT_EQ(Run(kSuite, "").outcome, v1::OUTCOME_SUCCEEDED);
  EXPECT_THAT(Left(), IsEmpty());
}

TEST_F(RankTest, WhatItPrintsIsToldWhileItIsFollowed) {
  Add("run", Phase::kRun,
      "echo 42; echo loud >&2; touch ../../printed; while ! test -f ../../go; do "
      "sleep 0.01; done; echo end >&2");
  Make(kSuite);
  recorder_->Start(0, {""});
  while (!std::filesystem::exists(work_.Path("printed"))) io_.poll();
  benchmark_->Follow(0, true);
  EXPECT_EQ(recorder_->printed(), "42\nloud\n");
  work_.Write("go", "");
  EXPECT_EQ(EndOf(0).outcome, v1::OUTCOME_SUCCEEDED);
  EXPECT_EQ(recorder_->printed(), "42\nloud\nend\n");
  std::filesystem::remove(work_.Path("go"));
  std::filesystem::remove(work_.Path("printed"));
}

TEST_F(RankTest, HowFarItIsIsToldByStage) {
  Add("first", Phase::kRun, "echo '0.25 a quarter' >&4; sleep 0.05");
  Add("run", Phase::kRun, "echo 42");
  Run(kSuite, "");
  EXPECT_THAT(recorder_->progress(), ElementsAre(process::ProgressLine{0, "first"},
                                                 process::ProgressLine{0.25, "a quarter"},
                                                 process::ProgressLine{0.5, "run"}));
}

TEST_F(RankTest, AResultFitsIntoAReportHoweverMuchWasPrinted) {
  Add("run", Phase::kRun, "head -c 2000000 /dev/urandom >&2; echo 42");
  const BenchEnd end = Run(kSuite, "");
  EXPECT_EQ(end.outcome, v1::OUTCOME_SUCCEEDED) << end.report.error();
  EXPECT_EQ(outputs_.stages[0].err.size(), 2'000'000U);
  EXPECT_LE(end.report.ByteSizeLong(), rpc::kMaxReportBytes);
  const v1::Artifact& err = end.result.ranks(0).stages(0).err();
  EXPECT_EQ(err.bytes(), 2'000'000U);
  EXPECT_GT(err.left_out(), 1'000'000U);
}

TEST_F(RankTest, ABackendThatEndsLeavesNothing) {
  Add("run", Phase::kRun, "touch ../../runs; setsid sleep 3600 & sleep 3600");
  Make(kSuite);
  recorder_->Start(0, {""});
  while (!std::filesystem::exists(work_.Path("runs"))) io_.poll();
  std::filesystem::remove(work_.Path("runs"));
  recorder_.reset();
  benchmark_.reset();
  EXPECT_THAT(Left(), IsEmpty());
}

TEST_F(RankTest, JobsInOtherSlotsAreApart) {
  Add("run", Phase::kRun, "pwd >&2; echo 42");
  Make(kSuite);
  for (Slot slot = 0; slot < 5; ++slot) recorder_->Start(slot, {""});
  recorder_->Await(5);
  std::set<std::string> folders;
  for (Slot slot = 0; slot < 5; ++slot) folders.insert(EndOf(slot).report.output());
  EXPECT_EQ(folders.size(), 5U);
}

TEST_F(RankTest, PathsOutsideTheWorkFolderAreForTheWorkerToAllow) {
  const TempDir mounts;
  const std::string inside = mounts.Write("allowed", "");
  std::filesystem::create_symlink("/etc", mounts.Path("link"));
  Add("run", Phase::kRun, "echo 1");
  for (const std::string& path :
       {std::string("/etc/passwd"), std::string("../folders"), inside, mounts.Path("link/passwd"),
        mounts.Path("not-there-yet"), std::string("/")}) {
    rank().paths = {"in-the-work-folder", path};
    ExpectError(
        Run(kSuite, ""),
        absl::StrCat("plan: ", path,
                     ": neither in the work folder nor where this worker has --allow-path"));
  }
  options_.allowed.paths = {mounts.Path("")};
  for (const std::string& path : {inside, mounts.Path("not-there-yet")}) {
    rank().paths = {path};
    EXPECT_EQ(Run(kSuite, "").outcome, v1::OUTCOME_SUCCEEDED) << path;
  }
  for (const std::string& path : {mounts.Path("link/passwd"), mounts.Path("../x"),
                                  mounts.Path("").substr(0, mounts.Path("").size() - 1) + "x"}) {
    rank().paths = {path};
    EXPECT_EQ(Run(kSuite, "").outcome, v1::OUTCOME_FAILED) << path;
  }
}

TEST_F(RankTest, FoldersOutsideTheWorkFolderAreForTheWorkerToAllow) {
  Add("run", Phase::kRun, "echo 1");
  rank().folders = {work_.Path("volume-")};
  EXPECT_THAT(Run(kSuite, "").report.error(), HasSubstr("--allow-path"));
}

TEST_F(RankTest, WhatIsOnNoWordListIsForTheWorkerToAllow) {
  Add("run", Phase::kRun, "echo 1");
  plan_.unlisted = {"mpirunArgs: '--prefix'"};
  ExpectError(Run(kSuite, ""),
              "plan: mpirunArgs: '--prefix' is on no word list; only workers with --allow-options "
              "take it");
  options_.allowed.options = true;
  EXPECT_EQ(Run(kSuite, "").outcome, v1::OUTCOME_SUCCEEDED);
}

TEST_F(RankTest, WhatIsAskedForIsForTheWorkerToAllowByItsValue) {
  Add("run", Phase::kRun, "echo 1");
  plan_.asks = {{"namespace", "load-1"}, {"image", "a/b:1"}};
  ExpectError(
      Run(kSuite, ""),
      "plan: namespace: only workers with --allow-value 'namespace=load-1', or a pattern of "
      "it, take that");
  options_.allowed.values = {"namespace=load-*", "image=load-1", "namespace=a/b:1"};
  EXPECT_THAT(Run(kSuite, "").report.error(), HasSubstr("--allow-value 'image=a/b:1'"));
  options_.allowed.values.push_back("image=a/*");
  EXPECT_EQ(Run(kSuite, "").outcome, v1::OUTCOME_SUCCEEDED);
}

TEST_F(RankTest, AStageThatHasMuchToRemoveGetsTimeForIt) {
  // Longer than Process::kStopGrace.
  const std::string removed = tools_.Path("removed");
  suite::Stage& stage = Add(
      "run", Phase::kRun, "trap 'sleep 3; touch " + removed + "; exit 3' TERM; sleep 3600 & wait");
  stage.limit = milliseconds(300);
  stage.stop_grace = std::chrono::seconds(60);
  ExpectError(Run(kSuite, ""), "run: ran past its limit of 0.3 s");
  EXPECT_TRUE(std::filesystem::remove(removed));
}

}  // namespace
}  // namespace twofold::backend
