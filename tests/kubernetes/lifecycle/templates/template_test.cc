#include "kubernetes/lifecycle/templates/template.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "tests/kubernetes/lifecycle/golden.h"

namespace twofold::lifecycle {
namespace {

Workload Sensible() {
  Workload workload{.spec = {}, .name = "w-7", .space = "load", .run = "r1", .index = 7};
  workload.spec.set_workers(3);
  workload.spec.set_gpus(2);
  return workload;
}

const Kind& KindOf(const char* name) { return *FindKind(name).value(); }

const Kind& Job() { return *FindKind("job").value(); }

std::string WithSpec(const std::string& spec) {
  return "apiVersion: batch/v1\nkind: Job\nspec: {" + spec + "}\n";
}

Object Rendered(const std::string& text, const Workload& workload = Sensible()) {
  const auto objects = Render(Job(), text, workload);
  EXPECT_TRUE(objects.ok()) << objects.status();
  return objects.ok() ? objects->front() : Object();
}

std::string ErrorOf(const std::string& text, const Workload& workload = Sensible()) {
  const Status status = Render(Job(), text, workload).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  return std::string(status.message());
}

bool Has(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

Workload Fitting(const Kind& kind) {
  Workload workload = Sensible();
  if (kind.one_pod) workload.spec.set_workers(1);
  return workload;
}

Object BuiltIn(const char* name, const Workload& workload) {
  const auto objects = Render(KindOf(name), BuiltInTemplate(KindOf(name)), workload);
  EXPECT_TRUE(objects.ok()) << objects.status();
  return objects.ok() ? objects->front() : Object();
}

std::string RefusalOf(const char* name, const Workload& workload) {
  const Status status = Render(KindOf(name), BuiltInTemplate(KindOf(name)), workload).status();
  return std::string(status.message());
}

/// Trainer has no pod template that is the same in all its versions.
bool HasPods(const Kind& kind) { return kind.own.kind != "TrainJob"; }

Workload Placed(Workload workload) {
  workload.spec.add_node_selector("type=simulated");
  workload.spec.add_tolerations("twofold/simulated:NoSchedule");
  return workload;
}

// tests/kubernetes/test_lifecycle.py checks these files against the schemas of Kubernetes.
TEST(BuiltInTemplates, EachMakesObjectsOfItsKind) {
  const auto has_text = [](const Kind& kind) { return kind.queued.empty(); };
  ASSERT_TRUE(std::is_partitioned(Kinds().begin(), Kinds().end(), has_text));
  ASSERT_EQ(BuiltInTexts().size(), std::count_if(Kinds().begin(), Kinds().end(), has_text));
  for (const Kind& kind : Kinds()) {
    const bool bare = kind.own.group == "run.ai" || !HasPods(kind);
    const Workload workload = bare ? Fitting(kind) : Placed(Fitting(kind));
    const auto objects = Render(kind, BuiltInTemplate(kind), workload);
    ASSERT_TRUE(objects.ok()) << kind.name << ": " << objects.status();
    EXPECT_EQ(objects->front()["metadata"]["name"], "w-7");
    EXPECT_FALSE(Has(Object(*objects).dump(), "${")) << kind.name;
    ExpectGolden("templates/" + std::string(kind.name) + ".json", Object(*objects).dump(1) + "\n");
  }
}

TEST(BuiltInTemplates, EachCanHaveVolumes) {
  for (const Kind& kind : Kinds()) {
    if (!HasPods(kind)) continue;
    Workload workload = Fitting(kind);
    workload.spec.set_pvc("1Mi");
    workload.spec.set_storage_class("fast");
    const auto objects = Render(kind, BuiltInTemplate(kind), workload);
    ASSERT_TRUE(objects.ok()) << kind.name << ": " << objects.status();
    ExpectGolden("templates/" + std::string(kind.name) + "-volume.json",
                 Object(*objects).dump(1) + "\n");
  }
}

TEST(BuiltInTemplates, RunaisVolumesAreFieldsOfTheirOwn) {
  Workload workload = Sensible();
  workload.spec.set_pvc("5Gi");
  workload.spec.set_storage_class("fast");
  const Kind& kind = KindOf("runai-distributed");
  const auto objects = Render(kind, BuiltInTemplate(kind), workload);
  ASSERT_TRUE(objects.ok()) << objects.status();
  const Object& claim = objects->front()["spec"]["pvcs"]["items"]["pvc-new-0"]["value"];
  EXPECT_EQ(claim["size"], "5Gi");
  EXPECT_EQ(claim["storageClass"], "fast");
  EXPECT_EQ(claim["ephemeral"], true);
  EXPECT_EQ(claim["readWriteOnce"], true);
  EXPECT_EQ(ClaimsOf(kind, workload.spec), 1U);
  EXPECT_EQ(ClaimsOf(Job(), workload.spec), 3U);
  EXPECT_EQ(ClaimsOf(Job(), Sensible().spec), 0U);
}

TEST(BuiltInTemplates, WhatCannotBeGivenToPodsIsRefused) {
  EXPECT_TRUE(Has(RefusalOf("trainjob", Placed(Sensible())), "node selector: workloads of kind"));
}

TEST(BuiltInTemplates, RunaisLabelsTolerationsAndPlacementAreFieldsOfTheirOwn) {
  Workload workload = Sensible();
  workload.spec.add_tolerations("twofold/simulated:NoSchedule");
  workload.spec.add_node_selector("run.ai/type=dgx");
  workload.spec.add_node_selector("kai.scheduler/node-pool=pool-a");
  const Object spec = BuiltIn("runai-distributed", workload)["spec"];
  EXPECT_EQ(spec["labels"]["items"]["twofold/run"]["value"], "r1");
  EXPECT_EQ(spec["labels"]["items"]["twofold/workload"]["value"], "w-7");
  EXPECT_EQ(spec["tolerations"]["items"]["twofold-0"]["value"]["key"], "twofold/simulated");
  EXPECT_EQ(spec["nodeType"]["value"], "dgx");
  EXPECT_EQ(spec["nodePools"]["value"], "pool-a");
  EXPECT_TRUE(Has(RefusalOf("runai-distributed", Placed(Sensible())),
                  "node selector: 'type=simulated' has no field in Run:ai's workloads"));
}

TEST(BuiltInTemplates, RunaisGpusAreATextAndNumbersAreNumbers) {
  for (const char* kind : {"runai-training", "runai-distributed", "runai-interactive"}) {
    const Object spec = BuiltIn(kind, Fitting(KindOf(kind)))["spec"];
    EXPECT_EQ(spec["gpu"]["value"], "2") << kind;
  }
  EXPECT_EQ(BuiltIn("runai-distributed", Sensible())["spec"]["workers"]["value"], 2);
}

TEST(BuiltInTemplates, OfOneWorkerThereAreNoWorkersBesideTheMaster) {
  Workload workload = Sensible();
  workload.spec.set_workers(1);
  const Object specs = BuiltIn("pytorchjob", workload)["spec"]["pytorchReplicaSpecs"];
  EXPECT_TRUE(specs.contains("Master"));
  EXPECT_FALSE(specs.contains("Worker"));
  EXPECT_FALSE(BuiltIn("runai-distributed", workload)["spec"].contains("workers"));
  EXPECT_EQ(BuiltIn("pytorchjob", Sensible())["spec"]["pytorchReplicaSpecs"]["Worker"]["replicas"],
            2);
}

TEST(BuiltInTemplates, AKaiJobIsAGangInAQueueThatAStockKaiHas) {
  const Object job = BuiltIn("kai-job", Sensible());
  EXPECT_EQ(job["metadata"]["annotations"]["kai.scheduler/batch-min-member"], "3");
  EXPECT_EQ(job["metadata"]["labels"]["kai.scheduler/queue"], "default-queue");
  const Object& pod = job["spec"]["template"];
  EXPECT_EQ(pod["metadata"]["labels"]["kai.scheduler/queue"], "default-queue");
  EXPECT_EQ(pod["spec"]["schedulerName"], "kai-scheduler");
  Workload other = Sensible();
  other.spec.set_queue("team-a");
  other.spec.set_scheduler("kai-two");
  const Object named = BuiltIn("kai-job", other);
  EXPECT_EQ(named["metadata"]["labels"]["kai.scheduler/queue"], "team-a");
  EXPECT_EQ(named["spec"]["template"]["spec"]["schedulerName"], "kai-two");
}

TEST(BuiltInTemplates, AnMpiJobsLauncherIsTriedOnce) {
  EXPECT_EQ(BuiltIn("mpijob", Sensible())["spec"]["runPolicy"]["backoffLimit"], 0);
}

TEST(BuiltInTemplates, AWorkloadOfOnePodCannotHaveMoreWorkers) {
  for (const char* kind : {"pod", "kueue-pod", "runai-training", "runai-interactive"}) {
    EXPECT_TRUE(Has(RefusalOf(kind, Sensible()), "workers: '3' are more than the one pod")) << kind;
  }
  const std::string own =
      BuiltInTemplate(KindOf("runai-training")) + "  parallelism: {value: \"${workers}\"}\n";
  EXPECT_TRUE(Render(KindOf("runai-training"), own, Sensible()).ok());
}

TEST(BuiltInTemplates, WhatWaitsForKueueNamesItsQueueAndIsSuspended) {
  for (const auto& [kind, suspend] : {std::pair{"kueue-job", "/spec/suspend"},
                                      {"kueue-jobset", "/spec/suspend"},
                                      {"kueue-trainjob", "/spec/suspend"},
                                      {"kueue-mpijob", "/spec/runPolicy/suspend"},
                                      {"kueue-pytorchjob", "/spec/runPolicy/suspend"},
                                      {"kueue-pod", ""}}) {
    Workload workload = Fitting(KindOf(kind));
    const Object usual = BuiltIn(kind, workload);
    EXPECT_EQ(usual["metadata"]["labels"]["kueue.x-k8s.io/queue-name"], "default") << kind;
    workload.spec.set_queue("team-a");
    const Object own = BuiltIn(kind, workload);
    EXPECT_EQ(own["metadata"]["labels"]["kueue.x-k8s.io/queue-name"], "team-a") << kind;
    if (*suspend == '\0') continue;
    EXPECT_EQ(own.at(Object::json_pointer(suspend)), true) << kind;
  }
}

TEST(Template, AQueueThatATemplateNamesItselfStays) {
  const auto objects = Render(
      KindOf("kueue-job"),
      "apiVersion: batch/v1\nkind: Job\nmetadata: {labels: {kueue.x-k8s.io/queue-name: mine}}\n",
      Sensible());
  ASSERT_TRUE(objects.ok()) << objects.status();
  EXPECT_EQ(objects->front()["metadata"]["labels"]["kueue.x-k8s.io/queue-name"], "mine");
  EXPECT_EQ(objects->front()["spec"]["suspend"], true);
}

TEST(Template, NamesAreAsLongAsWhatControllersMakeOfThemAllows) {
  struct Row {
    const char* kind;
    std::uint32_t workers;
    std::size_t longest;
  };
  for (const Row& row : {Row{"job", 3, 52}, Row{"jobset", 10, 45}, Row{"jobset", 100, 44},
                         Row{"jobset", 1000, 43}, Row{"jobset", 10000, 42}, Row{"trainjob", 10, 48},
                         Row{"pytorchjob", 10000, 51}, Row{"mpijob", 10000, 51}}) {
    Workload workload = Sensible();
    workload.spec.set_workers(row.workers);
    workload.name = std::string(row.longest, 'a');
    EXPECT_EQ(RefusalOf(row.kind, workload), "") << row.kind << row.workers;
    workload.name += "a";
    EXPECT_TRUE(Has(RefusalOf(row.kind, workload), "name: 'aaa")) << row.kind << row.workers;
  }
}

TEST(Template, NamesBeginWithALetterWhereServicesAreCalledSo) {
  for (const auto& [kind, refused] : {std::pair{"job", false},
                                      {"jobset", true},
                                      {"pytorchjob", true},
                                      {"mpijob", true},
                                      {"trainjob", true},
                                      {"kueue-trainjob", true}}) {
    Workload workload = Sensible();
    workload.name = "7-w";
    EXPECT_EQ(Has(RefusalOf(kind, workload), "name: '7-w' must begin with a letter"), refused)
        << kind;
  }
}

TEST(Template, VolumesOfItsOwnStayBesideOurs) {
  Workload workload = Sensible();
  workload.spec.set_pvc("1Mi");
  workload.phase = "fill";
  const Object job = Rendered(
      WithSpec("template: {spec: {volumes: [{name: a}], containers: [{name: x, volumeMounts: "
               "[{name: a, mountPath: /a}]}, {name: y}]}}"),
      workload);
  const Object& pod = job["spec"]["template"]["spec"];
  ASSERT_EQ(pod["volumes"].size(), 2);
  const Object& claim = pod["volumes"][1]["ephemeral"]["volumeClaimTemplate"];
  EXPECT_EQ(claim["metadata"]["labels"]["twofold/run"], "r1");
  EXPECT_EQ(claim["spec"]["resources"]["requests"]["storage"], "1Mi");
  EXPECT_FALSE(claim["spec"].contains("storageClassName"));
  EXPECT_EQ(pod["containers"][0]["volumeMounts"].size(), 2);
  EXPECT_EQ(pod["containers"][1]["volumeMounts"][0]["name"], pod["volumes"][1]["name"]);
  EXPECT_EQ(job["metadata"]["labels"]["twofold/phase"], "fill");
}

TEST(BuiltInTemplates, WorkForOneWorker) {
  Workload workload = Sensible();
  workload.spec.set_workers(1);
  for (const Kind& kind : Kinds()) {
    EXPECT_TRUE(Render(kind, BuiltInTemplate(kind), workload).ok()) << kind.name;
  }
}

TEST(Template, AFieldByItselfIsANumberAndElseText) {
  const Object job = Rendered(WithSpec("parallelism: \"${workers}\", a: \"x${workers}\""));
  EXPECT_EQ(job["spec"]["parallelism"], 3);
  EXPECT_EQ(job["spec"]["a"], "x3");
}

TEST(Template, LabelsAndCommandsAreTexts) {
  const Object job =
      Rendered(WithSpec("labels: {i: \"${index}\"}, command: [sleep, \"${seconds}\"], n: 5"));
  EXPECT_EQ(job["spec"]["labels"]["i"], "7");
  EXPECT_EQ(job["spec"]["command"][1], "1");
  EXPECT_EQ(job["spec"]["n"], 5);
}

TEST(Template, KeysAreFilledToo) {
  EXPECT_EQ(Rendered(WithSpec("\"${gpu}\": \"${gpus}\""))["spec"]["nvidia.com/gpu"], 2);
}

TEST(Template, ADollarMoreIsNoField) {
  EXPECT_EQ(Rendered(WithSpec("a: \"$${name}\""))["spec"]["a"], "${name}");
}

TEST(Template, WhereTextsAreWantedScalarsStayAsTheyWereWritten) {
  const Object job = Rendered(R"(
apiVersion: batch/v1
kind: Job
metadata: {labels: {version: 1.10, debug: true}, annotations: {build: 0e1234}}
spec:
  backoffLimit: 1.0
  template:
    spec:
      containers:
      - name: main
        args: [--level, 1e3]
        env:
        - {name: A, value: 10}
        - name: B
          valueFrom: {secretKeyRef: {name: s, key: k, optional: true}}
)");
  const Object& labels = job["metadata"]["labels"];
  EXPECT_EQ(labels["version"], "1.10");
  EXPECT_EQ(labels["debug"], "true");
  EXPECT_EQ(job["metadata"]["annotations"]["build"], "0e1234");
  EXPECT_TRUE(job["spec"]["backoffLimit"].is_number());
  const Object& container = job["spec"]["template"]["spec"]["containers"][0];
  EXPECT_EQ(container["args"][1], "1e3");
  EXPECT_EQ(container["env"][0]["value"], "10");
  EXPECT_EQ(container["env"][1]["valueFrom"]["secretKeyRef"]["optional"], true);
}

TEST(Template, AFieldCanBeATextAndAnEntryCanDependOnOne) {
  const Object spec = Rendered(
      WithSpec("a: \"${gpus:text}\", \"${others?}b\": \"${others}\", \"${queue?}c\": 1"))["spec"];
  EXPECT_EQ(spec["a"], "2");
  EXPECT_EQ(spec["b"], 2);
  EXPECT_EQ(spec["c"], 1);
  Workload alone = Sensible();
  alone.spec.set_workers(1);
  alone.spec.set_queue("");
  EXPECT_EQ(Rendered(WithSpec("\"${others?}b\": {x: 1}, \"${queue?}c\": 1, d: 1"), alone)["spec"],
            Object::parse(R"({"d": 1})"));
  EXPECT_TRUE(Has(ErrorOf(WithSpec("\"${other?}b\": 1")), "${other}: no such field"));
  EXPECT_TRUE(Has(ErrorOf(WithSpec("a: \"${gpus:number}\"")), "no such field"));
}

TEST(Template, AnUnknownFieldIsRefusedWithTheKnownOnes) {
  const std::string error = ErrorOf(WithSpec("a: \"${worker}\""));
  EXPECT_TRUE(Has(error, "${worker}: no such field; there are name, namespace, run")) << error;
  EXPECT_TRUE(Has(ErrorOf(WithSpec("a: \"${name\"")), "has no }"));
  EXPECT_TRUE(Has(ErrorOf(WithSpec("a: \"${}\"")), "no such field"));
}

TEST(Template, OurNameRunAndNamespaceReplaceThoseOfTheTemplate) {
  const Object job = Rendered(
      "apiVersion: batch/v1\nkind: Job\nmetadata: {name: x, generateName: y-, namespace: z, "
      "labels: "
      "{twofold/run: other, mine: kept}}\nspec: {template: {spec: {containers: []}}}\n");
  EXPECT_EQ(job["metadata"]["name"], "w-7");
  EXPECT_EQ(job["metadata"]["namespace"], "load");
  EXPECT_FALSE(job["metadata"].contains("generateName"));
  EXPECT_EQ(job["metadata"]["labels"]["twofold/run"], "r1");
  EXPECT_EQ(job["metadata"]["labels"]["mine"], "kept");
  EXPECT_EQ(job["spec"]["template"]["metadata"]["labels"]["twofold/workload"], "w-7");
}

TEST(Template, PodsKeepTheirOwnPlacementBesideOurs) {
  Workload workload = Sensible();
  workload.spec.add_node_selector("type=simulated");
  workload.spec.add_tolerations("k=v");
  workload.spec.add_tolerations("l:NoSchedule");
  const Object job = Rendered(
      WithSpec("template: {spec: {containers: [], nodeSelector: {a: b}, tolerations: [{key: t}]}}"),
      workload);
  const Object& pod = job["spec"]["template"]["spec"];
  EXPECT_EQ(pod["nodeSelector"], Object::parse(R"({"a": "b", "type": "simulated"})"));
  EXPECT_EQ(pod["tolerations"], Object::parse(R"([{"key": "t"},
      {"key": "k", "operator": "Equal", "value": "v"},
      {"key": "l", "operator": "Exists", "effect": "NoSchedule"}])"));
}

TEST(Template, WhatIsNoObjectOfTheKindIsRefused) {
  EXPECT_TRUE(Has(ErrorOf("apiVersion: v1\nkind: Pod\n"), "are a batch/v1 Job"));
  EXPECT_TRUE(Has(ErrorOf("kind: Job\n"), "apiVersion, kind"));
  EXPECT_TRUE(Has(ErrorOf("[1, 2]"), "apiVersion, kind"));
  EXPECT_TRUE(Has(ErrorOf("apiVersion: v1\nkind: List\nitems: []\n"), "items: "));
  EXPECT_TRUE(Has(ErrorOf("apiVersion: batch/v1\nkind: Job\nmetadata: 5\n"), "metadata.labels"));
  EXPECT_TRUE(Has(ErrorOf("a: [\n"), "2:"));
}

TEST(Template, WorkloadsHaveLimits) {
  Workload workload = Sensible();
  workload.name = "Upper";
  EXPECT_EQ(ErrorOf(WithSpec(""), workload).find("name: 'Upper'"), 0U);
  workload = Sensible();
  workload.run = std::string(53, 'a');
  EXPECT_EQ(ErrorOf(WithSpec(""), workload).find("run: "), 0U);
  workload = Sensible();
  workload.spec.set_workers(0);
  EXPECT_EQ(ErrorOf(WithSpec(""), workload).find("workers: '0'"), 0U);
  workload = Sensible();
  workload.spec.set_queue(std::string(1000, 'q'));
  std::string many = "a: [";
  for (int i = 0; i < 2000; ++i) many += "\"${queue}\", ";
  EXPECT_TRUE(Has(ErrorOf(WithSpec(many + "x]"), workload), "template: "));
}

TEST(Template, AnMpiJobHasALauncherBesideItsWorkers) {
  EXPECT_EQ(SlotsOf(*FindKind("mpijob").value(), 4), 5U);
  EXPECT_EQ(SlotsOf(*FindKind("pytorchjob").value(), 4), 4U);
}

}  // namespace
}  // namespace twofold::lifecycle
