#pragma once

#include <cstdint>
#include <string>

#include "kubernetes/api/call.h"
#include "kubernetes/pools/plan.h"
#include "lib/common/result.h"

/// The objects of a WorkerPool: itself, and its pods. Pure.
namespace twofold::pools {

inline const kube::Resource kWorkerPools{"twofold.dev", "v1alpha1", "workerpools", "WorkerPool",
                                         true};

/// Labels of its pods: whose they are, of which template, and since which Unix second they are to
/// go.
inline constexpr const char* kPoolLabel = "twofold.dev/pool";
inline constexpr const char* kTemplateLabel = "twofold.dev/template";
inline constexpr const char* kLeavingLabel = "twofold.dev/leaving-since";

/// So that the names of its pods are host names.
inline constexpr std::size_t kLongestPoolName = 52;

/// The name of the pool that is made for `owner`: the same whoever makes it. Another object of the
/// same name, later, has another one.
std::string PoolNameFor(const kube::Json& owner);

/// What status.selector says: the pods that stay.
std::string SelectorOf(const std::string& pool);

/// Errors   kInvalidArgument: which field of the spec, and what it may be.
Result<PoolSpec> SpecOf(const kube::Json& pool);

/// What PodOf and Owns look at, and its namespace: some 3 KB in memory instead of 20 or more, so
/// that an operator can know many pods.
kube::Json PartOfPod(const kube::Json& pod);

PodSeen PodOf(const kube::Json& pod);

/// Whether `pool` controls the pod.
bool Owns(const kube::Json& pool, const kube::Json& pod);

/// The name of the pod that a pool makes as its `number`th: the same whoever makes it, so that two
/// make one. Another pool of the same name, later, has others.
std::string NameOfPod(const kube::Json& pool, std::uint64_t number);

/// The pool of a pod with such a name.
std::string PoolOfPod(const std::string& pod);

/// The pod that is made: the template, with labels and owner. Its programs are not started again
/// when they have ended well, as drained workers do.
kube::Json MakePod(const kube::Json& pool, const PoolSpec& spec, const std::string& name);

/// Marks it as leaving since `now`.
kube::Call MarkAsLeaving(const kube::ObjectName& pod, const std::string& uid, kube::UnixTime now,
                         const kube::WriteOptions& options);

}  // namespace twofold::pools
