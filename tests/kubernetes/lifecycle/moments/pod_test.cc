#include "kubernetes/lifecycle/moments/pod.h"

#include <gtest/gtest.h>

#include "kubernetes/lifecycle/moments/kind.h"
#include "tests/kubernetes/lifecycle/objects.h"

namespace twofold::lifecycle {
namespace {

std::optional<Shown> ShowsPhase(const Object& pod, PodPhase phase) {
  return ShownBy(pod)[static_cast<std::size_t>(phase)];
}

Object Waiting(Object pod, const std::string& list, const std::string& reason) {
  pod["status"][list] = Object::array({{{"state", {{"waiting", {{"reason", reason}}}}}}});
  return pod;
}

TEST(Pod, AnUnschedulableOrGatedPodIsNotScheduled) {
  Object pod = PodOf("a", "p");
  EXPECT_FALSE(ShowsPhase(Put(pod, "PodScheduled", false, "Unschedulable"), PodPhase::kScheduled));
  EXPECT_FALSE(
      ShowsPhase(Put(pod, "PodScheduled", false, "SchedulingGated"), PodPhase::kScheduled));
  const auto shown = ShowsPhase(Bound(pod), PodPhase::kScheduled);
  ASSERT_TRUE(shown);
  EXPECT_EQ(shown->second, SecondOf("2026-11-23T10:00:01Z"));
}

TEST(Pod, APodWithANodeIsScheduledWithoutTheCondition) {
  Object pod = PodOf("a", "p");
  pod["spec"]["nodeName"] = "n1";
  const auto shown = ShowsPhase(pod, PodPhase::kScheduled);
  ASSERT_TRUE(shown);
  EXPECT_FALSE(shown->second);
}

TEST(Pod, APodThatFailedBeforeItStartedNeverStarted) {
  const Object pod = Over(PodOf("a", "p"), "Failed");
  EXPECT_FALSE(ShowsPhase(pod, PodPhase::kStarted));
  EXPECT_TRUE(ShowsPhase(pod, PodPhase::kFinished));
  EXPECT_FALSE(ShowsPhase(pod, PodPhase::kReady));
}

TEST(Pod, TheFirstStartOfARestartedContainerCounts) {
  Object pod = Running(PodOf("a", "p"));
  pod["status"]["containerStatuses"] =
      Object::array({{{"restartCount", 2},
                      {"state", {{"running", {{"startedAt", "2026-11-23T10:05:00Z"}}}}},
                      {"lastState", {{"terminated", {{"startedAt", "2026-11-23T10:00:02Z"}}}}}}});
  EXPECT_EQ(ShowsPhase(pod, PodPhase::kStarted)->second, SecondOf("2026-11-23T10:00:02Z"));
  EXPECT_EQ(RestartsOf(pod), 2U);
}

TEST(Pod, ATimeOf1970IsNone) {
  Object pod = Over(PodOf("a", "p"), "Failed");
  pod["status"]["containerStatuses"] = Object::array(
      {{{"state",
         {{"terminated", {{"startedAt", nullptr}, {"finishedAt", "1970-01-01T00:00:00Z"}}}}}}});
  EXPECT_FALSE(ShowsPhase(pod, PodPhase::kStarted));
  EXPECT_FALSE(ShowsPhase(pod, PodPhase::kFinished)->second);
}

TEST(Pod, EachReasonToBePendingHasItsName) {
  Object pod = PodOf("a", "p");
  EXPECT_EQ(PendingReason(pod), Reason::kScheduler);
  EXPECT_EQ(PendingReason(Put(pod, "PodScheduled", false, "Unschedulable")),
            Reason::kUnschedulable);
  EXPECT_EQ(PendingReason(Put(pod, "PodScheduled", false, "SchedulingGated")), Reason::kGate);
  Object bound = Bound(PodOf("a", "p"));
  EXPECT_EQ(PendingReason(bound), Reason::kStarting);
  EXPECT_EQ(PendingReason(Put(bound, "PodReadyToStartContainers", false)), Reason::kSandbox);
  Put(bound, "PodReadyToStartContainers", true);
  EXPECT_EQ(PendingReason(Put(bound, "Initialized", false)), Reason::kInit);
  Put(bound, "Initialized", true);
  EXPECT_EQ(PendingReason(bound), Reason::kStarting);
  EXPECT_EQ(PendingReason(Waiting(bound, "containerStatuses", "ErrImagePull")), Reason::kImage);
  EXPECT_EQ(PendingReason(Waiting(bound, "initContainerStatuses", "ImagePullBackOff")),
            Reason::kImage);
  const Object running = Running(PodOf("a", "p"));
  EXPECT_EQ(PendingReason(running), std::nullopt);
  EXPECT_EQ(PendingReason(Waiting(running, "containerStatuses", "CrashLoopBackOff")),
            Reason::kCrash);
  EXPECT_EQ(PendingReason(Over(PodOf("a", "p"))), std::nullopt);
}

TEST(Pod, FieldsOfTheWrongTypeAreNotThere) {
  const Object odd = Object::parse(
      R"({"kind": "Pod", "metadata": {"labels": [1], "creationTimestamp": 7},
          "spec": {"nodeName": {}, "schedulingGates": "x"},
          "status": {"phase": 3, "conditions": {"a": 1}, "containerStatuses": [null, 5, {"state": []}],
                     "reason": []}})");
  EXPECT_EQ(PendingReason(odd), Reason::kScheduler);
  EXPECT_FALSE(ShowsPhase(odd, PodPhase::kStarted));
  EXPECT_FALSE(ShowsPhase(odd, PodPhase::kCreated)->second);
  EXPECT_EQ(RestartsOf(odd), 0U);
  EXPECT_FALSE(IsEvicted(odd));
  EXPECT_EQ(SlotOf(*FindKind("indexed-job").value(), odd), "");
}

TEST(Fields, TimesOfKubernetesAreWholeSeconds) {
  EXPECT_EQ(SecondOf("1970-01-01T00:01:00Z"), 60);
  EXPECT_EQ(SecondOf("1970-01-01T00:01:00.999999Z"), 60);
  EXPECT_EQ(SecondOf("1970-01-01T01:01:00+01:00"), 60);
  for (const char* bad : {"", "yesterday", "2026-11-23", "infinite-future", "0001-01-01T00:00:00Z",
                          "9999-12-31T23:59:59Z"}) {
    EXPECT_FALSE(SecondOf(bad)) << bad;
  }
}

}  // namespace
}  // namespace twofold::lifecycle
