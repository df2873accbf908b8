#include "kubernetes/lifecycle/run.h"

#include <absl/strings/str_cat.h>
#include <absl/time/time.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kubernetes/lifecycle/sending/remains.h"
#include "tests/kubernetes/lifecycle/run_fixture.h"

namespace twofold::lifecycle {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

TEST_F(RunTest, PlantedTimesAreRecovered) {
  BeginController({.complete = milliseconds(1500)});  // long enough for canaries
  ASSERT_TRUE(Execute(Plan(20)).ok());
  const Report report = Reported();
  EXPECT_EQ(CountIn(report, "complete"), 20);
  EXPECT_THAT(report.load, Contains(std::pair<std::string, std::string>("count", "20")));
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
  const Status status = Execute(Plan(30), watch);
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
  EXPECT_GT(CountIn(Reported(), "watch_breaks"), 0);
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

TEST_F(RunTest, AGeneratorThatIsLateSaysSo) {
  BeginController();
  KubeFault slow = Fault(KubeFault::Kind::kSlow, "create", "jobs", 100);
  slow.delay = milliseconds(60);
  api_.Add(slow);
  RunPlan plan = Plan();
  plan.spec.set_connections(1);
  ASSERT_TRUE(Execute(plan).ok());
  const Report report = Reported();
  EXPECT_GT(CountIn(report, "late_sends"), 5);
  EXPECT_THAT(report.notes, Contains(HasSubstr("the generator was late")));
}

TEST_F(RunTest, ParallelOnesFollowEachOtherAndAreNeverLate) {
  BeginController();
  RunPlan plan = Plan();
  plan.spec.set_parallel(2);
  ASSERT_TRUE(Execute(plan).ok());
  EXPECT_EQ(CountIn(Reported(), "complete"), 10);
  EXPECT_EQ(CountIn(Reported(), "late_sends"), 0);
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
  const Report report = Reported();
  const EvidenceRow* const row = FindRow(report, "own second", "created");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->fit, 10U) << "the offset comes from them";
}

TEST_F(RunTest, EventsAreComparedWithWhatWasSeen) {
  BeginController({.tells = true});
  RunPlan plan = Plan();
  plan.events = true;
  ASSERT_TRUE(Execute(plan).ok());
  const Report report = Reported();
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
  RunPlan plan = Plan();
  plan.events = true;
  ASSERT_TRUE(Execute(plan).ok());
  const Report report = Reported();
  EXPECT_EQ(CountIn(report, "complete"), 10);
  EXPECT_THAT(report.notes, Contains(HasSubstr("not all events could be watched")));
}

TEST_F(RunTest, AnAuditLogIsReadAfterTheRun) {
  BeginController();
  testing::TempDir folder;
  RunPlan plan = Plan();
  plan.audit = {folder / "audit.log"};
  ASSERT_TRUE(Execute(plan).ok());
  std::ofstream log(plan.audit.front());
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
  const Report report = Reported();
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
  run_ = std::make_unique<lifecycle::Run>(kube::Open(config), Plan(), QuickToReturn());
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
  RunPlan plan = Plan();
  plan.spec.set_settle(ToSeconds(milliseconds(500)));
  ASSERT_TRUE(Execute(plan).ok());
  EXPECT_EQ(CountIn(Reported(), "ready"), 10);
  plan.run.name = "r2";
  plan.spec.set_until("ready");
  plan.spec.set_settle(ToSeconds(seconds(3600)));
  ASSERT_TRUE(Execute(plan).ok());
  EXPECT_EQ(CountIn(Reported(), "ready"), 10);
}

TEST_F(RunTest, PodsByThemselvesAreFollowedToo) {
  RunPlan plan = Plan(3);
  plan.spec.set_kind("pod");
  api_.OnChange([this](const std::string& type, const kube::Json& object) {
    if (type != "ADDED" || object["kind"] != "Pod") return;
    api_.Change(kube::kPods, kube::NameOf(object),
                [](kube::Json& pod) { pod["status"]["phase"] = "Succeeded"; });
  });
  ASSERT_TRUE(Execute(plan).ok());
  EXPECT_EQ(CountIn(Reported(), "complete"), 3);
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
  const auto words = TryOut(connection, SendingOf(Plan()).value());
  ASSERT_TRUE(words.ok()) << words.status();
  ASSERT_EQ(words->size(), 1);
  EXPECT_THAT(words->front(), HasSubstr("r1-0: 201 in a dry run"));
  EXPECT_TRUE(api_.All(kube::kJobs).empty());
}

}  // namespace
}  // namespace twofold::lifecycle
