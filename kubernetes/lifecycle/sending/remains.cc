#include "kubernetes/lifecycle/sending/remains.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "kubernetes/api/deletions.h"
#include "kubernetes/api/list.h"
#include "kubernetes/api/resource_finder.h"
#include "kubernetes/lifecycle/journal/record.h"
#include "kubernetes/lifecycle/moments/kind.h"

namespace twofold::lifecycle {
namespace {

constexpr Duration kFirstWait = std::chrono::milliseconds(50);
constexpr Duration kLongestWait = std::chrono::seconds(2);

using ResourceList = std::vector<kube::Resource>;

void AddNew(ResourceList& list, const kube::Resource& resource) {
  if (std::find(list.begin(), list.end(), resource) == list.end()) list.push_back(resource);
}

kube::Selection Labelled(const kube::Resource& resource, const std::string& space,
                         const std::string& run) {
  return {resource, space, absl::StrCat(std::string(kRunLabel), run.empty() ? "" : "=", run)};
}

std::string NameOfResource(const kube::Resource& resource) {
  return resource.group.empty() ? resource.plural
                                : absl::StrCat(resource.plural, ".", resource.group);
}

bool IsRecord(const kube::Json& object) {
  return kube::NameOf(object).name == LabelOf(object, kRunLabel) &&
         kube::At(object, "/data/resources") != nullptr;
}

/// Those of all kinds that the cluster has.
Result<ResourceList> KnownResources(kube::Connection& connection) {
  kube::ResourceFinder finder(connection);
  ResourceList list;
  for (const Kind& kind : Kinds()) {
    std::vector<Versions> all = kind.beside;
    all.insert(all.begin(), {kind.own});
    for (const Versions& each : all) {
      const auto found = finder.FindFirst(each);
      if (absl::IsNotFound(found.status())) continue;
      if (!found.ok()) return found.status();
      AddNew(list, *found);
    }
  }
  return list;
}

/// Where objects of a run may be, pods last: those of its record, else those of all kinds. An empty
/// `run` is any.
Result<ResourceList> ResourcesOf(kube::Connection& connection, const std::string& space,
                                 const std::string& run) {
  const auto records = kube::ListAll(connection, Labelled(kube::kConfigMaps, space, run));
  if (!records.ok()) return records.status();
  ResourceList list;
  for (const kube::Json& object : *records) {
    if (!IsRecord(object)) continue;
    for (const kube::Resource& each : ReadRecord(object).resources) AddNew(list, each);
  }
  if (list.empty()) {
    auto known = KnownResources(connection);
    if (!known.ok()) return known.status();
    list = *std::move(known);
  }
  AddNew(list, kube::kConfigMaps);
  std::erase(list, kube::kPods);
  list.push_back(kube::kPods);
  return list;
}

/// A resource that the cluster no longer has has no objects.
Status VisitAll(kube::Connection& connection, const kube::Selection& selection,
                const std::function<void(const kube::Json& object)>& visit,
                const std::function<void()>& restart) {
  const Status status = kube::ForEach(connection, selection, visit, restart);
  return absl::IsNotFound(status) ? absl::OkStatus() : status;
}

/// One look at all that is left.
struct Found {
  std::vector<kube::Call> deletions;
  std::vector<kube::Call> record;  ///< it goes last, so that a clean-up that is killed can go on
  std::map<std::string, std::uint64_t> left;  ///< by resource, those that end included
};

void Append(Found& all, Found some) {
  std::move(some.deletions.begin(), some.deletions.end(), std::back_inserter(all.deletions));
  std::move(some.record.begin(), some.record.end(), std::back_inserter(all.record));
  all.left.merge(some.left);  // each resource comes once
}

kube::Call DeletionOf(const kube::Resource& resource, const kube::Json& object) {
  kube::DeleteOptions options;
  options.uid = kube::TextAt(object, "/metadata/uid");
  options.propagation = kube::Propagation::kBackground;
  return kube::Delete(resource, kube::NameOf(object), options);
}

class Cleaner {
 public:
  Cleaner(const kube::Access& access, std::string space, std::string run)
      : connection_(access), access_(access), space_(std::move(space)), run_(std::move(run)) {}

  Result<std::uint64_t> CleanUp(const Cleaning& cleaning) {
    const auto resources = ResourcesOf(connection_, space_, run_);
    if (!resources.ok()) return resources.status();
    const Instant deadline = Now() + cleaning.patience;
    for (Duration wait = kFirstWait;; wait = std::min(2 * wait, kLongestWait)) {
      const auto found = Find(*resources);
      if (!found.ok()) return found.status();
      const bool last = found->left.empty();
      const Status status =
          kube::CarryOut(access_, last ? found->record : found->deletions, cleaning.connections);
      if (!status.ok()) return status;
      if (last) return End();
      if (Now() > deadline || cleaning.given_up()) return LeftOver(*found);
      connection_.Sleep(wait);
    }
  }

 private:
  Result<Found> Find(const ResourceList& resources) {
    Found all;
    for (const kube::Resource& resource : resources) {
      Found found;
      const auto add = [&](const kube::Json& object) {
        const bool is_record = resource == kube::kConfigMaps && IsRecord(object);
        if (is_record) return found.record.push_back(DeletionOf(resource, object));
        ++found.left[NameOfResource(resource)];
        seen_.insert(kube::TextAt(object, "/metadata/uid"));
        const bool ends = kube::At(object, "/metadata/deletionTimestamp") != nullptr;
        if (!ends) found.deletions.push_back(DeletionOf(resource, object));
      };
      const Status status =
          VisitAll(connection_, Labelled(resource, space_, run_), add, [&] { found = Found(); });
      if (!status.ok()) return status;
      Append(all, std::move(found));
    }
    has_record_ = has_record_ || !all.record.empty();
    return all;
  }

  Result<std::uint64_t> End() {
    if (seen_.empty() && !has_record_) {
      return absl::NotFoundError(absl::StrCat("nothing in namespace ", space_, " is of run ", run_,
                                              "; `twofold lifecycle status` has the runs"));
    }
    return seen_.size();
  }

  [[nodiscard]] Status LeftOver(const Found& found) const {
    std::string left;
    for (const auto& [resource, count] : found.left) {
      absl::StrAppend(&left, left.empty() ? "" : ", ", count, " ", resource);
    }
    return absl::DeadlineExceededError(
        absl::StrCat("run ", run_, " is not all gone: ", left,
                     " are left; finalizers or kubelets may hold them back. `twofold lifecycle "
                     "clean --run ",
                     run_, " --namespace ", space_, "` goes on"));
  }

  kube::Connection connection_;
  const kube::Access& access_;
  const std::string space_;
  const std::string run_;
  std::set<std::string> seen_;  // uids
  bool has_record_ = false;
};

}  // namespace

Result<std::vector<Remains>> FindRemains(kube::Connection& connection, const std::string& space) {
  const auto resources = ResourcesOf(connection, space, "");
  if (!resources.ok()) return resources.status();
  std::vector<Remains> list;
  for (const kube::Resource& resource : *resources) {
    const std::string name = NameOfResource(resource);
    std::map<std::string, Remains> rows;  // by run
    const auto add = [&](const kube::Json& object) {
      const std::string run = LabelOf(object, kRunLabel);
      Remains& row = rows[run];
      row.run = run;
      row.resource = name;
      ++row.objects;
      if (kube::At(object, "/metadata/deletionTimestamp") != nullptr) ++row.ending;
    };
    const Status status =
        VisitAll(connection, Labelled(resource, space, ""), add, [&] { rows.clear(); });
    if (!status.ok()) return status;
    for (auto& [run, row] : rows) list.push_back(std::move(row));
  }
  const auto place = [](const Remains& row) { return std::tie(row.run, row.resource); };
  std::sort(list.begin(), list.end(),
            [&](const Remains& a, const Remains& b) { return place(a) < place(b); });
  return list;
}

Result<std::uint64_t> CleanUp(const kube::Access& access, const std::string& space,
                              const std::string& run, const Cleaning& cleaning) {
  return Cleaner(access, space, run).CleanUp(cleaning);
}

}  // namespace twofold::lifecycle
