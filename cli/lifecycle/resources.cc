#include "cli/lifecycle/resources.h"

#include <absl/strings/str_cat.h>

#include <utility>

#include "cli/lifecycle/moments/fields.h"

namespace twofold::lifecycle {

std::string ApiVersionOf(const Resource& resource) {
  const std::string version(resource.version);
  return resource.group.empty() ? version : absl::StrCat(std::string(resource.group), "/", version);
}

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

Result<kube::Resource> ResourceFinder::Find(const Resource& resource) {
  return Find(ApiVersionOf(resource), std::string(resource.kind));
}

Result<kube::Resource> ResourceFinder::FindOf(const Object& object) {
  return Find(TextAt(object, "/apiVersion"), TextAt(object, "/kind"));
}

}  // namespace twofold::lifecycle
