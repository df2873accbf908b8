#pragma once

#include "kubernetes/api/call.h"

/// Names of our objects in a cluster, each once.
namespace twofold::benchmarks {

inline constexpr const char* kGroup = "twofold.dev";
inline constexpr const char* kVersion = "v1alpha1";
inline const kube::Resource kBenchmarks{kGroup, kVersion, "benchmarks", "Benchmark", true};

/// A Benchmark has it from before its run begins until the run is over, so that none goes and
/// leaves its run behind.
inline constexpr const char* kRunFinalizer = "twofold.dev/run";

/// Of a Benchmark that a scheduled one has made: for which of its times.
inline constexpr const char* kScheduledAt = "twofold.dev/scheduled-at";

/// Who writes status and events.
inline constexpr const char* kManager = "twofold-operator";
inline constexpr const char* kReporter = "twofold.dev/operator";

}  // namespace twofold::benchmarks
