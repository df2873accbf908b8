#include "kubernetes/lifecycle/moments/observer.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/kubernetes/lifecycle/objects.h"

namespace twofold::lifecycle {
namespace {

/// One workload "w" of a kind, planned at 0 ms and sent at 10 ms.
struct Watched {
  explicit Watched(const std::string& kind, std::uint32_t slots = 1)
      : observer(*FindKind(kind).value(), "r1"), kind_row(*FindKind(kind).value()) {
    EXPECT_TRUE(observer.Tell(input::Plan{"load", "w", slots, At(0)}).ok());
    observer.Tell(input::Sent{"load", "w", At(10)});
  }

  void See(const Object& object, double ms, Event event = Event::kModified) {
    observer.Tell(input::Seen{event, object, At(ms)});
  }
  [[nodiscard]] const Life& life() const { return observer.lives().front(); }
  [[nodiscard]] std::optional<Sight> Sighted(Moment moment) const {
    return Of(SightsOf(life()), moment);
  }
  /// When the moment was seen, in ms; -1: never.
  [[nodiscard]] double SeenAt(Moment moment) const {
    const auto sight = Sighted(moment);
    return sight ? Ms(sight->at) : -1;
  }
  [[nodiscard]] State state() const { return StateOf(kind_row, life(), SightsOf(life())); }
  [[nodiscard]] double PendingMs(Reason reason, double until) const {
    return ToSeconds(PendingOf(life(), At(until))[static_cast<std::size_t>(reason)]) * 1000;
  }

  Observer observer;
  const Kind& kind_row;
};

TEST(Observer, APodsMomentsAreWhenTheyWereSeenFirst) {
  Watched watched("pod");
  Object pod = Made("Pod", "w", "u1");
  watched.See(pod, 15, Event::kAdded);
  watched.See(Bound(pod), 20);
  watched.See(Running(pod), 300);
  watched.See(Ready(pod), 301);
  watched.See(Over(pod), 900);
  EXPECT_DOUBLE_EQ(watched.SeenAt(Moment::kCreated), 15);
  EXPECT_DOUBLE_EQ(watched.SeenAt(Moment::kScheduled), 20);
  EXPECT_DOUBLE_EQ(watched.SeenAt(Moment::kStarted), 300);
  EXPECT_DOUBLE_EQ(watched.SeenAt(Moment::kReady), 301);
  EXPECT_DOUBLE_EQ(watched.SeenAt(Moment::kFinished), 900);
  EXPECT_EQ(watched.state(), State::kComplete);
}

TEST(Observer, TheClustersOwnSecondsAreKeptBesideAndNotMixedIn) {
  Watched watched("pod");
  watched.See(Bound(Made("Pod", "w", "u1")), 15, Event::kAdded);
  const auto created = watched.Sighted(Moment::kCreated);
  const auto bound = watched.Sighted(Moment::kScheduled);
  EXPECT_EQ(*bound->cluster_second - *created->cluster_second, 1);
  EXPECT_EQ(bound->at, created->at);
}

TEST(Observer, AnEventMayComeBeforeTheReply) {
  Watched watched("pod");
  watched.See(Made("Pod", "w", "u1"), 12, Event::kAdded);
  watched.observer.Tell(input::Replied{"load", "w", At(31)});
  EXPECT_DOUBLE_EQ(watched.SeenAt(Moment::kCreated), 12);
  EXPECT_DOUBLE_EQ(watched.SeenAt(Moment::kReplied), 31);
}

TEST(Observer, AWorkloadWasCreatedBeforeItsFirstPodWhicheverWatchIsBehind) {
  Watched watched("job");
  Object job = Made("Job", "w", "u1");
  Object pod = Made("Pod", "w-x", "u2");
  pod["metadata"]["labels"]["batch.kubernetes.io/job-name"] = "w";
  watched.See(pod, 15, Event::kAdded);
  watched.See(job, 18, Event::kAdded);
  const auto created = watched.Sighted(Moment::kCreated);
  EXPECT_DOUBLE_EQ(Ms(created->at), 15);
  EXPECT_DOUBLE_EQ(Ms(created->after), 10);  // it was sent
  EXPECT_DOUBLE_EQ(watched.SeenAt(Moment::kFirstPod), 15);
}

TEST(Observer, DoubledAndDisorderedEventsChangeNothing) {
  Watched watched("pod");
  const Object pod = Made("Pod", "w", "u1");
  watched.See(Version(pod, 5), 15, Event::kAdded);
  watched.See(Version(Ready(pod), 9), 40);
  watched.See(Version(Ready(pod), 9), 50);
  watched.See(Version(pod, 5), 60, Event::kAdded);
  EXPECT_DOUBLE_EQ(watched.SeenAt(Moment::kReady), 40);
  EXPECT_EQ(watched.PendingMs(Reason::kScheduler, 1000), 25);
  EXPECT_EQ(watched.observer.unusual().stale, 1U);
  EXPECT_EQ(watched.life().pods.size(), 1U);
}

TEST(Observer, WhatIsMissingStaysMissing) {
  Watched watched("pod");
  watched.See(Made("Pod", "w", "u1"), 15, Event::kAdded);
  EXPECT_FALSE(watched.Sighted(Moment::kScheduled));
  EXPECT_FALSE(watched.Sighted(Moment::kReady));
  EXPECT_EQ(watched.state(), State::kNotReady);
}

TEST(Observer, WhatIsFirstSeenInAListHasAnIntervalAndNotZero) {
  Watched watched("pod");
  const Object pod = Made("Pod", "w", "u1");
  watched.observer.Tell(input::Listed{"Pod", At(1)});
  watched.See(Version(pod, 5), 15, Event::kAdded);
  watched.observer.Tell(input::Alive{"Pod", At(100)});
  // The watch breaks, and a list shows what has happened meanwhile.
  watched.See(Version(Ready(pod), 9), 5000, Event::kListed);
  watched.observer.Tell(input::Listed{"Pod", At(5001)});
  const auto ready = watched.Sighted(Moment::kReady);
  EXPECT_DOUBLE_EQ(Ms(ready->after), 100);
  EXPECT_DOUBLE_EQ(Ms(ready->at), 5000);
  EXPECT_FALSE(watched.Sighted(Moment::kCreated)->IsLate());
  EXPECT_EQ(watched.observer.unusual().relists, 1U);
  EXPECT_DOUBLE_EQ(watched.PendingMs(Reason::kScheduler, 9000), 85);
  EXPECT_DOUBLE_EQ(watched.PendingMs(Reason::kUnseen, 9000), 4900);
}

TEST(Observer, AnEventAfterABlindTimeHasAnIntervalToo) {
  Watched watched("pod");
  const Object pod = Made("Pod", "w", "u1");
  watched.See(pod, 15, Event::kAdded);
  watched.observer.Tell(input::Seen{Event::kModified, Ready(pod), At(900), At(300)});
  const auto ready = watched.Sighted(Moment::kReady);
  EXPECT_DOUBLE_EQ(Ms(ready->after), 300);
  EXPECT_DOUBLE_EQ(Ms(ready->at), 900);
  EXPECT_FALSE(watched.Sighted(Moment::kCreated)->IsLate());
}

TEST(Observer, AListThatDidNotEndIsForgotten) {
  Watched watched("job", 2);
  watched.observer.Tell(input::Listing{"Pod"});
  watched.See(PodOf("w", "p1"), 20, Event::kListed);
  watched.observer.Tell(input::Listing{"Pod"});
  watched.See(PodOf("w", "p2"), 400, Event::kListed);
  watched.observer.Tell(input::Listed{"Pod", At(401)});
  EXPECT_TRUE(Of(watched.life().pods[0].sights, PodPhase::kDeleted));
  EXPECT_FALSE(Of(watched.life().pods[1].sights, PodPhase::kDeleted));
}

TEST(Observer, AnObjectFirstSeenInAListCameAfterItWasSent) {
  Watched watched("pod");
  watched.See(Ready(Made("Pod", "w", "u1")), 2000, Event::kListed);
  const auto created = watched.Sighted(Moment::kCreated);
  EXPECT_DOUBLE_EQ(Ms(created->after), 10);
  EXPECT_DOUBLE_EQ(Ms(created->at), 2000);
}

TEST(Observer, AnObjectFirstSeenInAListBeforeItsOwnerHasAnInterval) {
  Watched watched("jobset");
  watched.observer.Tell(input::Alive{"Pod", At(100)});
  Object pod = Made("Pod", "p", "u1");
  pod["metadata"]["labels"] = Object::object();
  pod["metadata"]["ownerReferences"] = {{{"kind", "Job"}, {"name", "w-0"}, {"uid", "j"}}};
  watched.See(Version(pod, 4), 5000, Event::kListed);  // after a broken watch
  Object job = Made("Job", "w-0", "j");
  job["metadata"]["ownerReferences"] = {{{"kind", "JobSet"}, {"name", "w"}, {"uid", "s"}}};
  watched.See(job, 5001, Event::kAdded);
  watched.See(Version(Bound(pod), 5), 5002);
  const auto created = watched.Sighted(Moment::kFirstPod);
  ASSERT_TRUE(created);
  EXPECT_DOUBLE_EQ(Ms(created->after), 100);
  EXPECT_DOUBLE_EQ(Ms(created->at), 5000);
}

TEST(Observer, WhatIsNotInTheNextListIsGone) {
  Watched watched("job", 1);
  watched.observer.Tell(input::Listed{"Pod", At(1)});
  watched.See(PodOf("w", "p1"), 20, Event::kAdded);
  watched.observer.Tell(input::Listed{"Pod", At(500)});
  const auto& gone = Of(watched.life().pods.front().sights, PodPhase::kDeleted);
  ASSERT_TRUE(gone);
  EXPECT_DOUBLE_EQ(Ms(gone->after), 20);
  EXPECT_DOUBLE_EQ(Ms(gone->at), 500);
  EXPECT_EQ(LostPodsOf(watched.life()), 1U);
}

TEST(Observer, WhatIsInEachListIsNotGone) {
  Watched watched("job", 1);
  for (const double ms : {100.0, 200.0, 300.0}) {
    watched.See(PodOf("w", "p1"), ms, Event::kListed);
    watched.observer.Tell(input::Listed{"Pod", At(ms + 1)});
  }
  EXPECT_EQ(LostPodsOf(watched.life()), 0U);
}

TEST(Observer, AnotherPodOfTheSameNameIsCountedAndNotMixedIn) {
  Watched watched("pod");
  const Object first = Made("Pod", "w", "u1");
  watched.See(first, 15, Event::kAdded);
  watched.See(first, 30, Event::kDeleted);
  watched.See(Ready(Made("Pod", "w", "u2")), 60, Event::kAdded);
  EXPECT_FALSE(watched.Sighted(Moment::kReady));
  EXPECT_EQ(watched.life().recreated, 1U);
  EXPECT_EQ(RestartsOf(watched.life()), 1U);
  EXPECT_EQ(watched.state(), State::kDeleted);
}

TEST(Observer, EventsAfterTheDeletionChangeNothing) {
  Watched watched("pod");
  const Object pod = Made("Pod", "w", "u1");
  watched.See(pod, 15, Event::kAdded);
  watched.See(pod, 30, Event::kDeleted);
  watched.See(Ready(pod), 40);
  EXPECT_FALSE(watched.Sighted(Moment::kReady));
}

TEST(Observer, ForeignObjectsAreCountedAndStopNothing) {
  Watched watched("job");
  watched.See(Made("PodGroup", "theirs", "g"), 15, Event::kAdded);
  watched.See(PodOf("theirs", "p"), 16, Event::kAdded);
  Object other_run = Made("Job", "w", "u9");
  other_run["metadata"]["labels"] = {{kRunLabel, "r0"}};
  watched.See(other_run, 17, Event::kAdded);
  EXPECT_EQ(watched.observer.unusual().foreign, 3U);
  EXPECT_EQ(watched.state(), State::kNeverSeen);
}

TEST(Observer, ObjectsWithoutANameOrUidAreCounted) {
  Watched watched("pod");
  watched.See(Object::object(), 15);
  watched.See(Object::array({1}), 15);
  watched.See({{"kind", "Pod"}, {"metadata", 5}}, 15);
  EXPECT_EQ(watched.observer.unusual().broken, 3U);
}

TEST(Observer, AJobsCompletionIsAStepAfterTheEndOfItsPods) {
  Watched watched("job");
  Object job = Made("Job", "w", "j");
  watched.See(job, 15, Event::kAdded);
  watched.See(PodOf("w", "p1"), 20, Event::kAdded);
  watched.See(Over(PodOf("w", "p1")), 1200);
  EXPECT_NE(watched.state(), State::kComplete);
  watched.See(Put(job, "Complete", true), 23000);
  EXPECT_DOUBLE_EQ(watched.SeenAt(Moment::kFinished), 1200);
  EXPECT_DOUBLE_EQ(watched.SeenAt(Moment::kComplete), 23000);
  EXPECT_EQ(watched.state(), State::kComplete);
}

TEST(Observer, AFailedJobIsOverToo) {
  Watched watched("job");
  Object job = Made("Job", "w", "j");
  watched.See(Put(job, "Failed", true), 1500, Event::kAdded);
  EXPECT_EQ(watched.state(), State::kFailed);
}

TEST(Observer, AGangIsReadyWithItsLastPod) {
  Watched watched("indexed-job", 3);
  for (int i = 0; i < 3; ++i) {
    Object pod = PodOf("w", "p" + std::to_string(i));
    pod["metadata"]["labels"]["batch.kubernetes.io/job-completion-index"] = std::to_string(i);
    watched.See(pod, 20 + 10 * i, Event::kAdded);
    watched.See(Ready(pod), 100 + 100 * i);
    EXPECT_EQ(watched.Sighted(Moment::kReady).has_value(), i == 2);
  }
  EXPECT_DOUBLE_EQ(watched.SeenAt(Moment::kFirstPod), 20);
  EXPECT_DOUBLE_EQ(watched.SeenAt(Moment::kLastPod), 40);
  EXPECT_DOUBLE_EQ(watched.SeenAt(Moment::kFirstReady), 100);
  EXPECT_DOUBLE_EQ(watched.SeenAt(Moment::kReady), 300);
}

TEST(Observer, AReplacedPodIsARestartAndDoesNotMoveTheLastPod) {
  Watched watched("job", 2);
  const Object lost = PodOf("w", "p1");
  watched.See(lost, 20, Event::kAdded);
  watched.See(PodOf("w", "p2"), 21, Event::kAdded);
  watched.See(Over(lost, "Failed"), 5000);
  watched.See(PodOf("w", "p3"), 60000, Event::kAdded);
  EXPECT_DOUBLE_EQ(watched.SeenAt(Moment::kLastPod), 21);
  EXPECT_EQ(RestartsOf(watched.life()), 1U);
  EXPECT_EQ(watched.life().pods.back().slot, 0U);
}

TEST(Observer, APodThatFailsBeforeItsGangIsThereLeavesItsPlaceToTheLast) {
  Watched watched("job", 2);
  watched.See(PodOf("w", "p1"), 20, Event::kAdded);
  watched.See(Over(PodOf("w", "p1"), "Failed"), 25);
  watched.See(PodOf("w", "p2"), 30, Event::kAdded);
  watched.See(PodOf("w", "p3"), 40, Event::kAdded);
  EXPECT_DOUBLE_EQ(watched.SeenAt(Moment::kLastPod), 30);
  EXPECT_EQ(RestartsOf(watched.life()), 1U);
}

TEST(Observer, PodsWithPartOfTheirLabelsAreNotTakenForOne) {
  Watched watched("volcano-job", 2);
  for (const char* uid : {"p1", "p2"}) {
    Object pod = Ready(PodOf("w", uid));
    pod["metadata"]["labels"] = {{"volcano.sh/job-name", "w"}, {"volcano.sh/task-spec", "worker"}};
    watched.See(pod, 20, Event::kAdded);
  }
  EXPECT_TRUE(watched.Sighted(Moment::kReady));
  EXPECT_EQ(RestartsOf(watched.life()), 0U);
}

TEST(Observer, LabelledAndOtherPodsOfAWorkloadHavePlacesOfTheirOwn) {
  Watched watched("mpijob", 3);
  const auto pod = [](const char* uid, Object labels) {
    Object made = Ready(PodOf("w", uid));
    labels["training.kubeflow.org/job-name"] = "w";
    made["metadata"]["labels"] = std::move(labels);
    return made;
  };
  watched.See(pod("w0", {{"training.kubeflow.org/job-role", "worker"},
                         {"training.kubeflow.org/replica-index", "0"}}),
              20, Event::kAdded);
  watched.See(pod("launcher", {{"training.kubeflow.org/job-role", "launcher"}}), 21, Event::kAdded);
  EXPECT_FALSE(watched.Sighted(Moment::kReady));
  watched.See(pod("w1", {{"training.kubeflow.org/job-role", "worker"},
                         {"training.kubeflow.org/replica-index", "1"}}),
              22, Event::kAdded);
  EXPECT_DOUBLE_EQ(watched.SeenAt(Moment::kReady), 22);
}

TEST(Observer, EvictedPodsAreCountedApartFromRestarts) {
  Watched watched("job");
  Object pod = Running(PodOf("w", "p1"));
  watched.See(Put(pod, "DisruptionTarget", true, "PreemptionByScheduler"), 20, Event::kAdded);
  EXPECT_EQ(EvictionsOf(watched.life()), 1U);
  EXPECT_EQ(RestartsOf(watched.life()), 0U);
}

TEST(Observer, PodsBeyondTheLimitAreLeftOutAndCounted) {
  Watched watched("job", 1);
  for (int i = 0; i < 25; ++i) watched.See(PodOf("w", "p" + std::to_string(i)), 20, Event::kAdded);
  EXPECT_EQ(watched.life().pods.size(), 20U);
  EXPECT_EQ(watched.observer.unusual().left_out, 5U);
}

TEST(Observer, APodSeenBeforeItsOwnerKeepsItsTime) {
  Watched watched("jobset");
  Object pod = Made("Pod", "w-0", "p1");
  pod["metadata"]["labels"] = Object::object();
  pod["metadata"]["ownerReferences"] = Object::array({{{"kind", "Job"}, {"uid", "child"}}});
  watched.See(pod, 20, Event::kAdded);
  Object child = Made("Job", "w-workers-0", "child");
  child["metadata"]["ownerReferences"] =
      Object::array({{{"kind", "JobSet"}, {"name", "w"}, {"uid", "own"}}});
  watched.See(child, 25, Event::kAdded);
  watched.See(Ready(pod), 90);
  EXPECT_DOUBLE_EQ(watched.SeenAt(Moment::kFirstPod), 20);
  const auto ready = watched.Sighted(Moment::kReady);
  EXPECT_DOUBLE_EQ(Ms(ready->after), 20);
  EXPECT_DOUBLE_EQ(Ms(ready->at), 90);
  EXPECT_DOUBLE_EQ(watched.SeenAt(Moment::kChildCreated), 25);
}

TEST(Observer, KueuesFirstAdmissionIsKeptAndEachEvictionCounted) {
  Watched watched("kueue-job");
  Object job = Made("Job", "w", "j");
  job["spec"]["suspend"] = true;
  watched.See(job, 15, Event::kAdded);
  Object workload = Made("Workload", "job-w", "k");
  workload["metadata"]["ownerReferences"] =
      Object::array({{{"kind", "Job"}, {"name", "w"}, {"uid", "j"}}});
  watched.See(workload, 20, Event::kAdded);
  Put(workload, "QuotaReserved", true);
  watched.See(workload, 500);
  watched.See(Put(workload, "Admitted", true), 510);
  job["spec"]["suspend"] = false;
  watched.See(job, 515);
  Put(workload, "Admitted", false);
  watched.See(Put(workload, "Evicted", true, "Preempted"), 800);
  watched.See(workload, 801);
  watched.See(Put(workload, "Evicted", false), 900);
  watched.See(Put(workload, "Admitted", true), 1000);
  watched.See(Put(workload, "Evicted", true, "Preempted"), 1100);
  EXPECT_DOUBLE_EQ(watched.SeenAt(Moment::kQuotaReserved), 500);
  EXPECT_DOUBLE_EQ(watched.SeenAt(Moment::kAdmitted), 510);
  EXPECT_EQ(EvictionsOf(watched.life()), 2U);
  EXPECT_DOUBLE_EQ(watched.PendingMs(Reason::kQuota, 9000), 500);
}

TEST(Observer, VolcanosPhasesHaveNoTimeSoTheWatchHasIt) {
  Watched watched("volcano-job");
  watched.See(Made("Job", "w", "j"), 15, Event::kAdded);
  Object group = Made("PodGroup", "w-j", "g");
  group["metadata"]["ownerReferences"] =
      Object::array({{{"kind", "Job"}, {"name", "w"}, {"uid", "j"}}});
  group["status"]["phase"] = "Pending";
  watched.See(group, 20, Event::kAdded);
  group["status"]["phase"] = "Inqueue";
  watched.See(group, 220);
  EXPECT_DOUBLE_EQ(watched.SeenAt(Moment::kGroupCreated), 20);
  EXPECT_DOUBLE_EQ(watched.SeenAt(Moment::kAdmitted), 220);
  EXPECT_FALSE(watched.Sighted(Moment::kAdmitted)->cluster_second);
  EXPECT_DOUBLE_EQ(watched.PendingMs(Reason::kQuota, 9000), 200);
}

TEST(Observer, ABindRequestIsTheSchedulersDecision) {
  Watched watched("kai-job");
  watched.See(PodOf("w", "p1"), 20, Event::kAdded);
  Object request = Made("BindRequest", "b", "b1");
  request["metadata"]["ownerReferences"] = Object::array({{{"kind", "Pod"}, {"uid", "p1"}}});
  watched.See(request, 70, Event::kAdded);
  watched.See(Bound(PodOf("w", "p1")), 90);
  EXPECT_DOUBLE_EQ(watched.SeenAt(Moment::kDecided), 70);
  EXPECT_DOUBLE_EQ(watched.SeenAt(Moment::kScheduled), 90);
}

TEST(Observer, TimeAddsUpByReason) {
  Watched watched("job");
  Object pod = PodOf("w", "p1");
  watched.See(pod, 100, Event::kAdded);
  watched.See(Put(pod, "PodScheduled", false, "Unschedulable"), 110);
  watched.See(Bound(pod), 7110);
  watched.See(Running(pod), 7400);
  EXPECT_DOUBLE_EQ(watched.PendingMs(Reason::kScheduler, 9000), 10);
  EXPECT_DOUBLE_EQ(watched.PendingMs(Reason::kUnschedulable, 9000), 7000);
  EXPECT_DOUBLE_EQ(watched.PendingMs(Reason::kStarting, 9000), 290);
}

TEST(Observer, ARefusedWorkloadSaysWhy) {
  Watched watched("pod");
  watched.observer.Tell(input::Refused{"load", "w", "403 Forbidden"});
  EXPECT_EQ(watched.state(), State::kRefused);
  EXPECT_EQ(watched.life().refused, "403 Forbidden");
}

TEST(Observer, TheSameNameTwiceIsAnErrorAndNotAnUpdate) {
  Watched watched("pod");
  EXPECT_EQ(watched.observer.Tell(input::Plan{"load", "w", 1, At(0)}).code(),
            absl::StatusCode::kAlreadyExists);
}

TEST(Observer, LimitsAreErrorsThatNameTheField) {
  Observer observer(*FindKind("job").value(), "r1", {.workloads = 2, .pods = 10});
  EXPECT_TRUE(observer.Tell(input::Plan{"load", "a", 4, At(0)}).ok());
  const Status pods = observer.Tell(input::Plan{"load", "b", 7, At(0)});
  EXPECT_EQ(pods.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(pods.message().find("workers: "), 0U) << pods;
  EXPECT_TRUE(observer.Tell(input::Plan{"load", "b", 6, At(0)}).ok());
  EXPECT_EQ(observer.Tell(input::Plan{"load", "c", 1, At(0)}).message().find("workloads: "), 0U);
}

TEST(Observer, AWorkloadWithoutPodsIsRefused) {
  Observer observer(*FindKind("job").value(), "r1");
  for (const std::uint32_t slots : {0U, kMostSlots + 1}) {
    EXPECT_EQ(observer.Tell(input::Plan{"load", "a", slots, At(0)}).code(),
              absl::StatusCode::kInvalidArgument);
  }
}

TEST(Observer, CanariesGiveTheWatchsLagWhicheverComesFirst) {
  Watched watched("pod");
  watched.observer.Tell(input::CanaryWritten{"c1", At(100), At(103)});
  watched.observer.Tell(input::CanarySeen{"c1", At(105)});
  watched.observer.Tell(input::CanarySeen{"c2", At(1101)});
  watched.observer.Tell(input::CanaryWritten{"c2", At(1100), At(1104)});
  watched.observer.Tell(input::CanaryWritten{"c3", At(2100), At(2104)});
  ASSERT_EQ(watched.observer.lags().size(), 2U);
  EXPECT_DOUBLE_EQ(ToSeconds(watched.observer.lags()[0].after_reply) * 1000, 2);
  EXPECT_DOUBLE_EQ(ToSeconds(watched.observer.lags()[1].after_reply) * 1000, -3);
  EXPECT_DOUBLE_EQ(ToSeconds(watched.observer.lags()[1].at_most) * 1000, 1);
  EXPECT_EQ(watched.observer.open_canaries(), 1U);
}

}  // namespace
}  // namespace twofold::lifecycle
