#pragma once

#include <string>
#include <vector>

#include "kubernetes/api/call.h"

/// What an aggregated API says that it serves. Pure.
namespace twofold::aggregated {

/// A row of the resources of a version.
struct ServedResource {
  std::string name;  ///< as in roles: "pods", "services/q_wanted"
  bool namespaced = true;
  std::string kind;  ///< of the answer
};

struct ServedVersion {
  std::string version;                    ///< "v1beta1"
  std::vector<ServedResource> resources;  ///< clients take an empty list for a fault
};

struct ServedGroup {
  std::string name;
  std::vector<ServedVersion> versions;  ///< the preferred one first
};

/// "external.metrics.k8s.io/v1beta1"
std::string GroupVersion(const std::string& group, const std::string& version);

/// APIGroupList, APIGroup and APIResourceList: what /apis, /apis/GROUP and /apis/GROUP/VERSION say.
kube::Json GroupList(const std::vector<ServedGroup>& groups);
kube::Json GroupDocument(const ServedGroup& group);
kube::Json ResourceList(const std::string& group, const ServedVersion& version);

}  // namespace twofold::aggregated
