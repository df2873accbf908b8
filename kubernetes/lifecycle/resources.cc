#include "kubernetes/lifecycle/resources.h"

#include <utility>

#include "kubernetes/lifecycle/moments/fields.h"

namespace twofold::lifecycle {

Result<kube::Resource> ResourceFinder::Find(const std::string& api_version,
                                            const std::string& kind) {
  const auto [at, is_new] = answers_.try_emplace(api_version);
  if (is_new) {
    auto reply = connection_.Do(kube::GetResources(api_version));
    if (!reply.ok() && !absl::IsNotFound(reply.status())) {
      answers_.erase(at);
      return reply.status();
    }
    if (reply.ok()) at->second = std::move(reply->body);
  }
  return kube::FindResource(at->second, api_version, kind);
}

Result<kube::Resource> ResourceFinder::Find(const kube::Resource& resource) {
  return Find(kube::ApiVersion(resource), resource.kind);
}

Result<kube::Resource> ResourceFinder::FindOf(const Object& object) {
  return Find(TextAt(object, "/apiVersion"), TextAt(object, "/kind"));
}

}  // namespace twofold::lifecycle
