#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kubernetes/lifecycle/journal/record.h"
#include "kubernetes/lifecycle/moments/stamps.h"
#include "kubernetes/lifecycle/run.h"
#include "kubernetes/lifecycle/sending/preparing.h"
#include "kubernetes/lifecycle/sending/remains.h"
#include "lib/common/host_name.h"
#include "tests/kubernetes/lifecycle/run_fixture.h"

namespace twofold::lifecycle {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

std::string ContentOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t Occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

/// Runs that one sends and another watches.
class FollowTest : public RunProgramTest {
 protected:
  Status Submit(RunPlan plan) {
    plan.watches = false;
    submission_ = std::make_unique<lifecycle::Run>(api_.access(), std::move(plan));
    return submission_->Execute([](const std::string&) {});
  }

  std::unique_ptr<lifecycle::Run> Attach(double settle_seconds = 20,
                                         const std::string& journal = "") {
    RunPlan plan{.run = {"load", "r1"}, .sends = false, .journal = {.file = journal}};
    plan.spec.set_settle(settle_seconds);
    return std::make_unique<lifecycle::Run>(api_.access(), plan, QuickToReturn());
  }

  static Status Watch(lifecycle::Run& attached) {
    return attached.Execute([](const std::string&) {});
  }

  kube::Json RecordNow() {
    const auto record = api_.Find(kube::kConfigMaps, {"load", "r1"});
    EXPECT_TRUE(record);
    return record.value_or(kube::Json::object());
  }

  bool AllDone(std::size_t jobs) {
    const auto steps = controller_->steps();
    return steps.size() == jobs && std::all_of(steps.begin(), steps.end(), [](const auto& each) {
             return each.second.size() == 4;
           });
  }

  /// As ForEachSight of runs, for what was attached.
  template <typename Visit>
  void ForEachSightOf(const Outcome& outcome, Visit visit) {
    const auto steps = controller_->steps();
    const std::vector<Moment> moments = {Moment::kFirstPod, Moment::kScheduled, Moment::kReady,
                                         Moment::kComplete};
    for (const Life& life : outcome.lives) {
      const Sights sights = SightsOf(life);
      const auto done = steps.find(life.name);
      EXPECT_EQ(Of(sights, Moment::kCreated).has_value(), done != steps.end()) << life.name;
      if (done == steps.end()) continue;
      for (std::size_t i = 0; i < done->second.size(); ++i) {
        const auto& sight = Of(sights, moments[i]);
        ASSERT_TRUE(sight) << life.name << " " << Name(moments[i]);
        visit(life, *sight, done->second[i]);
      }
    }
  }

  /// Ends all Jobs and their pods, as their controller would.
  Instant CompleteAll() {
    const Instant begin = Now();
    for (const kube::Json& pod : api_.All(kube::kPods)) {
      api_.Change(kube::kPods, kube::NameOf(pod),
                  [](kube::Json& each) { each["status"]["phase"] = "Succeeded"; });
    }
    for (const kube::Json& job : api_.All(kube::kJobs)) {
      api_.Change(kube::kJobs, kube::NameOf(job), [](kube::Json& each) {
        each["status"]["conditions"].push_back({{"type", "Complete"}, {"status", "True"}});
      });
    }
    return begin;
  }

  std::unique_ptr<lifecycle::Run> submission_;
};

// The controller stamps before the server has stored what it does, which waits for a core at times.
constexpr Duration kStampAhead = std::chrono::milliseconds(100);

TEST_F(FollowTest, WorkloadsSayWhenTheyWerePlannedAndSent) {
  BeginController();
  const std::int64_t before = AnchorNow().unix_ns;
  ASSERT_TRUE(Submit(Plan(3)).ok());
  RunPlan other = Plan(3);
  other.run.name = "r2";
  ASSERT_TRUE(Execute(other).ok());
  const std::int64_t after = AnchorNow().unix_ns;
  ASSERT_EQ(api_.All(kube::kJobs).size(), 6);
  for (const kube::Json& job : api_.All(kube::kJobs)) {
    const Stamps stamps = StampsOf(job);
    ASSERT_TRUE(stamps.planned_ns && stamps.sent_ns) << job.dump();
    EXPECT_LE(before, *stamps.planned_ns);
    EXPECT_LE(*stamps.planned_ns, *stamps.sent_ns);
    EXPECT_LE(*stamps.sent_ns, after);
  }
}

TEST_F(FollowTest, TheRecordSaysWhatAWatcherNeedsAndThatAllIsSent) {
  ASSERT_TRUE(Submit(Plan(3)).ok());
  kube::Json object = RecordNow();
  const Record record = ReadRecord(object);
  EXPECT_EQ(record.kind, "job");
  EXPECT_EQ(record.count, 3);
  EXPECT_THAT(record.load, Contains(Pair("count", "3")));
  EXPECT_EQ(record.slots, 1);
  EXPECT_TRUE(record.labels_pods);
  EXPECT_EQ(record.host, HostName());
  EXPECT_EQ(record.resources, std::vector<kube::Resource>{kube::kJobs});
  EXPECT_TRUE(record.all_sent);
  EXPECT_GT(record.began_ns, 0);
  EXPECT_LE(record.began_ns, *StampsOf(api_.All(kube::kJobs).front()).planned_ns + 1000);
  for (const char* odd : {"", "{", "[1]", R"({"count": 3})"}) {
    object["data"]["load"] = odd;
    EXPECT_TRUE(ReadRecord(object).load.empty()) << odd;
  }
}

TEST_F(FollowTest, WhatHappenedBeforeTheWatchIsAnIntervalAndNever0) {
  BeginController();
  ASSERT_TRUE(Submit(Plan(10)).ok());
  ASSERT_TRUE(testing::Await([&] { return AllDone(10); }));
  const auto attached = Attach();
  const Status status = Watch(*attached);
  ASSERT_TRUE(status.ok()) << status;
  const auto outcome = attached->outcome();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(CountIn(outcome->report, "complete"), 10);
  std::size_t sights = 0;
  ForEachSightOf(*outcome, [&](const Life& life, const Sight& sight, Instant done) {
    ++sights;
    EXPECT_TRUE(sight.IsLate());
    EXPECT_EQ(sight.after, Of(life.own, Moment::kSent)->at);
    EXPECT_LE(sight.after, done);
    EXPECT_GE(sight.at, done);
  });
  EXPECT_EQ(sights, 40);
  for (const SpanSummary& span : outcome->report.spans) {
    if (span.name == "complete") {
      EXPECT_EQ(span.inexact, 10);
    }
    if (span.name == "reply") {
      EXPECT_EQ(span.n, 0) << "nobody but the sender knows";
    }
    EXPECT_EQ(span.negative, 0) << span.name;
  }
}

TEST_F(FollowTest, WhoWatchesWhileAnotherSendsSeesThingsAsTheyHappen) {
  BeginController();
  RunPlan plan = Plan(20);
  plan.spec.set_rate(20);
  std::thread sender([&] { EXPECT_TRUE(Submit(plan).ok()); });
  ASSERT_TRUE(testing::Await([&] { return !api_.All(kube::kConfigMaps).empty(); }));
  const auto attached = Attach();
  const Status status = Watch(*attached);
  sender.join();
  ASSERT_TRUE(status.ok()) << status;
  const auto outcome = attached->outcome();
  EXPECT_EQ(CountIn(outcome->report, "complete"), 20);
  std::size_t exact = 0;
  ForEachSightOf(*outcome, [&](const Life&, const Sight& sight, Instant done) {
    EXPECT_GE(sight.at, done);
    EXPECT_LE(sight.after, sight.IsLate() ? done : sight.at);
    if (!sight.IsLate()) ++exact;
  });
  EXPECT_GT(exact, 0);
}

TEST_F(FollowTest, TwoWatchersHaveCanariesOfTheirOwnAndLeaveNone) {
  BeginController({.complete = milliseconds(2500)});
  ASSERT_TRUE(Submit(Plan(5)).ok());
  const auto first = Attach();
  const auto second = Attach();
  std::thread other([&] { EXPECT_TRUE(Watch(*second).ok()); });
  EXPECT_TRUE(Watch(*first).ok());
  other.join();
  for (const auto& each : {first->outcome(), second->outcome()}) {
    ASSERT_TRUE(each && each->report.lag);
    EXPECT_EQ(CountIn(each->report, "complete"), 5);
    EXPECT_THAT(each->report.notes, Not(Contains(HasSubstr("canaries"))));
  }
  EXPECT_EQ(api_.All(kube::kConfigMaps).size(), 1) << "the record alone";
  EXPECT_EQ(api_.All(kube::kJobs).size(), 5);
}

TEST_F(FollowTest, StampsThatAreMissingStayMissing) {
  BeginController();
  ASSERT_TRUE(Submit(Plan(4)).ok());
  ASSERT_TRUE(testing::Await([&] { return AllDone(4); }));
  api_.Change(kube::kJobs, {"load", "r1-2"},
              [](kube::Json& job) { job["metadata"].erase("annotations"); });
  const auto attached = Attach();
  ASSERT_TRUE(Watch(*attached).ok());
  const auto outcome = attached->outcome();
  EXPECT_EQ(CountIn(outcome->report, "complete"), 4);
  EXPECT_THAT(outcome->report.notes,
              Contains(HasSubstr("1 of 4 workloads do not say when they were sent")));
  for (const SpanSummary& span : outcome->report.spans) {
    if (span.name == "complete") {
      EXPECT_EQ(span.n + span.missing, 3);
    }
  }
}

TEST_F(FollowTest, ASenderThatHasDiedIsWaitedForNoLongerThanItMay) {
  kube::Connection connection(api_.access());
  const auto record = Prepare(connection, SendingOf(Plan(10)).value(), AnchorNow().unix_ns);
  ASSERT_TRUE(record.ok() && WriteRecord(connection, *record).ok());
  const auto attached = Attach(0.3);
  const Status status = Watch(*attached);
  ASSERT_TRUE(status.ok()) << status;
  const auto outcome = attached->outcome();
  EXPECT_EQ(CountIn(outcome->report, "not_sent"), 10);
  EXPECT_THAT(outcome->report.notes, Contains(HasSubstr("10 of 10 workloads were not seen")));
}

TEST_F(FollowTest, ASenderThatSaysThatItHasEndedIsNotWaitedFor) {
  RunPlan plan = Plan(1000);
  plan.spec.set_rate(20);
  BeginController();
  std::thread interrupter([&] {
    testing::Await([&] { return api_.All(kube::kJobs).size() >= 3; });
    submission_->Interrupt();
  });
  EXPECT_EQ(Submit(plan).code(), absl::StatusCode::kCancelled);
  interrupter.join();
  const auto attached = Attach(3600);
  ASSERT_TRUE(Watch(*attached).ok());
  EXPECT_EQ(CountIn(attached->outcome()->report, "complete"), api_.All(kube::kJobs).size());
}

TEST_F(FollowTest, AnotherHostsClockIsSaid) {
  BeginController();
  ASSERT_TRUE(Submit(Plan(3)).ok());
  api_.Change(kube::kConfigMaps, {"load", "r1"},
              [](kube::Json& record) { record["data"]["host"] = "elsewhere"; });
  const auto attached = Attach();
  ASSERT_TRUE(Watch(*attached).ok());
  const auto outcome = attached->outcome();
  EXPECT_THAT(outcome->report.notes, Contains(HasSubstr("by the clock of elsewhere")));
  EXPECT_FALSE(outcome->report.clock_offset);
}

TEST_F(FollowTest, AConfigMapThatIsNoRecordIsNotWatched) {
  EXPECT_EQ(Watch(*Attach()).code(), absl::StatusCode::kNotFound);
  api_.Put(kube::kConfigMaps, {{"metadata", {{"name", "r1"}, {"namespace", "load"}}},
                               {"data", {{"count", "99999999999"}}}});
  EXPECT_EQ(Watch(*Attach()).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(api_.All(kube::kConfigMaps).size(), 1);
}

TEST_F(FollowTest, ARunThatWasKilledAndResumedReportsTheSameButForIntervals) {
  BeginController({.ends = false});
  const std::string journal = folder_ / "journal";
  const auto run = Begin({"--settle", "3600", "--journal", journal});
  // Each pod's running is in the file, and so all that came before it.
  ASSERT_TRUE(testing::Await([&] {
    return Occurrences(ContentOf(journal), R"(\"phase\":\"Running\")") >= 8;
  })) << run->output();
  run->Kill();
  const Instant killed = Now();
  const Instant completed = CompleteAll();
  const auto attached = Attach(20, journal);
  const Status status = Watch(*attached);
  ASSERT_TRUE(status.ok()) << status;
  const auto outcome = attached->outcome();
  EXPECT_EQ(CountIn(outcome->report, "workloads"), 8);
  EXPECT_EQ(CountIn(outcome->report, "complete"), 8);
  EXPECT_EQ(CountIn(outcome->report, "restarts"), 0);
  EXPECT_EQ(CountIn(outcome->report, "unseen_canaries"), 0);
  EXPECT_THAT(outcome->report.notes, Contains(HasSubstr("resumed 1 times")));
  // Two processes have drawn their own line between the two clocks.
  constexpr Duration kClocks = milliseconds(5);
  std::size_t exact = 0;
  ForEachSightOf(*outcome, [&](const Life& life, const Sight& sight, Instant done) {
    ++exact;
    EXPECT_FALSE(sight.IsLate()) << life.name;
    EXPECT_GE(sight.at + kClocks, done);
    EXPECT_LE(sight.at, killed + kClocks);
  });
  EXPECT_EQ(exact, 3 * 8);
  for (const Life& life : outcome->lives) {
    const auto& complete = Of(life.own, Moment::kComplete);
    ASSERT_TRUE(complete);
    EXPECT_TRUE(complete->IsLate());
    EXPECT_LE(complete->after, completed + kClocks);
    EXPECT_GE(complete->at, completed);
  }
}

TEST_F(FollowTest, ARunThatWasKilledWhileItSentIsReportedAsFarAsItCame) {
  BeginController();
  const std::string journal = folder_ / "journal";
  const auto run = Start({"run", "--kind", "job", "--count", "1000", "--rate", "50", "--name", "r1",
                          "--journal", journal});
  ASSERT_TRUE(testing::Await([&] { return api_.All(kube::kJobs).size() >= 20; })) << run->output();
  run->Kill();
  ASSERT_TRUE(testing::Await([&] { return AllDone(api_.All(kube::kJobs).size()); }));
  const auto attached = Attach(0.5, journal);
  const Status status = Watch(*attached);
  ASSERT_TRUE(status.ok()) << status;
  const auto outcome = attached->outcome();
  EXPECT_EQ(CountIn(outcome->report, "complete"), api_.All(kube::kJobs).size());
  EXPECT_EQ(CountIn(outcome->report, "workloads"), 1000);
  std::map<std::string, Stamps> stamps;
  for (const kube::Json& job : api_.All(kube::kJobs)) {
    stamps[kube::NameOf(job).name] = StampsOf(job);
  }
  for (const Life& life : outcome->lives) {
    const auto& at = Of(life.own, Moment::kSent);
    if (stamps.contains(life.name)) {
      ASSERT_TRUE(at) << life.name << " was sent, whether the journal came so far or not";
      const std::int64_t off = outcome->anchor.UnixNs(at->at) - *stamps[life.name].sent_ns;
      EXPECT_LT(off < 0 ? -off : off, 1000) << "the journal and the stamp are of one instant";
    }
  }
  ForEachSightOf(*outcome, [&](const Life& life, const Sight& sight, Instant done) {
    EXPECT_GE(sight.at + milliseconds(5), done) << life.name;
    EXPECT_LE(sight.after, sight.IsLate() ? done + kStampAhead : sight.at) << life.name;
  });
}

TEST_F(FollowTest, TheReportOfAJournalIsThatOfItsRun) {
  BeginController({.complete = milliseconds(1500)});
  const std::string journal = folder_ / "journal";
  const auto run = Begin({"--journal", journal, "--output", "json"});
  ASSERT_EQ(run->Wait(), 0) << run->output();
  const auto report = std::make_unique<testing::Program>(
      "twofold",
      std::vector<std::string>{"lifecycle", "report", journal, "--output", "json", "--times",
                               folder_ / "times.csv", "--fail-if", "complete<8"});
  ASSERT_EQ(report->Wait(), 0) << report->output();
  const auto last_line = [](const std::string& output) {
    const std::size_t begin = output.find("{\"kind\"");
    return kube::Json::parse(output.substr(begin, output.find('\n', begin) - begin));
  };
  const kube::Json of_run = last_line(run->output());
  const kube::Json of_journal = last_line(report->output());
  for (const char* part : {"kind", "spans", "counts", "plateaus", "watch_lag", "clock_offset"}) {
    EXPECT_EQ(of_journal[part], of_run[part]) << part;
  }
  EXPECT_EQ(Occurrences(ContentOf(folder_ / "times.csv"), "\n"), 9);
  const auto failing = std::make_unique<testing::Program>(
      "twofold",
      std::vector<std::string>{"lifecycle", "report", journal, "--fail-if", "complete>7"});
  EXPECT_EQ(failing->Wait(), 1);
}

TEST_F(FollowTest, AJournalOfAnotherRunIsNotGoneOnWith) {
  const std::string journal = folder_ / "journal";
  ASSERT_TRUE(Submit(Plan(1)).ok());
  ASSERT_TRUE(Watch(*Attach(0.1, journal)).ok());
  const std::string before = ContentOf(journal);
  ASSERT_TRUE(CleanUp(api_.access(), "load", "r1").ok());
  ASSERT_TRUE(Submit(Plan(1)).ok());
  EXPECT_EQ(Watch(*Attach(0.1, journal)).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(ContentOf(journal), before);
}

TEST_F(FollowTest, SubmitPrintsWhatWasSentAndLeavesIt) {
  std::vector<std::string> arguments = {"submit", "--kind", "job",    "--count", "4",
                                        "--rate", "100",    "--name", "r1"};
  const auto first = Start(arguments);
  EXPECT_EQ(first->Wait(), 0) << first->output();
  EXPECT_THAT(first->output(), HasSubstr("WORKLOADS"));
  EXPECT_EQ(api_.All(kube::kJobs).size(), 4);
  const auto again = Start(arguments);
  EXPECT_EQ(again->Wait(), 5) << again->output();
  arguments.back() = "r2";
  arguments.insert(arguments.end(), {"--output", "json", "--fail-if", "refused>0"});
  api_.Put(kube::kJobs, {{"metadata", {{"name", "r2-1"}, {"namespace", "load"}}}});
  const auto json = Start(arguments);
  EXPECT_EQ(json->Wait(), 1) << json->output();
  EXPECT_THAT(json->output(), HasSubstr("\"created\":3"));
  EXPECT_THAT(json->output(), HasSubstr("\"refused\":1"));
  const auto dry = Start({"submit", "--kind", "job", "--name", "r3", "--dry-run"});
  EXPECT_EQ(dry->Wait(), 0) << dry->output();
  EXPECT_EQ(api_.All(kube::kConfigMaps).size(), 2);
}

TEST_F(FollowTest, WatchOfSeveralRunsReportsEachAndRemovesOnlyWhenAsked) {
  BeginController();
  ASSERT_TRUE(Submit(Plan(3)).ok());
  RunPlan other = Plan(2);
  other.run.name = "r2";
  ASSERT_TRUE(Submit(other).ok());
  const auto watch = Start({"watch", "--run", "r1", "--run", "r2", "--fail-if", "failed>0"});
  EXPECT_EQ(watch->Wait(), 0) << watch->output();
  EXPECT_THAT(watch->output(), HasSubstr("run r1:"));
  EXPECT_THAT(watch->output(), HasSubstr("workloads 3, complete 3"));
  EXPECT_THAT(watch->output(), HasSubstr("workloads 2, complete 2"));
  EXPECT_EQ(api_.All(kube::kJobs).size(), 5);
  const auto clean = Start({"watch", "--run", "r1", "--run", "r2", "--clean"});
  EXPECT_EQ(clean->Wait(), 0) << clean->output();
  EXPECT_TRUE(NothingIsLeft());
}

TEST_F(FollowTest, ASignalEndsAWatchWithItsReport) {
  BeginController({.ends = false});
  ASSERT_TRUE(Submit(Plan(3)).ok());
  const auto watch = Start({"watch", "--run", "r1", "--settle", "3600"});
  ASSERT_TRUE(testing::Await([&] { return api_.All(kube::kConfigMaps).size() == 2; }));
  ASSERT_TRUE(testing::Await([&] {
    const auto all = api_.All(kube::kConfigMaps);
    return std::any_of(all.begin(), all.end(), [](const kube::Json& each) {
      return kube::NameOf(each).name != "r1" && !TickOf(each).empty();
    });
  })) << watch->output();
  watch->Signal(SIGINT);
  EXPECT_EQ(watch->Wait(), 6) << watch->output();
  EXPECT_THAT(watch->output(), HasSubstr("workloads 3"));
  EXPECT_EQ(api_.All(kube::kConfigMaps).size(), 1);
}

TEST_F(FollowTest, WrongOptionsOfWatchAndReportAreNamed) {
  EXPECT_EQ(Start({"watch", "--run", "none"})->Wait(), 3);
  for (const auto& [arguments, message] :
       std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"watch"}, "--run"},
           {{"watch", "--run", "A_b"}, "--run:"},
           {{"watch", "--run", "a", "--run", "a"}, "--run:"},
           {{"watch", "--run", "a", "--run", "b", "--times", "f"}, "--times:"},
           {{"watch", "--run", "a", "--run", "b", "--journal", "f"}, "--journal:"},
           {{"watch", "--run", "a", "--journal-limit", "0"}, "--journal-limit:"}}) {
    const auto watch = Start(arguments);
    EXPECT_EQ(watch->Wait(), 2) << message;
    EXPECT_THAT(watch->output(), HasSubstr(message));
  }
  testing::Program missing("twofold", {"lifecycle", "report", folder_ / "none"});
  EXPECT_EQ(missing.Wait(), 3);
  testing::Program wrong("twofold", {"lifecycle", "report", folder_ / "config"});
  EXPECT_EQ(wrong.Wait(), 2) << wrong.output();
  std::ofstream(folder_ / "journal") << "precious";
  const auto run = Begin({"--journal", folder_ / "journal"});
  EXPECT_EQ(run->Wait(), 5) << run->output();
  EXPECT_TRUE(NothingIsLeft());
}

}  // namespace
}  // namespace twofold::lifecycle
