// The rights in deployments/lifecycle are those that the commands use: each verb that they use is
// allowed, and each that is allowed is used.
#include <absl/strings/str_cat.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "kubernetes/lifecycle/run.h"
#include "kubernetes/lifecycle/sending/remains.h"
#include "lib/yaml/node.h"
#include "tests/fakes/kube_api.h"
#include "tests/kubernetes/lifecycle/controller.h"
#include "tests/support/program.h"

namespace twofold::lifecycle {
namespace {

using fakes::KubeFault;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Rights = std::set<std::string>;  // "batch/jobs create"

/// Those of the first object of a manifest.
Rights AllowedBy(const std::string& file) {
  std::ifstream stream(std::string(DEPLOYMENTS) + file);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  text = text.substr(0, text.find("\n---"));
  const auto document = yaml::ParseDocument(text);
  EXPECT_TRUE(document.ok()) << document.status();
  Rights allowed;
  const yaml::Json role = yaml::ToJson(**document);
  for (const auto& rule : role.at("rules")) {
    for (const auto& group : rule.at("apiGroups")) {
      for (const auto& resource : rule.at("resources")) {
        for (const auto& verb : rule.at("verbs")) {
          allowed.insert(absl::StrCat(group.get<std::string>(), "/", resource.get<std::string>(),
                                      " ", verb.get<std::string>()));
        }
      }
    }
  }
  return allowed;
}

class RightsTest : public ::testing::Test {
 protected:
  Rights Used(const std::string& space) {
    Rights used;
    for (const auto& each : api_.used()) {
      EXPECT_TRUE(space.empty() || each.space == space) << each.verb << " " << each.resource;
      used.insert(absl::StrCat(each.group, "/", each.resource, " ", each.verb));
    }
    return used;
  }

  void Begin(const char* plural) {
    // Servers before 1.32 are listed first, and an answer may be lost.
    for (const char* watched : {plural, "pods", "configmaps", "persistentvolumeclaims", "events"}) {
      Fault(KubeFault::Kind::kNoInitialEvents, "watch", watched);
    }
    spoiler_ = std::thread([this, plural] {
      testing::Await([&] { return !api_.All(kube::kConfigMaps).empty(); });
      Fault(KubeFault::Kind::kLoseReply, "create", plural);
    });
  }

  void Fault(KubeFault::Kind kind, const char* verb, const char* plural) {
    KubeFault fault;
    fault.kind = kind;
    fault.verb = verb;
    fault.plural = plural;
    api_.Add(fault);
  }

  void RunAndClean(const char* kind) {
    RunPlan plan;
    plan.spec.set_kind(kind);
    plan.run.name = absl::StrCat("r-", kind);
    plan.spec.set_count(5);
    plan.spec.set_rate(100);
    plan.run.space = "workloads";
    plan.spec.set_settle(ToSeconds(seconds(20)));
    plan.events = true;
    plan.spec.set_pvc("1Mi");
    lifecycle::Run run(api_.access(), plan);
    Begin(plan.spec.kind() == "pod" ? "pods" : "jobs");
    const Status status = run.Execute([](const std::string&) {});
    spoiler_.join();
    ASSERT_TRUE(status.ok()) << status;
    kube::Connection connection(api_.access());
    ASSERT_TRUE(FindRemains(connection, "workloads").ok());
    const auto cleaned = CleanUp(api_.access(), "workloads", plan.run.name);
    ASSERT_TRUE(cleaned.ok()) << cleaned.status();
  }

  fakes::KubeApi api_;
  std::thread spoiler_;
};

TEST_F(RightsTest, OfRunsAreThoseOfTheRole) {
  {
    FakeController controller(api_, {.complete = milliseconds(1500)});  // long enough for canaries
    RunAndClean("job");
  }
  api_.OnChange([this](const std::string& type, const kube::Json& object) {
    if (type != "ADDED" || object["kind"] != "Pod") return;
    api_.Change(kube::kPods, kube::NameOf(object),
                [](kube::Json& pod) { pod["status"]["phase"] = "Succeeded"; });
  });
  RunAndClean("pod");
  EXPECT_EQ(Used("workloads"), AllowedBy("/lifecycle/rights/role.yaml"));
}

}  // namespace
}  // namespace twofold::lifecycle
