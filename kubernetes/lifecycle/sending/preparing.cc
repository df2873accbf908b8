#include "kubernetes/lifecycle/sending/preparing.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <random>
#include <utility>

#include "kubernetes/api/resource_finder.h"
#include "kubernetes/lifecycle/moments/kind.h"
#include "kubernetes/lifecycle/sending/submitter.h"
#include "lib/common/host_name.h"
#include "suites/lifecycle/lifecycle.h"

namespace twofold::lifecycle {
namespace {

Result<std::vector<kube::Resource>> ResourcesFor(kube::Connection& connection,
                                                 const std::vector<Object>& objects) {
  kube::ResourceFinder finder(connection);
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

Result<std::vector<std::string>> TryOut(kube::Connection& connection, const SendPlan& plan) {
  const auto objects = RenderOne(plan, 0);
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

Result<Record> Prepare(kube::Connection& connection, const SendPlan& plan, std::int64_t began_ns) {
  const auto first = RenderOne(plan, 0);
  if (!first.ok()) return first.status();
  auto resources = ResourcesFor(connection, *first);
  if (!resources.ok()) return resources.status();
  const Workload& each = plan.each;
  const Status found = connection.Do(kube::Get(kube::kConfigMaps, {each.space, each.run})).status();
  if (found.ok()) return NameIsTaken(each.run, each.space);
  if (!absl::IsNotFound(found)) return found;
  const Status tried = TryOut(connection, plan).status();
  if (!tried.ok() && !CannotTryOut(tried)) return tried;
  return Record{.run = each.run,
                .space = each.space,
                .kind = std::string(plan.kind->name),
                .resources = *std::move(resources),
                .count = each.spec.count(),
                .slots = SlotsOf(*plan.kind, each.spec.workers()),
                .claims = ClaimsOf(*plan.kind, each.spec),
                .load = suite::lifecycle::LoadOf(each.spec),
                .labels_pods = LabelsPods(first->front()),
                .host = HostName(),
                .began_ns = began_ns};
}

Result<kube::Json> WriteRecord(kube::Connection& connection, const Record& record) {
  auto reply = CreateOurs(connection, kube::kConfigMaps, ToObject(record));
  if (absl::IsAlreadyExists(reply.status())) return NameIsTaken(record.run, record.space);
  if (!reply.ok()) return reply.status();
  return std::move(reply->body);
}

Result<FoundRun> FindRun(kube::Connection& connection, const kube::ObjectName& run) {
  auto reply = connection.Do(kube::Get(kube::kConfigMaps, run));
  if (absl::IsNotFound(reply.status())) {
    return absl::NotFoundError(absl::StrCat("--run: there is no run ", run.name, " in namespace ",
                                            run.space,
                                            "; `twofold lifecycle status` has the runs"));
  }
  if (!reply.ok()) return reply.status();
  FoundRun found{ReadRecord(reply->body), std::move(reply->body)};
  const Record& record = found.record;
  if (record.count > 0 && !record.resources.empty() && !record.kind.empty()) return found;
  return absl::InvalidArgumentError(
      absl::StrCat("--run: ConfigMap ", record.run, " in namespace ", record.space,
                   " does not say what to watch; was it written by an older `twofold`?"));
}

Result<std::string> MakeCanary(kube::Connection& connection, const Record& record) {
  const std::string name =
      absl::StrCat(record.run, "-watch-", absl::Hex(std::random_device{}(), absl::kZeroPad8));
  const Status status =
      CreateOurs(connection, kube::kConfigMaps, CanaryObject(record, name)).status();
  if (!status.ok()) return status;
  return name;
}

}  // namespace twofold::lifecycle
