#include "kubernetes/aggregated/discovery.h"

#include <absl/strings/str_cat.h>

namespace twofold::aggregated {
namespace {

using kube::Json;

Json VersionOf(const ServedGroup& group, const ServedVersion& version) {
  return {{"groupVersion", GroupVersion(group.name, version.version)},
          {"version", version.version}};
}

/// Without kind and apiVersion, which members of lists leave out.
Json Described(const ServedGroup& group) {
  Json versions = Json::array();
  for (const ServedVersion& each : group.versions) versions.push_back(VersionOf(group, each));
  Json preferred = versions.front();
  return {{"name", group.name},
          {"versions", std::move(versions)},
          {"preferredVersion", std::move(preferred)}};
}

}  // namespace

std::string GroupVersion(const std::string& group, const std::string& version) {
  return absl::StrCat(group, "/", version);
}

Json GroupList(const std::vector<ServedGroup>& groups) {
  Json list = Json::array();
  for (const ServedGroup& group : groups) list.push_back(Described(group));
  return {{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(list)}};
}

Json GroupDocument(const ServedGroup& group) {
  Json document = Described(group);
  document["kind"] = "APIGroup";
  document["apiVersion"] = "v1";
  return document;
}

Json ResourceList(const std::string& group, const ServedVersion& version) {
  Json resources = Json::array();
  for (const ServedResource& each : version.resources) {
    resources.push_back({{"name", each.name},
                         {"singularName", ""},
                         {"namespaced", each.namespaced},
                         {"kind", each.kind},
                         {"verbs", {"get"}}});
  }
  return {{"kind", "APIResourceList"},
          {"apiVersion", "v1"},
          {"groupVersion", GroupVersion(group, version.version)},
          {"resources", std::move(resources)}};
}

}  // namespace twofold::aggregated
