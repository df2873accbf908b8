#include "kubernetes/aggregated/attributes.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

namespace twofold::aggregated {

using kube::Json;

Result<std::vector<std::string>> PartsOf(std::string_view path) {
  if (path.starts_with('/')) path.remove_prefix(1);
  if (path.ends_with('/')) path.remove_suffix(1);
  std::vector<std::string> parts = absl::StrSplit(std::string(path), '/');
  for (std::string& part : parts) {
    auto decoded = http::PercentDecode(part);
    if (!decoded.ok()) return decoded.status();
    if (decoded->empty()) return absl::NotFoundError("a part of the path is empty");
    part = *std::move(decoded);
  }
  return parts;
}

Attributes AttributesOf(const std::vector<std::string>& parts) {
  Attributes attributes;
  attributes.group = parts[1];
  attributes.version = parts[2];
  std::size_t at = 3;
  if (parts[at] == "namespaces" && parts.size() > at + 1) {
    attributes.space = parts[at + 1];
    // Namespaces have these two subresources themselves.
    const bool goes_on =
        parts.size() > at + 2 && parts[at + 2] != "status" && parts[at + 2] != "finalize";
    if (goes_on) at += 2;
  }
  const auto part = [&](std::size_t i) { return i < parts.size() ? parts[i] : std::string(); };
  attributes.resource = part(at);
  attributes.name = part(at + 1);
  attributes.subresource = part(at + 2);
  attributes.verb = attributes.name.empty() ? "list" : "get";
  return attributes;
}

kube::Call Review(const Caller& caller, const Attributes& attributes) {
  Json spec = {{"user", caller.user},
               {"groups", caller.groups},
               {"resourceAttributes",
                {{"verb", attributes.verb},
                 {"group", attributes.group},
                 {"version", attributes.version},
                 {"namespace", attributes.space},
                 {"resource", attributes.resource},
                 {"name", attributes.name},
                 {"subresource", attributes.subresource}}}};
  if (!caller.uid.empty()) spec["uid"] = caller.uid;
  if (!caller.extra.empty()) spec["extra"] = caller.extra;
  kube::Call call;
  call.method = "POST";
  call.target = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
  call.content_type = "application/json";
  call.body = Json{{"apiVersion", "authorization.k8s.io/v1"},
                   {"kind", "SubjectAccessReview"},
                   {"spec", std::move(spec)}}
                  .dump(-1, ' ', false, Json::error_handler_t::replace);
  call.what = absl::StrCat("review what user ", caller.user, " may do");
  return call;
}

}  // namespace twofold::aggregated
