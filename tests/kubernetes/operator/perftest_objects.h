#pragma once

#include <string>
#include <utility>

#include "kubernetes/api/call.h"
#include "kubernetes/operator/object_kind.h"
#include "kubernetes/operator/perftest_crds.h"

namespace twofold::benchmarks {

inline const ObjectKind& PerftestKind(const std::string& name) {
  for (const ObjectKind& kind : PerftestKinds()) {
    if (kind.resource.kind == name) return kind;
  }
  return BenchmarkKind();
}

/// What an API server makes of `spec`: the defaults of the definition are in it.
inline kube::Json WithDefaults(const std::string& kind, kube::Json spec) {
  for (const yaml::Json& definition : PerftestDefinitions()) {
    if (definition["spec"]["names"]["kind"] != kind) continue;
    const yaml::Json root = definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    for (const auto& [name, schema] : root["properties"]["spec"]["properties"].items()) {
      if (schema.contains("default") && !spec.contains(name)) {
        spec[name] = kube::Json::parse(schema["default"].dump());
      }
    }
  }
  return spec;
}

/// An object x in the namespace a.
inline kube::Json PerftestObject(const std::string& kind, kube::Json spec) {
  return {{"apiVersion", "perftest.stackhpc.com/v1alpha1"},
          {"kind", kind},
          {"metadata", {{"name", "x"}, {"namespace", "a"}}},
          {"spec", WithDefaults(kind, std::move(spec))}};
}

}  // namespace twofold::benchmarks
