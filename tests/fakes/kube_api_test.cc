#include "tests/fakes/kube_api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "kubernetes/api/errors.h"
#include "kubernetes/api/list.h"
#include "kubernetes/api/watch.h"
#include "tests/fakes/kube_objects.h"

namespace twofold::fakes {
namespace {

using absl::StatusCode;
using kube::Json;
using kube::kConfigMaps;
using kube::kJobs;
using kube::kLeases;
using kube::kNodes;
using kube::kPods;
using kube::PatchKind;
using kube::Propagation;
using kube::TextAt;
using ::testing::Contains;
using ::testing::HasSubstr;

const kube::Resource kJobSets{"jobset.x-k8s.io", "v1alpha2", "jobsets", "JobSet", true};

Json Object(const kube::Resource& resource, const std::string& name) {
  Json object = {{"apiVersion", kube::ApiVersion(resource)},
                 {"kind", resource.kind},
                 {"metadata", {{"name", name}}},
                 {"spec", Json::object()}};
  if (resource.namespaced) object["metadata"]["namespace"] = "a";
  return object;
}

Json Condition(const std::string& type, const std::string& status) {
  return {{"type", type}, {"status", status}};
}

/// What the fake does is what Kubernetes 1.36 was seen to do.
class FakeKubeApi : public ::testing::Test {
 protected:
  Json Done(const kube::Call& call) {
    const auto reply = connection_.Do(call);
    EXPECT_TRUE(reply.ok()) << reply.status();
    return reply.ok() ? reply->body : Json();
  }

  Status Refused(const kube::Call& call) { return connection_.Do(call).status(); }
  static std::string TextOf(const Status& status) { return std::string(status.message()); }

  Json Status_(const std::string& pod, PatchKind kind, const Json& status) {
    return Done(kube::Patch(kPods, {"a", pod}, kind, {{"status", status}}, {}, "status"));
  }

  KubeApi api_{{.resources = {kJobSets}, .spec_fields = {{"Pod", {"containers", "nodeName"}}}}};
  kube::Connection connection_{api_.access()};
};

TEST_F(FakeKubeApi, SetsWhatClientsCannot) {
  Json pod = Object(kPods, "x");
  pod["metadata"]["creationTimestamp"] = "2001-01-01T00:00:00Z";
  pod["status"] = {{"phase", "Running"}};
  const Json made = Done(kube::Create(kPods, pod));
  EXPECT_THAT(TextAt(made, "/metadata/creationTimestamp"), ::testing::MatchesRegex("20.*:..Z"));
  EXPECT_EQ(TextAt(made, "/metadata/creationTimestamp").size(), 20U);  // whole seconds
  EXPECT_NE(TextAt(made, "/metadata/creationTimestamp"), "2001-01-01T00:00:00Z");
  EXPECT_FALSE(TextAt(made, "/metadata/uid").empty());
  EXPECT_EQ(TextAt(made, "/status/phase"), "Pending");
  EXPECT_EQ(TextAt(made["metadata"]["managedFields"][0], "/manager"), "twofold");
}

TEST_F(FakeKubeApi, MakesNames) {
  Json pod = Object(kPods, "");
  pod["metadata"] = {{"namespace", "a"}, {"generateName", "x-"}};
  const std::string one = TextAt(Done(kube::Create(kPods, pod)), "/metadata/name");
  const std::string two = TextAt(Done(kube::Create(kPods, pod)), "/metadata/name");
  EXPECT_TRUE(one.starts_with("x-"));
  EXPECT_NE(one, two);
}

TEST_F(FakeKubeApi, TurnsTyposIntoErrors) {
  Json pod = Object(kPods, "x");
  pod["spec"]["contianers"] = Json::array();
  const Status status = Refused(kube::Create(kPods, pod));
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(TextOf(status), HasSubstr(R"(unknown field "spec.contianers")"));
  kube::WriteOptions lax;
  lax.validation = "Ignore";
  Done(kube::Create(kPods, pod, lax));
  EXPECT_EQ(Refused(kube::Create(kPods, Object(kPods, "Upper"))).code(),
            StatusCode::kInvalidArgument);
}

TEST_F(FakeKubeApi, ADryRunStoresNothing) {
  kube::WriteOptions dry;
  dry.dry_run = true;
  EXPECT_FALSE(TextAt(Done(kube::Create(kPods, Object(kPods, "x"), dry)), "/metadata/uid").empty());
  EXPECT_EQ(api_.All(kPods).size(), 0U);
}

TEST_F(FakeKubeApi, ANodeKeepsItsStatusAndIsAllocatable) {
  Json node = Object(kNodes, "n");
  node["status"] = {{"capacity", {{"nvidia.com/gpu", "8"}}}};
  const Json made = Done(kube::Create(kNodes, node));
  EXPECT_EQ(made["status"]["allocatable"]["nvidia.com/gpu"], "8");
}

TEST_F(FakeKubeApi, ALeaseWantsSixDigits) {
  Json lease = Object(kLeases, "n");
  lease["spec"]["renewTime"] = "2026-01-01T00:00:00.000Z";
  EXPECT_EQ(Refused(kube::Create(kLeases, lease)).code(), StatusCode::kInvalidArgument);
  lease["spec"]["renewTime"] = "2026-01-01T00:00:00.000000Z";
  Done(kube::Create(kLeases, lease));
}

TEST_F(FakeKubeApi, OnlyAStrategicPatchKeepsTheOtherConditions) {
  Done(kube::Create(kPods, Object(kPods, "x")));
  Done(kube::CreateIn(kPods, {"a", "x"}, "binding",
                      {{"apiVersion", "v1"}, {"kind", "Binding"}, {"target", {{"name", "n"}}}}));
  EXPECT_EQ(TextAt(*api_.Find(kPods, {"a", "x"}), "/spec/nodeName"), "n");
  const Json ready = {{"conditions", {Condition("Ready", "True")}}};
  EXPECT_EQ(Status_("x", PatchKind::kStrategic, ready)["status"]["conditions"].size(), 2U);
  EXPECT_EQ(Status_("x", PatchKind::kStrategic, ready)["status"]["conditions"].size(), 2U);
  EXPECT_EQ(Status_("x", PatchKind::kMerge, ready)["status"]["conditions"].size(), 1U);
}

TEST_F(FakeKubeApi, SpecAndStatusAreWrittenApart) {
  Done(kube::Create(kPods, Object(kPods, "x")));
  const Json both = {{"spec", {{"nodeName", "n"}}}, {"status", {{"phase", "Running"}}}};
  Json pod = Done(kube::Patch(kPods, {"a", "x"}, PatchKind::kMerge, both, {}, "status"));
  EXPECT_EQ(TextAt(pod, "/status/phase"), "Running");
  EXPECT_EQ(TextAt(pod, "/spec/nodeName"), "");
  pod = Done(kube::Patch(kPods, {"a", "x"}, PatchKind::kMerge,
                         {{"spec", {{"nodeName", "m"}}}, {"status", {{"phase", "Failed"}}}}));
  EXPECT_EQ(TextAt(pod, "/status/phase"), "Running");
  EXPECT_EQ(TextAt(pod, "/spec/nodeName"), "m");
}

TEST_F(FakeKubeApi, PatchesHavePreconditions) {
  Done(kube::Create(kPods, Object(kPods, "x")));
  const auto with = [](const char* field) {
    return kube::Patch(kPods, {"a", "x"}, PatchKind::kMerge, {{"metadata", {{field, "other"}}}});
  };
  EXPECT_EQ(kube::HttpStatusOf(Refused(with("uid"))), 422);
  EXPECT_EQ(Refused(with("resourceVersion")).code(), StatusCode::kAborted);
  const Json add = Json::parse(R"([{"op":"test","path":"/metadata/name","value":"y"}])");
  EXPECT_EQ(kube::HttpStatusOf(Refused(kube::Patch(kPods, {"a", "x"}, PatchKind::kJson, add))),
            422);
  EXPECT_EQ(kube::HttpStatusOf(Refused(kube::Patch(kPods, {"a", "y"}, PatchKind::kMerge, {}))),
            404);
}

TEST_F(FakeKubeApi, CustomKindsHaveNoStrategicPatch) {
  Done(kube::Create(kJobSets, Object(kJobSets, "s")));
  const auto patch = [](PatchKind kind) {
    return kube::Patch(kJobSets, {"a", "s"}, kind, {{"spec", {{"suspend", true}}}});
  };
  EXPECT_EQ(kube::HttpStatusOf(Refused(patch(PatchKind::kStrategic))), 415);
  EXPECT_EQ(Done(patch(PatchKind::kMerge))["spec"]["suspend"], true);
}

TEST_F(FakeKubeApi, ApplyTwiceIsApplyOnce) {
  Json map = Object(kConfigMaps, "c");
  map["data"] = {{"k", "1"}};
  const Json first = Done(kube::Apply(kConfigMaps, map, false));
  const Json second = Done(kube::Apply(kConfigMaps, map, false));
  EXPECT_EQ(TextAt(first, "/metadata/resourceVersion"),
            TextAt(second, "/metadata/resourceVersion"));
}

TEST_F(FakeKubeApi, ApplyConflictsWithOtherManagersUnlessForced) {
  Json map = Object(kConfigMaps, "c");
  map["data"] = {{"k", "1"}, {"l", "1"}};
  Done(kube::Apply(kConfigMaps, map, false));
  Done(kube::Apply(kConfigMaps, map, false, {.field_manager = "other"}));
  map["data"]["k"] = "2";
  const Status status = Refused(kube::Apply(kConfigMaps, map, false));
  EXPECT_EQ(status.code(), StatusCode::kAborted);
  EXPECT_EQ(kube::ReasonOf(status), "Conflict");
  EXPECT_EQ(Done(kube::Apply(kConfigMaps, map, true))["data"]["k"], "2");
  map["data"].erase("k");  // given up by its manager
  EXPECT_EQ(Done(kube::Apply(kConfigMaps, map, true))["data"].contains("k"), false);
}

TEST_F(FakeKubeApi, DeletesOnlyTheObjectThatIsMeant) {
  Done(kube::Create(kPods, Object(kPods, "x")));
  kube::DeleteOptions options;
  options.uid = "other";
  EXPECT_EQ(Refused(kube::Delete(kPods, {"a", "x"}, options)).code(), StatusCode::kAborted);
  options.uid = TextAt(*api_.Find(kPods, {"a", "x"}), "/metadata/uid");
  Done(kube::Delete(kPods, {"a", "x"}, options));
  EXPECT_EQ(api_.Find(kPods, {"a", "x"}), std::nullopt);
}

TEST_F(FakeKubeApi, APodOnANodeIsDeletedInTwoSteps) {
  Json pod = Object(kPods, "x");
  pod["spec"]["nodeName"] = "n";
  Done(kube::Create(kPods, pod));
  const Json going = Done(kube::Delete(kPods, {"a", "x"}));
  EXPECT_EQ(going["metadata"]["deletionGracePeriodSeconds"], 30);
  EXPECT_FALSE(TextAt(going, "/metadata/deletionTimestamp").empty());
  kube::DeleteOptions now;
  now.grace_s = 0;
  Done(kube::Delete(kPods, {"a", "x"}, now));
  EXPECT_EQ(api_.Find(kPods, {"a", "x"}), std::nullopt);
  // A finished one vanishes at once.
  pod["metadata"]["name"] = "y";
  Done(kube::Create(kPods, pod));
  Status_("y", PatchKind::kMerge, {{"phase", "Succeeded"}});
  Done(kube::Delete(kPods, {"a", "y"}));
  EXPECT_EQ(api_.Find(kPods, {"a", "y"}), std::nullopt);
}

class Owners : public FakeKubeApi {
 protected:
  /// Whether the pod of a Job that is deleted so lives on.
  bool PodSurvives(Propagation propagation) {
    const Json job = Done(kube::Create(kJobs, Object(kJobs, "j")));
    Json pod = Object(kPods, "x");
    pod["metadata"]["ownerReferences"] = {
        {{"kind", "Job"}, {"name", "j"}, {"uid", TextAt(job, "/metadata/uid")}}};
    Done(kube::Create(kPods, pod));
    kube::DeleteOptions options;
    options.propagation = propagation;
    Done(kube::Delete(kJobs, {"a", "j"}, options));
    EXPECT_EQ(api_.Find(kJobs, {"a", "j"}), std::nullopt);
    const bool survives = api_.Find(kPods, {"a", "x"}).has_value();
    api_.Remove(kPods, {"a", "x"});
    return survives;
  }
};

TEST_F(Owners, TakeTheirObjectsWithThem) {
  EXPECT_FALSE(PodSurvives(Propagation::kBackground));
  EXPECT_FALSE(PodSurvives(Propagation::kForeground));
  EXPECT_TRUE(PodSurvives(Propagation::kOrphan));
  // The trap of batch/v1: without a word, Jobs leave their pods behind.
  EXPECT_TRUE(PodSurvives(Propagation::kDefault));
}

TEST_F(FakeKubeApi, FinalizersKeepADeletedObject) {
  Json map = Object(kConfigMaps, "c");
  map["metadata"]["finalizers"] = {"example.com/wait"};
  Done(kube::Create(kConfigMaps, map));
  Done(kube::Delete(kConfigMaps, {"a", "c"}));
  ASSERT_TRUE(api_.Find(kConfigMaps, {"a", "c"}).has_value());
  Done(kube::Patch(kConfigMaps, {"a", "c"}, PatchKind::kMerge,
                   {{"metadata", {{"finalizers", nullptr}}}}));
  EXPECT_EQ(api_.Find(kConfigMaps, {"a", "c"}), std::nullopt);
}

TEST_F(FakeKubeApi, MakesNoObjectOfAStatusThatIsApplied) {
  EXPECT_EQ(Refused(kube::Apply(kPods, Object(kPods, "x"), true, {}, "status")).code(),
            StatusCode::kNotFound);
  EXPECT_EQ(api_.Find(kPods, {"a", "x"}), std::nullopt);
}

TEST_F(FakeKubeApi, TellsItsKinds) {
  const Json list = Done(kube::GetResources("jobset.x-k8s.io/v1alpha2"));
  EXPECT_EQ(kube::FindResource(list, "jobset.x-k8s.io/v1alpha2", "JobSet").value(), kJobSets);
  EXPECT_EQ(Refused(kube::Get({"x.io", "v1", "things", "Thing"}, {"a", "t"})).code(),
            StatusCode::kNotFound);
}

TEST_F(FakeKubeApi, RemembersWhatARoleWouldHaveToAllow) {
  Done(kube::Create(kPods, Object(kPods, "x")));
  Status_("x", PatchKind::kMerge, {{"phase", "Running"}});
  Done(kube::ListPage({kJobs, ""}, {}));
  EXPECT_THAT(api_.used(), Contains(KubeUse{"create", "", "pods", "a"}));
  EXPECT_THAT(api_.used(), Contains(KubeUse{"patch", "", "pods/status", "a"}));
  EXPECT_THAT(api_.used(), Contains(KubeUse{"list", "batch", "jobs", ""}));
}

TEST_F(FakeKubeApi, TestsPlayControllers) {
  api_.OnChange([this](const std::string& type, const Json& object) {
    if (type != "ADDED" || TextAt(object, "/kind") != "Job") return;
    api_.Change(kJobs, kube::NameOf(object), [](Json& job) { job["status"]["active"] = 1; });
  });
  Done(kube::Create(kJobs, Object(kJobs, "j")));
  EXPECT_EQ((*api_.Find(kJobs, {"a", "j"}))["status"]["active"], 1);
}

TEST_F(FakeKubeApi, AListFromTheCacheComesAtOnce) {
  for (const char* name : {"b", "c", "d"}) Done(kube::Create(kPods, Object(kPods, name)));
  kube::Call call = kube::ListPage({kPods, "a"}, {1, ""});
  const Json chunk = Done(call);
  EXPECT_EQ(chunk["items"].size(), 1U);
  EXPECT_EQ(chunk["metadata"]["remainingItemCount"], 2);
  call.target += "&resourceVersion=0";
  EXPECT_EQ(Done(call)["items"].size(), 3U);
  kube::Call future = kube::ListPage({kPods, "a"}, {});
  future.target += "&resourceVersion=999999";
  EXPECT_EQ(kube::HttpStatusOf(Refused(future)), 504);
}

TEST(FakeKubeObjects, DeletingOneOfManyDoesNotTakeLongerThanOneOfFew) {
  constexpr int kMany = 1500;  // if each deletion looked at all objects, this would take minutes
  KubeObjects objects({}, {});
  const auto name = [](int i) { return "x" + std::to_string(i); };
  for (int i = 0; i < kMany; ++i) {
    const Json job = objects.Put(kJobs, Object(kJobs, name(i)));
    Json pod = Object(kPods, name(i));
    pod["metadata"]["ownerReferences"] = {{{"kind", "Job"}, {"uid", job["metadata"]["uid"]}}};
    objects.Put(kPods, pod);
  }
  const Instant begin = Now();
  for (int i = 0; i < kMany; ++i) {
    objects.Delete(kJobs, {"a", name(i)}, {{"propagationPolicy", "Background"}});
  }
  EXPECT_LT(Now() - begin, std::chrono::seconds(60));
  EXPECT_EQ(objects.Find(kPods, {"a", name(0)}), nullptr);
  EXPECT_TRUE(objects.List(kPods, "", "", "").empty());
  EXPECT_TRUE(objects.List(kJobs, "", "", "").empty());
}

TEST_F(FakeKubeApi, ARefusalIsText) {
  api_.Add({.kind = KubeFault::Kind::kStatus, .status = 503});
  EXPECT_EQ(Refused(kube::Get(kPods, {"a", "x"})).code(), StatusCode::kUnavailable);
}

}  // namespace
}  // namespace twofold::fakes
