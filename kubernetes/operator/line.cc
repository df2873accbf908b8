#include "kubernetes/operator/line.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "kubernetes/controller/ownership.h"
#include "kubernetes/operator/definition.h"
#include "kubernetes/operator/frontend_kind.h"

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
  const Handling handling = HandlingOf(benchmark);
  if (handling.schedule) return false;  // those that it makes do
  return !handling.suspend || HasRunningJobs(benchmark);
}

/// A queue of a frontend.
std::pair<std::string, std::string> LineOf(const Json& benchmark) {
  return {FrontendOf(benchmark), QueueOf(benchmark)};
}

/// The less the sooner. Two kinds may have objects of one name.
using InLine = std::tuple<bool, std::string, ObjectName, std::string>;

InLine PlaceOf(const Json& benchmark) {
  return {!HasBegun(benchmark), kube::TextAt(benchmark, "/metadata/creationTimestamp"),
          kube::NameOf(benchmark), kube::TextAt(benchmark, "/metadata/uid")};
}

}  // namespace

bool IsOver(const Json& benchmark) {
  return controller::IsBeingDeleted(benchmark) ||
         !kube::TextAt(benchmark, "/status/completionTime").empty();
}

std::optional<ObjectName> Before(const Json& benchmark, std::span<const Snapshot> all) {
  const auto line = LineOf(benchmark);
  const InLine own = PlaceOf(benchmark);
  InLine first = own;
  for (const Snapshot& other : all) {
    if (!WantsQueue(*other) || LineOf(*other) != line) continue;
    first = std::min(first, PlaceOf(*other));
  }
  if (first == own) return std::nullopt;
  return std::get<ObjectName>(first);
}

std::vector<Snapshot> NextInLine(std::span<const Snapshot> all) {
  std::map<std::pair<std::string, std::string>, Snapshot> first;
  for (const Snapshot& each : all) {
    if (!WantsQueue(*each)) continue;
    const auto [known, is_new] = first.try_emplace(LineOf(*each), each);
    if (!is_new && PlaceOf(*each) < PlaceOf(*known->second)) known->second = each;
  }
  std::vector<Snapshot> next;
  for (const auto& [line, object] : first) {
    if (!HasBegun(*object)) next.push_back(object);
  }
  return next;
}

}  // namespace twofold::benchmarks
