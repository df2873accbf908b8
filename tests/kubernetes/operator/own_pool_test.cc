#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "kubernetes/operator/gang_scheduler.h"
#include "kubernetes/operator/options.h"
#include "kubernetes/operator/own_workers.h"
#include "kubernetes/pools/pods.h"
#include "lib/spec/schema.h"
#include "tests/kubernetes/operator/scene.h"

namespace twofold::benchmarks {
namespace {

using kube::Json;
using ::testing::HasSubstr;

// ---- the pool

Json ObjectWith(Json workers) {
  Json object = Scene::Benchmark("x.y", {{"workers", std::move(workers)}, {"queue", "own"}});
  object["metadata"]["uid"] = "u-1";
  return object;
}

std::string Complaint(const Json& workers) {
  return std::string(OwnPool(OrderOf(ObjectWith(workers))).status().message());
}

TEST(OwnPool, IsOfTheQueueAndOwnedByTheObject) {
  const Json object = ObjectWith(Scene::Workers());
  const auto pool = OwnPool(OrderOf(object));
  ASSERT_TRUE(pool.ok()) << pool.status();
  EXPECT_EQ((*pool)["spec"]["queue"], "own");
  EXPECT_EQ((*pool)["spec"]["replicas"], 2);
  EXPECT_EQ((*pool)["metadata"]["name"], pools::PoolNameFor(object));
  EXPECT_EQ((*pool)["metadata"]["ownerReferences"][0]["uid"], "u-1");
}

TEST(OwnPool, IsAtTheFrontendOfTheObject) {
  Json object = ObjectWith(Scene::Workers());
  EXPECT_FALSE((*OwnPool(OrderOf(object)))["spec"].contains("frontendRef"));
  object["spec"]["frontendRef"] = "east";
  EXPECT_EQ((*OwnPool(OrderOf(object)))["spec"]["frontendRef"], "east");
}

TEST(OwnPool, ItsPodsHaveTheLabelThatJobsAskForAndNoToken) {
  const Json second = {{"name", "b"}, {"env", {{{"name", "TWOFOLD_LABELS"}, {"value", "zone=a"}}}}};
  const Json pod = {{"containers", Json::array({{{"name", "a"}}, second})}};
  const auto pool = OwnPool(OrderOf(ObjectWith(Scene::Workers(pod))));
  ASSERT_TRUE(pool.ok()) << pool.status();
  const Json& spec = (*pool)["spec"]["template"]["spec"];
  EXPECT_EQ(spec["containers"][0]["env"][0]["value"], "twofold/run=x.y-u-1");
  EXPECT_EQ(spec["containers"][1]["env"][0]["value"], "zone=a,twofold/run=x.y-u-1");
  EXPECT_EQ(spec["automountServiceAccountToken"], false);
}

TEST(OwnPool, MountsATokenWhereTheTemplateSaysSo) {
  const auto pool =
      OwnPool(OrderOf(ObjectWith(Scene::Workers({{"automountServiceAccountToken", true}}))));
  EXPECT_EQ((*pool)["spec"]["template"]["spec"]["automountServiceAccountToken"], true);
}

TEST(OwnPool, NamesTheFieldThatIsWrong) {
  EXPECT_THAT(Complaint({{"template", "x"}}), HasSubstr("spec.workers.template: "));
  EXPECT_THAT(Complaint(Scene::Workers({{"restartPolicy", "Always"}})),
              HasSubstr("spec.workers.template.spec.restartPolicy: must be OnFailure or Never"));
  for (const Json& containers :
       {Json("x"), Json::array(), Json::array({7}), Json::array({{{"env", 7}}})}) {
    EXPECT_THAT(Complaint(Scene::Workers({{"containers", containers}})),
                HasSubstr("spec.workers.template.spec.containers: "));
  }
  const Json from = {{"env", {{{"name", "TWOFOLD_LABELS"}, {"valueFrom", Json::object()}}}}};
  EXPECT_THAT(Complaint(Scene::Workers({{"containers", Json::array({from})}})),
              HasSubstr("TWOFOLD_LABELS must be a value"));
}

TEST(OwnPool, ItsNameMakesHostNames) {
  Json object = Scene::Benchmark(std::string(200, 'a'));
  object["metadata"]["uid"] = "u-1";
  EXPECT_EQ(pools::PoolNameFor(object).size(), pools::kLongestPoolName);
  EXPECT_EQ(pools::PoolNameFor(ObjectWith(Scene::Workers())).find('.'), std::string::npos);
}

// ---- whoever starts them all or none

/// The object with workers that such a scheduler starts.
Json ObjectFor(const std::string& scheduler, const std::string& queue = "q") {
  Json workers = Scene::Workers();
  workers["scheduling"] = scheduler;
  if (!queue.empty()) workers["schedulingQueue"] = queue;
  return ObjectWith(std::move(workers));
}

Json PodsFor(const std::string& scheduler) {
  const auto pool = OwnPool(OrderOf(ObjectFor(scheduler)));
  EXPECT_TRUE(pool.ok()) << pool.status();
  return pool.ok() ? (*pool)["spec"]["template"] : Json();
}

TEST(OwnPool, ItsPodsSayToWhichGroupTheyBelong) {
  const std::string name = pools::PoolNameFor(ObjectFor("volcano"));
  const Json volcano = PodsFor("volcano");
  EXPECT_EQ(volcano["metadata"]["annotations"]["scheduling.k8s.io/group-name"], name);
  EXPECT_EQ(volcano["spec"]["schedulerName"], "volcano");
  EXPECT_EQ(PodsFor("coscheduling")["metadata"]["labels"]["scheduling.x-k8s.io/pod-group"], name);
  const Json kueue = PodsFor("kueue")["metadata"];
  EXPECT_EQ(kueue["labels"]["kueue.x-k8s.io/queue-name"], "q");
  EXPECT_EQ(kueue["labels"]["kueue.x-k8s.io/pod-group-name"], name);
  EXPECT_EQ(kueue["annotations"]["kueue.x-k8s.io/pod-group-total-count"], "2");
  EXPECT_EQ(PodsFor("native")["spec"]["schedulingGroup"]["podGroupName"], name);
}

TEST(OwnPool, ItsGroupIsOfAllPodsAndGoesWithIt) {
  const std::map<std::string, Json> specs = {
      {"volcano", {{"minMember", 2}, {"queue", "q"}}},
      {"coscheduling", {{"minMember", 2}}},
      {"native", {{"schedulingPolicy", {{"gang", {{"minCount", 2}}}}}}}};
  for (const auto& [scheduler, spec] : specs) {
    const RunOrder order = OrderOf(ObjectFor(scheduler));
    Json pool = *OwnPool(order);
    pool["metadata"]["uid"] = "u-2";
    const auto needs = NeedsOf(order, pool);
    ASSERT_EQ(needs.size(), 1U) << scheduler;
    EXPECT_EQ(needs[0].object["spec"], spec) << scheduler;
    EXPECT_EQ(needs[0].object["metadata"]["ownerReferences"][0]["uid"], "u-2");
  }
  EXPECT_TRUE(NeedsOf(OrderOf(ObjectFor("kueue")), Json::object()).empty());
  EXPECT_TRUE(NeedsOf(OrderOf(ObjectWith(Scene::Workers())), Json::object()).empty());
}

TEST(OwnPool, ItsPodsShareTheVolumesThatAreMadeForAll) {
  const Json spec = {{"accessModes", {"ReadWriteMany"}}};
  const auto volume = [](const char* claim) {
    return Json{{"name", claim}, {"persistentVolumeClaim", {{"claimName", claim}}}};
  };
  Json workers = Scene::Workers(
      {{"volumes", {volume("shared"), volume("there"), {{"name", "t"}, {"emptyDir", {}}}}}});
  workers["claims"] = Json::array({{{"name", "shared"}, {"spec", spec}}});
  const RunOrder order = OrderOf(ObjectWith(workers));
  const auto pool = OwnPool(order);
  ASSERT_TRUE(pool.ok()) << pool.status();
  const std::string name = pools::PoolNameFor(order.of) + "-shared";
  const Json& volumes = (*pool)["spec"]["template"]["spec"]["volumes"];
  EXPECT_EQ(volumes[0]["persistentVolumeClaim"]["claimName"], name);
  EXPECT_EQ(volumes[1]["persistentVolumeClaim"]["claimName"], "there") << "is not ours";
  const auto needs = NeedsOf(order, *pool);
  ASSERT_EQ(needs.size(), 1U);
  EXPECT_EQ(needs[0].object["kind"], "PersistentVolumeClaim");
  EXPECT_EQ(needs[0].object["metadata"]["name"], name);
  EXPECT_EQ(needs[0].object["spec"], spec);
  workers["claims"] = Json::array({{{"name", "shared"}}});
  EXPECT_THAT(Complaint(workers), HasSubstr("spec.workers.claims: "));
}

TEST(OwnPool, HasFewVolumesForAll) {
  Json workers = Scene::Workers();
  const Json claim = {{"name", "data"}, {"spec", Json::object()}};
  workers["claims"] = std::vector<Json>(16, claim);
  EXPECT_EQ(Complaint(workers), "");
  workers["claims"].push_back(claim);
  EXPECT_THAT(Complaint(workers), HasSubstr("spec.workers.claims: must be a list of at most 16"));
}

TEST(OwnPool, NamesTheSchedulerOrTheQueueThatIsMissing) {
  const auto complaint = [](const Json& object) {
    return std::string(OwnPool(OrderOf(object)).status().message());
  };
  EXPECT_THAT(complaint(ObjectFor("slurm")), HasSubstr("spec.workers.scheduling: there is no"));
  EXPECT_THAT(complaint(ObjectFor("kueue", "")), HasSubstr("spec.workers.schedulingQueue: "));
}

TEST(GangSchedulers, AreThoseThatTheFieldNames) {
  const Json fields = spec::SchemaOf(spec::HandlingFields())["properties"]["workers"]["properties"];
  std::set<std::string> words;
  for (const Json& word : fields["scheduling"]["enum"]) {
    if (word.is_string()) words.insert(word.get<std::string>());
  }
  std::set<std::string> names;
  for (const GangScheduler& each : GangSchedulers()) names.insert(std::string(each.name));
  EXPECT_EQ(words, names);
}

// ---- whose pools are looked after

TEST(PoolSpaces, AreThoseOfPoolsAndOfBenchmarksWithOwnWorkers) {
  using Spaces = std::set<std::string>;
  const auto of = [](const char* pools, bool own_workers, const char* space) {
    Options options;
    options.worker_pools = pools;
    options.own_workers = own_workers;
    options.space = space;
    return PoolSpaces(options);
  };
  EXPECT_EQ(of("", false, "validation"), Spaces());
  EXPECT_EQ(of("monitoring", false, "validation"), Spaces({"monitoring"}));
  EXPECT_EQ(of("monitoring", true, "validation"), Spaces({"monitoring", "validation"}));
  EXPECT_EQ(of("validation", true, "validation"), Spaces({"validation"}));
  EXPECT_EQ(of("*", true, "validation"), Spaces({""})) << "all";
  EXPECT_EQ(of("monitoring", true, ""), Spaces({""}));
}

}  // namespace
}  // namespace twofold::benchmarks
