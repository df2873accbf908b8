#pragma once

/// The labels, annotations and taints by which simulated nodes and their pods are told apart.
namespace twofold::nodes {

inline constexpr const char* kRunLabel =
    "twofold/nodes";  ///< on nodes and leases: the name of their `up`
inline constexpr const char* kTaintKey = "twofold/simulated";

// What a pod may say of its own life, in place of the options of `up`.
inline constexpr const char* kStartTime = "twofold/start-time";
inline constexpr const char* kRunTime = "twofold/run-time";
inline constexpr const char* kStopTime = "twofold/stop-time";
inline constexpr const char* kFailures = "twofold/failures";
inline constexpr const char* kExitCode = "twofold/exit-code";
inline constexpr const char* kEvictAfter = "twofold/evict-after";
inline constexpr const char* kUtilisation = "twofold/gpu-utilisation";

/// On pods, written by us: the exact instants that were planned, as JSON {seen, start, end}.
inline constexpr const char* kPlanned = "twofold/planned";

inline constexpr const char* kGpuResource = "nvidia.com/gpu";

// KAI and Run:ai share a GPU among pods by one more pod that holds the whole device. It has this
// label, and writes the device's UUID into this annotation, for which their binder waits.
inline constexpr const char* kGpuGroupLabel = "runai-gpu-group";
inline constexpr const char* kReservedGpu = "run.ai/reserve_for_gpu_index";

}  // namespace twofold::nodes
