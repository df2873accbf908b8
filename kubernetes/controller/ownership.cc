#include "kubernetes/controller/ownership.h"

#include <utility>

namespace twofold::controller {
namespace {

using kube::Json;

Json FinalizersOf(const Json& object) {
  const Json* finalizers = kube::At(object, "/metadata/finalizers");
  return finalizers != nullptr && finalizers->is_array() ? *finalizers : Json::array();
}

kube::Call SetFinalizers(const kube::Resource& resource, const Json& object, Json finalizers,
                         const kube::WriteOptions& options) {
  const Json patch = {{"metadata",
                       {{"resourceVersion", kube::TextAt(object, "/metadata/resourceVersion")},
                        {"uid", kube::TextAt(object, "/metadata/uid")},
                        {"finalizers", std::move(finalizers)}}}};
  return kube::Patch(resource, kube::NameOf(object), kube::PatchKind::kMerge, patch, options);
}

}  // namespace

bool IsBeingDeleted(const Json& object) {
  return !kube::TextAt(object, "/metadata/deletionTimestamp").empty();
}

bool HasFinalizer(const Json& object, const std::string& finalizer) {
  for (const Json& each : FinalizersOf(object)) {
    if (each == finalizer) return true;
  }
  return false;
}

kube::Call AddFinalizer(const kube::Resource& resource, const Json& object,
                        const std::string& finalizer, const kube::WriteOptions& options) {
  Json finalizers = FinalizersOf(object);
  finalizers.push_back(finalizer);
  return SetFinalizers(resource, object, std::move(finalizers), options);
}

kube::Call RemoveFinalizer(const kube::Resource& resource, const Json& object,
                           const std::string& finalizer, const kube::WriteOptions& options) {
  Json left = Json::array();
  for (const Json& each : FinalizersOf(object)) {
    if (each != finalizer) left.push_back(each);
  }
  return SetFinalizers(resource, object, std::move(left), options);
}

Json OwnerReference(const Json& owner) {
  return {{"apiVersion", kube::TextAt(owner, "/apiVersion")},
          {"kind", kube::TextAt(owner, "/kind")},
          {"name", kube::TextAt(owner, "/metadata/name")},
          {"uid", kube::TextAt(owner, "/metadata/uid")},
          {"controller", true},
          {"blockOwnerDeletion", true}};
}

kube::Call ApplyOwned(const kube::Resource& resource, const Json& owner, Json object,
                      const kube::WriteOptions& options) {
  object["metadata"]["ownerReferences"] = Json::array({OwnerReference(owner)});
  return kube::Apply(resource, object, /*force=*/true, options);
}

}  // namespace twofold::controller
