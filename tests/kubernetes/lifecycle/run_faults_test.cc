#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/kubernetes/lifecycle/run_fixture.h"

namespace twofold::lifecycle {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(RunTest, ThrottlingIsCountedAndSaidToBeALimit) {
  BeginController();
  std::thread spoiler([&] {
    testing::Await([&] { return api_.Find(kube::kJobs, {"load", "r1-0"}).has_value(); });
    api_.Add(Fault(KubeFault::Kind::kThrottle, "create", "jobs", 2));
  });
  RunPlan plan = Plan(20);
  plan.spec.set_rate(20);
  const Status status = Execute(plan);
  spoiler.join();
  ASSERT_TRUE(status.ok()) << status;
  const Report report = Reported();
  EXPECT_EQ(CountIn(report, "complete"), 20);
  EXPECT_EQ(CountIn(report, "throttled"), 2);
  EXPECT_THAT(report.notes, Contains(HasSubstr("asked to wait 2 times (429)")));
}

TEST_F(RunTest, AnAnswerThatWasLostIsNoFailure) {
  BeginController();
  std::thread spoiler(
      [&] { AddOnceItBegins(api_, Fault(KubeFault::Kind::kLoseReply, "create", "jobs", 1)); });
  const Status status = Execute();
  spoiler.join();
  ASSERT_TRUE(status.ok()) << status;
  const Report report = Reported();
  EXPECT_EQ(CountIn(report, "complete"), 10);
  EXPECT_EQ(CountIn(report, "refused"), 0);
  EXPECT_EQ(CountIn(report, "repeated_creates"), 1);
}

TEST_F(RunTest, AForeignObjectOfTheSameNameIsARefusalThatIsCounted) {
  BeginController();
  api_.Put(kube::kJobs, {{"metadata", {{"name", "r1-3"}, {"namespace", "load"}}}});
  ASSERT_TRUE(Execute().ok());
  const Report report = Reported();
  EXPECT_EQ(CountIn(report, "complete"), 9);
  EXPECT_EQ(CountIn(report, "refused"), 1);
  EXPECT_THAT(report.notes, Contains(HasSubstr("1 AlreadyExists")));
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
  RunPlan plan = Plan();
  plan.spec.set_kind("jobset");
  const Status status = Execute(plan);
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()), HasSubstr("JobSet"));
}

TEST_F(RunTest, WhatControllersAddMayBeMissingInTheClusterAndIsNoted) {
  BeginController();
  RunPlan plan = Plan();
  plan.spec.set_kind("kai-job");
  ASSERT_TRUE(Execute(plan).ok());
  const Report report = Reported();
  EXPECT_EQ(CountIn(report, "complete"), 10);
  EXPECT_THAT(report.notes, Contains(AllOf(HasSubstr("no PodGroup is watched"),
                                           HasSubstr("scheduling.run.ai/v2alpha2"),
                                           HasSubstr("missing are group_created"))));
  EXPECT_THAT(report.notes, Contains(AllOf(HasSubstr("no BindRequest is watched"),
                                           HasSubstr("missing are decided"))));
}

TEST_F(RunTest, AnOlderVersionOfWhatControllersAddIsWatched) {
  BeginController();
  RunPlan plan = Plan();
  plan.spec.set_kind("kueue-job");
  std::thread kueue([&] {
    testing::Await([&] { return api_.All(kube::kJobs).size() == 10; });
    for (const kube::Json& job : api_.All(kube::kJobs)) {
      const kube::Json& metadata = job["metadata"];
      api_.Put({"kueue.x-k8s.io", "v1beta1", "workloads", "Workload"},
               {{"metadata",
                 {{"name", absl::StrCat("job-", metadata["name"].get<std::string>(), "-1a2b3")},
                  {"namespace", "load"},
                  {"ownerReferences",
                   {{{"kind", "Job"}, {"name", metadata["name"]}, {"uid", metadata["uid"]}}}}}},
                {"status",
                 {{"conditions",
                   {{{"type", "Admitted"},
                     {"status", "True"},
                     {"lastTransitionTime", "2026-11-23T12:00:05Z"}}}}}}});
    }
  });
  ASSERT_TRUE(Execute(plan).ok());
  kueue.join();
  EXPECT_THAT(Reported().notes, Not(Contains(HasSubstr("is watched"))));
  for (const Life& life : Lives()) EXPECT_TRUE(Of(SightsOf(life), Moment::kAdmitted)) << life.name;
}

TEST_F(RunTest, ARunOfThatNameIsNotDisturbed) {
  BeginController();
  ASSERT_TRUE(Execute().ok());
  const Status status = Execute(Plan());
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("clean --run r1"));
  EXPECT_FALSE(run_->has_begun());
  EXPECT_EQ(api_.All(kube::kJobs).size(), 10);
}

TEST_F(RunTest, AnInterruptedRunSaysHowFarItCame) {
  BeginController();
  RunPlan plan = Plan(1000);
  plan.spec.set_rate(20);
  std::thread interrupter([&] {
    testing::Await([&] { return api_.All(kube::kJobs).size() >= 5; });
    run_->Interrupt();
  });
  const Status status = Execute(plan);
  interrupter.join();
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  const Report report = Reported();
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

}  // namespace
}  // namespace twofold::lifecycle
