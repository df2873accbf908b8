#include "kubernetes/operator/line.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "kubernetes/controller/ownership.h"
#include "kubernetes/operator/definition.h"
#include "kubernetes/operator/frontend_kind.h"
#include "kubernetes/operator/object_kind.h"
#include "kubernetes/operator/own_workers.h"
#include "kubernetes/operator/perftest_workers.h"

namespace twofold::benchmarks {
namespace {

using controller::Snapshot;
using kube::Json;
using kube::ObjectName;

bool HasBegun(const Json& benchmark) {
  return !kube::TextAt(benchmark, "/status/startTime").empty();
}

bool HasRunningJobs(const Json& benchmark) {
  const Json* running = kube::At(benchmark, "/status/running");
  return running != nullptr && running->is_number_integer() && *running > 0;
}

bool WantsQueue(const Json& benchmark) {
  if (IsOver(benchmark) || IsLeftToKubePerftest(benchmark)) return false;
  const Handling handling = HandlingOf(benchmark);
  if (handling.schedule) return false;  // those that it makes do
  return !handling.suspend || HasRunningJobs(benchmark);
}

bool MakesPods(const Json& benchmark) { return IsOfPerftest(benchmark) && KnowsItsPods(benchmark); }

/// Its pods and those that objects of kube-perftest make keep each other from nodes.
bool TakesNodes(const Json& benchmark) {
  return MakesPods(benchmark) || (HasOwnWorkers(benchmark) && HasBegun(benchmark));
}

/// A frontend's.
using Queue = std::pair<std::string, std::string>;

Queue QueueFor(const Json& benchmark) {
  return {FrontendOf(benchmark),
          MakesPods(benchmark) ? kube::TextAt(benchmark, "/status/queue") : QueueOf(benchmark)};
}

/// The less the sooner. Two kinds may have objects of one name.
using InLine = std::tuple<bool, std::string, ObjectName, std::string>;

InLine PlaceOf(const Json& benchmark) {
  return {!HasBegun(benchmark), kube::TextAt(benchmark, "/metadata/creationTimestamp"),
          kube::NameOf(benchmark), kube::TextAt(benchmark, "/metadata/uid")};
}

/// Those that go first, by what they wait for.
struct Firsts {
  std::map<Queue, Snapshot> of_queues;
  std::map<std::string, Snapshot> of_nodes;  // by frontend
};

template <typename Key>
void PutFirst(const Key& key, const Snapshot& each, std::map<Key, Snapshot>& firsts) {
  const auto [known, is_new] = firsts.try_emplace(key, each);
  if (!is_new && PlaceOf(*each) < PlaceOf(*known->second)) known->second = each;
}

/// Who waits for its queue keeps nobody from nodes.
Firsts FirstsOf(std::span<const Snapshot> all) {
  Firsts firsts;
  for (const Snapshot& each : all) {
    if (WantsQueue(*each)) PutFirst(QueueFor(*each), each, firsts.of_queues);
  }
  for (const Snapshot& each : all) {
    if (!WantsQueue(*each) || !TakesNodes(*each)) continue;
    const bool may_take = HasBegun(*each) || firsts.of_queues.at(QueueFor(*each)) == each;
    if (may_take) PutFirst(FrontendOf(*each), each, firsts.of_nodes);
  }
  return firsts;
}

template <typename Key>
bool GoesBefore(const Key& key, const std::map<Key, Snapshot>& firsts, const Json& benchmark) {
  const auto first = firsts.find(key);
  return first != firsts.end() && PlaceOf(*first->second) < PlaceOf(benchmark);
}

/// nullptr: it is the turn of `benchmark`.
Snapshot FirstBefore(const Json& benchmark, const Firsts& firsts) {
  const Queue queue = QueueFor(benchmark);
  if (GoesBefore(queue, firsts.of_queues, benchmark)) return firsts.of_queues.at(queue);
  const std::string frontend = FrontendOf(benchmark);
  if (!MakesPods(benchmark) || !GoesBefore(frontend, firsts.of_nodes, benchmark)) return nullptr;
  return firsts.of_nodes.at(frontend);
}

}  // namespace

bool KnowsItsPods(const Json& benchmark) {
  return !kube::TextAt(benchmark, "/status/workerPool").empty();
}

bool IsOver(const Json& benchmark) {
  return controller::IsBeingDeleted(benchmark) ||
         !kube::TextAt(benchmark, "/status/completionTime").empty();
}

std::optional<ObjectName> Before(const Json& benchmark, std::span<const Snapshot> all) {
  const Snapshot before = FirstBefore(benchmark, FirstsOf(all));
  return before == nullptr ? std::nullopt : std::optional(kube::NameOf(*before));
}

std::vector<Snapshot> NextInLine(std::span<const Snapshot> all) {
  const Firsts firsts = FirstsOf(all);
  std::vector<Snapshot> next;
  for (const auto& [queue, first] : firsts.of_queues) {
    if (!HasBegun(*first) && FirstBefore(*first, firsts) == nullptr) next.push_back(first);
  }
  return next;
}

}  // namespace twofold::benchmarks
