#pragma once

#include <absl/strings/str_cat.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <set>
#include <string>

#include "lib/yaml/node.h"
#include "tests/fakes/kube_api.h"

namespace twofold::testing {

using Rights = std::set<std::string>;  ///< "validation batch/jobs create"

/// Those of all Roles of a manifest. What a ClusterRole allows is used in the namespace of the
/// Benchmarks.
inline Rights AllowedBy(const std::string& file) {
  std::ifstream stream(std::string(TWOFOLD_SOURCE "/deployments/") + file);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  Rights allowed;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find("\n---", begin), text.size());
    const auto document = yaml::ParseDocument(text.substr(begin, end - begin));
    begin = end + 5;
    if (!document.ok()) {
      ADD_FAILURE() << document.status();
      continue;
    }
    const yaml::Json role = yaml::ToJson(**document);
    if (!role.contains("rules")) continue;
    for (const auto& rule : role.at("rules")) {
      const std::string where =
          absl::StrCat(role.at("metadata").value("namespace", "validation"), " ",
                       rule.at("apiGroups").at(0).get<std::string>(), "/");
      for (const auto& resource : rule.at("resources")) {
        for (const auto& verb : rule.at("verbs")) {
          allowed.insert(
              absl::StrCat(where, resource.get<std::string>(), " ", verb.get<std::string>()));
        }
      }
    }
  }
  return allowed;
}

/// The next watch of these begins with a list, as it does at servers before 1.32: so the right to
/// list is used, whichever watch comes first.
inline void ListFirst(fakes::KubeApi& api, std::initializer_list<const char*> plurals) {
  for (const char* plural : plurals) {
    api.Add({.kind = fakes::KubeFault::Kind::kNoInitialEvents, .verb = "watch", .plural = plural});
  }
}

/// Those that were used so far.
inline Rights UsedOf(const fakes::KubeApi& api) {
  Rights used;
  for (const fakes::KubeUse& each : api.used()) {
    used.insert(absl::StrCat(each.space, " ", each.group, "/", each.resource, " ", each.verb));
  }
  return used;
}

}  // namespace twofold::testing
