#include "kubernetes/lifecycle/preparing.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <utility>

#include "kubernetes/lifecycle/moments/fields.h"
#include "kubernetes/lifecycle/resources.h"
#include "kubernetes/lifecycle/submitter.h"
#include "lib/common/host_name.h"

namespace twofold::lifecycle {
namespace {

Result<std::vector<kube::Resource>> ResourcesFor(kube::Connection& connection,
                                                 const std::vector<Object>& objects) {
  ResourceFinder finder(connection);
  std::vector<kube::Resource> resources;
  for (const Object& object : objects) {
    const auto resource = finder.FindOf(object);
    if (!resource.ok()) return resource.status();
    resources.push_back(*resource);
  }
  return resources;
}

/// Whether the object has pod templates, which have our labels then.
bool LabelsPods(const Object& value, bool top = true) {
  if (!value.is_structured()) return false;
  if (!top && value.is_object() && !LabelOf(value, kRunLabel).empty()) return true;
  return std::any_of(value.begin(), value.end(),
                     [](const Object& each) { return LabelsPods(each, false); });
}

/// What a server that cannot try out says; it can create all the same.
bool CannotTryOut(const Status& status) {
  return std::string(status.message()).find("does not support dry run") != std::string::npos;
}

Status NameIsTaken(const std::string& run, const std::string& space) {
  return absl::FailedPreconditionError(absl::StrCat(
      "there is a ConfigMap ", run, " in namespace ", space,
      " already: choose another --name, watch that run with `twofold lifecycle watch --run ", run,
      " --namespace ", space, "`, or remove it with `twofold lifecycle clean --run ", run,
      " --namespace ", space, "`"));
}

}  // namespace

Result<std::vector<std::string>> TryOut(kube::Connection& connection, const RunSettings& settings) {
  const auto objects = RenderOne(settings, 0);
  if (!objects.ok()) return objects.status();
  const auto resources = ResourcesFor(connection, *objects);
  if (!resources.ok()) return resources.status();
  std::vector<std::string> words;
  for (std::size_t i = 0; i < objects->size(); ++i) {
    kube::WriteOptions options;
    options.dry_run = true;
    const kube::Call call = kube::Create((*resources)[i], (*objects)[i], options);
    const auto reply = connection.Do(call);
    if (!reply.ok()) return reply.status();
    words.push_back(absl::StrCat(call.what, ": ", reply->status, " in a dry run"));
  }
  return words;
}

bool IsExempt(kube::Connection& connection) {
  kube::Call call;
  call.method = "POST";
  call.target = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  call.content_type = "application/json";
  call.body = R"({"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"})";
  call.what = "ask who we are";
  const auto reply = connection.Do(call);
  if (!reply.ok()) return false;
  const kube::Json* const groups = kube::At(reply->body, "/status/userInfo/groups");
  return groups != nullptr && groups->is_array() &&
         std::find(groups->begin(), groups->end(), "system:masters") != groups->end();
}

Result<Record> Prepare(kube::Connection& connection, const RunSettings& settings,
                       std::int64_t began_ns) {
  const auto first = RenderOne(settings, 0);
  if (!first.ok()) return first.status();
  auto resources = ResourcesFor(connection, *first);
  if (!resources.ok()) return resources.status();
  const std::string& space = settings.each.space;
  const Status found = connection.Do(kube::Get(kube::kConfigMaps, {space, settings.name})).status();
  if (found.ok()) return NameIsTaken(settings.name, space);
  if (!absl::IsNotFound(found)) return found;
  const Status tried = TryOut(connection, settings).status();
  if (!tried.ok() && !CannotTryOut(tried)) return tried;
  Record record;
  record.run = settings.name;
  record.space = space;
  record.kind = std::string(settings.kind->name);
  record.resources = *std::move(resources);
  record.count = settings.count;
  record.slots = SlotsOf(*settings.kind, settings.each.workers);
  record.claims = ClaimsOf(*settings.kind, settings.each);
  record.labels_pods = LabelsPods(first->front());
  record.host = HostName();
  record.began_ns = began_ns;
  return record;
}

Result<kube::Json> WriteRecord(kube::Connection& connection, const Record& record) {
  auto reply = CreateOurs(connection, kube::kConfigMaps, ToObject(record));
  if (absl::IsAlreadyExists(reply.status())) return NameIsTaken(record.run, record.space);
  if (!reply.ok()) return reply.status();
  return std::move(reply->body);
}

}  // namespace twofold::lifecycle
