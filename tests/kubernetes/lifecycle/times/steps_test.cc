#include "kubernetes/lifecycle/times/steps.h"

#include <absl/strings/str_cat.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "lib/stats/growing_queue.h"
#include "tests/kubernetes/lifecycle/objects.h"

namespace twofold::lifecycle {
namespace {

const Instant kEnd = At(1e6);
constexpr const char* kScheduler = "default-scheduler";
constexpr const char* kController = "kube-controller-manager";

/// `count` come each `every_ms`; one server takes `each_ms` for each.
std::vector<stats::Passage> Served(int count, double every_ms, double each_ms) {
  std::vector<stats::Passage> passages;
  double free_ms = 0;
  for (int i = 0; i < count; ++i) {
    free_ms = std::max(free_ms, i * every_ms) + each_ms;
    passages.push_back({At(i * every_ms), At(free_ms)});
  }
  return passages;
}

TEST(Growth, TwiceWhatAStepCarriesIsFoundWithBothRates) {
  const auto growth = stats::FindQueueGrowth("scheduled", Served(400, 10, 20), kEnd);
  ASSERT_TRUE(growth);
  EXPECT_EQ(growth->step, "scheduled");
  EXPECT_NEAR(growth->offered, 100, 1);
  EXPECT_NEAR(growth->carried, 50, 1);
  EXPECT_NEAR(growth->from_seconds, 0.67, 0.05);  // in the middle of the first third
  EXPECT_NEAR(growth->to_seconds, 3.33, 0.1);
}

TEST(Growth, ALongWaitThatDoesNotGrowIsNone) {
  std::vector<stats::Passage> passages;
  for (int i = 0; i < 400; ++i) passages.push_back({At(i * 10.0), At(i * 10.0 + 60'000)});
  EXPECT_FALSE(stats::FindQueueGrowth("pod_ready", passages, kEnd));
}

TEST(Growth, AllAtOnceIsAQueueToo) {
  std::vector<stats::Passage> passages;
  for (int i = 0; i < 100; ++i) passages.push_back({At(i * 0.1), At(i * 20.0)});
  const auto growth = stats::FindQueueGrowth("complete", passages, kEnd);
  ASSERT_TRUE(growth);
  EXPECT_NEAR(growth->carried, 50, 1);
}

TEST(Growth, WhatIsNotDoneHasWaitedUntilTheEnd) {
  auto passages = Served(400, 10, 20);
  for (std::size_t i = 300; i < passages.size(); ++i) passages[i].out.reset();
  const auto growth = stats::FindQueueGrowth("scheduled", passages, At(8000));
  ASSERT_TRUE(growth);
  EXPECT_NEAR(growth->carried, 50, 1);
}

TEST(Growth, OneSlowMomentIsNone) {
  auto passages = Served(300, 10, 5);
  for (int i = 140; i < 160; ++i) passages[static_cast<std::size_t>(i)].out = At(2500);
  EXPECT_FALSE(stats::FindQueueGrowth("scheduled", passages, kEnd));
}

TEST(Growth, AFewOrNoneSayNothing) {
  EXPECT_FALSE(stats::FindQueueGrowth("scheduled", Served(50, 10, 20), kEnd));
  EXPECT_FALSE(stats::FindQueueGrowth("scheduled", {}, kEnd));
  EXPECT_FALSE(
      stats::FindQueueGrowth("scheduled", std::vector<stats::Passage>(100, {At(0), {}}), kEnd));
}

/// Random arrivals and random service of one server that is busy for `load` of its time.
std::vector<stats::Passage> RandomlyServed(std::mt19937_64& random, double load) {
  std::exponential_distribution<double> between(0.1);
  std::exponential_distribution<double> service(0.1 / load);
  std::vector<stats::Passage> passages;
  double now = 0;
  double free = 0;
  for (int i = 0; i < 1000; ++i) {
    now += between(random);
    free = std::max(free, now) + service(random);
    passages.push_back({At(now), At(free)});
  }
  return passages;
}

TEST(Growth, AServerThatKeepsUpIsHardlyEverSaidToHaveAGrowingQueue) {
  std::mt19937_64 random(7);
  int kept_up = 0;
  int overloaded = 0;
  for (int i = 0; i < 500; ++i) {
    kept_up += stats::FindQueueGrowth("scheduled", RandomlyServed(random, 0.8), kEnd) ? 1 : 0;
    overloaded += stats::FindQueueGrowth("scheduled", RandomlyServed(random, 1.5), kEnd) ? 1 : 0;
  }
  EXPECT_LE(kept_up, 2);
  EXPECT_GE(overloaded, 475);
}

Step StepWith(const char* name, const char* program, double per_workload,
              std::vector<stats::Passage> passages) {
  return {name, program, per_workload, std::move(passages)};
}

std::vector<std::string> ProgramsOf(const char* kind, std::vector<const char*> schedulers) {
  const Kind& row = *FindKind(kind).value();
  Observer observer(row, "r1");
  EXPECT_TRUE(observer.Tell(input::Plan{"load", "w", 2, At(0)}).ok());
  for (const char* scheduler : schedulers) {
    Object pod = Made("Pod", absl::StrCat("w-", scheduler), absl::StrCat("u-", scheduler));
    pod["metadata"]["labels"]["twofold/run"] = "r1";
    pod["metadata"]["labels"]["twofold/workload"] = "w";
    pod["spec"]["schedulerName"] = scheduler;
    observer.Tell(input::Seen{Event::kAdded, pod, At(10)});
  }
  std::vector<std::string> programs;
  for (const Step& step : StepsOf(row, observer, {}, kEnd)) {
    if (step.program) programs.push_back(*step.program);
  }
  return programs;
}

TEST(Steps, EachIsOfTheKindsControllerOrOfTheSchedulerThatPodsName) {
  using Programs = std::vector<std::string>;
  EXPECT_EQ(ProgramsOf("job", {}), (Programs{kController, kScheduler, kController}));
  EXPECT_EQ(ProgramsOf("mpijob", {kScheduler}),
            (Programs{"mpi-operator", kScheduler, "mpi-operator"}));
  EXPECT_EQ(ProgramsOf("volcano-job", {}),
            (Programs{"vc-controller-manager", "volcano", "vc-controller-manager"}));
  EXPECT_EQ(ProgramsOf("kai-job", {}), (Programs{kController, "kai-scheduler", kController}));
  EXPECT_EQ(ProgramsOf("job", {"kai-scheduler"})[1], "kai-scheduler");
  EXPECT_EQ(ProgramsOf("job", {"one", "two"})[1], "");
}

TEST(Queues, TheNoteNamesTheFirstStepAndARateBelowTheSlowest) {
  const std::vector<Step> steps = {StepWith("first_pod", kController, 1, Served(400, 10, 5)),
                                   StepWith("scheduled", kScheduler, 2, Served(800, 5, 10)),
                                   StepWith("complete", kController, 1, Served(400, 10, 40))};
  const auto queues = QueuesOf(steps, {}, kEnd);
  ASSERT_EQ(queues.size(), 2);
  EXPECT_EQ(queues[0].step, "scheduled");
  const auto note = QueueNote(queues);
  ASSERT_TRUE(note);
  EXPECT_NE(note->find("above what scheduled carries: 100 a second"), std::string::npos) << *note;
  EXPECT_NE(note->find("percentiles from scheduled on are those of the queue"), std::string::npos);
  EXPECT_NE(note->find("--rate 20"), std::string::npos) << "0.8 of 25 a second: " << *note;
}

TEST(Queues, APlateauIsOneAndItsLimiterIsNamed) {
  const std::vector<Step> steps = {StepWith("scheduled", kScheduler, 1, {})};
  const std::vector<Plateau> plateaus = {{"scheduled", 50, 20, 100, "a known limit"}};
  const auto note = QueueNote(QueuesOf(steps, plateaus, kEnd));
  ASSERT_TRUE(note);
  EXPECT_NE(note->find("50 a second, as under a known limit"), std::string::npos) << *note;
  EXPECT_NE(note->find("--rate 40"), std::string::npos) << *note;
}

TEST(Queues, WithoutOneThereIsNoNote) {
  const std::vector<Step> steps = {StepWith("scheduled", kScheduler, 1, Served(400, 10, 5))};
  EXPECT_FALSE(QueueNote(QueuesOf(steps, {}, kEnd)));
}

}  // namespace
}  // namespace twofold::lifecycle
