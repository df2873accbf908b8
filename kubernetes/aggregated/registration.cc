#include "kubernetes/aggregated/registration.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_cat.h>

#include "kubernetes/aggregated/own_certificate.h"

namespace twofold::aggregated {
namespace {

using kube::Json;

/// A label or annotation; empty: there is none. Their names have slashes, which paths cannot.
std::string MarkOf(const Json& object, const char* marks, const char* name) {
  const Json* const all = kube::At(object, absl::StrCat("/metadata/", marks));
  if (all == nullptr || !all->is_object() || !all->contains(name)) return {};
  const Json& mark = all->at(name);
  return mark.is_string() ? mark.get<std::string>() : "";
}

/// "Service keda/keda-metrics-apiserver, release keda of Helm"
std::string OwnerOf(const Json& api_service) {
  const std::string name = kube::TextAt(api_service, "/spec/service/name");
  const std::string space = kube::TextAt(api_service, "/spec/service/namespace");
  std::string owner =
      name.empty() ? "the API server itself" : absl::StrCat("Service ", space, "/", name);
  const std::string manager = MarkOf(api_service, "labels", "app.kubernetes.io/managed-by");
  const std::string release = MarkOf(api_service, "annotations", "meta.helm.sh/release-name");
  if (!release.empty()) {
    absl::StrAppend(&owner, ", release ", release, " of Helm");
  } else if (!manager.empty()) {
    absl::StrAppend(&owner, ", managed by ", manager);
  }
  return owner;
}

}  // namespace

Held WhoHolds(const Json* api_service, const kube::ObjectName& service) {
  if (api_service == nullptr) return {};
  const bool is_ours = kube::TextAt(*api_service, "/spec/service/name") == service.name &&
                       kube::TextAt(*api_service, "/spec/service/namespace") == service.space;
  if (is_ours) return {Holder::kWe, ""};
  return {Holder::kSomebody, OwnerOf(*api_service)};
}

std::optional<kube::Call> TrustCas(const Json& api_service, const std::vector<std::string>& own,
                                   kube::UnixTime now) {
  const Json* const insecure = kube::At(api_service, "/spec/insecureSkipTLSVerify");
  if (insecure != nullptr && *insecure == true) return std::nullopt;
  std::string bundle;
  // What is no base64 is no bundle.
  if (!absl::Base64Unescape(kube::TextAt(api_service, "/spec/caBundle"), &bundle)) bundle.clear();
  const std::string merged = MergeBundle(bundle, own, now);
  if (merged == bundle) return std::nullopt;
  return kube::Patch(
      kApiServices, kube::NameOf(api_service), kube::PatchKind::kMerge,
      {{"metadata", {{"resourceVersion", kube::TextAt(api_service, "/metadata/resourceVersion")}}},
       {"spec", {{"caBundle", absl::Base64Escape(merged)}}}});
}

}  // namespace twofold::aggregated
