#include "kubernetes/api/call.h"

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <array>
#include <utility>
#include <vector>

namespace twofold::kube {
namespace {

constexpr const char* kJsonType = "application/json";

/// What follows the path, in the order given; empty values are left out.
using Query = std::vector<std::pair<std::string_view, std::string>>;

std::string Text(const Query& query) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : query) {
    if (!value.empty()) parts.push_back(absl::StrCat(std::string(name), "=", Escape(value)));
  }
  return parts.empty() ? "" : "?" + absl::StrJoin(parts, "&");
}

Query QueryOf(const WriteOptions& options) {
  return {{"dryRun", options.dry_run ? "All" : ""},
          {"fieldManager", options.field_manager},
          {"fieldValidation", options.validation}};
}

/// "/api/v1" or "/apis/batch/v1".
std::string GroupPath(std::string_view api_version) {
  std::string path = api_version.find('/') == std::string_view::npos ? "/api" : "/apis";
  for (std::size_t begin = 0; begin <= api_version.size();) {
    const std::size_t end = std::min(api_version.find('/', begin), api_version.size());
    absl::StrAppend(&path, "/", Escape(api_version.substr(begin, end - begin)));
    begin = end + 1;
  }
  return path;
}

std::string CollectionPath(const Resource& resource, const std::string& space) {
  const std::string in = space.empty() ? "" : absl::StrCat("/namespaces/", Escape(space));
  return absl::StrCat(GroupPath(ApiVersion(resource)), in, "/", Escape(resource.plural));
}

std::string ObjectPath(const Resource& resource, const ObjectName& name,
                       const std::string& subresource) {
  const std::string sub = subresource.empty() ? "" : "/" + Escape(subresource);
  return absl::StrCat(CollectionPath(resource, name.space), "/", Escape(name.name), sub);
}

std::string Describe(std::string_view verb, const Resource& resource, const ObjectName& name,
                     const std::string& subresource = {}) {
  return absl::StrCat(std::string(verb), " ", absl::AsciiStrToLower(resource.kind),
                      subresource.empty() ? "" : "/" + subresource, " ",
                      name.space.empty() ? "" : name.space + "/", name.name);
}

std::string Describe(std::string_view verb, const Selection& selection) {
  return absl::StrCat(std::string(verb), " ", selection.resource.plural,
                      selection.space.empty() ? "" : " in " + selection.space);
}

Status Fault(const Call& call, std::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(call.what, ": ", std::string(what)));
}

/// What may be a part of a path. An empty name above all: the path without it is that of all
/// objects, and deleting that deletes them.
Status CheckName(const Call& call, const Resource& resource, const ObjectName& name) {
  if (name.name.empty()) return Fault(call, "metadata.name is missing");
  for (const std::string& part : {name.name, name.space}) {
    if (part == "." || part == ".." || part.find_first_of("/%") != std::string::npos) {
      return Fault(call, absl::StrCat("'", part, "' cannot be a name: no '/', '%', '.' or '..'"));
    }
  }
  if (resource.namespaced && name.space.empty()) {
    return Fault(call, "metadata.namespace is missing");
  }
  if (!resource.namespaced && !name.space.empty()) {
    return Fault(call, absl::StrCat("metadata.namespace: a ", resource.kind, " has none"));
  }
  return absl::OkStatus();
}

/// The body, or a fault: JSON is UTF-8, and what is not must not become something else.
void SetBody(Call& call, const Json& body) {
  try {
    call.body = body.dump();
  } catch (const Json::exception&) {
    call.fault.Update(Fault(call, "the object has text that is not UTF-8"));
  }
}

/// A call about the one object `name`.
Call AboutObject(std::string_view verb, const Resource& resource, const ObjectName& name,
                 const std::string& subresource) {
  Call call;
  call.what = Describe(verb, resource, name, subresource);
  call.fault = CheckName(call, resource, name);
  call.target = ObjectPath(resource, name, subresource);
  return call;
}

void Send(Call& call, std::string method, std::string content_type, const Json& body) {
  call.method = std::move(method);
  call.content_type = std::move(content_type);
  SetBody(call, body);
}

/// That the object says it is what it is sent as.
void CheckKind(Call& call, const Resource& resource, const Json& object) {
  if (TextAt(object, "/kind") == resource.kind &&
      TextAt(object, "/apiVersion") == ApiVersion(resource)) {
    return;
  }
  call.fault.Update(Fault(call, absl::StrCat("the object must have apiVersion: ",
                                             ApiVersion(resource), " and kind: ", resource.kind)));
}

struct PatchForm {
  const char* content_type;
  Repeat repeat;
};

/// By PatchKind. Operations of a JSON patch may add to a list, twice what they add once.
constexpr std::array<PatchForm, 3> kPatchForms = {{
    {"application/merge-patch+json", Repeat::kYes},
    {"application/strategic-merge-patch+json", Repeat::kYes},
    {"application/json-patch+json", Repeat::kNo},
}};

/// By Propagation.
constexpr std::array<const char*, 4> kPropagation = {"", "Orphan", "Background", "Foreground"};

Json BodyOf(const DeleteOptions& options) {
  Json body = {{"apiVersion", "v1"}, {"kind", "DeleteOptions"}};
  if (options.grace_s) body["gracePeriodSeconds"] = *options.grace_s;
  const std::string propagation = kPropagation[static_cast<std::size_t>(options.propagation)];
  if (!propagation.empty()) body["propagationPolicy"] = propagation;
  if (!options.uid.empty()) body["preconditions"]["uid"] = options.uid;
  if (!options.resource_version.empty()) {
    body["preconditions"]["resourceVersion"] = options.resource_version;
  }
  if (options.dry_run) body["dryRun"] = {"All"};
  return body;
}

Call Read(std::string what, std::string target) {
  Call call;
  call.method = "GET";
  call.what = std::move(what);
  call.target = std::move(target);
  return call;
}

Call AboutSelection(std::string_view verb, const Selection& selection, const Query& query) {
  Query all = {{"labelSelector", selection.labels}, {"fieldSelector", selection.fields}};
  all.insert(all.end(), query.begin(), query.end());
  return Read(Describe(verb, selection),
              CollectionPath(selection.resource, selection.space) + Text(all));
}

bool IsUnreserved(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
         std::string_view("-._~").find(c) != std::string_view::npos;
}

}  // namespace

std::string Escape(std::string_view text) {
  static constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string escaped;
  for (const char c : text) {
    if (IsUnreserved(c)) {
      escaped += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      escaped += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return escaped;
}

std::string ApiVersion(const Resource& resource) {
  return resource.group.empty() ? resource.version
                                : absl::StrCat(resource.group, "/", resource.version);
}

ObjectName NameOf(const Json& object) {
  return {TextAt(object, "/metadata/namespace"), TextAt(object, "/metadata/name")};
}

Call Create(const Resource& resource, const Json& object, const WriteOptions& options) {
  ObjectName name = NameOf(object);
  const std::string prefix = TextAt(object, "/metadata/generateName");
  const bool generated = name.name.empty() && !prefix.empty();
  if (generated) name.name = prefix + "*";
  Call call;
  call.what = Describe("create", resource, name);
  CheckKind(call, resource, object);
  call.fault.Update(CheckName(call, resource, name));
  call.target = CollectionPath(resource, name.space) + Text(QueryOf(options));
  call.repeat = generated ? Repeat::kNo : Repeat::kMayFind;
  Send(call, "POST", kJsonType, object);
  return call;
}

Call CreateIn(const Resource& resource, const ObjectName& name, const std::string& subresource,
              const Json& body, const WriteOptions& options) {
  Call call = AboutObject("create", resource, name, subresource);
  call.target += Text(QueryOf(options));
  call.repeat = Repeat::kMayFind;
  Send(call, "POST", kJsonType, body);
  return call;
}

Call Apply(const Resource& resource, const Json& object, bool force, const WriteOptions& options,
           const std::string& subresource) {
  Call call = AboutObject("apply", resource, NameOf(object), subresource);
  Query query = QueryOf(options);
  query.emplace_back("force", force ? "true" : "");
  call.target += Text(query);
  CheckKind(call, resource, object);
  Send(call, "PATCH", "application/apply-patch+yaml", object);  // JSON is YAML
  return call;
}

Call Patch(const Resource& resource, const ObjectName& name, PatchKind kind, const Json& patch,
           const WriteOptions& options, const std::string& subresource) {
  const PatchForm& form = kPatchForms[static_cast<std::size_t>(kind)];
  Call call = AboutObject("patch", resource, name, subresource);
  call.target += Text(QueryOf(options));
  call.repeat = form.repeat;
  Send(call, "PATCH", form.content_type, patch);
  return call;
}

Call Delete(const Resource& resource, const ObjectName& name, const DeleteOptions& options) {
  Call call = AboutObject("delete", resource, name, {});
  call.repeat = Repeat::kMayFind;
  Send(call, "DELETE", kJsonType, BodyOf(options));
  return call;
}

Call Get(const Resource& resource, const ObjectName& name, const std::string& subresource) {
  Call call = AboutObject("get", resource, name, subresource);
  call.method = "GET";
  return call;
}

Call GetThrough(const Resource& resource, const ObjectName& name, int port,
                const std::string& target) {
  Call call = AboutObject("get", resource, name, "proxy");
  call.method = "GET";
  call.accept = "*/*";
  call.what = absl::StrCat(Describe("get", resource, name), ":", port, target);
  call.target = absl::StrCat(CollectionPath(resource, name.space), "/", Escape(name.name), ":",
                             port, "/proxy", target);
  return call;
}

Call GetLog(const ObjectName& pod, const LogOptions& options) {
  Call call = Get(kPods, pod, "log");
  call.accept = "*/*";
  call.target += Text({{"container", options.container},
                       {"previous", options.previous ? "true" : ""},
                       {"tailLines", options.lines == 0 ? "" : std::to_string(options.lines)}});
  return call;
}

Call ListPage(const Selection& selection, const Page& page) {
  return AboutSelection("list", selection,
                        {{"limit", page.limit == 0 ? "" : std::to_string(page.limit)},
                         {"continue", page.continue_at}});
}

Call Watch(const Selection& selection, const WatchStart& start) {
  Query query = {{"watch", "1"},
                 {"allowWatchBookmarks", "true"},
                 {"timeoutSeconds", std::to_string(start.timeout_s)},
                 {"resourceVersion", start.resource_version}};
  if (start.initial_events) {
    query.emplace_back("sendInitialEvents", "true");
    query.emplace_back("resourceVersionMatch", "NotOlderThan");
  }
  return AboutSelection("watch", selection, query);
}

Call GetResources(const std::string& api_version) {
  return Read("look up the kinds of " + api_version, GroupPath(api_version));
}

Result<Resource> FindResource(const Json& resources, const std::string& api_version,
                              const std::string& kind) {
  const std::size_t slash = api_version.find('/');
  const std::string group = slash == std::string::npos ? "" : api_version.substr(0, slash);
  const Json* list = At(resources, "/resources");
  for (const Json& entry : list != nullptr && list->is_array() ? *list : Json::array()) {
    const std::string plural = TextAt(entry, "/name");
    if (TextAt(entry, "/kind") != kind || plural.find('/') != std::string::npos) continue;
    const Json* namespaced = At(entry, "/namespaced");
    return Resource{group, api_version.substr(slash + 1), plural, kind,
                    namespaced != nullptr && *namespaced == true};
  }
  return absl::NotFoundError(absl::StrCat("the cluster has no kind ", kind, " of ", api_version,
                                          ": install its definition (CRD), or correct apiVersion"));
}

}  // namespace twofold::kube
