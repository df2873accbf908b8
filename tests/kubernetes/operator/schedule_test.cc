// Benchmarks with a schedule, by the reconciler: those that they make, and when.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubernetes/operator/definition.h"
#include "tests/kubernetes/operator/scene.h"

namespace twofold::benchmarks {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class ScheduleTest : public ::testing::Test {
 protected:
  ScheduleTest() { scene_.StartOperator(); }

  void Create(const std::string& schedule, kube::Json more = kube::Json::object()) {
    more["schedule"] = schedule;
    scene_.Create(Scene::Benchmark("x", more));
    scene_.Pass({"x"});
  }
  std::vector<kube::Json> Made() { return MadeIn(scene_); }
  static std::vector<kube::Json> MadeIn(Scene& scene) {
    std::vector<kube::Json> made;
    for (kube::Json& each : scene.api_.All(kBenchmarks)) {
      if (IsScheduledBy(each, *scene.Find("x"))) made.push_back(std::move(each));
    }
    return made;
  }
  static kube::UnixTime NextOf(Scene& scene) {
    return kube::TimeAt(*scene.Find("x"), "/status/nextScheduleTime").value_or(kube::UnixTime());
  }
  kube::UnixTime Next() { return NextOf(scene_); }
  /// It is its next time, or a while later.
  void AwaitTime(Duration later = Duration::zero()) {
    scene_.Wait(Next() + later - scene_.wall());
    scene_.Pass({"x"});
  }
  void RunOut() {
    for (const kube::Json& each : Made()) scene_.RunOut(kube::NameOf(each).name);
  }
  std::string Events() {
    std::string all;
    for (const kube::Json& event : scene_.api_.All(kube::kEvents)) {
      all += event["reason"].get<std::string>() + ": " + event["note"].get<std::string>() + "\n";
    }
    return all;
  }

  Scene scene_;
};

TEST_F(ScheduleTest, MakesABenchmarkAtEachOfItsTimesAndIsNotRunItself) {
  Create("@hourly", {{"ttlSecondsAfterFinished", 60}, {"timeZone", "Europe/Berlin"}});
  EXPECT_EQ(scene_.Condition("x", "Accepted"), "True Checked");
  EXPECT_EQ(scene_.Condition("x", "Running"), "False Scheduled");
  EXPECT_TRUE(scene_.frontend_.runs.empty());
  EXPECT_THAT(Made(), SizeIs(0));
  const kube::UnixTime due = Next();
  AwaitTime();
  ASSERT_THAT(Made(), SizeIs(1));
  const kube::Json made = Made()[0];
  EXPECT_THAT(kube::NameOf(made).name, HasSubstr("x-2"));
  EXPECT_EQ(made["metadata"]["annotations"][kScheduledAt], controller::TimeText(due));
  EXPECT_EQ(made["spec"],
            kube::Json({{"template", {{"kind", "Fio"}}}, {"ttlSecondsAfterFinished", 60}}));
  EXPECT_EQ(Next(), due + std::chrono::hours(1));
  EXPECT_EQ(kube::TimeAt(*scene_.Find("x"), "/status/lastScheduleTime"), due);
  RunOut();
  EXPECT_EQ(scene_.frontend_.runs.size(), 1U);
  AwaitTime();
  EXPECT_THAT(Made(), SizeIs(2));
  EXPECT_THAT(Events(), HasSubstr("Made: Benchmark x-2"));
}

TEST_F(ScheduleTest, OfTimesThatWereMissedTheLastOneCounts) {
  Create("@hourly");
  const kube::UnixTime due = Next();
  AwaitTime(std::chrono::hours(50) + minutes(10));
  ASSERT_THAT(Made(), SizeIs(1));
  EXPECT_EQ(Made()[0]["metadata"]["annotations"][kScheduledAt],
            controller::TimeText(due + std::chrono::hours(50)));
}

TEST_F(ScheduleTest, ATimeThatWasMissedForTooLongIsLeftOut) {
  Create("@hourly", {{"startingDeadlineSeconds", 300}});
  AwaitTime(minutes(10));
  EXPECT_THAT(Made(), SizeIs(0));
  EXPECT_THAT(Events(), HasSubstr("TimeMissed: nothing was begun for "));
  EXPECT_GT(Next(), scene_.wall() - seconds(1));
  AwaitTime(minutes(4));
  EXPECT_THAT(Made(), SizeIs(1));
}

TEST_F(ScheduleTest, OneGoesOnAtATime) {
  Create("@hourly");
  AwaitTime();
  AwaitTime();
  EXPECT_THAT(Made(), SizeIs(1));
  EXPECT_THAT(Events(), HasSubstr("still goes on"));
  RunOut();
  AwaitTime();
  EXPECT_THAT(Made(), SizeIs(2));
}

TEST_F(ScheduleTest, TimesThatPassInSuspensionAreNotMissed) {
  Create("@hourly");
  scene_.SetSpec("x", "suspend", true);
  scene_.Pass({"x"});
  EXPECT_EQ(scene_.Condition("x", "Running"), "False Suspended");
  EXPECT_EQ(Next(), kube::UnixTime());
  scene_.Wait(std::chrono::hours(5));
  scene_.Pass({"x"});
  scene_.SetSpec("x", "suspend", false);
  scene_.Pass({"x"});
  EXPECT_THAT(Made(), SizeIs(0));
  EXPECT_GT(Next(), scene_.wall() - seconds(1));
  AwaitTime();
  EXPECT_THAT(Made(), SizeIs(1));
}

TEST_F(ScheduleTest, AnotherScheduleHoldsFromThenOn) {
  Create("@yearly");
  scene_.SetSpec("x", "schedule", "* * * * *");
  scene_.Pass({"x"});
  EXPECT_LE(Next() - scene_.wall(), minutes(1));
}

TEST_F(ScheduleTest, WhatIsWrongIsSaidAndMayBeMended) {
  Create("61 * * * *");
  EXPECT_EQ(scene_.Condition("x", "Accepted"), "False InvalidSpec");
  EXPECT_THAT(scene_.Message("x", "Accepted"), HasSubstr("'61' is no minute"));
  EXPECT_FALSE(scene_.IsOver("x"));
  scene_.SetSpec("x", "schedule", "1 * * * *");
  scene_.Pass({"x"});
  EXPECT_EQ(scene_.Condition("x", "Accepted"), "True Checked");
  scene_.SetSpec("x", "template", {{"kind", "Nonsense"}});
  scene_.Pass({"x"});
  EXPECT_EQ(scene_.Condition("x", "Accepted"), "False InvalidSpec") << "before any is made";
}

TEST_F(ScheduleTest, WhatIsForbiddenMakesNothingUntilItIsAllowed) {
  scene_.frontend_.bar = Bar{true, "Forbidden", "not here"};
  Create("@hourly");
  EXPECT_EQ(scene_.Condition("x", "Accepted"), "False Forbidden");
  EXPECT_EQ(scene_.Condition("x", "Running"), "False Forbidden");
  EXPECT_EQ(scene_.Condition("x", "Failed"), "");
  scene_.frontend_.bar.reset();
  scene_.Pass({"x"});
  AwaitTime();
  EXPECT_THAT(Made(), SizeIs(1));
}

TEST_F(ScheduleTest, IsDeletedAtOnceAndStandsInNoLine) {
  Create("@hourly");
  scene_.Create(Scene::Benchmark("later"));
  scene_.RunOut("later");
  EXPECT_EQ(scene_.Condition("later", "Succeeded"), "True AllJobsSucceeded");
  scene_.Delete("x");
  EXPECT_FALSE(scene_.Find("x")) << "no finalizer: it has no run";
}

/// Plays one time of a schedule with a fault at a write; returns how many writes there were.
std::size_t PlayOneTime(Gate gate) {
  Scene scene;
  scene.Create(Scene::Benchmark("x", {{"schedule", "@yearly"}}));
  scene.StartOperator(gate);
  const auto pass = [&] {
    try {
      scene.Pass({"x"});
    } catch (const Killed&) {
      scene.StartOperator();
    }
  };
  const auto at = [&](const char* field) {
    return kube::TimeAt(*scene.Find("x"), std::string("/status/") + field);
  };
  for (int i = 0; i < 5 && !at("nextScheduleTime"); ++i) pass();
  const auto due = at("nextScheduleTime");
  EXPECT_TRUE(due);
  if (due) scene.Wait(*due - scene.wall());
  for (int i = 0; i < 5; ++i) pass();
  EXPECT_EQ(at("lastScheduleTime"), due);
  EXPECT_GT(at("nextScheduleTime"), due);
  std::size_t made = 0;
  for (const kube::Json& each : scene.api_.All(kBenchmarks)) {
    if (IsScheduledBy(each, *scene.Find("x"))) ++made;
  }
  EXPECT_EQ(made, 1U);
  return scene.writes();
}

TEST(ScheduleWalk, AFaultAtAnyWriteMakesOneBenchmarkATime) {
  using Fault = Gate::Fault;
  const std::size_t writes = PlayOneTime({});
  ASSERT_GE(writes, 3U);
  for (std::size_t at = 0; at < writes; ++at) {
    for (const Fault fault :
         {Fault::kKillBefore, Fault::kKillAfter, Fault::kLoseRequest, Fault::kLoseReply}) {
      SCOPED_TRACE(::testing::Message() << "write " << at << ", fault " << static_cast<int>(fault));
      PlayOneTime(Gate(at, fault));
    }
  }
}

}  // namespace
}  // namespace twofold::benchmarks
