#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kubernetes/operator/definition.h"
#include "kubernetes/operator/runs.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"

/// Workers of a run alone (spec.workers): a WorkerPool that its object owns. Pure.
namespace twofold::benchmarks {

struct OwnedObject {
  kube::Resource resource;
  kube::Json object;
};

/// Of all their pods, with the kind of what runs: by it pods of one run can keep away from those of
/// others.
inline constexpr const char* kBenchmarkLabel = "twofold.dev/benchmark";

/// Adds "KEY=VALUE" to what a worker says that it is, against the same key in what the container
/// says of it so far.
/// Errors   kInvalidArgument: that comes from elsewhere.
/// REQUIRES: `env` is a list where it is there.
Status AddWorkerLabel(const std::string& label, kube::Json& container);

/// Whether the object asks for them.
bool HasOwnWorkers(const kube::Json& object);

/// The pool. Its pods have the label that the run's jobs ask for (run_record.h), and no token of an
/// account unless the template wants one.
///
/// REQUIRES: HasOwnWorkers(order.of).
/// Errors   kInvalidArgument: which field of the object's spec, and what it may be.
Result<kube::Json> OwnPool(const RunOrder& order);

/// What its pods need beside: their group, where a scheduler starts them all or none
/// (spec.workers.scheduling), and the volumes of all (spec.workers.claims). `pool`, as it is at the
/// server, owns them.
std::vector<OwnedObject> NeedsOf(const RunOrder& order, const kube::Json& pool);

/// Since when not all workers are ready, who were; nullopt: it does not say.
std::optional<kube::UnixTime> MissingSince(const kube::Json& pool);

/// So long after the turn of the object has come its workers have to be ready, and so long may some
/// be missing later.
Duration ReadyLimit(const kube::Json& object);

/// What of a pool keeps the run from beginning.
struct Lack {
  std::string reason;     ///< one word, as the pool has it: "Unschedulable"
  std::string why;        ///< for people
  bool is_final = false;  ///< the pods are refused, and will be
};

/// nullopt: all workers are ready.
std::optional<Lack> LackOf(const kube::Json& pool);

}  // namespace twofold::benchmarks
