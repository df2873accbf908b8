#include "cli/lifecycle/run.h"

#include <absl/strings/str_cat.h>
#include <absl/time/time.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/lifecycle/remains.h"
#include "cli/lifecycle/templates/built_in.h"
#include "tests/cli/lifecycle/controller.h"
#include "tests/fakes/kube_api.h"
#include "tests/support/program.h"

namespace twofold::lifecycle {
namespace {

using fakes::KubeApi;
using fakes::KubeFault;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::HasSubstr;

std::uint64_t CountIn(const Report& report, const std::string& name) {
  for (const auto& [each, count] : report.counts) {
    if (each == name) return count;
  }
  ADD_FAILURE() << "no count " << name;
  return 0;
}

KubeFault Fault(KubeFault::Kind kind, const char* verb, const char* plural, int times) {
  KubeFault fault;
  fault.kind = kind;
  fault.verb = verb;
  fault.plural = plural;
  fault.times = times;
  return fault;
}

/// Runs of Jobs against a server in memory, whose controller takes planted times.
class RunTest : public ::testing::Test {
 protected:
  static RunSettings Settings(std::uint32_t count = 10) {
    RunSettings settings;
    settings.kind = *FindKind("job");
    settings.name = "r1";
    settings.count = count;
    settings.rate = 100;
    settings.text = BuiltInTemplate(*settings.kind);
    settings.each.space = "load";
    settings.each.run = "r1";
    settings.settle = seconds(20);
    return settings;
  }

  static kube::WatchOptions QuickToReturn() {
    kube::WatchOptions watch;
    watch.first_wait = milliseconds(5);
    watch.longest_wait = milliseconds(50);
    return watch;
  }

  Status Execute(const RunSettings& settings = Settings(),
                 const kube::WatchOptions& watch = QuickToReturn()) {
    run_ = std::make_unique<lifecycle::Run>(api_.access(), settings, watch);
    return run_->Execute([](const std::string&) {});
  }

  /// What each sight of the pods and of the end has to do with when it was done in truth.
  template <typename Visit>
  void ForEachSight(Visit visit) {
    const auto steps = controller_->steps();
    for (const Life& life : run_->lives()) {
      const auto done = steps.find(life.name);
      ASSERT_NE(done, steps.end()) << life.name;
      ASSERT_EQ(done->second.size(), 4) << life.name;
      const Sights sights = SightsOf(life);
      const std::vector<Moment> moments = {Moment::kFirstPod, Moment::kScheduled, Moment::kReady,
                                           Moment::kComplete};
      for (std::size_t i = 0; i < moments.size(); ++i) {
        const auto& sight = Of(sights, moments[i]);
        ASSERT_TRUE(sight) << life.name << " " << Name(moments[i]);
        visit(*sight, done->second[i]);
      }
    }
  }

  void BeginController(FakeController::Delays delays = {}) {
    controller_ = std::make_unique<FakeController>(api_, delays);
  }

  KubeApi api_{{.resources = {{"authentication.k8s.io", "v1", "selfsubjectreviews",
                               "SelfSubjectReview", false}}}};
  std::unique_ptr<FakeController> controller_;
  std::unique_ptr<lifecycle::Run> run_;
};

TEST_F(RunTest, PlantedTimesAreRecovered) {
  BeginController({.complete = milliseconds(1500)});  // long enough for canaries
  ASSERT_TRUE(Execute(Settings(20)).ok());
  const Report report = run_->report();
  EXPECT_EQ(CountIn(report, "complete"), 20);
  ASSERT_TRUE(report.lag);
  std::vector<double> behind;
  ForEachSight([&](const Sight& sight, Instant done) {
    EXPECT_FALSE(sight.IsLate());
    EXPECT_GE(sight.at, done);
    behind.push_back(ToSeconds(sight.at - done));
  });
  std::sort(behind.begin(), behind.end());
  EXPECT_LT(behind[behind.size() / 2], 0.002 + report.lag->p99_seconds);
}

TEST_F(RunTest, ABrokenWatchGivesIntervalsThatHoldTheTruth) {
  BeginController({.pod = milliseconds(100),
                   .bound = milliseconds(200),
                   .ready = milliseconds(200),
                   .complete = milliseconds(200)});
  kube::WatchOptions watch = QuickToReturn();
  watch.first_wait = milliseconds(300);  // so that a wrong moment is far from the right one
  watch.longest_wait = milliseconds(300);
  std::thread breaker([&] {
    testing::Await([&] { return api_.All(kube::kPods).size() >= 5; });
    api_.Compact();  // so that the watches have to list
    api_.BreakWatches();
  });
  const Status status = Execute(Settings(30), watch);
  breaker.join();
  ASSERT_TRUE(status.ok()) << status;
  std::size_t late = 0;
  ForEachSight([&](const Sight& sight, Instant done) {
    EXPECT_LE(done, sight.at);
    if (sight.IsLate()) {
      ++late;
      EXPECT_LE(sight.after, done);
    } else {
      EXPECT_LT(ToSeconds(sight.at - done), 0.2);
    }
  });
  EXPECT_GT(late, 0);
  EXPECT_GT(CountIn(run_->report(), "watch_breaks"), 0);
}

TEST_F(RunTest, WatchesAreUpBeforeTheFirstWorkloadIsSent) {
  BeginController();
  ASSERT_TRUE(Execute().ok());
  const auto requests = api_.requests();
  const auto create = std::find_if(requests.begin(), requests.end(), [](const std::string& each) {
    return each.starts_with("POST") && each.find("/jobs") != std::string::npos &&
           each.find("dryRun") == std::string::npos;
  });
  const auto watches = std::count_if(requests.begin(), create, [](const std::string& each) {
    return each.find("watch=") != std::string::npos;
  });
  EXPECT_EQ(watches, 3);  // jobs, pods, the record
}

TEST_F(RunTest, ThrottlingIsCountedAndSaidToBeALimit) {
  BeginController();
  std::thread spoiler([&] {
    testing::Await([&] { return api_.Find(kube::kJobs, {"load", "r1-0"}).has_value(); });
    api_.Add(Fault(KubeFault::Kind::kThrottle, "create", "jobs", 2));
  });
  RunSettings settings = Settings(20);
  settings.rate = 20;
  const Status status = Execute(settings);
  spoiler.join();
  ASSERT_TRUE(status.ok()) << status;
  const Report report = run_->report();
  EXPECT_EQ(CountIn(report, "complete"), 20);
  EXPECT_EQ(CountIn(report, "throttled"), 2);
  EXPECT_THAT(report.notes, Contains(HasSubstr("asked to wait 2 times (429)")));
}

/// From the record on, so that the trial before it is not hit.
void AddOnceItBegins(KubeApi& api, const KubeFault& fault) {
  testing::Await([&] { return !api.All(kube::kConfigMaps).empty(); });
  api.Add(fault);
}

TEST_F(RunTest, AnAnswerThatWasLostIsNoFailure) {
  BeginController();
  std::thread spoiler(
      [&] { AddOnceItBegins(api_, Fault(KubeFault::Kind::kLoseReply, "create", "jobs", 1)); });
  const Status status = Execute();
  spoiler.join();
  ASSERT_TRUE(status.ok()) << status;
  const Report report = run_->report();
  EXPECT_EQ(CountIn(report, "complete"), 10);
  EXPECT_EQ(CountIn(report, "refused"), 0);
  EXPECT_EQ(CountIn(report, "repeated_creates"), 1);
}

TEST_F(RunTest, AForeignObjectOfTheSameNameIsARefusalThatIsCounted) {
  BeginController();
  api_.Put(kube::kJobs, {{"metadata", {{"name", "r1-3"}, {"namespace", "load"}}}});
  ASSERT_TRUE(Execute().ok());
  const Report report = run_->report();
  EXPECT_EQ(CountIn(report, "complete"), 9);
  EXPECT_EQ(CountIn(report, "refused"), 1);
  EXPECT_THAT(report.notes, Contains(HasSubstr("1 AlreadyExists")));
}

TEST_F(RunTest, AGeneratorThatIsLateSaysSo) {
  BeginController();
  KubeFault slow = Fault(KubeFault::Kind::kSlow, "create", "jobs", 100);
  slow.delay = milliseconds(60);
  api_.Add(slow);
  RunSettings settings = Settings();
  settings.connections = 1;
  ASSERT_TRUE(Execute(settings).ok());
  const Report report = run_->report();
  EXPECT_GT(CountIn(report, "late_sends"), 5);
  EXPECT_THAT(report.notes, Contains(HasSubstr("the generator was late")));
}

TEST_F(RunTest, ParallelOnesFollowEachOtherAndAreNeverLate) {
  BeginController();
  RunSettings settings = Settings();
  settings.rate = 0;
  settings.connections = 2;
  ASSERT_TRUE(Execute(settings).ok());
  EXPECT_EQ(CountIn(run_->report(), "complete"), 10);
  EXPECT_EQ(CountIn(run_->report(), "late_sends"), 0);
}

const EvidenceRow* FindRow(const Report& report, const std::string& source,
                           const std::string& moment) {
  for (const EvidenceRow& row : report.evidence) {
    if (row.source == source && row.moment == moment) return &row;
  }
  ADD_FAILURE() << "no row " << source << " " << moment;
  return nullptr;
}

TEST_F(RunTest, OwnSecondsAreComparedInEachRun) {
  BeginController();
  ASSERT_TRUE(Execute().ok());
  const Report report = run_->report();
  const EvidenceRow* const row = FindRow(report, "own second", "created");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->fit, 10U) << "the offset comes from them";
}

TEST_F(RunTest, EventsAreComparedWithWhatWasSeen) {
  BeginController({.tells = true});
  RunSettings settings = Settings();
  settings.events = true;
  ASSERT_TRUE(Execute(settings).ok());
  const Report report = run_->report();
  EXPECT_EQ(CountIn(report, "events"), 10);
  EXPECT_EQ(CountIn(report, "events_foreign"), 0);
  const EvidenceRow* const row = FindRow(report, "event Scheduled", "scheduled");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->n + row->inexact, 10);
  const EvidenceRow* const started = FindRow(report, "event Started", "started");
  ASSERT_NE(started, nullptr);
  EXPECT_EQ(started->missing, 10);
  EXPECT_THAT(Print(show::Form::kText, report), HasSubstr("event Scheduled"));
}

TEST_F(RunTest, WithoutTheRightToWatchEventsTheRunGoesOn) {
  BeginController();
  for (const char* verb : {"watch", "list"}) {
    KubeFault refusal = Fault(KubeFault::Kind::kStatus, verb, "events", 1000);
    refusal.status = 403;
    api_.Add(refusal);
  }
  RunSettings settings = Settings();
  settings.events = true;
  ASSERT_TRUE(Execute(settings).ok());
  const Report report = run_->report();
  EXPECT_EQ(CountIn(report, "complete"), 10);
  EXPECT_THAT(report.notes, Contains(HasSubstr("not all events could be watched")));
}

TEST_F(RunTest, AnAuditLogIsReadAfterTheRun) {
  BeginController();
  testing::TempDir folder;
  RunSettings settings = Settings();
  settings.audit = {folder / "audit.log"};
  ASSERT_TRUE(Execute(settings).ok());
  std::ofstream log(settings.audit.front());
  const auto outcome = run_->outcome();
  ASSERT_TRUE(outcome.has_value());
  for (const Life& life : outcome->lives) {
    const auto time = [&](Moment moment) {
      const auto ns = outcome->anchor.UnixNs(Of(life.own, moment)->at);
      return absl::FormatTime("%Y-%m-%dT%H:%M:%E6SZ", absl::FromUnixNanos(ns), absl::UTCTimeZone());
    };
    log << kube::Json{{"stage", "ResponseComplete"},
                      {"verb", "create"},
                      {"objectRef",
                       {{"resource", "jobs"},
                        {"apiGroup", "batch"},
                        {"namespace", "load"},
                        {"name", life.name}}},
                      {"responseStatus", {{"code", 201}}},
                      {"requestReceivedTimestamp", time(Moment::kSent)},
                      {"stageTimestamp", time(Moment::kReplied)}}
        << "\n";
  }
  log << "{\"torn";
  log.close();
  const Report report = run_->report();
  const EvidenceRow* const row = FindRow(report, "audit received", "sent");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->n, 10);
  EXPECT_NEAR(*row->median, report.clock_offset->Middle(), 1e-5) << "both are by our clock";
  EXPECT_EQ(CountIn(report, "audit_torn"), 1);
}

TEST_F(RunTest, AnInterruptEndsThePluginThatTheFirstCallWaitsFor) {
  testing::TempDir folder;
  const std::string begun = folder / "begun";
  kube::Config config;
  config.cluster.server = api_.url();
  config.identity.exec = kube::ExecPlugin{};
  config.identity.exec->command = "/bin/sh";
  config.identity.exec->args = {"-c", "echo > " + begun + "; exec sleep 1000"};
  run_ = std::make_unique<lifecycle::Run>(kube::Open(config), Settings(), QuickToReturn());
  std::thread other([&] {
    EXPECT_TRUE(testing::Await([&] { return std::filesystem::exists(begun); }));
    run_->Interrupt();
  });
  const Instant begin = Now();
  const Status status = run_->Execute([](const std::string&) {});
  other.join();
  EXPECT_TRUE(absl::IsCancelled(status)) << status;
  EXPECT_LT(Now() - begin, seconds(40)) << "the plugin's own limit is a minute";
  EXPECT_FALSE(run_->has_begun());
}

TEST_F(RunTest, WhatNeverEndsIsWaitedForNoLongerThanItMay) {
  BeginController({.ends = false});
  RunSettings settings = Settings();
  settings.settle = milliseconds(500);
  ASSERT_TRUE(Execute(settings).ok());
  EXPECT_EQ(CountIn(run_->report(), "ready"), 10);
  settings.name = settings.each.run = "r2";
  settings.until_ready = true;
  settings.settle = seconds(3600);
  ASSERT_TRUE(Execute(settings).ok());
  EXPECT_EQ(CountIn(run_->report(), "ready"), 10);
}

TEST_F(RunTest, WhatTheServerRefusesIsRefusedBeforeAnythingIsMade) {
  KubeFault refusal = Fault(KubeFault::Kind::kStatus, "create", "jobs", 1);
  refusal.status = 403;
  api_.Add(refusal);
  EXPECT_EQ(Execute().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_FALSE(run_->has_begun());
  EXPECT_TRUE(api_.All(kube::kConfigMaps).empty());
}

TEST_F(RunTest, AWatchThatIsNotAllowedEndsTheRunAtOnce) {
  KubeFault refusal = Fault(KubeFault::Kind::kStatus, "", "pods", 100);
  refusal.status = 403;
  api_.Add(refusal);
  const Status status = Execute();
  EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied) << status;
  EXPECT_TRUE(api_.All(kube::kJobs).empty());
}

TEST_F(RunTest, AKindThatIsNotInstalledIsNamed) {
  RunSettings settings = Settings();
  settings.kind = *FindKind("jobset");
  settings.text = BuiltInTemplate(*settings.kind);
  const Status status = Execute(settings);
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("JobSet"));
}

TEST_F(RunTest, ARunOfThatNameIsNotDisturbed) {
  BeginController();
  ASSERT_TRUE(Execute().ok());
  const Status status = Execute(Settings());
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("clean --run r1"));
  EXPECT_FALSE(run_->has_begun());
  EXPECT_EQ(api_.All(kube::kJobs).size(), 10);
}

TEST_F(RunTest, AnInterruptedRunSaysHowFarItCame) {
  BeginController();
  RunSettings settings = Settings(1000);
  settings.rate = 20;
  std::thread interrupter([&] {
    testing::Await([&] { return api_.All(kube::kJobs).size() >= 5; });
    run_->Interrupt();
  });
  const Status status = Execute(settings);
  interrupter.join();
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  const Report report = run_->report();
  EXPECT_GE(CountIn(report, "workloads"), 5);
  EXPECT_LT(CountIn(report, "workloads"), 1000);
  EXPECT_THAT(report.notes, Contains(HasSubstr("of 1000 workloads were sent")));
}

TEST_F(RunTest, AnInterruptDoesNotWaitForAWatchThatHangs) {
  api_.Add(Fault(KubeFault::Kind::kHang, "watch", "pods", 1));
  std::thread interrupter([&] {
    testing::Await([&] { return !api_.All(kube::kConfigMaps).empty(); });
    run_->Interrupt();
  });
  const Instant begin = Now();
  const Status status = Execute();
  interrupter.join();
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled) << status;
  run_.reset();
  EXPECT_LT(ToSeconds(Now() - begin), 20);
  EXPECT_TRUE(api_.All(kube::kJobs).empty());
}

TEST_F(RunTest, PodsByThemselvesAreFollowedToo) {
  RunSettings settings = Settings(3);
  settings.kind = *FindKind("pod");
  settings.text = BuiltInTemplate(*settings.kind);
  api_.OnChange([this](const std::string& type, const kube::Json& object) {
    if (type != "ADDED" || object["kind"] != "Pod") return;
    api_.Change(kube::kPods, kube::NameOf(object),
                [](kube::Json& pod) { pod["status"]["phase"] = "Succeeded"; });
  });
  ASSERT_TRUE(Execute(settings).ok());
  EXPECT_EQ(CountIn(run_->report(), "complete"), 3);
}

TEST_F(RunTest, CleanUpTakesAllOfTheRunAndNothingElse) {
  BeginController();
  ASSERT_TRUE(Execute().ok());
  controller_.reset();
  api_.Put(kube::kJobs, {{"metadata", {{"name", "foreign"}, {"namespace", "load"}}}});
  api_.Put(
      kube::kJobs,
      {{"metadata", {{"name", "r2-0"}, {"namespace", "load"}, {"labels", {{kRunLabel, "r2"}}}}}});
  const auto cleaned = CleanUp(api_.access(), "load", "r1");
  ASSERT_TRUE(cleaned.ok()) << cleaned.status();
  EXPECT_GE(*cleaned, 10);
  EXPECT_EQ(api_.All(kube::kJobs).size(), 2);
  EXPECT_TRUE(api_.All(kube::kPods).empty());
  EXPECT_TRUE(api_.All(kube::kConfigMaps).empty());
  EXPECT_TRUE(absl::IsNotFound(CleanUp(api_.access(), "load", "r1").status()));
  // Without its record, a run is looked for among all kinds.
  EXPECT_TRUE(CleanUp(api_.access(), "load", "r2").ok());
  EXPECT_EQ(api_.All(kube::kJobs).size(), 1);
}

TEST_F(RunTest, WhatIsHeldBackIsNamedWhenTheTimeIsOver) {
  api_.Put(kube::kJobs, {{"metadata",
                          {{"name", "r1-0"},
                           {"namespace", "load"},
                           {"finalizers", {"example.com/hold"}},
                           {"labels", {{kRunLabel, "r1"}}}}}});
  Cleaning cleaning;
  cleaning.patience = milliseconds(200);
  const auto cleaned = CleanUp(api_.access(), "load", "r1", cleaning);
  EXPECT_EQ(cleaned.status().code(), absl::StatusCode::kDeadlineExceeded) << cleaned.status();
  EXPECT_THAT(std::string(cleaned.status().message()), HasSubstr("1 jobs.batch are left"));
}

TEST_F(RunTest, OnlyTheRightsThatAreDocumentedAreUsed) {
  BeginController({.complete = milliseconds(1500)});  // long enough for canaries
  std::thread spoiler(
      [&] { AddOnceItBegins(api_, Fault(KubeFault::Kind::kLoseReply, "create", "jobs", 1)); });
  for (const char* plural : {"jobs", "pods", "configmaps"}) {
    api_.Add(Fault(KubeFault::Kind::kNoInitialEvents, "watch", plural, 1));
  }
  const Status status = Execute();
  spoiler.join();
  ASSERT_TRUE(status.ok()) << status;
  api_.Put(
      kube::kPods,
      {{"metadata", {{"name", "orphan"}, {"namespace", "load"}, {"labels", {{kRunLabel, "r1"}}}}}});
  ASSERT_TRUE(CleanUp(api_.access(), "load", "r1").ok());
  std::set<std::string> used;
  for (const auto& each : api_.used()) {
    EXPECT_EQ(each.space, "load");
    used.insert(absl::StrCat(each.group, "/", each.resource, " ", each.verb));
  }
  // docs/lifecycle.md has them as rules of a Role.
  EXPECT_EQ(used, (std::set<std::string>{"/configmaps create", "/configmaps delete",
                                         "/configmaps get", "/configmaps list", "/configmaps patch",
                                         "/configmaps watch", "/pods delete", "/pods list",
                                         "/pods watch", "batch/jobs create", "batch/jobs delete",
                                         "batch/jobs get", "batch/jobs list", "batch/jobs watch"}));
}

TEST_F(RunTest, SystemMastersAreToldFromOthers) {
  kube::Connection connection(api_.access());
  EXPECT_FALSE(IsExempt(connection)) << "a server that does not know";
  KubeFault answer = Fault(KubeFault::Kind::kStatus, "create", "selfsubjectreviews", 1);
  answer.status = 201;
  answer.body = R"({"status": {"userInfo": {"groups": ["system:masters", "a"]}}})";
  api_.Add(answer);
  EXPECT_TRUE(IsExempt(connection));
  answer.body = R"({"status": {"userInfo": {"groups": ["system:authenticated"]}}})";
  api_.Add(answer);
  EXPECT_FALSE(IsExempt(connection));
}

TEST_F(RunTest, ATrialStoresNothing) {
  kube::Connection connection(api_.access());
  const auto words = TryOut(connection, Settings());
  ASSERT_TRUE(words.ok()) << words.status();
  ASSERT_EQ(words->size(), 1);
  EXPECT_THAT(words->front(), HasSubstr("r1-0: 201 in a dry run"));
  EXPECT_TRUE(api_.All(kube::kJobs).empty());
}

std::string TextOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The program itself, with a kubeconfig for the server in memory.
class RunProgramTest : public RunTest {
 protected:
  std::unique_ptr<testing::Program> Start(std::vector<std::string> arguments) {
    const std::string config = folder_ / "config";
    if (FILE* file = fopen(config.c_str(), "w")) {
      fputs(absl::StrCat("{clusters: [{name: c, cluster: {server: \"", api_.url(),
                         "\"}}], users: [{name: u, user: {}}], contexts: [{name: x, context: "
                         "{cluster: c, user: u, namespace: load}}], current-context: x}\n")
                .c_str(),
            file);
      fclose(file);
    }
    arguments.insert(arguments.begin(), "lifecycle");
    arguments.insert(arguments.end(), {"--kubeconfig", config});
    return std::make_unique<testing::Program>("twofold", arguments);
  }

  std::unique_ptr<testing::Program> Begin(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments = {"run",    "--kind", "job",    "--count", "8",
                                          "--rate", "100",    "--name", "r1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Start(arguments);
  }

  bool NothingIsLeft() {
    return api_.All(kube::kJobs).empty() && api_.All(kube::kPods).empty() &&
           api_.All(kube::kConfigMaps).empty();
  }

  testing::TempDir folder_;
};

TEST_F(RunProgramTest, ReportsWritesFilesAndRemovesAll) {
  BeginController();
  const auto run = Begin(
      {"--times", folder_ / "times.csv", "--compat", folder_ / "seed", "--fail-if", "complete<8"});
  EXPECT_EQ(run->Wait(), 0) << run->output();
  EXPECT_THAT(run->output(), HasSubstr("workloads 8, complete 8"));
  EXPECT_THAT(run->output(), HasSubstr("pod_ready"));
  EXPECT_TRUE(NothingIsLeft());
  EXPECT_TRUE(std::filesystem::exists(folder_ / "times.csv"));
  testing::Program sampled("twofold", {"lifecycle", "sampled", folder_ / "seed"});
  EXPECT_EQ(sampled.Wait(), 0);
  EXPECT_THAT(sampled.output(), HasSubstr("workloads 8"))
      << TextOf(folder_ / "times.csv") << TextOf(folder_ / "seed/sampled.json");
}

TEST_F(RunProgramTest, AThresholdThatHoldsFails) {
  BeginController();
  const auto run = Begin({"--fail-if", "pod_ready_p50>1ms"});
  EXPECT_EQ(run->Wait(), 1) << run->output();
  EXPECT_TRUE(NothingIsLeft());
}

TEST_F(RunProgramTest, NoWorkloadIsAFailure) {
  std::thread spoiler([&] {
    KubeFault refusal = Fault(KubeFault::Kind::kStatus, "create", "jobs", 100);
    refusal.status = 403;
    AddOnceItBegins(api_, refusal);
  });
  const auto run = Begin();
  const int code = run->Wait();
  spoiler.join();
  EXPECT_EQ(code, 1) << run->output();
  EXPECT_THAT(run->output(), HasSubstr("no data"));
  EXPECT_TRUE(NothingIsLeft());
}

TEST_F(RunProgramTest, ASignalEndsItWithAReportAndCleansUp) {
  BeginController({.ends = false});
  const auto run = Begin({"--settle", "3600"});
  ASSERT_TRUE(testing::Await([&] { return api_.All(kube::kPods).size() == 8; })) << run->output();
  run->Signal(SIGINT);
  EXPECT_EQ(run->Wait(), 6) << run->output();
  EXPECT_THAT(run->output(), HasSubstr("workloads 8"));
  EXPECT_TRUE(NothingIsLeft());
}

TEST_F(RunProgramTest, CleanTakesWhatAKilledRunLeft) {
  BeginController({.ends = false});
  const auto run = Begin({"--settle", "3600"});
  ASSERT_TRUE(testing::Await([&] { return api_.All(kube::kPods).size() == 8; })) << run->output();
  run->Kill();
  const auto status = Start({"status"});
  EXPECT_EQ(status->Wait(), 0);
  EXPECT_THAT(status->output(), HasSubstr("jobs.batch"));
  const auto clean = Start({"clean", "--run", "r1"});
  EXPECT_EQ(clean->Wait(), 0) << clean->output();
  EXPECT_TRUE(NothingIsLeft());
  EXPECT_EQ(Start({"clean", "--run", "r1"})->Wait(), 3);
}

TEST_F(RunProgramTest, KeepLeavesTheObjectsAndTheNameTaken) {
  BeginController();
  EXPECT_EQ(Begin({"--keep"})->Wait(), 0);
  EXPECT_EQ(api_.All(kube::kJobs).size(), 8);
  const auto again = Begin();
  EXPECT_EQ(again->Wait(), 5) << again->output();
  EXPECT_EQ(api_.All(kube::kJobs).size(), 8);
}

TEST_F(RunProgramTest, DryRunStoresNothing) {
  const auto run = Begin({"--dry-run"});
  EXPECT_EQ(run->Wait(), 0) << run->output();
  EXPECT_THAT(run->output(), HasSubstr("in a dry run"));
  EXPECT_TRUE(NothingIsLeft());
}

TEST_F(RunProgramTest, WrongOptionsAreNamed) {
  for (const auto& [option, value] :
       std::vector<std::pair<std::string, std::string>>{{"--tolerate", "=x"},
                                                        {"--node-selector", "x"},
                                                        {"--template", folder_ / "none"},
                                                        {"--audit", folder_ / "none"},
                                                        {"--name", "A_b"},
                                                        {"--rate", "0"},
                                                        {"--rate", "nan"},
                                                        {"--parallel", "0"},
                                                        {"--workers", "20000"},
                                                        {"--kind", "thing"},
                                                        {"--until", "never"}}) {
    const auto run = Start({"run", "--kind", "job", option, value});
    EXPECT_EQ(run->Wait(), 2) << option;
    EXPECT_THAT(run->output(), HasSubstr(option + ":")) << option;
  }
}

}  // namespace
}  // namespace twofold::lifecycle
