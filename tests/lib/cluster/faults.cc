#include "tests/lib/cluster/faults.h"

#include <algorithm>
#include <array>
#include <random>
#include <string>

namespace twofold::cluster {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct KindRow {
  std::string_view name;
  std::uint64_t weight;
  Duration longest;
};

constexpr std::array<KindRow, kFaultKinds> kKinds = {{{"pause", 4, seconds(16)},
                                                      {"cut", 4, seconds(16)},
                                                      {"deafen", 3, seconds(8)},
                                                      {"delay", 4, seconds(12)},
                                                      {"double", 3, seconds(15)},
                                                      {"kill", 4, seconds(14)},
                                                      {"end", 1, seconds(0)},
                                                      {"outage", 1, seconds(14)},
                                                      {"rollback", 1, seconds(3)},
                                                      {"drain", 2, seconds(3)},
                                                      {"move", 3, seconds(0)}}};

const KindRow& RowOf(FaultKind kind) { return kKinds.at(static_cast<std::size_t>(kind)); }

FaultKind RandomKind(std::mt19937_64& random) {
  std::uint64_t sum = 0;
  for (const KindRow& row : kKinds) sum += row.weight;
  std::uint64_t pick = random() % sum;
  std::size_t kind = 0;
  while (pick >= kKinds.at(kind).weight) pick -= kKinds.at(kind++).weight;
  return static_cast<FaultKind>(kind);
}

/// Shortly after the beginning or the end of another fault: what goes wrong together is worst.
Duration Near(std::mt19937_64& random, const Scenario& scenario) {
  const Fault& other = scenario.faults[random() % scenario.faults.size()];
  const Duration after = random() % 2 == 0 ? Duration{} : other.length;
  return std::min(kFaultsEnd, other.at + after + milliseconds(random() % 2000));
}

Fault RandomFault(std::mt19937_64& random, const Scenario& scenario) {
  Fault fault{};
  fault.kind = RandomKind(random);
  // Who drains needs time for it before the faults end.
  const Duration last = kFaultsEnd - (fault.kind == FaultKind::kDrain ? seconds(25) : seconds(0));
  fault.at = milliseconds(random() % static_cast<std::uint64_t>(last / milliseconds(1)));
  if (!scenario.faults.empty() && random() % 2 == 0)
    fault.at = std::min(last, Near(random, scenario));
  fault.frontend = random() % scenario.frontends;
  // The first frontend never ends for good, so one is there.
  if (fault.kind == FaultKind::kGone && fault.frontend == 0) fault.kind = FaultKind::kKill;
  const auto longest = static_cast<std::uint64_t>(RowOf(fault.kind).longest / milliseconds(1));
  fault.length = milliseconds(100 + random() % (longest + 1));
  if (fault.kind != FaultKind::kRollback)
    fault.length = std::min(fault.length, kFaultsEnd - fault.at);
  fault.partition = random() % scenario.partitions;
  return fault;
}

}  // namespace

std::string_view Name(FaultKind kind) { return RowOf(kind).name; }

std::ostream& operator<<(std::ostream& out, const Fault& fault) {
  out << ToSeconds(fault.at) << " s: " << Name(fault.kind);
  if (fault.kind == FaultKind::kMove) out << " partition " << fault.partition << " from";
  if (fault.kind != FaultKind::kOutage && fault.kind != FaultKind::kRollback) {
    out << " frontend " << fault.frontend;
  }
  return out << " for " << ToSeconds(fault.length) << " s";
}

Scenario RandomScenario(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Scenario scenario{
      .seed = seed, .frontends = 3 + random() % 5, .partitions = 1 + random() % 10, .faults = {}};
  const std::uint64_t faults = 1 + random() % 14;
  for (std::uint64_t i = 0; i < faults; ++i) {
    scenario.faults.push_back(RandomFault(random, scenario));
  }
  std::sort(scenario.faults.begin(), scenario.faults.end(),
            [](const Fault& one, const Fault& other) { return one.at < other.at; });
  return scenario;
}

}  // namespace twofold::cluster
