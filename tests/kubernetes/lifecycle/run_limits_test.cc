#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <thread>

#include "kubernetes/api/errors.h"
#include "kubernetes/lifecycle/sending/remains.h"
#include "tests/kubernetes/lifecycle/run_fixture.h"

namespace twofold::lifecycle {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(RunTest, AWaveIsSentAfterAllAnswersAndTheDelay) {
  BeginController();
  RunPlan plan = Plan(10);
  plan.spec.set_rate(1000);
  plan.spec.set_wave(4);
  plan.spec.set_delay(ToSeconds(milliseconds(50)));
  ASSERT_TRUE(Execute(plan).ok());
  struct Wave {
    Instant first_sent = Instant::max();
    Instant last_reply;
    int size = 0;
  };
  std::map<std::uint32_t, Wave> waves;
  for (const Life& life : Lives()) {
    Wave& wave = waves[life.planned.wave];
    wave.first_sent = std::min(wave.first_sent, Of(life.own, Moment::kSent)->at);
    wave.last_reply = std::max(wave.last_reply, Of(life.own, Moment::kReplied)->at);
    ++wave.size;
  }
  ASSERT_EQ(waves.size(), 3);
  EXPECT_EQ(waves[3].size, 2);
  EXPECT_GE(waves[2].first_sent, waves[1].last_reply + FromSeconds(plan.spec.delay()));
  EXPECT_GE(waves[3].first_sent, waves[2].last_reply + FromSeconds(plan.spec.delay()));
  const auto outcome = run_->outcome();
  ASSERT_TRUE(outcome.has_value());
  EXPECT_THAT(TimesCsv(*outcome->kind, outcome->lives, outcome->anchor),
              HasSubstr("name,namespace,state,wave,"));
}

TEST_F(RunTest, AnInterruptDoesNotWaitForTheNextWave) {
  BeginController();
  RunPlan plan = Plan(10);
  plan.spec.set_wave(5);
  plan.spec.set_delay(ToSeconds(seconds(3600)));
  std::thread interrupter([&] {
    testing::Await([&] { return api_.All(kube::kJobs).size() == 5; });
    run_->Interrupt();
  });
  const Instant begin = Now();
  EXPECT_EQ(Execute(plan).code(), absl::StatusCode::kCancelled);
  interrupter.join();
  EXPECT_LT(ToSeconds(Now() - begin), 30);
  EXPECT_EQ(CountIn(Reported(), "workloads"), 5);
}

TEST_F(RunTest, WhatFillsTheClusterIsReadyBeforeTheFirstIsMeasuredAndNotAmongThem) {
  BeginController();
  RunPlan plan = Plan(5);
  plan.spec.set_fill(12);
  ASSERT_TRUE(Execute(plan).ok());
  const Report report = Reported();
  EXPECT_EQ(CountIn(report, "workloads"), 5);
  EXPECT_EQ(CountIn(report, "complete"), 5);
  ASSERT_TRUE(report.fill);
  EXPECT_EQ(report.fill->workloads, 12U);
  EXPECT_EQ(report.fill->created, 12U);
  EXPECT_EQ(report.fill->ready, 12U);
  EXPECT_TRUE(report.fill->created_rate);
  EXPECT_TRUE(report.fill->scheduled_rate);
  EXPECT_TRUE(report.fill->all_ready_seconds);
  const auto steps = controller_->steps();
  const Instant ready = steps.at("r1-fill-11").at(2);
  for (const Life& life : Lives()) {
    EXPECT_TRUE(life.name.starts_with("r1-") && !life.name.starts_with("r1-fill")) << life.name;
    EXPECT_GT(Of(life.own, Moment::kSent)->at, ready);
  }
  EXPECT_EQ(
      api_.Find(kube::kJobs, {"load", "r1-fill-0"})->at("metadata")["labels"]["twofold/phase"],
      "fill");
  EXPECT_THAT(Print(show::Form::kText, report), HasSubstr("fill: 12 workloads, created "));
}

TEST_F(RunTest, WhatFillsTheClusterIsRemovedWithTheRun) {
  BeginController();
  RunPlan plan = Plan(2);
  plan.spec.set_fill(3);
  ASSERT_TRUE(Execute(plan).ok());
  controller_.reset();
  EXPECT_EQ(api_.All(kube::kJobs).size(), 5);
  ASSERT_TRUE(CleanUp(api_.access(), "load", "r1").ok());
  EXPECT_TRUE(api_.All(kube::kJobs).empty());
  EXPECT_TRUE(api_.All(kube::kPods).empty());
}

TEST_F(RunTest, AFillThatNeverBecomesReadyIsWaitedForNoLongerThanItMay) {
  BeginController({.never_ready = {"r1-fill-1"}});
  RunPlan plan = Plan(2);
  plan.spec.set_fill(3);
  plan.spec.set_settle(ToSeconds(milliseconds(800)));
  ASSERT_TRUE(Execute(plan).ok());
  const Report report = Reported();
  ASSERT_TRUE(report.fill);
  EXPECT_EQ(report.fill->ready, 2U);
  EXPECT_FALSE(report.fill->all_ready_seconds);
  EXPECT_THAT(Print(show::Form::kText, report), HasSubstr("1 not ready"));
}

TEST_F(RunTest, AnInterruptEndsTheFilling) {
  BeginController({.ends = false, .never_ready = {"r1-fill-0"}});
  RunPlan plan = Plan(2);
  plan.spec.set_fill(3);
  plan.spec.set_settle(ToSeconds(seconds(3600)));
  std::thread interrupter([&] {
    testing::Await([&] { return api_.All(kube::kPods).size() == 3; });
    run_->Interrupt();
  });
  const Status status = Execute(plan);
  interrupter.join();
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled) << status;
  EXPECT_TRUE(run_->has_begun());
  EXPECT_EQ(api_.All(kube::kJobs).size(), 3);
}

EtcdLimits Quota(std::uint64_t bytes) {
  return {.quota = bytes, .stop_at = 0.8, .between = milliseconds(10)};
}

TEST_F(RunTest, AStoreThatIsNearlyFullIsNotFilledFurther) {
  api_.SetStorage(900);
  RunPlan plan = Plan();
  plan.etcd = Quota(1000);
  const Status status = Execute(plan);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  EXPECT_FALSE(run_->has_begun());
  EXPECT_TRUE(api_.All(kube::kJobs).empty());
}

TEST_F(RunTest, CreatingStopsBeforeTheStoreIsFullAndWhatIsThereIsWaitedFor) {
  BeginController();
  api_.SetStorage(100);
  RunPlan plan = Plan(2000);
  plan.spec.set_rate(20);
  plan.etcd = Quota(1000);
  std::thread filler([&] {
    testing::Await([&] { return api_.All(kube::kJobs).size() >= 3; });
    api_.SetStorage(801);
  });
  const Status status = Execute(plan);
  filler.join();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  const Report report = Reported();
  EXPECT_LT(CountIn(report, "workloads"), 2000);
  EXPECT_EQ(CountIn(report, "complete"), CountIn(report, "workloads"));
  EXPECT_THAT(report.notes, Contains(HasSubstr("more than 80 % of --etcd-quota")));
}

TEST_F(RunTest, AServerThatDoesNotShowItsStoreIsAskedNoMoreAndTheReportSaysSo) {
  BeginController();
  KubeFault refusal = Fault(KubeFault::Kind::kStatus, "metrics", "", 100);
  refusal.status = 403;
  api_.Add(refusal);
  RunPlan plan = Plan();
  plan.etcd = Quota(1000);
  ASSERT_TRUE(Execute(plan).ok());
  EXPECT_THAT(Reported().notes, Contains(HasSubstr("nobody watched how full etcd is")));
  const auto requests = api_.requests();
  EXPECT_EQ(std::count(requests.begin(), requests.end(), "GET /metrics"), 2)
      << "once before the run, once in it";
}

TEST_F(RunTest, WithoutAQuotaNobodyAsks) {
  BeginController();
  ASSERT_TRUE(Execute().ok());
  EXPECT_THAT(api_.requests(), Not(Contains("GET /metrics")));
}

TEST_F(RunTest, AFullStoreEndsTheRunAtOnce) {
  BeginController({.ends = false});
  std::thread spoiler([&] {
    testing::Await([&] { return api_.All(kube::kJobs).size() >= 5; });
    api_.Add(Fault(KubeFault::Kind::kNoSpace, "create", "jobs", 10'000));
  });
  RunPlan plan = Plan(2000);
  plan.spec.set_rate(50);
  plan.spec.set_settle(ToSeconds(seconds(3600)));
  const Status status = Execute(plan);
  spoiler.join();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("database space exceeded"));
  EXPECT_LT(CountIn(Reported(), "workloads"), 1000);
}

TEST(IsOutOfSpace, InsufficientStorageIsOneToo) {
  EXPECT_TRUE(IsOutOfSpace(kube::ErrorOf("create pod a/b", 507, "no room")));
  EXPECT_TRUE(IsOutOfSpace(kube::ErrorOf("create pod a/b", 500, "no space left on device")));
  EXPECT_FALSE(IsOutOfSpace(kube::ErrorOf("create pod a/b", 500, "etcdserver: request timed out")));
  EXPECT_FALSE(IsOutOfSpace(kube::ErrorOf("create pod a/b", 403, "database space exceeded")));
  EXPECT_FALSE(IsOutOfSpace(absl::OkStatus()));
}

TEST_F(RunTest, ThrottlingNamesThePriorityLevelIfTheServerTells) {
  BeginController();
  const std::string group = "flowcontrol.apiserver.k8s.io";
  api_.Put({group, "v1", "prioritylevelconfigurations", "PriorityLevelConfiguration", false},
           {{"metadata", {{"name", "workload-low"}, {"uid", "level-1"}}}});
  KubeFault throttle = Fault(KubeFault::Kind::kThrottle, "create", "jobs", 3);
  throttle.retry_after_s = 0;
  throttle.priority_level = "level-1";
  throttle.flow_schema = "schema-1";
  std::thread spoiler([&] { AddOnceItBegins(api_, throttle); });
  const Status status = Execute();
  spoiler.join();
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_THAT(Reported().notes, Contains(HasSubstr("flow control: 3 by priority level "
                                                   "workload-low (flow schema schema-1)")));
}

TEST_F(RunTest, ClaimsOfVolumesAreFollowedToTheirBinding) {
  BeginController();
  RunPlan plan = Plan(4);
  plan.spec.set_pvc("1Mi");
  ASSERT_TRUE(Execute(plan).ok());
  for (const Life& life : Lives()) {
    const Sights sights = SightsOf(life);
    const auto& requested = Of(sights, Moment::kVolumeRequested);
    const auto& bound = Of(sights, Moment::kVolumeBound);
    ASSERT_TRUE(requested && bound) << life.name;
    EXPECT_LE(requested->at, bound->at);  // a watch that is late sees both at once
    EXPECT_TRUE(requested->cluster_second);
  }
  const auto& spans = Reported().spans;
  const auto volume = std::find_if(spans.begin(), spans.end(), [](const SpanSummary& each) {
    return each.name == "volume_bind";
  });
  ASSERT_NE(volume, spans.end());
  EXPECT_EQ(volume->n, 4U);
  EXPECT_GT(volume->least, 0.02);
}

}  // namespace
}  // namespace twofold::lifecycle
