#include "kubernetes/operator/line.h"

#include <map>
#include <string>
#include <tuple>

#include "kubernetes/controller/ownership.h"
#include "kubernetes/operator/definition.h"

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
  if (IsOver(benchmark)) return false;
  return !HandlingOf(benchmark).suspend || HasRunningJobs(benchmark);
}

/// The less the sooner.
using Place = std::tuple<bool, std::string, ObjectName>;

Place PlaceOf(const Json& benchmark) {
  return {!HasBegun(benchmark), kube::TextAt(benchmark, "/metadata/creationTimestamp"),
          kube::NameOf(benchmark)};
}

}  // namespace

bool IsOver(const Json& benchmark) {
  return controller::IsBeingDeleted(benchmark) ||
         !kube::TextAt(benchmark, "/status/completionTime").empty();
}

std::optional<ObjectName> Before(const Json& benchmark, std::span<const Snapshot> all) {
  const std::string queue = QueueOf(benchmark);
  Place first = PlaceOf(benchmark);
  for (const Snapshot& other : all) {
    if (!WantsQueue(*other) || QueueOf(*other) != queue) continue;
    if (Place place = PlaceOf(*other); place < first) first = std::move(place);
  }
  const ObjectName& name = std::get<ObjectName>(first);
  if (name == kube::NameOf(benchmark)) return std::nullopt;
  return name;
}

std::vector<ObjectName> NextInLine(std::span<const Snapshot> all) {
  std::map<std::string, Place> first;
  for (const Snapshot& each : all) {
    if (!WantsQueue(*each)) continue;
    const auto [known, is_new] = first.try_emplace(QueueOf(*each), PlaceOf(*each));
    if (Place place = PlaceOf(*each); !is_new && place < known->second) {
      known->second = std::move(place);
    }
  }
  std::vector<ObjectName> next;
  for (const auto& [queue, place] : first) {
    if (std::get<bool>(place)) next.push_back(std::get<ObjectName>(place));
  }
  return next;
}

}  // namespace twofold::benchmarks
