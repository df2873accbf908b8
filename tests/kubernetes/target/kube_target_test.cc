#include "kubernetes/target/kube_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <set>

#include "kubernetes/pools/pods.h"
#include "tests/fakes/kube_api.h"

namespace twofold::targets {
namespace {

using kube::Json;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr const char* kBackend = "scalability-tester-backend-sleep";
constexpr const char* kClient = "scalability-tester-client-sleep";

class KubeTargetTest : public ::testing::Test {
 protected:
  KubeTargetTest() {
    api_.Put(kube::kDeployments,
             {{"metadata", {{"name", kBackend}, {"namespace", "monitoring"}}},
              {"spec", {{"replicas", 1}, {"selector", {{"matchLabels", {{"app", "backend"}}}}}}}});
    api_.Put(kube::kServices, {{"metadata", {{"name", kClient}, {"namespace", "validation"}}}});
    api_.OnText([this](const std::string& target) -> std::optional<std::string> {
      const auto text = texts_.find(target);
      return text == texts_.end() ? std::nullopt : std::optional(text->second);
    });
  }

  std::unique_ptr<Target> Make() {
    return MakeKubeTarget(api_.access(), {kBackend, "monitoring", kClient, "validation"}, {}, {});
  }

  /// A worker's pod; `status` is merged into its status.
  Json PutPod(const std::string& name, const std::string& phase, bool ready,
              const Json& status = {}, const Json& labels = {{"app", "backend"}}) {
    Json pod = {{"metadata", {{"name", name}, {"namespace", "monitoring"}, {"labels", labels}}},
                {"status",
                 {{"phase", phase},
                  {"conditions", {{{"type", "Ready"}, {"status", ready ? "True" : "False"}}}}}}};
    if (!status.is_null()) pod["status"].update(status);
    return api_.Put(kube::kPods, pod);
  }

  void PutScaler(const std::string& name, const std::string& of) {
    api_.Put(kube::kHorizontalPodAutoscalers,
             {{"metadata", {{"name", name}, {"namespace", "monitoring"}}},
              {"spec", {{"scaleTargetRef", {{"name", of}}}}}});
  }

  static Json Containers(const std::string& name, int restarts, const std::string& waits = "") {
    Json container = {{"name", name}, {"restartCount", restarts}};
    if (!waits.empty()) container["state"] = {{"waiting", {{"reason", waits}}}};
    return {{"containerStatuses", {container}}};
  }

  fakes::KubeApi api_{{.resources = {kube::kDeployments, kube::kServices,
                                     kube::kHorizontalPodAutoscalers, pools::kWorkerPools}}};
  std::map<std::string, std::string> texts_;  ///< by target, set before anybody asks
};

TEST_F(KubeTargetTest, CountsPodsThatAreReadyAndOthersButNotThoseThatHaveEnded) {
  PutPod("ready", "Running", true);
  PutPod("starting", "Pending", false);
  PutPod("running", "Running", false);
  PutPod("evicted", "Failed", false);
  PutPod("done", "Succeeded", false);
  PutPod("of-others", "Running", true, {}, {{"app", "else"}});
  const auto target = Make();
  ASSERT_TRUE(target->Check().ok());
  EXPECT_EQ(target->Look().value(), (Workers{1, 2, false}));
}

TEST_F(KubeTargetTest, APodThatIsEndingIsNotReadyWhateverItSays) {
  Json pod = PutPod("ending", "Running", true);
  api_.Change(kube::kPods, {"monitoring", "ending"}, [](Json& object) {
    object["metadata"]["deletionTimestamp"] = "2026-11-28T12:00:00Z";
  });
  const auto target = Make();
  ASSERT_TRUE(target->Check().ok());
  EXPECT_EQ(target->Look().value(), (Workers{0, 1, false}));
  EXPECT_THAT(target->Problems(), ElementsAre("pod ending: Running, terminating"));
}

TEST_F(KubeTargetTest, ScalesTheDeployment) {
  const auto target = Make();
  ASSERT_TRUE(target->Check().ok());
  ASSERT_TRUE(target->Scale(4).ok());
  const auto deployment = api_.Find(kube::kDeployments, {"monitoring", kBackend});
  EXPECT_EQ(deployment->at("spec").at("replicas"), 4);
  api_.Add({.kind = fakes::KubeFault::Kind::kStatus, .verb = "patch", .times = 1, .status = 403});
  EXPECT_THAT(std::string(target->Scale(1).message()), HasSubstr("403"));
}

TEST_F(KubeTargetTest, PartsThatAreMissingAreNamed) {
  api_.Remove(kube::kServices, {"validation", kClient});
  EXPECT_EQ(Make()->Check().message(),
            "no service scalability-tester-client-sleep in namespace validation");
  api_.Remove(kube::kDeployments, {"monitoring", kBackend});
  EXPECT_EQ(Make()->Check().message(),
            "no deployment scalability-tester-backend-sleep in namespace monitoring");
}

TEST_F(KubeTargetTest, AnHpaThatScalesTheSameDeploymentIsRefused) {
  PutScaler("of-others", "else");
  EXPECT_TRUE(Make()->Check().ok());
  PutScaler("the-hpa", kBackend);
  EXPECT_THAT(std::string(Make()->Check().message()),
              HasSubstr("scalability-tester-backend-sleep is scaled by the HPA the-hpa, too"));
}

TEST_F(KubeTargetTest, WhoMayNotSeeHpasGoesOn) {
  PutScaler("the-hpa", kBackend);
  api_.Add({.kind = fakes::KubeFault::Kind::kStatus,
            .verb = "list",
            .plural = "horizontalpodautoscalers",
            .status = 403});
  EXPECT_TRUE(Make()->Check().ok());
}

TEST_F(KubeTargetTest, CrashLoopsAreSeenWithTheLogOfTheContainerThatCrashed) {
  PutPod("pod-0", "Running", false, Containers("worker", 2, "CrashLoopBackOff"));
  texts_
      ["/api/v1/namespaces/monitoring/pods/pod-0/log?container=worker&previous=true&tailLines="
       "20"] = "first\nno such device\n";
  const auto target = Make();
  ASSERT_TRUE(target->Check().ok());
  EXPECT_TRUE(target->Look().value().crashing);
  EXPECT_THAT(target->Problems(),
              ElementsAre("pod pod-0: Running, not Ready, CrashLoopBackOff",
                          "end of the log of pod-0 -c worker:", "first", "no such device"));
}

TEST_F(KubeTargetTest, TheLogIsThatOfAWorkerThatKeepsCrashing) {
  PutPod("old", "Running", true, Containers("worker", 1));
  PutPod("pod-0", "Running", false, Containers("worker", 2, "CrashLoopBackOff"));
  texts_
      ["/api/v1/namespaces/monitoring/pods/pod-0/log?container=worker&previous=true&tailLines="
       "20"] = "no such device\n";
  const auto target = Make();
  ASSERT_TRUE(target->Check().ok());
  EXPECT_THAT(target->Problems(), Contains("no such device"));
}

TEST_F(KubeTargetTest, WorkersThatRunAndAreNotReadyShowTheEndOfTheirLog) {
  PutPod("pod-0", "Running", false);
  texts_["/api/v1/namespaces/monitoring/pods/pod-0/log?tailLines=5"] = "no frontend answers\n";
  const auto target = Make();
  ASSERT_TRUE(target->Check().ok());
  EXPECT_THAT(target->Problems(), ElementsAre("pod pod-0: Running, not Ready",
                                              "end of the log of pod-0:", "no frontend answers"));
}

TEST_F(KubeTargetTest, TheTeamDiffersOnceAPodIsRestartedReplacedOrEnding) {
  PutPod("pod-0", "Running", true, Containers("worker", 0));
  const auto target = Make();
  ASSERT_TRUE(target->Check().ok());
  std::set<std::string> teams = {target->Team().value(), target->Team().value()};
  EXPECT_EQ(teams.size(), 1);
  PutPod("pod-0", "Running", true, Containers("worker", 1));
  teams.insert(target->Team().value());
  EXPECT_EQ(teams.size(), 2);
  PutPod("pod-1", "Running", true);
  teams.insert(target->Team().value());
  EXPECT_EQ(teams.size(), 3);
}

TEST_F(KubeTargetTest, ProgramsAreAskedThroughTheApiServer) {
  texts_
      ["/api/v1/namespaces/validation/services/scalability-tester-client-sleep:9996/proxy/"
       "look?type=plain&records=1:2"] = "done true\n";
  texts_["/api/v1/namespaces/monitoring/services/scalability-tester-frontend:9998/proxy/metrics"] =
      "page\n";
  const auto target = Make();
  ASSERT_TRUE(target->Check().ok());
  EXPECT_EQ(target->AskClient("/look?type=plain&records=1:2").value(), "done true\n");
  EXPECT_EQ(target->Metrics().value(), "page\n");
  EXPECT_FALSE(target->AskClient("/no-such-page").ok());
}

TEST_F(KubeTargetTest, OfSeveralFrontendsAllThatAnswerAreAsked) {
  const Json labels = {{"app.kubernetes.io/part-of", "twofold"},
                       {"app.kubernetes.io/component", "frontend"}};
  for (const char* name : {"frontend-0", "frontend-1", "frontend-2"}) {
    PutPod(name, "Running", true, {}, labels);
  }
  const std::string pods = "/api/v1/namespaces/monitoring/pods/";
  texts_[pods + "frontend-1:9998/proxy/metrics"] = "one\n";
  texts_[pods + "frontend-2:9998/proxy/metrics"] = "two\n";  // frontend-0 is away
  const auto target = Make();
  ASSERT_TRUE(target->Check().ok());
  EXPECT_EQ(target->Metrics().value(), "one\n\ntwo\n\n");
  texts_.clear();
  EXPECT_FALSE(target->Metrics().ok());
}

// As validate-scaling.sh gives them to the pod that it starts where only kubectl is.
TEST_F(KubeTargetTest, NeedsTheseRightsAndNoOthers) {
  PutPod("pod-0", "Running", false);
  const auto target = Make();
  ASSERT_TRUE(target->Check().ok());
  ASSERT_TRUE(target->Scale(2).ok());
  static_cast<void>(target->Look());
  static_cast<void>(target->Problems());
  static_cast<void>(target->AskClient("/look"));
  static_cast<void>(target->Metrics());
  EXPECT_THAT(api_.used(),
              UnorderedElementsAre(
                  fakes::KubeUse{"get", "apps", "deployments", "monitoring"},
                  fakes::KubeUse{"patch", "apps", "deployments/scale", "monitoring"},
                  fakes::KubeUse{"list", "", "pods", "monitoring"},
                  fakes::KubeUse{"get", "", "pods/log", "monitoring"},
                  fakes::KubeUse{"get", "", "services/proxy", "monitoring"},
                  fakes::KubeUse{"list", "autoscaling", "horizontalpodautoscalers", "monitoring"},
                  fakes::KubeUse{"get", "", "services", "validation"},
                  fakes::KubeUse{"get", "", "services/proxy", "validation"}));
}

TEST_F(KubeTargetTest, AWorkerPoolIsScaledAndWhoLeavesItIsEnding) {
  api_.Put(pools::kWorkerPools, {{"metadata", {{"name", "sleep"}, {"namespace", "monitoring"}}},
                                 {"spec", {{"replicas", 1}}}});
  PutPod("ready", "Running", true, {}, {{pools::kPoolLabel, "sleep"}});
  PutPod("leaving", "Running", true, {},
         {{pools::kPoolLabel, "sleep"}, {pools::kLeavingLabel, "1796040000"}});
  PutPod("of-deployment", "Running", true);
  PutScaler("of-a-deployment", "other");
  const auto target = MakeKubeTarget(
      api_.access(), {"workerpool/sleep", "monitoring", kClient, "validation"}, {}, {});
  ASSERT_TRUE(target->Check().ok());
  EXPECT_EQ(target->Look().value(), (Workers{1, 1, false}));
  ASSERT_TRUE(target->Scale(4).ok());
  EXPECT_EQ(api_.Find(pools::kWorkerPools, {"monitoring", "sleep"})->at("spec").at("replicas"), 4);
}

TEST_F(KubeTargetTest, SaysThatThereIsNoSuchPool) {
  const auto target = MakeKubeTarget(
      api_.access(), {"workerpool/sleep", "monitoring", kClient, "validation"}, {}, {});
  EXPECT_EQ(target->Check().message(), "no workerpool sleep in namespace monitoring");
}

}  // namespace
}  // namespace twofold::targets
