#include "kubernetes/lifecycle/templates/template.h"

#include <gtest/gtest.h>

#include "tests/kubernetes/lifecycle/golden.h"

namespace twofold::lifecycle {
namespace {

Workload Sensible() {
  Workload workload{.spec = {}, .name = "w-7", .space = "load", .run = "r1", .index = 7};
  workload.spec.set_workers(3);
  workload.spec.set_gpus(2);
  return workload;
}

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

Workload Placed() {
  Workload workload = Sensible();
  workload.spec.add_node_selector("type=simulated");
  workload.spec.add_tolerations("twofold/simulated:NoSchedule");
  return workload;
}

// tests/kubernetes/test_lifecycle.py checks these files against the schemas of Kubernetes.
TEST(BuiltInTemplates, EachMakesObjectsOfItsKind) {
  ASSERT_EQ(BuiltInTexts().size(), Kinds().size());
  for (const Kind& kind : Kinds()) {
    const Workload workload = kind.own.group == "run.ai" ? Sensible() : Placed();
    const auto objects = Render(kind, BuiltInTemplate(kind), workload);
    ASSERT_TRUE(objects.ok()) << kind.name << ": " << objects.status();
    EXPECT_EQ(objects->front()["metadata"]["name"], "w-7");
    EXPECT_FALSE(Has(Object(*objects).dump(), "${")) << kind.name;
    ExpectGolden("templates/" + std::string(kind.name) + ".json", Object(*objects).dump(1) + "\n");
  }
}

TEST(BuiltInTemplates, EachCanHaveVolumes) {
  for (const Kind& kind : Kinds()) {
    Workload workload = Sensible();
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
  const Kind& kind = *FindKind("runai-training").value();
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
  const Kind& kind = *FindKind("runai-training").value();
  const Status status = Render(kind, BuiltInTemplate(kind), Placed()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(Has(std::string(status.message()), "node selector: workloads of kind")) << status;
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
