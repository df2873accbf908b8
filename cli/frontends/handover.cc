#include "cli/frontends/handover.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "cli/local/plan.h"
#include "lib/common/match.h"
#include "lib/common/shard_name.h"

namespace twofold::cli {
namespace {

using Texts = std::vector<std::string>;

/// Whether `given` names the queue that the partition is of, or this shard of it.
bool IsMeant(const std::string& given, const v1::Partition& partition) {
  const std::string& name = partition.queue();
  return QueueOfShard(name) == given || name == WithoutAlone(given);
}

/// `given`: of this queue or shard only; empty: all.
template <typename Partitions>
Texts QueuesOf(const Partitions& partitions, const std::string& given = {}) {
  Texts queues;
  for (const v1::Partition& each : partitions) {
    if (given.empty() || IsMeant(given, each)) queues.push_back(each.queue());
  }
  return queues;
}

void AddTo(Texts& left, const std::string& what, const Texts& queues) {
  if (!queues.empty()) left.push_back(absl::StrCat(what, " ", absl::StrJoin(queues, ", ")));
}

}  // namespace

Result<v1::Frontend> FindFrontend(const v1::ListFrontendsReply& list, const std::string& given) {
  std::vector<std::string_view> names;
  for (const v1::Frontend& frontend : list.frontends()) {
    if (local::IsCalled(frontend.name(), given)) return frontend;
    names.push_back(frontend.name());
  }
  return absl::NotFoundError(
      absl::StrCat("there is no frontend '", given, "'", Hint(given, names)));
}

Result<v1::ListFrontendsReply> OnlyOf(const v1::ListFrontendsReply& list,
                                      const std::string& queue) {
  std::set<std::string> known;
  bool is_there = false;
  v1::ListFrontendsReply only;
  const auto copy = [&](const v1::Partition& partition, auto add) {
    known.insert(partition.queue());
    if (!IsMeant(queue, partition)) return;
    is_there = true;
    *add() = partition;
  };
  for (const v1::Partition& each : list.unowned()) {
    copy(each, [&] { return only.add_unowned(); });
  }
  for (const v1::Frontend& frontend : list.frontends()) {
    v1::Frontend& its = *only.add_frontends();
    its = frontend;
    its.clear_partitions();
    for (const v1::Partition& each : frontend.partitions()) {
      copy(each, [&] { return its.add_partitions(); });
    }
  }
  if (is_there) return only;
  const std::vector<std::string_view> names(known.begin(), known.end());
  return absl::NotFoundError(
      absl::StrCat("queue: there is no '", queue.substr(0, 80), "'", Hint(queue, names)));
}

Status CheckOthers(const v1::ListFrontendsReply& list, const std::string& name) {
  if (list.frontends_size() < 2) {
    return absl::FailedPreconditionError("there is one frontend, so nothing can be moved");
  }
  Texts others;
  for (const v1::Frontend& frontend : list.frontends()) {
    if (frontend.name() == name) continue;
    if (frontend.away().empty() && !frontend.draining()) return absl::OkStatus();
    others.push_back(
        absl::StrCat(frontend.name(), frontend.away().empty() ? " drains" : " is away"));
  }
  return absl::FailedPreconditionError(
      absl::StrCat("no other frontend could take queues: ", absl::StrJoin(others, ", ")));
}

// A queue that is in no part of a list has no new owner either.
Left LeftToDrain(const v1::Frontend& frontend) {
  return [name = frontend.name(),
          own = QueuesOf(frontend.partitions())](const v1::ListFrontendsReply& list) {
    Texts left;
    std::set<std::string> served;
    for (const v1::Frontend& each : list.frontends()) {
      const Texts its = QueuesOf(each.partitions());
      if (each.name() == name) AddTo(left, name + " still serves", its);
      served.insert(its.begin(), its.end());
    }
    Texts orphans = own;
    std::erase_if(orphans, [&](const std::string& queue) { return served.contains(queue); });
    AddTo(left, "nobody serves", orphans);
    return absl::StrJoin(left, "; ");
  };
}

Left LeftToMove(const std::string& queue, const std::string& to) {
  return [queue, to](const v1::ListFrontendsReply& list) {
    Texts left;
    bool is_there = false;
    for (const v1::Frontend& each : list.frontends()) {
      const Texts its = QueuesOf(each.partitions(), queue);
      if (each.name() != to) AddTo(left, each.name() + " still serves", its);
      if (each.name() == to) is_there = !its.empty();
      if (each.name() == to && !each.away().empty()) left.push_back(to + " is away");
    }
    const bool is_owned = is_there || !left.empty();
    AddTo(left, "nobody serves", is_owned ? QueuesOf(list.unowned(), queue) : Texts{queue});
    return absl::StrJoin(left, "; ");
  };
}

}  // namespace twofold::cli
