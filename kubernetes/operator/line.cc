#include "kubernetes/operator/line.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "kubernetes/controller/ownership.h"
#include "kubernetes/operator/definition.h"
#include "kubernetes/operator/frontend_kind.h"
#include "kubernetes/operator/perftest_workers.h"

namespace twofold::benchmarks {
namespace {

using controller::Snapshot;
using kube::Json;
using kube::ObjectName;

constexpr const char* kPodsLine = "/pods";  // no queue has such a name

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

/// A queue of a frontend, or what stands for those of kube-perftest that make pods.
using Line = std::pair<std::string, std::string>;

bool MakesPods(const Json& benchmark) { return IsOfPerftest(benchmark) && KnowsItsPods(benchmark); }

/// It has to be the first in each of them.
std::vector<Line> LinesOf(const Json& benchmark) {
  const std::string frontend = FrontendOf(benchmark);
  if (!MakesPods(benchmark)) return {{frontend, QueueOf(benchmark)}};
  return {{frontend, kube::TextAt(benchmark, "/status/queue")}, {frontend, kPodsLine}};
}

bool Meet(const std::vector<Line>& some, const std::vector<Line>& others) {
  return std::find_first_of(some.begin(), some.end(), others.begin(), others.end()) != some.end();
}

/// The less the sooner. Two kinds may have objects of one name.
using InLine = std::tuple<bool, std::string, ObjectName, std::string>;

InLine PlaceOf(const Json& benchmark) {
  return {!HasBegun(benchmark), kube::TextAt(benchmark, "/metadata/creationTimestamp"),
          kube::NameOf(benchmark), kube::TextAt(benchmark, "/metadata/uid")};
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
  const std::vector<Line> lines = LinesOf(benchmark);
  const InLine own = PlaceOf(benchmark);
  InLine first = own;
  for (const Snapshot& other : all) {
    if (!WantsQueue(*other) || !Meet(LinesOf(*other), lines)) continue;
    first = std::min(first, PlaceOf(*other));
  }
  if (first == own) return std::nullopt;
  return std::get<ObjectName>(first);
}

std::vector<Snapshot> NextInLine(std::span<const Snapshot> all) {
  std::map<Line, Snapshot> first;
  for (const Snapshot& each : all) {
    if (!WantsQueue(*each)) continue;
    for (const Line& line : LinesOf(*each)) {
      const auto [known, is_new] = first.try_emplace(line, each);
      if (!is_new && PlaceOf(*each) < PlaceOf(*known->second)) known->second = each;
    }
  }
  std::vector<Snapshot> next;
  for (const auto& [line, object] : first) {
    const std::vector<Line> lines = LinesOf(*object);
    const bool is_first = std::all_of(lines.begin(), lines.end(), [&, object = object](auto& each) {
      return first.at(each) == object;
    });
    if (is_first && line == lines.front() && !HasBegun(*object)) next.push_back(object);
  }
  return next;
}

}  // namespace twofold::benchmarks
