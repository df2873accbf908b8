#pragma once

#include <span>

#include "kubernetes/controller/object_cache.h"
#include "kubernetes/operator/definition.h"
#include "lib/common/result.h"

/// Workers of their own for objects of kube-perftest, which have no templates of pods: an admin's
/// WorkerPool has what is the same for all objects of a kind, and the object asks for the rest.
/// Pure.
namespace twofold::benchmarks {

/// The label of such WorkerPools, with its value, and the annotation that lists their kinds, with
/// commas between, or "*".
inline constexpr const char* kWorkersForLabel = "twofold.dev/workers-for";
inline constexpr const char* kForPerftest = "perftest";
inline constexpr const char* kKindsAnnotation = "twofold.dev/kinds";

bool IsOfPerftest(const kube::Json& object);

/// Of `pools` the one that the object's kind has: the first by name, those that list the kind
/// before those for all. nullptr: it has none.
controller::Snapshot PoolFor(const kube::Json& object, std::span<const controller::Snapshot> pools);

/// spec.workers, as a Benchmark has it.
///
/// REQUIRES: order.definition is one that Runs::Check takes.
/// Errors   kInvalidArgument: jobs of a set that ask for different pods; what of the template of
///          `pool`, or of the object, does not go.
/// Cost     All permutations are made.
Result<kube::Json> PerftestWorkers(const RunOrder& order, const kube::Json& pool);

}  // namespace twofold::benchmarks
