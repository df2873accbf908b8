#include "tests/fakes/kube_refusals.h"

#include <absl/strings/str_cat.h>

namespace twofold::fakes {
namespace {

std::string GroupKind(const Resource& resource) {
  return resource.group.empty() ? resource.kind : absl::StrCat(resource.kind, ".", resource.group);
}

}  // namespace

std::string Qualified(const Resource& resource) {
  return resource.group.empty() ? resource.plural
                                : absl::StrCat(resource.plural, ".", resource.group);
}

Json Details(const Resource& resource, const std::string& name) {
  return {{"name", name}, {"group", resource.group}, {"kind", resource.plural}};
}

Refusal NotFound(const Resource& resource, const std::string& name) {
  return {404, "NotFound", absl::StrCat(Qualified(resource), " \"", name, "\" not found"),
          Details(resource, name)};
}

Refusal Invalid(const Resource& resource, const std::string& name, const std::string& what) {
  return {422, "Invalid", absl::StrCat(GroupKind(resource), " \"", name, "\" is invalid: ", what),
          Details(resource, name)};
}

Refusal Conflict(const Resource& resource, const std::string& name, const std::string& what) {
  return {409, "Conflict",
          absl::StrCat("Operation cannot be fulfilled on ", Qualified(resource), " \"", name,
                       "\": ", what),
          Details(resource, name)};
}

Refusal BadRequest(const std::string& what) { return {400, "BadRequest", what}; }

Json ToJson(const Refusal& refusal) {
  return {{"kind", "Status"},           {"apiVersion", "v1"},         {"metadata", Json::object()},
          {"status", "Failure"},        {"message", refusal.message}, {"reason", refusal.reason},
          {"details", refusal.details}, {"code", refusal.status}};
}

}  // namespace twofold::fakes
