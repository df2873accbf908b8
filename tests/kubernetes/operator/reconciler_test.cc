#include "kubernetes/operator/reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubernetes/controller/ownership.h"
#include "tests/kubernetes/operator/scene.h"

namespace twofold::benchmarks {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::HasSubstr;

class BenchmarkTest : public ::testing::Test {
 protected:
  BenchmarkTest() { scene_.StartOperator(); }

  kube::Json Status(const std::string& name = "x") { return (*scene_.Find(name))["status"]; }
  std::vector<std::string> Reasons() {
    std::vector<std::string> reasons;
    for (const kube::Json& event : scene_.api_.All(kube::kEvents)) {
      reasons.push_back(event["type"].get<std::string>() + " " +
                        event["reason"].get<std::string>());
    }
    return reasons;
  }
  /// Passes until the condition says so.
  void Await(const std::string& type, const std::string& what, const std::string& name = "x") {
    for (int i = 0; i < 20 && scene_.Condition(name, type) != what; ++i) scene_.Pass({name});
    EXPECT_EQ(scene_.Condition(name, type), what) << scene_.Find(name)->dump(1);
  }

  Scene scene_;
};

TEST_F(BenchmarkTest, IsRunOnceAndSaysHowItWent) {
  scene_.Create(Scene::Benchmark("x"));
  scene_.RunOut("x");
  EXPECT_EQ(scene_.Condition("x", "Accepted"), "True Checked");
  EXPECT_EQ(scene_.Condition("x", "WorkersReady"), "True WorkersFound");
  EXPECT_EQ(scene_.Condition("x", "Running"), "False Succeeded");
  EXPECT_EQ(scene_.Condition("x", "Succeeded"), "True AllJobsSucceeded");
  EXPECT_EQ(scene_.Condition("x", "Failed"), "");
  EXPECT_EQ(scene_.Condition("x", "ResultsStored"), "True InFrontend");
  const kube::Json status = Status();
  EXPECT_EQ(status["jobs"], 3);
  EXPECT_EQ(status["succeeded"], 3);
  EXPECT_EQ(status["result"], "100 MB/s ± 2");
  EXPECT_EQ(status["results"][0]["mean"], "100");
  EXPECT_EQ(status["queue"], "fio");
  EXPECT_EQ(status["observedGeneration"], 1);
  EXPECT_EQ(scene_.TheRun().begun, 1);
  for (const auto& job : scene_.TheRun().jobs) EXPECT_EQ(job.executions, 1);
  EXPECT_FALSE(controller::HasFinalizer(*scene_.Find("x"), kRunFinalizer));
  EXPECT_THAT(Reasons(), Contains("Normal Succeeded"));
}

TEST_F(BenchmarkTest, IsHeldByAFinalizerBeforeItsRunBegins) {
  scene_.Create(Scene::Benchmark("x"));
  scene_.Pass({"x"});
  EXPECT_TRUE(controller::HasFinalizer(*scene_.Find("x"), kRunFinalizer));
  EXPECT_TRUE(scene_.frontend_.runs.empty());
}

TEST_F(BenchmarkTest, WhoseSpecIsWrongHasFailedAndSaysWhy) {
  scene_.Create(Scene::Benchmark("x", {{"template", {{"kind", "Nonsense"}}}}));
  scene_.RunOut("x");
  EXPECT_EQ(scene_.Condition("x", "Accepted"), "False InvalidSpec");
  EXPECT_EQ(scene_.Condition("x", "Failed"), "True InvalidSpec");
  EXPECT_THAT(scene_.Message("x", "Failed"), HasSubstr("there is no Nonsense"));
  EXPECT_TRUE(scene_.frontend_.runs.empty());
  EXPECT_THAT(Reasons(), Contains("Warning InvalidSpec"));
}

TEST_F(BenchmarkTest, IsCheckedOnce) {
  scene_.Create(Scene::Benchmark("x"));
  scene_.RunOut("x");
  EXPECT_EQ(scene_.runs().checks, 1);
}

TEST_F(BenchmarkTest, WithAFailedJobHasFailed) {
  scene_.frontend_.failing = 1;
  scene_.Create(Scene::Benchmark("x"));
  scene_.RunOut("x");
  EXPECT_EQ(scene_.Condition("x", "Failed"), "True JobsFailed");
  EXPECT_EQ(scene_.Condition("x", "Succeeded"), "False JobsFailed");
  EXPECT_EQ(scene_.Condition("x", "Running"), "False JobsFailed");
  EXPECT_THAT(scene_.Message("x", "Failed"), HasSubstr("2 of 3 jobs succeeded, 1 failed"));
  EXPECT_EQ(scene_.Condition("x", "ResultsStored"), "True InFrontend");
}

TEST_F(BenchmarkTest, WaitsForWorkersUntilItsDeadline) {
  scene_.frontend_.lacking = "2 workers with gpu=yes are missing";
  scene_.Create(Scene::Benchmark("x", {{"activeDeadlineSeconds", 60}}));
  Await("WorkersReady", "False NoSuitableWorkers");
  EXPECT_EQ(scene_.Condition("x", "Running"), "False WaitsForWorkers");
  EXPECT_THAT(scene_.Message("x", "Running"), HasSubstr("gpu=yes"));
  scene_.Wait(minutes(2));
  scene_.RunOut("x");
  EXPECT_EQ(scene_.Condition("x", "Failed"), "True DeadlineExceeded");
}

TEST_F(BenchmarkTest, BeginsWhenWorkersCome) {
  scene_.frontend_.lacking = "none";
  scene_.Create(Scene::Benchmark("x"));
  Await("WorkersReady", "False NoSuitableWorkers");
  scene_.frontend_.lacking.clear();
  scene_.RunOut("x");
  EXPECT_EQ(scene_.Condition("x", "Succeeded"), "True AllJobsSucceeded");
}

TEST_F(BenchmarkTest, BeyondItsDeadlineIsCancelled) {
  scene_.frontend_.is_busy = true;
  scene_.Create(Scene::Benchmark("x", {{"activeDeadlineSeconds", 30}}));
  Await("Running", "True Running");
  scene_.Wait(seconds(31));
  scene_.RunOut("x");
  EXPECT_EQ(scene_.Condition("x", "Failed"), "True DeadlineExceeded");
  EXPECT_TRUE(scene_.TheRun().cancelled);
}

TEST_F(BenchmarkTest, ThatIsDeletedCancelsItsRunAndGoes) {
  scene_.frontend_.is_busy = true;
  scene_.Create(Scene::Benchmark("x"));
  Await("Running", "True Running");
  scene_.Delete("x");
  ASSERT_TRUE(scene_.Find("x")) << "it waits for its finalizer";
  scene_.Pass({"x"});
  EXPECT_FALSE(scene_.Find("x"));
  EXPECT_TRUE(scene_.TheRun().cancelled);
  EXPECT_THAT(scene_.runs().forgotten, Contains(HasSubstr("x-")));
}

TEST_F(BenchmarkTest, ThatIsOverAndDeletedLeavesItsRunAsItIs) {
  scene_.Create(Scene::Benchmark("x"));
  scene_.RunOut("x");
  scene_.Delete("x");
  EXPECT_FALSE(scene_.Find("x")) << "nothing holds it";
  EXPECT_FALSE(scene_.TheRun().cancelled);
}

TEST_F(BenchmarkTest, ThatIsDeletedDoesNotWaitForEverForAFrontendThatIsAway) {
  scene_.frontend_.is_busy = true;
  scene_.Create(Scene::Benchmark("x"));
  Await("Running", "True Running");
  scene_.frontend_.fault = absl::UnavailableError("no route to host");
  scene_.Delete("x");
  scene_.Pass({"x"});
  EXPECT_TRUE(scene_.Find("x"));
  scene_.Wait(minutes(11));
  scene_.Pass({"x"});
  EXPECT_FALSE(scene_.Find("x"));
  EXPECT_THAT(Reasons(), Contains("Warning RunNotCancelled"));
}

TEST_F(BenchmarkTest, GoesWhenItsTimeAfterTheEndIsOver) {
  scene_.Create(Scene::Benchmark("x", {{"ttlSecondsAfterFinished", 100}}));
  scene_.RunOut("x");
  scene_.Wait(seconds(90));
  scene_.Pass({"x"});
  EXPECT_TRUE(scene_.Find("x"));
  scene_.Wait(seconds(20));
  scene_.Pass({"x"});
  EXPECT_FALSE(scene_.Find("x"));
}

TEST_F(BenchmarkTest, WithoutThatItStays) {
  scene_.Create(Scene::Benchmark("x"));
  scene_.RunOut("x");
  scene_.Wait(std::chrono::hours(1000));
  scene_.Pass({"x"});
  EXPECT_TRUE(scene_.Find("x"));
}

TEST_F(BenchmarkTest, ThatIsSuspendedDoesNotBegin) {
  scene_.Create(Scene::Benchmark("x", {{"suspend", true}}));
  Await("Running", "False Suspended");
  EXPECT_TRUE(scene_.frontend_.runs.empty());
  scene_.SetSpec("x", "suspend", false);
  scene_.RunOut("x");
  EXPECT_EQ(scene_.Condition("x", "Succeeded"), "True AllJobsSucceeded");
}

TEST_F(BenchmarkTest, ThatIsSuspendedInMidRunGoesOnLaterWithTheSameRun) {
  scene_.Create(Scene::Benchmark("x", {{"activeDeadlineSeconds", 600}}));
  Await("Running", "True Running");
  scene_.SetSpec("x", "suspend", true);
  Await("Running", "False Suspended");
  for (int i = 0; i < 3; ++i) scene_.Pass({"x"});
  EXPECT_FALSE(Status().contains("startTime"));
  EXPECT_GT(Status()["withdrawn"], 0);
  EXPECT_EQ(Status()["running"], 0);
  scene_.Wait(std::chrono::hours(1));  // which is no part of the deadline
  scene_.StartOperator();
  scene_.SetSpec("x", "suspend", false);
  scene_.RunOut("x");
  EXPECT_EQ(scene_.Condition("x", "Succeeded"), "True AllJobsSucceeded");
  EXPECT_EQ(scene_.TheRun().begun, 1);
  for (const auto& job : scene_.TheRun().jobs) EXPECT_EQ(job.executions, 1);
}

TEST_F(BenchmarkTest, OfOneQueueOneRunsAtATime) {
  scene_.Create(Scene::Benchmark("x"));
  scene_.Create(Scene::Benchmark("y"));
  scene_.Create(Scene::Benchmark("other", {{"template", {{"kind", "IPerf"}}}}));
  const std::vector<std::string> all = {"y", "x", "other"};
  for (int i = 0; i < 3; ++i) scene_.Pass(all);
  EXPECT_EQ(scene_.Condition("x", "Running"), "True Running");
  EXPECT_EQ(scene_.Condition("y", "Running"), "False Queued");
  EXPECT_EQ(scene_.Message("y", "Running"), "behind a/x");
  EXPECT_EQ(scene_.Condition("other", "Running"), "True Running");
  scene_.RunOut("x");
  scene_.RunOut("y");
  EXPECT_EQ(scene_.Condition("y", "Succeeded"), "True AllJobsSucceeded");
}

TEST_F(BenchmarkTest, WhoseFrontendIsAwayWaitsForIt) {
  scene_.Create(Scene::Benchmark("x"));
  Await("Running", "True Running");
  scene_.frontend_.fault = absl::UnavailableError("no route to host");
  Await("Running", "Unknown FrontendAway");
  scene_.frontend_.fault = absl::OkStatus();
  scene_.RunOut("x");
  EXPECT_EQ(scene_.Condition("x", "Succeeded"), "True AllJobsSucceeded");
}

// ---- what an admin has decided

TEST_F(BenchmarkTest, ThatIsForbiddenHasFailedWithoutARun) {
  scene_.frontend_.bar = Bar{true, "Forbidden", "not here"};
  scene_.Create(Scene::Benchmark("x"));
  scene_.RunOut("x");
  EXPECT_EQ(scene_.Condition("x", "Accepted"), "False Forbidden");
  EXPECT_EQ(scene_.Condition("x", "Failed"), "True Forbidden");
  EXPECT_EQ(scene_.Message("x", "Failed"), "not here");
  EXPECT_TRUE(scene_.frontend_.runs.empty());
  EXPECT_THAT(Reasons(), Contains("Warning Forbidden"));
  EXPECT_FALSE(controller::HasFinalizer(*scene_.Find("x"), kRunFinalizer));
}

TEST_F(BenchmarkTest, ThatIsForbiddenLaterIsCancelled) {
  scene_.frontend_.is_busy = true;
  scene_.Create(Scene::Benchmark("x"));
  Await("Running", "True Running");
  scene_.frontend_.bar = Bar{true, "Forbidden", "no more"};
  scene_.RunOut("x");
  EXPECT_EQ(scene_.Condition("x", "Failed"), "True Forbidden");
  EXPECT_TRUE(scene_.TheRun().cancelled);
}

TEST_F(BenchmarkTest, ThatIsForbiddenAndCannotBeCancelledEndsAndSaysSo) {
  scene_.frontend_.is_busy = true;
  scene_.Create(Scene::Benchmark("x"));
  Await("Running", "True Running");
  scene_.frontend_.bar = Bar{true, "Forbidden", "no more"};
  scene_.frontend_.fault = absl::UnauthenticatedError("who?");
  scene_.RunOut("x");
  EXPECT_EQ(scene_.Message("x", "Failed"), "no more; so the run was not cancelled");
}

TEST_F(BenchmarkTest, WhoseFrontendIsNotKnownYetWaitsAndGoesOnByTheSameRun) {
  scene_.frontend_.is_busy = true;
  scene_.frontend_.bar = Bar{false, "NoSuchFrontend", "there is no Frontend y"};
  scene_.Create(Scene::Benchmark("x"));
  Await("Running", "False NoSuchFrontend");
  scene_.frontend_.bar.reset();
  Await("Running", "True Running");
  scene_.frontend_.bar = Bar{false, "NoCredentials", "no token"};
  Await("Running", "Unknown NoCredentials");
  EXPECT_FALSE(scene_.TheRun().cancelled);
  scene_.frontend_.bar.reset();
  scene_.frontend_.is_busy = false;
  scene_.RunOut("x");
  EXPECT_EQ(scene_.Condition("x", "Succeeded"), "True AllJobsSucceeded");
  EXPECT_EQ(scene_.TheRun().begun, 1);
}

TEST_F(BenchmarkTest, WhoseFrontendIsTakenAwayEndsByItsDeadline) {
  scene_.frontend_.is_busy = true;
  scene_.Create(Scene::Benchmark("x", {{"activeDeadlineSeconds", 60}}));
  Await("Running", "True Running");
  scene_.frontend_.bar = Bar{false, "NoSuchFrontend", "there is no Frontend y"};
  scene_.frontend_.fault = absl::FailedPreconditionError("there is no Frontend y");
  scene_.Wait(minutes(2));
  scene_.RunOut("x");
  EXPECT_EQ(scene_.Condition("x", "Failed"), "True DeadlineExceeded");
}

TEST_F(BenchmarkTest, WhoseRunTheFrontendHasLostIsNotRunAgain) {
  scene_.Create(Scene::Benchmark("x"));
  Await("Running", "True Running");
  scene_.frontend_.runs.clear();
  scene_.RunOut("x");
  EXPECT_EQ(scene_.Condition("x", "Failed"), "True RunLost");
  EXPECT_TRUE(scene_.frontend_.runs.empty());
}

TEST_F(BenchmarkTest, WhoseRunSomebodyCancelsHasFailed) {
  scene_.frontend_.is_busy = true;
  scene_.Create(Scene::Benchmark("x"));
  Await("Running", "True Running");
  scene_.TheRun().cancelled = true;
  scene_.RunOut("x");
  EXPECT_EQ(scene_.Condition("x", "Failed"), "True Cancelled");
}

TEST_F(BenchmarkTest, OfANameThatWasUsedBeforeIsAnotherRun) {
  scene_.Create(Scene::Benchmark("x"));
  scene_.RunOut("x");
  scene_.Delete("x");
  scene_.Create(Scene::Benchmark("x"));
  scene_.RunOut("x");
  EXPECT_EQ(scene_.frontend_.runs.size(), 2U);
}

TEST_F(BenchmarkTest, WritesItsStatusOnlyWhenItChanges) {
  scene_.frontend_.is_busy = true;
  scene_.Create(Scene::Benchmark("x"));
  Await("Running", "True Running");
  scene_.Pass({"x"});
  const std::size_t before = scene_.writes();
  for (int i = 0; i < 5; ++i) scene_.Pass({"x"});
  EXPECT_EQ(scene_.writes(), before);
}

TEST_F(BenchmarkTest, HasAStatusOfAFewKilobytesWhateverItsRunSays) {
  scene_.frontend_.fault = absl::UnavailableError(std::string(100'000, 'x'));
  scene_.Create(Scene::Benchmark("x"));
  Await("Running", "False FrontendAway");
  EXPECT_LT(Status().dump().size(), 8192U);
}

}  // namespace
}  // namespace twofold::benchmarks
