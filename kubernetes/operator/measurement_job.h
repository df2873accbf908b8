#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kubernetes/operator/measurement.h"
#include "kubernetes/operator/runs.h"

/// The Job of a measurement, and what Job and pod say of how it goes. Pure.
namespace twofold::benchmarks {

/// What is the same for all measurements.
struct MeasurementSettings {
  std::string image;     ///< that has the program twofold
  std::string frontend;  ///< HOST:PORT, as pods in the objects' namespaces reach it
  // Secrets of those namespaces, for what asks the frontend; empty: it has no TLS, no tokens.
  std::string tls_secret = {};    ///< ca.crt, tls.crt, tls.key
  std::string token_secret = {};  ///< token
};

/// One pod, which is not tried again, under the restricted profile of PodSecurity, owned by the
/// object.
/// Errors   kInvalidArgument: the spec, which field and why.
Result<kube::Json> MeasurementJob(const MeasurementKind& kind, const RunOrder& order,
                                  const MeasurementSettings& settings);

/// The label that its pods have; its value is the name of the Job.
inline constexpr const char* kMeasurementLabel = "twofold.dev/measurement";

/// Whether all is over.
bool HasEnded(const kube::Json& job);

/// Whether it needs no other look to know that its pod runs.
bool IsReady(const kube::Json& job);

/// `events`: those about the Job, which alone say why it has no pod.
RunLook LookAt(const kube::Json& job, const std::vector<kube::Json>& pods,
               const std::vector<kube::Json>& events);

/// What the last pod has left as its termination message; nullopt: nothing that is a verdict.
std::optional<cli::Verdict> VerdictOf(const std::vector<kube::Json>& pods);

}  // namespace twofold::benchmarks
