#pragma once

#include <string>

#include "kubernetes/api/call.h"
#include "kubernetes/operator/group.h"

/// Frontends: objects by which an admin says where the runs of a namespace go, and what it may run
/// there. The policy of the API server (deployments/benchmark-operator/frontends) says the same in
/// CEL, of objects that are created. Pure.
namespace twofold::benchmarks {

inline const kube::Resource kFrontends{kGroup, kVersion, "frontends", "Frontend", false};

/// Of objects that name none.
inline constexpr const char* kDefaultFrontend = "default";

/// The name of the Frontend that an object wants: spec.frontendRef, else kDefaultFrontend.
std::string FrontendOf(const kube::Json& object);

/// Why `frontend` does not let the namespace of `object` run it; empty: it does.
///
/// `object` is a Benchmark, a measurement, a WorkerPool or one of kube-perftest.
std::string WhyForbidden(const kube::Json& frontend, const kube::Json& object);

}  // namespace twofold::benchmarks
