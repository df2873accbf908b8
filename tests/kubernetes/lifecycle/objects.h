#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "kubernetes/lifecycle/moments/kind.h"
#include "lib/common/instant.h"

/// Objects as an API server sends them, and instants to see them at.
namespace twofold::lifecycle {

inline Instant At(double ms) { return Instant{} + FromSeconds(1000 + ms / 1000); }

inline double Ms(Instant at) { return ToSeconds(at - At(0)) * 1000; }

inline Object Made(const std::string& kind, const std::string& name, const std::string& uid) {
  return {{"kind", kind},
          {"metadata",
           {{"name", name},
            {"namespace", "load"},
            {"uid", uid},
            {"creationTimestamp", "2026-11-23T10:00:00Z"},
            {"labels", {{kRunLabel, "r1"}}}}},
          {"spec", Object::object()},
          {"status", Object::object()}};
}

/// A pod of the Job `job`, which only the Job's own label tells.
inline Object PodOf(const std::string& job, const std::string& uid) {
  Object pod = Made("Pod", job + "-" + uid, uid);
  pod["metadata"]["labels"] = {{"batch.kubernetes.io/job-name", job}};
  pod["status"]["phase"] = "Pending";
  return pod;
}

inline Object& Put(Object& object, const std::string& type, bool is,
                   const std::string& reason = "") {
  Object& conditions = object["status"]["conditions"];
  if (!conditions.is_array()) conditions = Object::array();
  for (auto it = conditions.begin(); it != conditions.end(); ++it) {
    if ((*it)["type"] == type) {
      conditions.erase(it);
      break;
    }
  }
  conditions.push_back({{"type", type},
                        {"status", is ? "True" : "False"},
                        {"reason", reason},
                        {"lastTransitionTime", "2026-11-23T10:00:01Z"}});
  return object;
}

inline Object Bound(Object pod) {
  pod["spec"]["nodeName"] = "n1";
  return Put(pod, "PodScheduled", true);
}

inline Object Running(Object pod) {
  pod = Bound(pod);
  pod["status"]["phase"] = "Running";
  return pod;
}

inline Object Ready(Object pod) {
  pod = Running(pod);
  return Put(pod, "Ready", true);
}

inline Object Over(Object pod, const std::string& phase = "Succeeded") {
  pod = Bound(pod);
  pod["status"]["phase"] = phase;
  return Put(pod, "Ready", false, "PodCompleted");
}

inline Object Version(Object object, int version) {
  object["metadata"]["resourceVersion"] = std::to_string(version);
  return object;
}

}  // namespace twofold::lifecycle
