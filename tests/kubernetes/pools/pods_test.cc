#include "kubernetes/pools/pods.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace twofold::pools {
namespace {

using kube::Json;
using ::testing::HasSubstr;

Json Pool(Json spec = Json::object()) {
  if (!spec.contains("queue")) spec["queue"] = "sleep";
  if (!spec.contains("template")) {
    spec["template"] = {{"spec", {{"containers", Json::array({{{"name", "backend"}}})}}}};
  }
  return {{"apiVersion", "twofold.dev/v1alpha1"},
          {"kind", "WorkerPool"},
          {"metadata", {{"name", "p"}, {"namespace", "a"}, {"uid", "u-1"}}},
          {"spec", std::move(spec)}};
}

/// Of what is kept of a pod.
PodSeen Seen(const char* text) { return PodOf(PartOfPod(Json::parse(text))); }

std::string Complaint(Json spec) {
  return std::string(SpecOf(Pool(std::move(spec))).status().message());
}

TEST(PoolSpec, HasDefaults) {
  const auto spec = SpecOf(Pool());
  ASSERT_TRUE(spec.ok());
  EXPECT_EQ(spec->replicas, 1U);
  EXPECT_EQ(spec->queue, "sleep");
  EXPECT_EQ(spec->drain, std::chrono::hours(1));
  EXPECT_EQ(spec->surge, 0U);
  EXPECT_EQ(spec->unavailable, 1U);
}

TEST(PoolSpec, NamesTheFieldThatIsWrong) {
  EXPECT_EQ(Complaint({{"replicas", -1}}),
            "spec.replicas: must be a whole number from 0 to 100000");
  EXPECT_THAT(Complaint({{"drainSeconds", "long"}}), HasSubstr("spec.drainSeconds"));
  EXPECT_THAT(Complaint({{"maxUnavailable", 0}}), HasSubstr("spec.maxUnavailable"));
  EXPECT_THAT(Complaint({{"queue", ""}}), HasSubstr("spec.queue"));
  EXPECT_THAT(Complaint({{"template", "x"}}), HasSubstr("spec.template"));
  EXPECT_THAT(Complaint({{"template", {{"metadata", {{"labels", 1}}}}}}),
              HasSubstr("spec.template"));
  EXPECT_THAT(Complaint({{"template", {{"spec", {{"restartPolicy", "Always"}}}}}}),
              HasSubstr("OnFailure or Never"));
}

TEST(PoolSpec, OnlyTheTemplateMakesPodsOutdated) {
  const std::string hash = SpecOf(Pool())->hash;
  EXPECT_EQ(SpecOf(Pool({{"replicas", 7}}))->hash, hash);
  EXPECT_NE(SpecOf(Pool({{"template", {{"spec", Json::object()}}}}))->hash, hash);
  EXPECT_EQ(hash.size(), 10U);
}

TEST(PoolPods, AreTheTemplateWithLabelsAndOwner) {
  const Json pool =
      Pool({{"template",
             {{"metadata", {{"labels", {{"app", "x"}}}, {"annotations", {{"note", "y"}}}}},
              {"spec", {{"containers", Json::array()}, {"terminationGracePeriodSeconds", 25}}}}}});
  const Json pod = MakePod(pool, *SpecOf(pool), "p-1");
  EXPECT_EQ(pod["metadata"]["name"], "p-1");
  EXPECT_EQ(pod["metadata"]["namespace"], "a");
  EXPECT_EQ(pod["metadata"]["labels"]["app"], "x");
  EXPECT_EQ(pod["metadata"]["labels"][kPoolLabel], "p");
  EXPECT_EQ(pod["metadata"]["labels"][kTemplateLabel], SpecOf(pool)->hash);
  EXPECT_EQ(pod["metadata"]["annotations"]["note"], "y");
  EXPECT_EQ(pod["spec"]["restartPolicy"], "OnFailure");
  EXPECT_EQ(pod["spec"]["terminationGracePeriodSeconds"], 25);
  EXPECT_TRUE(Owns(pool, pod));
  Json later = pool;
  later["metadata"]["uid"] = "u-2";
  EXPECT_FALSE(Owns(later, pod));
}

TEST(PoolPods, HaveTheSameNamesWhoeverMakesThem) {
  std::set<std::string> names;
  Json later = Pool();
  later["metadata"]["uid"] = "u-2";
  for (std::uint64_t i = 0; i < 1000; ++i) {
    names.insert(NameOfPod(Pool(), i));
    names.insert(NameOfPod(later, i));
  }
  EXPECT_EQ(names.size(), 2000U);
  EXPECT_EQ(NameOfPod(Pool(), 5), NameOfPod(Pool(), 5));
  EXPECT_EQ(PoolOfPod(NameOfPod(Pool(), 5)), "p");
  EXPECT_EQ(NameOfPod(Pool(), 5).size(), 12U);
}

TEST(PoolPods, AreReadAsTheyAre) {
  const PodSeen pod = Seen(R"({
    "metadata": {"name": "p-1", "uid": "u", "resourceVersion": "7",
      "creationTimestamp": "2026-11-29T12:00:00Z",
      "labels": {"twofold.dev/template": "h", "twofold.dev/leaving-since": "1796040000"}},
    "spec": {"nodeName": "n1"},
    "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "False"}],
      "containerStatuses": [{"state": {"waiting": {"reason": "CrashLoopBackOff"}}}]}})");
  EXPECT_EQ(pod.name, "p-1");
  EXPECT_EQ(pod.node, "n1");
  EXPECT_EQ(pod.hash, "h");
  EXPECT_EQ(pod.leaving, kube::UnixTime(std::chrono::seconds(1796040000)));
  EXPECT_EQ(pod.made, *kube::TimeOf("2026-11-29T12:00:00Z"));
  EXPECT_FALSE(pod.ready);
  EXPECT_FALSE(pod.ended);
  EXPECT_EQ(pod.waiting, "CrashLoopBackOff");
}

TEST(PoolPods, SayWhyNoNodeTakesThem) {
  const PodSeen pod = Seen(R"({"status": {"phase": "Pending", "conditions": [
    {"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
     "message": "0/3 nodes are available: 3 Insufficient cpu."}]}})");
  EXPECT_EQ(pod.unschedulable, "0/3 nodes are available: 3 Insufficient cpu.");
  EXPECT_EQ(PodOf(Json::parse(R"({"status": {"phase": "Pending"}})")).unschedulable, "");
}

TEST(PoolPods, WithNothingThatIsExpectedAreReadAllTheSame) {
  for (const char* text : {"{}", R"({"metadata": 1, "status": []})",
                           R"({"metadata": {"labels": {"twofold.dev/leaving-since": "soon"}}})",
                           R"({"metadata": {"labels": {"twofold.dev/leaving-since": "-1"}}})",
                           R"({"metadata": {"labels": {"twofold.dev/leaving-since":
                               "9223372036854775807"}}})"}) {
    const PodSeen pod = Seen(text);
    EXPECT_FALSE(pod.leaving.has_value()) << text;
    EXPECT_FALSE(pod.ready) << text;
  }
}

TEST(PoolPods, AreKeptInLittleMemory) {
  const Json pool =
      Pool({{"template",
             {{"metadata", {{"labels", {{"app", "x"}}}}},
              {"spec",
               {{"nodeName", "n1"},
                {"containers",
                 Json::array({{{"name", "backend"}, {"args", std::string(9000, 'x')}}})}}}}}});
  Json pod = MakePod(pool, *SpecOf(pool), "p-1");
  pod["metadata"]["resourceVersion"] = "7";
  const Json kept = PartOfPod(pod);
  EXPECT_TRUE(Owns(pool, kept));
  EXPECT_EQ(kube::NameOf(kept), (kube::ObjectName{"a", "p-1"}));
  EXPECT_EQ(kube::LabelOf(kept, kPoolLabel), "p");
  EXPECT_EQ(PodOf(kept).hash, PodOf(pod).hash);
  EXPECT_LT(kube::MemoryOf(kept), 3000U);
}

TEST(PoolPods, AreMarkedByALabelThatTheSelectorLeavesOut) {
  const kube::Call call = MarkAsLeaving(
      {"a", "p-1"}, "u", kube::UnixTime(std::chrono::milliseconds(1796040000700)), {});
  EXPECT_EQ(Json::parse(call.body), Json::parse(R"({"metadata": {"uid": "u",
              "labels": {"twofold.dev/leaving-since": "1796040000"}}})"));
  EXPECT_EQ(SelectorOf("p"), "twofold.dev/pool=p,!twofold.dev/leaving-since");
}

}  // namespace
}  // namespace twofold::pools
