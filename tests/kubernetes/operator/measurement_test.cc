#include "kubernetes/operator/measurement.h"

#include <absl/strings/str_join.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "kubernetes/controller/ownership.h"
#include "tests/kubernetes/operator/measurement_scene.h"

namespace twofold::benchmarks {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

constexpr const char* kPass =
    R"({"verdict": "pass", "why": "scales", "figures": [)"
    R"({"name": "ratio_2_workers", "unit": "", "value": 1.93, "lower": 1.88, "upper": 1.98}]})";

class MeasurementTest : public ::testing::Test {
 protected:
  void AwaitRunning() {
    validation_.Create(MeasurementScene::ValidationSpec());
    validation_.Await("Running", "False Starting");
    scene_.Pass({"x"});
    validation_.MakePod();
    validation_.RunPod();
    validation_.Await("Running", "True Running");
  }
  kube::Json Status() { return (*scene_.Find("x"))["status"]; }

  MeasurementScene validation_{"Validation"};
  Scene& scene_ = validation_.scene_;
};

TEST_F(MeasurementTest, IsAJobWhoseVerdictItsStatusSays) {
  AwaitRunning();
  EXPECT_EQ(scene_.Condition("x", "Accepted"), "True Checked");
  EXPECT_EQ(scene_.Condition("x", "WorkersReady"), "");
  validation_.EndPod(0, kPass);
  validation_.Await("Succeeded", "True Passed");
  scene_.Pass({"x"});
  EXPECT_EQ(scene_.Message("x", "Succeeded"), "scales");
  EXPECT_EQ(scene_.Condition("x", "Running"), "False Succeeded");
  EXPECT_EQ(scene_.Condition("x", "Failed"), "");
  EXPECT_EQ(scene_.Condition("x", "ResultsStored"), "");
  const kube::Json status = Status();
  EXPECT_EQ(status["verdict"], "pass");
  EXPECT_EQ(status["result"], "ratio_2_workers 1.93 (1.88 .. 1.98)");
  EXPECT_EQ(status["figures"][0]["lower"], "1.88");
  EXPECT_EQ(status["queue"], "sleep");
  EXPECT_EQ(status["runId"], kube::NameOf(validation_.TheJob()).name);
  EXPECT_FALSE(status.contains("jobs"));
  EXPECT_TRUE(status.contains("startTime") && status.contains("completionTime"));
  EXPECT_FALSE(controller::HasFinalizer(*scene_.Find("x"), kRunFinalizer));
}

TEST_F(MeasurementTest, ItsPodIsRestrictedAndHasTheAccountOfItsKind) {
  AwaitRunning();
  const kube::Json job = validation_.TheJob();
  EXPECT_EQ(job["metadata"]["ownerReferences"][0]["uid"], (*scene_.Find("x"))["metadata"]["uid"]);
  EXPECT_EQ(job["spec"]["backoffLimit"], 0);
  const kube::Json pod = job["spec"]["template"]["spec"];
  EXPECT_EQ(pod["serviceAccountName"], "scalability-tester-validator");
  EXPECT_EQ(pod["automountServiceAccountToken"], true);
  EXPECT_EQ(pod["restartPolicy"], "Never");
  EXPECT_EQ(pod["securityContext"]["runAsNonRoot"], true);
  EXPECT_EQ(pod["securityContext"]["seccompProfile"]["type"], "RuntimeDefault");
  const kube::Json container = pod["containers"][0];
  EXPECT_EQ(container["image"], "image:1");
  EXPECT_EQ(container["securityContext"]["allowPrivilegeEscalation"], false);
  EXPECT_EQ(container["securityContext"]["readOnlyRootFilesystem"], true);
  EXPECT_EQ(container["securityContext"]["capabilities"]["drop"], kube::Json::array({"ALL"}));
  EXPECT_EQ(container["command"], kube::Json::array({"/usr/local/bin/twofold"}));
  EXPECT_EQ(absl::StrJoin(container["args"].get<std::vector<std::string>>(), " "),
            "validate --json=/dev/null --verdict=/dev/termination-log -- "
            "scalability-tester-backend-sleep monitoring 2 scalability-tester-client-sleep "
            "validation 16 1.8");
}

TEST_F(MeasurementTest, AnImageThatCannotBePulledIsSaidAndEndsByTheDeadline) {
  kube::Json spec = MeasurementScene::ValidationSpec();
  spec["activeDeadlineSeconds"] = 30;
  validation_.Create(spec);
  validation_.Await("Running", "False Starting");
  scene_.Pass({"x"});
  validation_.MakePod();
  validation_.WaitInPod("ImagePullBackOff", "Back-off pulling image image:1");
  validation_.Await("Running", "False ImagePullBackOff");
  EXPECT_THAT(scene_.Message("x", "Running"), HasSubstr("Back-off pulling image image:1"));
  validation_.Await("Failed", "True DeadlineExceeded");
  EXPECT_TRUE(validation_.Jobs().empty());
}

TEST_F(MeasurementTest, APodThatNoNodeTakesIsSaid) {
  validation_.Create(MeasurementScene::ValidationSpec());
  validation_.Await("Running", "False Starting");
  scene_.Pass({"x"});
  validation_.MakePod();
  validation_.SetPod({{"phase", "Pending"},
                      {"conditions", kube::Json::array({{{"type", "PodScheduled"},
                                                         {"status", "False"},
                                                         {"reason", "Unschedulable"},
                                                         {"message", "0/3 nodes"}}})}});
  validation_.Await("Running", "False Unschedulable");
  EXPECT_THAT(scene_.Message("x", "Running"), HasSubstr("0/3 nodes"));
}

TEST_F(MeasurementTest, APodThatAdmissionRefusesIsSaidWithItsReason) {
  validation_.Create(MeasurementScene::ValidationSpec());
  validation_.Await("Running", "False Starting");
  scene_.Pass({"x"});
  const kube::Json job = validation_.TheJob();
  scene_.api_.Put(kube::kEvents,
                  {{"metadata", {{"name", "e"}, {"namespace", "a"}}},
                   {"regarding", {{"kind", "Job"}, {"name", kube::NameOf(job).name}}},
                   {"reason", "FailedCreate"},
                   {"note", "pods \"x\" is forbidden: violates PodSecurity"}});
  validation_.Await("Running", "False PodRefused");
  EXPECT_THAT(scene_.Message("x", "Running"), HasSubstr("violates PodSecurity"));
}

TEST_F(MeasurementTest, AJobThatIsRefusedIsTriedAgain) {
  scene_.api_.Add({.kind = fakes::KubeFault::Kind::kStatus,
                   .verb = "create",
                   .plural = "jobs",
                   .times = 2,
                   .status = 403,
                   .body = R"({"kind": "Status", "reason": "Forbidden", "code": 403,)"
                           R"( "message": "exceeded quota: count/jobs.batch"})"});
  validation_.Create(MeasurementScene::ValidationSpec());
  validation_.Await("Running", "False ClusterRefuses");
  EXPECT_THAT(scene_.Message("x", "Running"), HasSubstr("exceeded quota"));
  validation_.Await("Running", "False Starting");
  EXPECT_EQ(validation_.Jobs().size(), 1U);
}

TEST_F(MeasurementTest, ItsFailureHasAReasonOfItsOwn) {
  struct Case {
    int exit_code;
    const char* said;
    const char* done;
    const char* reason;
    const char* message;
  };
  for (const Case& each : {
           Case{1, R"({"verdict": "fail", "why": "4 workers"})", "", "NotPassed", "4 workers"},
           {1, R"({"verdict": "undecided", "why": "too few"})", "", "Undecided", "too few"},
           {8, R"({"verdict": "invalid", "why": "a gap"})", "", "Spoiled", "a gap"},
           {201, R"({"verdict": "none", "why": "no HPA"})", "", "NoVerdict", "no HPA"},
           {137, R"({"verdict": "interrupted", "why": ""})", "OOMKilled", "OOMKilled", ""},
           {200, "warning\nvalidate: LIMIT is wrong\n", "", "InvalidSpec", "LIMIT is wrong"},
           {1, "twofold: no cluster\n", "", "CommandFailed", "no cluster"},
       }) {
    SCOPED_TRACE(each.reason);
    MeasurementScene validation("Validation");
    validation.Create(MeasurementScene::ValidationSpec());
    validation.Await("Running", "False Starting");
    validation.scene_.Pass({"x"});
    validation.MakePod();
    validation.RunPod();
    validation.Await("Running", "True Running");
    validation.EndPod(each.exit_code, each.said, each.done);
    validation.Await("Failed", std::string("True ") + each.reason);
    EXPECT_EQ(validation.scene_.Condition("x", "Succeeded"), std::string("False ") + each.reason);
    EXPECT_THAT(validation.scene_.Message("x", "Failed"), HasSubstr(each.message));
  }
}

TEST_F(MeasurementTest, AWrongSpecMakesNoJob) {
  kube::Json spec = MeasurementScene::ValidationSpec();
  spec["scale"] = "none";
  validation_.Create(spec);
  validation_.Await("Failed", "True InvalidSpec");
  EXPECT_EQ(scene_.Condition("x", "Accepted"), "False InvalidSpec");
  EXPECT_TRUE(validation_.Jobs().empty());
}

TEST_F(MeasurementTest, WhoseJobIsGoneIsNotRunAgain) {
  AwaitRunning();
  scene_.api_.Remove(kube::kJobs, kube::NameOf(validation_.TheJob()));
  validation_.Await("Failed", "True RunLost");
  EXPECT_TRUE(validation_.Jobs().empty());
}

TEST_F(MeasurementTest, ThatIsDeletedTakesItsJobWithIt) {
  AwaitRunning();
  scene_.Delete("x");
  scene_.Pass({"x"});
  EXPECT_FALSE(scene_.Find("x").has_value());
  EXPECT_TRUE(validation_.Jobs().empty());
  EXPECT_TRUE(scene_.api_.All(kube::kPods).empty());
}

TEST_F(MeasurementTest, ThatIsSuspendedBeforeItsPodBeginsHasNoJobUntilItGoesOn) {
  validation_.Create(MeasurementScene::ValidationSpec());
  validation_.Await("Running", "False Starting");
  scene_.Pass({"x"});
  EXPECT_EQ(validation_.Jobs().size(), 1U);
  scene_.SetSpec("x", "suspend", true);
  validation_.Await("Running", "False Suspended");
  EXPECT_TRUE(validation_.Jobs().empty());
  scene_.SetSpec("x", "suspend", false);
  validation_.Await("Running", "False Starting");
  scene_.Pass({"x"});
  EXPECT_EQ(validation_.Jobs().size(), 1U);
}

TEST_F(MeasurementTest, ThatIsSuspendedWhileItRunsMayEnd) {
  AwaitRunning();
  scene_.SetSpec("x", "suspend", true);
  validation_.Await("Running", "False Suspended");
  EXPECT_EQ(scene_.Message("x", "Running"), "what runs may end");
  validation_.EndPod(0, kPass);
  validation_.Await("Succeeded", "True Passed");
}

TEST_F(MeasurementTest, AStrangersJobOfItsNameIsLeftAlone) {
  validation_.Create(MeasurementScene::ValidationSpec());
  validation_.Await("Running", "False Starting");
  scene_.api_.Put(
      kube::kJobs,
      {{"metadata", {{"name", MeasurementJobName(*scene_.Find("x"))}, {"namespace", "a"}}}});
  validation_.Await("Running", "False ClusterRefuses");
  EXPECT_THAT(scene_.Message("x", "Running"), HasSubstr("belongs to somebody else"));
}

// ---- an operator that dies

/// Plays the Job on: one step a call.
void PlayJob(MeasurementScene& scene) {
  if (scene.Jobs().size() != 1) return;
  const kube::Json job = scene.TheJob();
  if (HasEnded(job)) return;
  if (scene.scene_.api_.All(kube::kPods).empty()) return scene.MakePod();
  IsReady(job) ? scene.EndPod(0, kPass) : scene.RunPod();
}

TEST(MeasurementWalk, AFaultAtAnyWriteChangesNothingOfTheEndAndNothingRunsTwice) {
  std::size_t writes = 1;
  for (std::size_t at = 0; at < writes; ++at) {
    for (const auto fault : {Gate::Fault::kKillBefore, Gate::Fault::kKillAfter,
                             Gate::Fault::kLoseRequest, Gate::Fault::kLoseReply}) {
      SCOPED_TRACE(::testing::Message() << "write " << at << ", fault " << static_cast<int>(fault));
      MeasurementScene validation("Validation");
      std::atomic<int> made = 0;
      validation.scene_.api_.OnChange([&](const std::string& type, const kube::Json& object) {
        if (type == "ADDED" && object["kind"] == "Job") ++made;
      });
      validation.Create(MeasurementScene::ValidationSpec());
      validation.scene_.StartOperator(Gate(at, fault));
      for (int i = 0; i < 40 && !validation.scene_.IsOver("x"); ++i) {
        try {
          validation.scene_.Pass({"x"});
        } catch (const Killed&) {
          validation.scene_.StartOperator();
        }
        PlayJob(validation);
      }
      EXPECT_EQ(validation.scene_.Condition("x", "Succeeded"), "True Passed");
      EXPECT_EQ(made, 1);
      writes = std::max(writes, validation.scene_.writes());
    }
  }
  EXPECT_GT(writes, 5U);
}

}  // namespace
}  // namespace twofold::benchmarks
