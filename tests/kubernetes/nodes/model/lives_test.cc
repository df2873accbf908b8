#include "kubernetes/nodes/model/lives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "kubernetes/api/errors.h"
#include "kubernetes/nodes/model/gpus.h"
#include "tests/kubernetes/nodes/model/objects.h"

namespace twofold::nodes {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

/// Lives on two nodes with four GPUs each; starts after 1 s, runs for 10 s. Time is told.
class LivesTest : public testing::Test {
 protected:
  const Instant begun_ = Instant(seconds(1000));
  const Clocks clocks_{begun_, *kube::TimeOf("2026-11-23T12:00:00Z")};
  NodeTemplate nodes_ = Nodes();
  Habits habits_;
  std::map<std::uint32_t, Instant> lost_;

  static NodeTemplate Nodes() {
    NodeTemplate nodes;
    nodes.count = 2;
    nodes.capacity[kGpuResource] = "4";
    return nodes;
  }

  Lives Make() {
    return {nodes_, habits_, clocks_, [this](std::uint32_t node, Instant now) {
              const auto found = lost_.find(node);
              const bool is_lost = found != lost_.end() && found->second > now;
              return is_lost ? std::optional(found->second) : std::nullopt;
            }};
  }

  [[nodiscard]] Instant At(Duration time) const { return begun_ + time; }

  // The one order that is due then and no earlier, carried out at once.
  Json Carry(Lives& lives, Duration time, const Status& outcome = absl::OkStatus()) {
    EXPECT_FALSE(lives.Take(At(time) - Duration(1)).has_value());
    const auto order = lives.Take(At(time));
    if (!order) {
      ADD_FAILURE() << "nothing is due after " << ToSeconds(time) << " s";
      return {};
    }
    EXPECT_FALSE(lives.Take(At(time)).has_value());
    last_ = order->call;
    lives.Done(order->ticket, outcome, At(time)).IgnoreError();
    return order->call.body.empty() ? Json() : Json::parse(order->call.body);
  }

  kube::Call last_;
};

std::string Phase(const Json& patch) { return In(patch, "/status/phase"); }

TEST_F(LivesTest, PodOfAJobStartsRunsAndSucceedsAtThePlannedInstants) {
  Lives lives = Make();
  lives.Seen(PodOn("sim-1", "a"), At(milliseconds(200)));
  const Json running = Carry(lives, milliseconds(1200));
  EXPECT_EQ(last_.method, "PATCH");
  EXPECT_THAT(last_.target, HasSubstr("/api/v1/namespaces/default/pods/a/status"));
  EXPECT_EQ(In(running, "/metadata/uid"), "uid-a");
  EXPECT_EQ(Phase(running), "Running");
  EXPECT_EQ(In(running, "/status/startTime"), "2026-11-23T12:00:00Z");
  EXPECT_EQ(In(running, "/status/containerStatuses/0/state/running/startedAt"),
            "2026-11-23T12:00:01Z");
  const Json ended = Carry(lives, milliseconds(11200));
  EXPECT_EQ(Phase(ended), "Succeeded");
  EXPECT_EQ(ended["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"], 0);
  EXPECT_EQ(In(ended, "/status/containerStatuses/0/state/terminated/finishedAt"),
            "2026-11-23T12:00:11Z");
  EXPECT_FALSE(lives.NextDue().has_value());
  EXPECT_EQ(lives.counts().ended[static_cast<int>(Ending::kSucceeded)], 1);
}

TEST_F(LivesTest, PlannedInstantsAreWrittenToTheNanosecond) {
  Lives lives = Make();
  lives.Seen(PodOn("sim-0", "a"), At(Duration(123456789)));
  const Json patch = Carry(lives, Duration(1123456789));
  const std::string text = patch["metadata"]["annotations"][kPlanned].get<std::string>();
  const Json planned = Json::parse(text);
  EXPECT_EQ(planned["seen"], "2026-11-23T12:00:00.123456789Z");
  EXPECT_EQ(planned["start"], "2026-11-23T12:00:01.123456789Z");
  EXPECT_EQ(planned["end"], "2026-11-23T12:00:11.123456789Z");
}

TEST_F(LivesTest, PodWithRestartPolicyAlwaysRunsUntilItIsDeleted) {
  Lives lives = Make();
  const Json pod = PodOn("sim-0", "a", "Always");
  lives.Seen(pod, At(seconds(0)));
  Carry(lives, seconds(1));
  EXPECT_FALSE(lives.NextDue().has_value());
  lives.Seen(Deleted(pod), At(seconds(500)));
  const Json body = Carry(lives, seconds(500));
  EXPECT_EQ(last_.method, "DELETE");
  EXPECT_EQ(body["gracePeriodSeconds"], 0);
  EXPECT_EQ(In(body, "/preconditions/uid"), "uid-a");
  lives.Gone("uid-a");
  EXPECT_EQ(lives.counts().removed, 1);
  EXPECT_EQ(lives.counts().running, 0);
}

TEST_F(LivesTest, LateCallsDoNotMoveThePlan) {
  Lives lives = Make();
  lives.Seen(PodOn("sim-0", "a"), At(seconds(0)));
  const auto order = lives.Take(At(seconds(1)));
  ASSERT_TRUE(order.has_value());
  EXPECT_FALSE(lives.NextDue().has_value()) << "one call a pod at a time";
  ASSERT_TRUE(lives.Done(order->ticket, absl::OkStatus(), At(seconds(4))).ok());
  EXPECT_EQ(order->planned, At(seconds(1)));
  Carry(lives, seconds(11));
}

TEST_F(LivesTest, SameSeedAndNameGiveTheSameLifeWhateverTheOrderOfArrival) {
  habits_.start = *Distribution::Parse("exp:5s");
  Lives one = Make();
  one.Seen(PodOn("sim-0", "a"), begun_);
  const auto alone = one.NextDue();
  Lives two = Make();
  two.Seen(PodOn("sim-0", "b"), begun_);
  two.Seen(PodOn("sim-0", "a"), begun_);
  std::vector<Instant> due;
  while (const auto order = two.Take(At(seconds(1000)))) due.push_back(order->planned);
  EXPECT_THAT(due, testing::Contains(*alone));
}

TEST_F(LivesTest, AnnotationsDecideOverOptions) {
  Lives lives = Make();
  Json pod = PodOn("sim-0", "a");
  pod["metadata"]["annotations"] = {{kStartTime, "3s"}, {kRunTime, "4s"}, {kExitCode, "9"}};
  lives.Seen(pod, At(seconds(0)));
  Carry(lives, seconds(3));
  const Json ended = Carry(lives, seconds(7));
  EXPECT_EQ(Phase(ended), "Failed");
  EXPECT_EQ(ended["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"], 9);
}

TEST_F(LivesTest, AnAnnotationThatCannotBeReadFailsThePodWithTheReason) {
  Lives lives = Make();
  Json pod = PodOn("sim-0", "a");
  pod["metadata"]["annotations"] = {{kRunTime, "soon"}};
  lives.Seen(pod, At(seconds(2)));
  const Json ended = Carry(lives, seconds(2));
  EXPECT_EQ(Phase(ended), "Failed");
  EXPECT_EQ(In(ended, "/status/reason"), "InvalidAnnotation");
  EXPECT_THAT(In(ended, "/status/message"), HasSubstr("annotation twofold/run-time: 'soon'"));
  EXPECT_FALSE(lives.NextDue().has_value());
}

TEST_F(LivesTest, TheShareOfFailuresFails) {
  habits_.failures = 0.25;
  habits_.exit_code = 3;
  Lives lives = Make();
  for (int i = 0; i < 2000; ++i) lives.Seen(PodOn("sim-0", absl::StrCat("p", i)), begun_);
  while (const auto order = lives.Take(At(seconds(60)))) {
    ASSERT_TRUE(lives.Done(order->ticket, absl::OkStatus(), At(seconds(60))).ok());
  }
  const auto& ended = lives.counts().ended;
  EXPECT_NEAR(static_cast<double>(ended[static_cast<int>(Ending::kFailed)]), 500, 60);
  EXPECT_EQ(ended[static_cast<int>(Ending::kFailed)] + ended[static_cast<int>(Ending::kSucceeded)],
            2000);
}

TEST_F(LivesTest, EvictedPodsSaySo) {
  habits_.evictions = 1;
  habits_.evict_after = Distribution(seconds(4));
  Lives lives = Make();
  lives.Seen(PodOn("sim-0", "a", "Always"), At(seconds(0)));
  Carry(lives, seconds(1));
  const Json ended = Carry(lives, seconds(5));
  EXPECT_EQ(Phase(ended), "Failed");
  EXPECT_EQ(In(ended, "/status/reason"), "Evicted");
  EXPECT_EQ(In(ended, "/status/conditions/2/type"), "DisruptionTarget");
}

TEST_F(LivesTest, FailedContainersOfRestartPolicyOnFailureBeginAgainAfterTheKubeletsWait) {
  habits_.failures = 1;
  Lives lives = Make();
  lives.Seen(PodOn("sim-0", "a", "OnFailure"), At(seconds(0)));
  Carry(lives, seconds(1));
  const Json again = Carry(lives, seconds(21));  // 1 + 10, and 10 until it begins again
  EXPECT_EQ(Phase(again), "Running");
  EXPECT_EQ(again["status"]["containerStatuses"][0]["restartCount"], 1);
  EXPECT_EQ(again["status"]["containerStatuses"][0]["lastState"]["terminated"]["exitCode"], 1);
  const std::string last = "/status/containerStatuses/0/lastState/terminated";
  EXPECT_EQ(In(again, last + "/startedAt"), "2026-11-23T12:00:01Z");
  EXPECT_EQ(In(again, last + "/finishedAt"), "2026-11-23T12:00:11Z");
  const Json once_more = Carry(lives, seconds(51));  // 21 + 10 + 20
  EXPECT_EQ(In(once_more, last + "/startedAt"), "2026-11-23T12:00:21Z");
  EXPECT_EQ(In(once_more, last + "/finishedAt"), "2026-11-23T12:00:31Z");
  EXPECT_EQ(once_more["status"]["containerStatuses"][0]["restartCount"], 2);
  EXPECT_EQ(lives.counts().restarted, 2);
}

TEST_F(LivesTest, GpusAreTakenAtTheStartAndFreeAtTheEnd) {
  Lives lives = Make();
  lives.Seen(WithGpus(PodOn("sim-0", "a"), 3), At(seconds(0)));
  Carry(lives, seconds(1));
  std::vector<std::string> holders;
  int busy = 0;
  lives.ForEachGpu([&](const Lives::GpuUse& use) {
    if (use.pod != nullptr) holders.push_back(absl::StrCat(use.node, ":", use.device));
    busy += use.utilisation > 0 ? 1 : 0;
  });
  EXPECT_EQ(holders, (std::vector<std::string>{"0:0", "0:1", "0:2"}));
  EXPECT_EQ(busy, 3);
  Carry(lives, seconds(11));
  lives.ForEachGpu([](const Lives::GpuUse& use) { EXPECT_EQ(use.pod, nullptr); });
}

TEST_F(LivesTest, APodThatFindsTooFewGpusIsRefusedAsByAKubelet) {
  Lives lives = Make();
  lives.Seen(WithGpus(PodOn("sim-0", "a", "Always"), 3), At(seconds(0)));
  Carry(lives, seconds(1));
  lives.Seen(WithGpus(PodOn("sim-0", "b"), 2), At(seconds(1)));
  const Json ended = Carry(lives, seconds(2));
  EXPECT_EQ(Phase(ended), "Failed");
  EXPECT_EQ(In(ended, "/status/reason"), "UnexpectedAdmissionError");
  EXPECT_THAT(In(ended, "/status/message"), HasSubstr("nvidia.com/gpu. Requested: 2"));
  EXPECT_FALSE(Has(ended, "/status/containerStatuses"));
}

/// As KAI makes it for pods that ask for a share of a GPU; before v0.17 it tolerates nothing.
Json Reservation(const std::string& name) {
  Json pod = WithGpus(PodOn("sim-0", name, "Always"), 1);
  pod["metadata"]["namespace"] = "kai-resource-reservation";
  pod["metadata"]["labels"][kGpuGroupLabel] = "group-" + name;
  pod["spec"].erase("tolerations");
  return pod;
}

std::string ReservedBy(const Json& patch) {
  return patch["metadata"]["annotations"].value(kReservedGpu, "");
}

TEST_F(LivesTest, APodThatReservesAGpuForSharesSaysWhichOne) {
  Lives lives = Make();
  lives.Seen(Reservation("a"), At(seconds(0)));
  EXPECT_EQ(lives.counts().foreign, 0);
  EXPECT_EQ(ReservedBy(Carry(lives, seconds(1))), GpuUuid("sim-0", 0));
  lives.Seen(Reservation("b"), At(seconds(1)));
  EXPECT_EQ(ReservedBy(Carry(lives, seconds(2))), GpuUuid("sim-0", 1));
  lives.Seen(WithGpus(PodOn("sim-0", "whole"), 1), At(seconds(2)));
  EXPECT_EQ(ReservedBy(Carry(lives, seconds(3))), "");
  // One that asks for a share has the label too, but asks for no device.
  Json shared = PodOn("sim-0", "share");
  shared["metadata"]["labels"][kGpuGroupLabel] = "group-a";
  lives.Seen(shared, At(seconds(4)));
  EXPECT_EQ(ReservedBy(Carry(lives, seconds(5))), "");
}

TEST_F(LivesTest, AReservedGpuStaysTheOneThatAKilledUpHasWritten) {
  Lives lives = Make();
  const auto running = [](Json pod) {
    pod["status"]["phase"] = "Running";
    return pod;
  };
  lives.Seen(running(WithGpus(PodOn("sim-0", "whole", "Always"), 1)), At(seconds(0)));
  Json reservation = running(Reservation("a"));
  reservation["metadata"]["annotations"][kReservedGpu] = GpuUuid("sim-0", 0);
  lives.Seen(reservation, At(seconds(0)));
  std::map<std::size_t, std::string> holders;
  lives.ForEachGpu([&](const Lives::GpuUse& use) {
    if (use.pod != nullptr) holders[use.device] = use.pod->name.name;
  });
  EXPECT_EQ(holders, (std::map<std::size_t, std::string>{{0, "a"}, {1, "whole"}}));
  lives.Seen(Reservation("b"), At(seconds(1)));
  EXPECT_EQ(ReservedBy(Carry(lives, seconds(2))), GpuUuid("sim-0", 2));
}

TEST_F(LivesTest, AReplacedPodIsForgotten) {
  Lives lives = Make();
  lives.Seen(PodOn("sim-0", "a"), At(seconds(0)));
  const Status invalid = kube::ErrorOf(
      "patch pod default/a", 422,
      R"({"reason": "Invalid", "message": "metadata.uid: Invalid value: field is immutable"})");
  Carry(lives, seconds(1), invalid);
  EXPECT_FALSE(lives.NextDue().has_value());
  EXPECT_EQ(lives.counts().replaced, 1);
  EXPECT_EQ(lives.counts().failures, 0);
}

TEST_F(LivesTest, AConflictOfAPatchDoesNotMeanThatThePodIsGone) {
  Lives lives = Make();
  lives.Seen(PodOn("sim-0", "a"), At(seconds(0)));
  Carry(lives, seconds(1), kube::ErrorOf("patch pod default/a", 409, R"({"reason": "Conflict"})"));
  EXPECT_EQ(lives.counts().replaced, 0);
  EXPECT_EQ(lives.counts().failures, 1);
  const auto again = lives.Take(*lives.NextDue());
  ASSERT_TRUE(lives.Done(again->ticket, absl::OkStatus(), At(seconds(2))).ok());
  EXPECT_EQ(lives.counts().started, 1);
}

TEST_F(LivesTest, AnInvalidPatchIsToldAndGivenUpButThePodCanBeDeleted) {
  Lives lives = Make();
  const Json pod = WithGpus(PodOn("sim-0", "a"), 4);
  lives.Seen(pod, At(seconds(0)));
  const Status invalid = kube::ErrorOf("patch pod default/a", 422,
                                       R"({"reason": "Invalid", "message": "status.podIP: bad"})");
  int tries = 0;
  for (; lives.NextDue() && tries < 100; ++tries) {
    const Instant due = *lives.NextDue();
    const auto order = lives.Take(due);
    EXPECT_EQ(lives.Done(order->ticket, invalid, due), invalid);
  }
  EXPECT_EQ(tries, 5);
  EXPECT_EQ(lives.counts().replaced, 0);
  EXPECT_EQ(lives.counts().waiting, 0);
  lives.ForEachGpu([](const Lives::GpuUse& use) { EXPECT_EQ(use.pod, nullptr); });
  lives.Seen(Deleted(pod), At(seconds(900)));
  Carry(lives, seconds(900));
  EXPECT_EQ(last_.method, "DELETE");
}

TEST_F(LivesTest, ARemovalCountsOnceWhateverComesFirst) {
  for (const bool answer_first : {true, false}) {
    Lives lives = Make();
    const Json pod = PodOn("sim-0", "a");
    lives.Seen(Deleted(pod), At(seconds(0)));
    const auto order = lives.Take(At(seconds(0)));
    ASSERT_TRUE(order.has_value());
    if (answer_first) lives.Done(order->ticket, absl::OkStatus(), At(seconds(0))).IgnoreError();
    lives.Gone("uid-a");
    if (!answer_first) lives.Done(order->ticket, absl::OkStatus(), At(seconds(0))).IgnoreError();
    EXPECT_EQ(lives.counts().removed, 1) << answer_first;
  }
}

TEST_F(LivesTest, RefusedCallsAreTriedAgainLaterAndLater) {
  Lives lives = Make();
  lives.Seen(PodOn("sim-0", "a"), At(seconds(0)));
  Instant now = At(seconds(1));
  Duration before{};
  for (int i = 0; i < 5; ++i) {
    const auto order = lives.Take(now);
    ASSERT_TRUE(order.has_value());
    EXPECT_EQ(order->planned, At(seconds(1)));
    EXPECT_FALSE(lives.Done(order->ticket, absl::UnavailableError("away"), now).ok());
    const Duration wait = *lives.NextDue() - now;
    EXPECT_GT(wait, before);
    EXPECT_LE(wait, seconds(32));
    before = wait / 2;
    now = *lives.NextDue();
  }
  EXPECT_EQ(lives.counts().failures, 5);
  const auto order = lives.Take(now);
  ASSERT_TRUE(lives.Done(order->ticket, absl::OkStatus(), now).ok());
  EXPECT_EQ(lives.counts().started, 1);
  EXPECT_EQ(*lives.NextDue(), At(seconds(11)));
}

TEST_F(LivesTest, WhatComesDueOnALostNodeWaitsForItsReturn) {
  Lives lives = Make();
  const Json pod = PodOn("sim-1", "a");
  lives.Seen(pod, At(seconds(0)));
  Carry(lives, seconds(1));
  lost_[1] = At(seconds(100));
  lives.Seen(Deleted(pod), At(seconds(20)));
  EXPECT_FALSE(lives.Take(At(seconds(99))).has_value());
  Carry(lives, seconds(100));
  EXPECT_EQ(last_.method, "DELETE");
}

TEST_F(LivesTest, ADeletedPodWithFinalizersIsToldItsEndFirst) {
  Lives lives = Make();
  Json pod = PodOn("sim-0", "a");
  pod["metadata"]["finalizers"] = Json::array({"batch.kubernetes.io/job-tracking"});
  lives.Seen(pod, At(seconds(0)));
  Carry(lives, seconds(1));
  lives.Seen(Deleted(pod), At(seconds(5)));
  const auto end = lives.Take(At(seconds(5)));
  ASSERT_TRUE(end.has_value());
  const Json body = Json::parse(end->call.body);
  EXPECT_EQ(Phase(body), "Failed");
  EXPECT_EQ(body["status"]["containerStatuses"][0]["state"]["terminated"]["exitCode"], 143);
  ASSERT_TRUE(lives.Done(end->ticket, absl::OkStatus(), At(seconds(5))).ok());
  Carry(lives, seconds(5));
  EXPECT_EQ(last_.method, "DELETE");
}

TEST_F(LivesTest, ADeletionThatComesDuringACallIsObeyedAfterIt) {
  Lives lives = Make();
  const Json pod = PodOn("sim-0", "a");
  lives.Seen(pod, At(seconds(0)));
  const auto start = lives.Take(At(seconds(1)));
  lives.Seen(Deleted(pod), At(seconds(1)));
  EXPECT_FALSE(lives.Take(At(seconds(2))).has_value());
  ASSERT_TRUE(lives.Done(start->ticket, absl::OkStatus(), At(seconds(2))).ok());
  const auto removal = lives.Take(At(seconds(2)));
  ASSERT_TRUE(removal.has_value());
  EXPECT_EQ(removal->call.method, "DELETE");
}

TEST_F(LivesTest, StoppingTakesItsTimeButNotMoreThanTheGrace) {
  habits_.stop = Distribution(seconds(8));
  Lives lives = Make();
  for (const char* name : {"a", "b"}) lives.Seen(PodOn("sim-0", name, "Always"), At(seconds(0)));
  while (const auto order = lives.Take(At(seconds(1)))) {
    ASSERT_TRUE(lives.Done(order->ticket, absl::OkStatus(), At(seconds(1))).ok());
  }
  lives.Seen(Deleted(PodOn("sim-0", "a"), 5), At(seconds(100)));
  lives.Seen(Deleted(PodOn("sim-0", "b"), 30), At(seconds(100)));
  Carry(lives, seconds(105));
  Carry(lives, seconds(108));
}

TEST_F(LivesTest, PodsThatAListDoesNotHaveAreGone) {
  Lives lives = Make();
  lives.Seen(PodOn("sim-0", "a"), At(seconds(0)));
  lives.Seen(PodOn("sim-0", "b"), At(seconds(0)));
  lives.Listing();
  lives.Seen(PodOn("sim-0", "b"), At(milliseconds(500)));
  lives.Listed();
  EXPECT_EQ(lives.counts().waiting, 1);
  Carry(lives, seconds(1));
  EXPECT_THAT(last_.target, HasSubstr("/pods/b/"));
}

// Pod `a` as the API server has it after its end.
Json Ended() {
  Json pod = PodOn("sim-0", "a");
  pod["status"]["phase"] = "Succeeded";
  return pod;
}

TEST_F(LivesTest, NothingIsKeptOfAPodThatHasEnded) {
  Lives lives = Make();
  lives.Seen(PodOn("sim-0", "a"), At(seconds(0)));
  Carry(lives, seconds(1));
  Carry(lives, seconds(11));
  EXPECT_EQ(lives.kept(), 1) << "the watch may show it as it was before";
  Json before = PodOn("sim-0", "a");
  before["status"]["phase"] = "Running";
  lives.Seen(before, At(seconds(11)));
  EXPECT_FALSE(lives.NextDue().has_value());
  lives.Seen(Ended(), At(seconds(12)));
  EXPECT_EQ(lives.kept(), 0);
  EXPECT_EQ(lives.counts().running + lives.counts().waiting, 0);
  lives.Seen(Deleted(Ended(), 0), At(seconds(20)));
  Carry(lives, seconds(20));
  EXPECT_EQ(last_.method, "DELETE");
  lives.Gone("uid-a");
  EXPECT_EQ(lives.counts().removed, 1);
  EXPECT_EQ(lives.kept(), 0);
}

TEST_F(LivesTest, AnEndThatIsShownBeforeItsAnswerIsForgottenWithTheAnswer) {
  Lives lives = Make();
  lives.Seen(PodOn("sim-0", "a"), At(seconds(0)));
  Carry(lives, seconds(1));
  const auto order = lives.Take(At(seconds(11)));
  ASSERT_TRUE(order.has_value());
  lives.Seen(Ended(), At(seconds(11)));
  EXPECT_EQ(lives.kept(), 1);
  EXPECT_TRUE(lives.Done(order->ticket, absl::OkStatus(), At(seconds(11))).ok());
  EXPECT_EQ(lives.kept(), 0);
}

TEST_F(LivesTest, AnEndedPodThatAListDoesNotHaveIsForgotten) {
  Lives lives = Make();
  lives.Seen(PodOn("sim-0", "a"), At(seconds(0)));
  Carry(lives, seconds(1));
  Carry(lives, seconds(11));
  lives.Listing();
  lives.Listed();
  EXPECT_EQ(lives.kept(), 0);
}

TEST_F(LivesTest, PodsOfOtherNodesAndForeignOnesAreLeftAlone) {
  Lives lives = Make();
  lives.Seen(PodOn("sim-2", "a"), At(seconds(0)));
  lives.Seen(PodOn("worker", "b"), At(seconds(0)));
  Json foreign = PodOn("sim-0", "c");
  foreign["spec"].erase("tolerations");
  lives.Seen(foreign, At(seconds(0)));
  lives.Seen(foreign, At(seconds(1)));
  EXPECT_FALSE(lives.NextDue().has_value());
  EXPECT_EQ(lives.counts().foreign, 1);
}

TEST_F(LivesTest, ARunningPodOfAKilledUpGoesOnByThePlanWrittenOnIt) {
  Lives lives = Make();
  Json pod = PodOn("sim-0", "a");
  pod["status"]["phase"] = "Running";
  pod["metadata"]["annotations"] = {
      {kPlanned,
       ToText({clocks_(At(seconds(-30))), clocks_(At(seconds(-20))), clocks_(At(seconds(7)))})}};
  lives.Seen(pod, At(seconds(0)));
  EXPECT_EQ(lives.counts().running, 1);
  const Json ended = Carry(lives, seconds(7));
  EXPECT_EQ(In(ended, "/status/containerStatuses/0/state/terminated/startedAt"),
            "2026-11-23T11:59:40Z");
}

TEST_F(LivesTest, InitContainersHaveEndedAndSidecarsRunUntilTheEnd) {
  Lives lives = Make();
  Json pod = PodOn("sim-0", "a");
  pod["spec"]["initContainers"] =
      Json::array({Json{{"name", "prepare"}, {"image", "i"}},
                   Json{{"name", "side"}, {"image", "s"}, {"restartPolicy", "Always"}}});
  lives.Seen(pod, At(seconds(0)));
  const Json running = Carry(lives, seconds(1));
  EXPECT_TRUE(Has(running, "/status/initContainerStatuses/0/state/terminated"));
  EXPECT_TRUE(Has(running, "/status/initContainerStatuses/1/state/running"));
  const Json ended = Carry(lives, seconds(11));
  EXPECT_TRUE(Has(ended, "/status/initContainerStatuses/1/state/terminated"));
}

}  // namespace
}  // namespace twofold::nodes
