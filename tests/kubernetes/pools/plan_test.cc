#include "kubernetes/pools/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace twofold::pools {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr std::chrono::seconds kSecond{1};

/// A scene that is put together pod by pod.
class PlanTest : public ::testing::Test {
 protected:
  PlanTest() {
    scene_.now = kube::UnixTime(std::chrono::hours(10'000));
    scene_.workers.emplace();
    spec_.queue = "q";
    spec_.hash = "new";
  }

  /// One that is ready since an hour, and has no worker yet.
  PodSeen& Pod(const std::string& name, const std::string& node = "n1") {
    PodSeen pod;
    pod.name = name;
    pod.node = node;
    pod.hash = "new";
    pod.made = scene_.now - std::chrono::hours(1);
    pod.ready = !node.empty();
    scene_.pods.push_back(pod);
    return scene_.pods.back();
  }
  PodSeen& Idle(const std::string& name, const std::string& node = "n1") {
    (*scene_.workers)[name] = {0, false, std::nullopt};
    return Pod(name, node);
  }
  PodSeen& Busy(const std::string& name, Duration done_in, const std::string& node = "n1") {
    (*scene_.workers)[name] = {1, false, done_in};
    return Pod(name, node);
  }
  PodSeen& Leaving(const std::string& name, Duration since = kSecond) {
    PodSeen& pod = Pod(name);
    pod.leaving = scene_.now - since;
    return pod;
  }

  Plan Make(std::size_t replicas) {
    spec_.replicas = replicas;
    return MakePlan(spec_, scene_);
  }
  std::vector<std::string> Names(const std::vector<std::size_t>& pods) {
    std::vector<std::string> names;
    for (const std::size_t each : pods) names.push_back(scene_.pods[each].name);
    return names;
  }

  PoolSpec spec_;
  Scene scene_;
};

TEST_F(PlanTest, MakesWhatLacks) {
  EXPECT_EQ(Make(3).create, 3U);
  Idle("a");
  EXPECT_EQ(Make(3).create, 2U);
  EXPECT_EQ(Make(1).create, 0U);
  EXPECT_EQ(Make(0).create, 0U);
}

TEST_F(PlanTest, APodThatWasMadeAndIsNotSeenYetCounts) {
  scene_.expected = 2;
  EXPECT_EQ(Make(3).create, 1U);
  EXPECT_EQ(Make(2).create, 0U);
  EXPECT_THAT(Make(1).mark, IsEmpty());  // nobody knows which
}

TEST_F(PlanTest, OneThatLeavesOrIsDeletedDoesNotCount) {
  Leaving("a");
  Idle("b").deleted = true;
  Idle("c");
  EXPECT_EQ(Make(2).create, 1U);
}

TEST_F(PlanTest, IdleOnesLeaveFirstThenThoseThatAreDoneSoonest) {
  Busy("long", std::chrono::hours(2));
  Busy("short", std::chrono::seconds(5));
  Idle("idle");
  Busy("middle", std::chrono::minutes(5));
  EXPECT_THAT(Names(Make(3).mark), ElementsAre("idle"));
  EXPECT_THAT(Names(Make(2).mark), ElementsAre("idle", "short"));
  EXPECT_THAT(Names(Make(0).mark), ElementsAre("idle", "short", "middle", "long"));
}

TEST_F(PlanTest, BeforeIdleOnesThoseThatDoNoWorkAnyway) {
  Idle("idle");
  Pod("starting").ready = false;
  Idle("drained");
  (*scene_.workers)["drained"].draining = true;
  Pod("without-node", "");
  PodSeen& ended = Pod("ended");
  ended.ended = true;
  ended.made = scene_.now - kSecond;
  EXPECT_THAT(Names(Make(0).mark),
              ElementsAre("ended", "without-node", "drained", "starting", "idle"));
}

TEST_F(PlanTest, AJobOfWhichNothingIsKnownEndsLast) {
  Busy("unknown", {});
  (*scene_.workers)["unknown"].done_in = std::nullopt;
  Busy("long", std::chrono::hours(100));
  EXPECT_THAT(Names(Make(1).mark), ElementsAre("long"));
}

TEST_F(PlanTest, NodesStayBalanced) {
  for (const char* name : {"a1", "a2", "a3", "a4"}) Idle(name, "a");
  for (const char* name : {"b1", "b2"}) Idle(name, "b");
  Plan plan = Make(2);
  std::size_t of_a = 0;
  for (const std::string& name : Names(plan.mark)) of_a += name[0] == 'a' ? 1U : 0U;
  EXPECT_EQ(plan.mark.size(), 4U);
  EXPECT_EQ(of_a, 3U);
}

TEST_F(PlanTest, OfJobsThatEndAboutAsSoonThoseOfTheFullestNodeGo) {
  Busy("b1", std::chrono::seconds(9), "b");
  Busy("a1", std::chrono::seconds(10), "a");
  Busy("a2", std::chrono::seconds(11), "a");
  EXPECT_EQ(Names(Make(2).mark)[0][0], 'a');
}

TEST_F(PlanTest, OfEqualsTheNewestGoes) {
  Idle("old");
  Idle("new").made = scene_.now - kSecond;
  EXPECT_THAT(Names(Make(1).mark), ElementsAre("new"));
}

TEST_F(PlanTest, WithoutTheFrontendNobodyGoesWhoCouldHaveAJob) {
  Idle("a");
  Pod("b").ready = false;
  Pod("without-node", "");
  scene_.workers.reset();
  EXPECT_THAT(Names(Make(0).mark), ElementsAre("without-node"));
  EXPECT_EQ(Make(5).create, 2U) << "more may come";
}

TEST_F(PlanTest, AMarkedOneIsDrainedAndStaysUntilItsWorkerHasEnded) {
  Leaving("a");
  (*scene_.workers)["a"] = {1, false, std::nullopt};
  EXPECT_THAT(Names(Make(0).drain), ElementsAre("a"));
  EXPECT_THAT(Make(0).remove, IsEmpty());
  (*scene_.workers)["a"].draining = true;
  EXPECT_THAT(Make(0).drain, IsEmpty());
  EXPECT_THAT(Make(0).remove, IsEmpty());
  scene_.pods[0].ended = true;
  EXPECT_THAT(Names(Make(0).remove), ElementsAre("a"));
}

TEST_F(PlanTest, AMarkStaysWhenMoreAreWantedAgain) {
  Leaving("a");
  (*scene_.workers)["a"] = {1, true, std::nullopt};
  const Plan plan = Make(1);
  EXPECT_EQ(plan.create, 1U) << "a drained worker takes no jobs";
  EXPECT_THAT(plan.remove, IsEmpty());
}

TEST_F(PlanTest, AWorkerThatIsUnknownForAMomentIsNotGone) {
  Leaving("a");
  scene_.unknown_for["a"] = kUnknownLong - kSecond;
  EXPECT_THAT(Make(0).remove, IsEmpty());
  scene_.unknown_for["a"] = kUnknownLong;
  EXPECT_THAT(Names(Make(0).remove), ElementsAre("a"));
  scene_.workers.reset();
  EXPECT_THAT(Make(0).remove, IsEmpty()) << "the frontend does not say that it is unknown";
}

TEST_F(PlanTest, AMarkedOneWithoutANodeGoesAtOnce) {
  Leaving("a").node = "";
  scene_.workers.reset();
  EXPECT_THAT(Names(Make(0).remove), ElementsAre("a"));
}

TEST_F(PlanTest, WhenTheGraceIsOverItGoesWithItsJob) {
  spec_.drain = std::chrono::minutes(10);
  Leaving("a", std::chrono::minutes(9));
  (*scene_.workers)["a"] = {1, true, std::nullopt};
  EXPECT_THAT(Make(0).remove, IsEmpty());
  scene_.now += std::chrono::minutes(1);
  scene_.workers.reset();
  EXPECT_THAT(Names(Make(0).remove), ElementsAre("a")) << "also while the frontend is away";
}

TEST_F(PlanTest, OneThatHasEndedByItselfIsReplacedButNotWithoutEnd) {
  PodSeen& pod = Pod("a");
  pod.ended = true;
  pod.made = scene_.now - kShortestLife + kSecond;
  EXPECT_EQ(Make(1).create, 0U);
  EXPECT_THAT(Make(1).remove, IsEmpty());
  scene_.now += kSecond;
  EXPECT_EQ(Make(1).create, 1U);
  EXPECT_THAT(Names(Make(1).remove), ElementsAre("a"));
}

TEST_F(PlanTest, OneThatIsBeingDeletedIsLeftAlone) {
  PodSeen& pod = Leaving("a");
  pod.deleted = true;
  pod.ended = true;
  (*scene_.workers)["a"] = {1, false, std::nullopt};
  const Plan plan = Make(0);
  EXPECT_THAT(plan.remove, IsEmpty());
  EXPECT_THAT(plan.drain, IsEmpty());
}

TEST_F(PlanTest, OnePlanMarksABoundedNumber) {
  for (int i = 0; i < 250; ++i) Idle("p" + std::to_string(i));
  EXPECT_EQ(Make(0).mark.size(), kMostMarks);
  EXPECT_EQ(Make(0).create, 0U);
}

// ---- another template

class UpdateTest : public PlanTest {
 protected:
  void MakeOld(int count) {
    for (int i = 0; i < count; ++i) Idle("old" + std::to_string(i)).hash = "old";
  }
};

TEST_F(UpdateTest, OneLeavesAtATimeAndIsReplacedAtOnce) {
  MakeOld(3);
  Plan plan = Make(3);
  EXPECT_EQ(plan.mark.size(), 1U);
  EXPECT_EQ(plan.create, 1U);
}

TEST_F(UpdateTest, TheNextOneWaitsUntilTheNewOneIsReady) {
  MakeOld(2);
  Leaving("gone").hash = "new";  // scaled in before, and not outdated
  Pod("new").ready = false;
  EXPECT_THAT(Make(3).mark, IsEmpty());
  scene_.pods.back().ready = true;
  EXPECT_EQ(Make(3).mark.size(), 1U);
}

TEST_F(UpdateTest, AndUntilTheOldOneHasGone) {
  MakeOld(3);
  Leaving("gone").hash = "old";
  EXPECT_THAT(Make(3).mark, IsEmpty());
}

TEST_F(UpdateTest, ButNotForOneWhoseNodeIsGone) {
  MakeOld(3);
  PodSeen& pod = Leaving("gone");
  pod.hash = "old";
  pod.deleted = true;
  pod.ready = false;
  EXPECT_THAT(Make(3).mark, IsEmpty()) << "it may end its job still";
  scene_.unknown_for["gone"] = kUnknownLong;
  EXPECT_EQ(Make(3).mark.size(), 1U);
}

TEST_F(UpdateTest, NoneLeavesBeforeASurgingOneIsReady) {
  spec_.surge = 1;
  spec_.unavailable = 0;
  MakeOld(2);
  EXPECT_THAT(Make(2).mark, IsEmpty());
  EXPECT_EQ(Make(2).create, 1U);
  Pod("new").ready = false;
  EXPECT_EQ(Make(2).create, 0U);
  EXPECT_THAT(Make(2).mark, IsEmpty());
  scene_.pods.back().ready = true;
  EXPECT_EQ(Make(2).mark.size(), 1U);
}

TEST_F(UpdateTest, SeveralAtATimeWhereThatIsAllowed) {
  spec_.surge = 1;
  spec_.unavailable = 2;
  MakeOld(6);
  EXPECT_EQ(Make(6).mark.size(), 2U) << "of the ready ones at most two may lack";
  EXPECT_EQ(Make(6).create, 3U);
}

TEST_F(UpdateTest, OnesThatAreNotReadyGoFirst) {
  MakeOld(2);
  scene_.pods[1].ready = false;
  EXPECT_THAT(Names(Make(2).mark), ElementsAre("old1"));
}

TEST_F(UpdateTest, OldOnesGoFirstWhenFewerAreWanted) {
  MakeOld(1);
  scene_.pods[0].made = scene_.now - std::chrono::hours(9);
  (*scene_.workers)["old0"] = {1, false, std::chrono::hours(1)};
  Idle("a");
  Idle("b");
  EXPECT_THAT(Names(Make(2).mark), ElementsAre("old0"));
}

TEST_F(UpdateTest, WithoutTheFrontendItWaits) {
  MakeOld(2);
  scene_.workers.reset();
  EXPECT_THAT(Make(2).mark, IsEmpty());
  EXPECT_EQ(Make(2).create, 0U);
}

TEST_F(UpdateTest, OfAPoolWithoutPodsNothingIsToBeDone) {
  const Plan plan = Make(0);
  EXPECT_EQ(plan.create, 0U);
  EXPECT_FALSE(WillShrink(spec_, scene_));
}

// ---- what a status says

TEST_F(PlanTest, CountsWhoIsThere) {
  Idle("a", "n1");
  Busy("b", kSecond, "n2");
  Pod("starting", "n2").ready = false;
  scene_.pods.back().waiting = "ImagePullBackOff";
  Pod("without-node", "").unschedulable = "0/2 nodes are available";
  Leaving("leaving");
  (*scene_.workers)["leaving"] = {1, true, std::nullopt};
  Idle("old").hash = "old";
  Leaving("ended").ended = true;
  scene_.expected = 1;
  const PoolCounts counts = CountsOf(spec_, scene_);
  EXPECT_EQ(counts.replicas, 6U);
  EXPECT_EQ(counts.ready, 3U);
  EXPECT_EQ(counts.updated, 5U);
  EXPECT_EQ(counts.busy, 2U);
  EXPECT_EQ(counts.draining, 1U);
  EXPECT_EQ(counts.unschedulable, 1U);
  EXPECT_EQ(counts.unschedulable_why, "0/2 nodes are available");
  EXPECT_EQ(counts.waiting_why, "pod starting: ImagePullBackOff");
  ASSERT_EQ(counts.nodes.size(), 2U);
  EXPECT_EQ(counts.nodes[0].node, "n1");
  EXPECT_EQ(counts.nodes[0].pods, 3U);
  EXPECT_EQ(counts.nodes[0].draining, 1U);
  EXPECT_EQ(counts.nodes[1].busy, 1U);
}

TEST_F(PlanTest, AReadyPodThatTheFrontendDoesNotKnowForLongIsCounted) {
  Pod("a");
  EXPECT_EQ(CountsOf(spec_, scene_).unknown, 0U);
  scene_.unknown_for["a"] = kUnknownLong;
  EXPECT_EQ(CountsOf(spec_, scene_).unknown, 1U);
  EXPECT_EQ(CountsOf(spec_, scene_).unknown_pod, "a");
}

}  // namespace
}  // namespace twofold::pools
