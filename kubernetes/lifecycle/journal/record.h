#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kubernetes/api/call.h"

/// The ConfigMap of a run: it has the run's name and label, and says what to look for when somebody
/// else watches the run or has to clean up after it. Whoever sends writes a number into it each
/// second: a sign of life, and how late watches are. Pure.
namespace twofold::lifecycle {

/// Of one run: as many as an Observer follows.
inline constexpr std::uint32_t kMostWorkloads = 200'000;

/// What a run makes, in its record.
struct Record {
  std::string run;
  std::string space;
  std::string kind;
  std::vector<kube::Resource> resources;  ///< of which the run has objects with its label; the
                                          ///< first is that of its workloads
  std::uint32_t count = 0;                ///< workloads; 0: the record is none, or does not say
  std::uint32_t slots = 1;                ///< pods of each
  std::uint32_t claims = 0;               ///< volumes of each
  std::vector<std::pair<std::string, std::string>> load;  ///< as the suite's LoadOf says it
  bool labels_pods = false;                               ///< pods have the run's label
  std::string host = {};      ///< whose clock is in the stamps of the workloads
  std::int64_t began_ns = 0;  ///< Unix time, before any workload was sent
  std::string uid = {};       ///< of the ConfigMap
  bool all_sent = false;      ///< the sender has ended as it should
};

/// Without its uid.
kube::Json ToObject(const Record& record);

/// Of an object that may be anybody's: what cannot be read is left out.
Record ReadRecord(const kube::Json& object);

/// The name of workload `index`.
std::string WorkloadName(std::string_view run, std::uint32_t index);

/// A watcher's own ConfigMap, for its canaries. The run's label lets a clean-up find it.
kube::Json CanaryObject(const Record& record, const std::string& name);

/// The number that was written last; empty: none.
std::string TickOf(const kube::Json& object);

/// Says that nothing more will be sent.
kube::Json AllSentPatch();

/// What writes `tick` into a record or canary, and says whether all has been sent.
kube::Json TickPatch(const std::string& tick, bool all_sent);

}  // namespace twofold::lifecycle
