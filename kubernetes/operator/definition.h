#pragma once

#include <optional>
#include <string>

#include "kubernetes/api/call.h"
#include "kubernetes/api/fields.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"

/// What a Benchmark asks for, as `twofold run` takes it. Pure.
namespace twofold::benchmarks {

/// A run that shall be.
struct RunOrder {
  std::string id;          ///< of the run, the same for the same object whenever it is asked
  std::string object;      ///< "NAMESPACE/NAME", for messages and as a label of the run
  std::string queue;       ///< of its jobs; empty: a kind that this program does not know
  std::string definition;  ///< a file, the object's own kind
  kube::Json of{};  ///< the object itself, without its status; with spec.workers if it has own
                    ///< workers (own_workers.h)
};

/// spec.schedule, as it is written.
struct Schedule {
  std::string cron;
  std::string zone;
  std::optional<Duration> late{};  ///< startingDeadlineSeconds
};

/// The rest of a Benchmark's spec.
struct Handling {
  bool suspend = false;
  std::optional<Duration> deadline{};  ///< activeDeadlineSeconds
  std::optional<Duration> keep{};      ///< ttlSecondsAfterFinished
  std::optional<Schedule> schedule{};  ///< it is not run, but makes those that are
};

/// REQUIRES: the object has a name and a uid.
RunOrder OrderOf(const kube::Json& benchmark);

Handling HandlingOf(const kube::Json& benchmark);

/// "NAME-UID", a run's id: no two objects have the same, also one after the other under one name.
std::string RunIdOf(const kube::Json& benchmark);

/// The Benchmark that a scheduled one makes for `due`, of which it is the owner. Its name follows
/// from the two, so there is one at most.
kube::Json ScheduledBenchmark(const kube::Json& owner, kube::UnixTime due);

/// Whether `owner` has made it.
bool IsScheduledBy(const kube::Json& benchmark, const kube::Json& owner);

/// The kind of what runs: of a set that of its template.
std::string RunKindOf(const kube::Json& object);

/// spec.queue, else the queue named like the suite of the kind.
std::string QueueOf(const kube::Json& benchmark);

}  // namespace twofold::benchmarks
