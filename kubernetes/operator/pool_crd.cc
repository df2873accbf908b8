#include "kubernetes/operator/pool_crd.h"

#include <absl/strings/str_cat.h>

#include <string>
#include <utility>

#include "kubernetes/operator/crd.h"
#include "kubernetes/operator/group.h"
#include "kubernetes/operator/structural.h"
#include "kubernetes/pools/pods.h"
#include "lib/common/program.h"

namespace twofold::benchmarks {
namespace {

using pools::kWorkerPools;

Schema PoolObject(Schema properties) {
  return {{"type", "object"}, {"properties", std::move(properties)}};
}

Schema PoolText(const char* help) { return {{"type", "string"}, {"description", help}}; }

/// From `least` on, up to what an int32 holds.
Schema PoolCount(const char* help, int least = 0, int most = 2147483647) {
  return {{"type", "integer"},
          {"format", "int32"},
          {"minimum", least},
          {"maximum", most},
          {"description", help}};
}

/// A map, of whose fields only `known` are looked at.
Schema OpenMap(Schema known) {
  Schema schema = PoolObject(std::move(known));
  schema["x-kubernetes-preserve-unknown-fields"] = true;
  return schema;
}

Schema TextMap() { return {{"type", "object"}, {"additionalProperties", {{"type", "string"}}}}; }

Schema PoolSpecSchema() {
  Schema replicas = PoolCount("pods that shall be there", 0, 100'000);
  replicas["default"] = 1;  // of which the scale subresource tells
  Schema schema = PoolObject(
      {{"replicas", std::move(replicas)},
       {"queue",
        {{"type", "string"},
         {"minLength", 1},
         {"maxLength", 63},
         {"description", "that their workers serve"}}},
       {"frontendRef", FrontendRefSchema()},
       {"template", PodTemplateSchema()},
       {"drainSeconds", PoolCount("a worker that is to go may end its jobs for so long, then its "
                                  "pod is deleted in any case; default 3600",
                                  0, 30 * 24 * 3600)},
       {"maxSurge", PoolCount("pods beyond replicas while some are of another template; default 0",
                              0, 100'000)},
       {"maxUnavailable",
        PoolCount("ready pods that may lack for an update; default 1", 0, 100'000)}});
  schema["required"] = {"queue", "template"};
  schema["x-kubernetes-validations"] = Schema::array(
      {{{"rule", "self.queue == oldSelf.queue"},
        {"message", "queue cannot be changed: create another WorkerPool"}},
       {{"rule",
         "has(self.frontendRef) == has(oldSelf.frontendRef) && (!has(self.frontendRef) || "
         "self.frontendRef == oldSelf.frontendRef)"},
        {"message", "frontendRef cannot be changed: create another WorkerPool"}},
       {{"rule",
         "!has(self.maxUnavailable) || self.maxUnavailable > 0 || (has(self.maxSurge) && "
         "self.maxSurge > 0)"},
        {"message", "one of maxUnavailable and maxSurge must be above 0"}}});
  return schema;
}

Schema NodesSchema() {
  return {{"type", "array"},
          {"items", PoolObject({{"name", PoolText("of the node")},
                                {"pods", PoolCount("on it")},
                                {"ready", PoolCount("of these")},
                                {"busy", PoolCount("pods with a job")},
                                {"draining", PoolCount("pods that are to go")}})},
          {"x-kubernetes-list-type", "atomic"},
          {"description", "those with the most pods first; 50 at most"}};
}

Schema PoolStatusSchema() {
  return PoolObject({{"observedGeneration", RunStatusFields()["observedGeneration"]},
                     {"conditions", ConditionsSchema("Accepted, PodsCreated, Scheduled, "
                                                     "WorkersKnown, Ready, Updated")},
                     {"replicas", PoolCount("pods that stay")},
                     {"selector", PoolText("of these")},
                     {"ready", PoolCount("of these")},
                     {"updated", PoolCount("of these: made of the template as it is")},
                     {"busy", PoolCount("pods with a job")},
                     {"draining", PoolCount("pods that are to go and are not gone")},
                     {"nodes", NodesSchema()},
                     {"nodesInAll", PoolCount("nodes with pods")},
                     {"podsMade",
                      {{"type", "integer"},
                       {"format", "int64"},
                       {"minimum", 0},
                       {"description", "so far; the names of pods follow from it"}}}});
}

Schema PoolColumn(const char* name, const char* type, const char* path) {
  return {{"name", name}, {"type", type}, {"jsonPath", path}};
}

Schema PoolVersion() {
  Schema schema = PoolObject({{"apiVersion", {{"type", "string"}}},
                              {"kind", {{"type", "string"}}},
                              {"metadata", {{"type", "object"}}},
                              {"spec", PoolSpecSchema()},
                              {"status", PoolStatusSchema()}});
  schema["required"] = {"spec"};
  schema["description"] = "Workers of a queue, which end their jobs before they go.";
  schema["x-kubernetes-validations"] = Schema::array(
      {{{"rule", absl::StrCat("size(self.metadata.name) <= ", pools::kLongestPoolName)},
        {"message", absl::StrCat("metadata.name: must have ", pools::kLongestPoolName,
                                 " characters at most, so that its pods' names are host names")}}});
  return {{"name", kVersion},
          {"served", true},
          {"storage", true},
          {"schema", {{"openAPIV3Schema", std::move(schema)}}},
          {"subresources",
           {{"status", Schema::object()},
            {"scale",
             {{"specReplicasPath", ".spec.replicas"},
              {"statusReplicasPath", ".status.replicas"},
              {"labelSelectorPath", ".status.selector"}}}}},
          {"additionalPrinterColumns",
           {PoolColumn("Queue", "string", ".spec.queue"),
            PoolColumn("Wanted", "integer", ".spec.replicas"),
            PoolColumn("Ready", "integer", ".status.ready"),
            PoolColumn("Busy", "integer", ".status.busy"),
            PoolColumn("Draining", "integer", ".status.draining"),
            PoolColumn("Updated", "integer", ".status.updated"),
            PoolColumn("Age", "date", ".metadata.creationTimestamp")}}};
}

}  // namespace

Schema PodTemplateSchema() {
  Schema pod = OpenMap(
      {{"restartPolicy",
        {{"type", "string"},
         {"enum", {"OnFailure", "Never"}},
         {"description",
          "OnFailure where it is missing: a drained worker ends well, and must not "
          "begin anew"}}},
       {"containers",
        {{"type", "array"},
         {"minItems", 1},
         {"items", {{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}}}}}});
  pod["required"] = {"containers"};
  Schema schema =
      PoolObject({{"metadata", PoolObject({{"labels", TextMap()}, {"annotations", TextMap()}})},
                  {"spec", std::move(pod)}});
  schema["required"] = {"spec"};
  schema["description"] = "the pods, as a Deployment has it";
  return schema;
}

Schema WorkerPoolDefinition() {
  return {{"apiVersion", "apiextensions.k8s.io/v1"},
          {"kind", "CustomResourceDefinition"},
          {"metadata",
           {{"name", absl::StrCat(kWorkerPools.plural, ".", kGroup)},
            {"labels", BenchmarkDefinition()["metadata"]["labels"]}}},
          {"spec",
           {{"group", kGroup},
            {"scope", "Namespaced"},
            {"names",
             {{"kind", kWorkerPools.kind},
              {"listKind", kWorkerPools.kind + "List"},
              {"plural", kWorkerPools.plural},
              {"singular", "workerpool"},
              {"categories", {"twofold"}}}},
            {"versions", Schema::array({PoolVersion()})}}}};
}

}  // namespace twofold::benchmarks
