#pragma once

#include <absl/strings/str_cat.h>

#include <string>

#include "kubernetes/nodes/model/names.h"
#include "kubernetes/nodes/model/pod.h"

/// Objects as an API server has them.
namespace twofold::nodes {

/// Whether there is something at a JSON pointer, and the text there; empty: none.
inline bool Has(const Json& object, const std::string& pointer) {
  return object.contains(Json::json_pointer(pointer));
}
inline std::string In(const Json& object, const std::string& pointer) {
  return object.value(Json::json_pointer(pointer), "");
}

/// A pod bound to `node` that tolerates simulated nodes, with one container.
inline Json PodOn(const std::string& node, const std::string& name,
                  const std::string& restart = "Never") {
  return {
      {"metadata", {{"name", name}, {"namespace", "default"}, {"uid", absl::StrCat("uid-", name)}}},
      {"spec",
       {{"nodeName", node},
        {"restartPolicy", restart},
        {"tolerations",
         Json::array({Json{{"key", kTaintKey}, {"operator", "Exists"}, {"effect", "NoSchedule"}}})},
        {"containers", Json::array({Json{{"name", "main"}, {"image", "busybox"}}})}}},
      {"status", {{"phase", "Pending"}}}};
}

inline Json WithGpus(Json pod, int count) {
  pod["spec"]["containers"][0]["resources"]["limits"][kGpuResource] = absl::StrCat(count);
  return pod;
}

inline Json Deleted(Json pod, int grace_s = 30) {
  pod["metadata"]["deletionTimestamp"] = "2026-11-23T12:00:00Z";
  pod["metadata"]["deletionGracePeriodSeconds"] = grace_s;
  return pod;
}

}  // namespace twofold::nodes
