#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "kubernetes/operator/perftest_workers.h"
#include "tests/kubernetes/operator/manifest.h"
#include "tests/kubernetes/operator/perftest_objects.h"

namespace twofold::benchmarks {

/// Objects of kube-perftest and an admin's WorkerPool, and the pods that are made of both.
class PerftestPods : public ::testing::Test {
 public:
  /// What an admin has for all kinds.
  static kube::Json PoolForAll() {
    return {{"apiVersion", "twofold.dev/v1alpha1"},
            {"kind", "WorkerPool"},
            {"metadata",
             {{"name", "all"},
              {"namespace", "monitoring"},
              {"annotations", {{"twofold.dev/kinds", "*"}}}}},
            {"spec",
             {{"queue", "bench"},
              {"replicas", 0},
              {"template",
               {{"spec",
                 {{"containers",
                   {{{"name", "backend"},
                     {"image", "here/worker:1"},
                     {"env",
                      {{{"name", "IMAGE"}, {"value", "here/worker:1"}},
                       {{"name", "TWOFOLD_LABELS"}, {"value", "hostNetwork=false,zone=a"}}}},
                     {"resources",
                      {{"requests", {{"cpu", "1"}, {"memory", "64Mi"}}},
                       {"limits", {{"cpu", "2"}}}}}}}},
                  {"volumes",
                   {{{"name", "tmp"}, {"emptyDir", kube::Json::object()}},
                    {{"name", "scratch"}, {"emptyDir", kube::Json::object()}}}}}}}}}}};
  }

  static Result<kube::Json> WorkersOf(kube::Json object, const kube::Json& pool = PoolForAll()) {
    object["metadata"]["uid"] = "u-1";
    return PerftestWorkers(OrderOf(object), pool);
  }

  /// The template of the pods; fails if there is none.
  static kube::Json PodsOf(const kube::Json& object, const kube::Json& pool = PoolForAll()) {
    const auto workers = WorkersOf(object, pool);
    EXPECT_TRUE(workers.ok()) << workers.status();
    return workers.ok() ? (*workers)["template"] : kube::Json::object();
  }
  static kube::Json ContainerOf(const kube::Json& object, const kube::Json& pool = PoolForAll()) {
    return PodsOf(object, pool)["spec"]["containers"][0];
  }

  static kube::Json IPerf(kube::Json more = kube::Json::object()) {
    more.update({{"duration", 30}, {"streams", 8}});
    return PerftestObject("IPerf", std::move(more));
  }

  static std::string VariableOf(const kube::Json& container, const std::string& name) {
    for (const kube::Json& each : container["env"]) {
      if (each["name"] == name) return each["value"];
    }
    return "";
  }

  static kube::Json VolumeOf(const kube::Json& pods) {
    for (const kube::Json& each : pods["spec"]["volumes"]) {
      if (each["name"] == "scratch") return each;
    }
    return kube::Json();
  }

  static std::string Complaint(const kube::Json& object, const kube::Json& pool = PoolForAll()) {
    return std::string(WorkersOf(object, pool).status().message());
  }

  /// A file of ours as theirs, which operator-on-cluster.sh has an API server take.
  static kube::Json ExampleOf(const std::string& file) {
    const std::string path = "examples/benchmarks/" + file + ".yaml";
    const auto document = yaml::ParseDocument(TextOfFile(path.c_str()));
    EXPECT_TRUE(document.ok()) << document.status();
    if (!document.ok()) return kube::Json::object();
    const kube::Json read = kube::Json::parse(yaml::ToJson(**document).dump());
    kube::Json object = PerftestObject(read["kind"], read["spec"]);
    object["metadata"]["name"] = read["metadata"]["name"];
    if (object["spec"].contains("template")) {
      object["spec"]["template"]["apiVersion"] = object["apiVersion"];
    }
    return object;
  }
};

}  // namespace twofold::benchmarks
