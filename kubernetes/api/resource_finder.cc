#include "kubernetes/api/resource_finder.h"

#include <utility>

#include "kubernetes/api/fields.h"

namespace twofold::kube {

Result<Resource> ResourceFinder::Find(const std::string& api_version, const std::string& kind) {
  const auto [at, is_new] = answers_.try_emplace(api_version);
  if (is_new) {
    auto reply = connection_.Do(GetResources(api_version));
    if (!reply.ok() && !absl::IsNotFound(reply.status())) {
      answers_.erase(at);
      return reply.status();
    }
    if (reply.ok()) at->second = std::move(reply->body);
  }
  return FindResource(at->second, api_version, kind);
}

Result<Resource> ResourceFinder::Find(const Resource& resource) {
  return Find(ApiVersion(resource), resource.kind);
}

Result<Resource> ResourceFinder::FindFirst(const std::vector<Resource>& versions) {
  Result<Resource> found = absl::NotFoundError("there is no version to look for");
  for (const Resource& each : versions) {
    auto one = Find(each);
    if (!absl::IsNotFound(one.status())) return one;
    if (&each == &versions.front()) found = one.status();
  }
  return found;
}

Result<Resource> ResourceFinder::FindOf(const Json& object) {
  return Find(TextAt(object, "/apiVersion"), TextAt(object, "/kind"));
}

}  // namespace twofold::kube
