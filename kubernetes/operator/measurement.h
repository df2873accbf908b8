#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "kubernetes/operator/object_kind.h"
#include "lib/common/result.h"
#include "lib/spec/field.h"

/// Measurements: the kinds whose objects are a command of `twofold` each, run as a Job of the
/// cluster and not as jobs of a frontend. Pure.
namespace twofold::benchmarks {

struct MeasurementKind {
  ObjectKind object;
  const char* help;
  std::vector<spec::Field> fields;  ///< of the spec, beside those about the object
  /// The command line of the program `twofold` for a spec; `uid` is the object's.
  /// Errors   kInvalidArgument "FIELD: why".
  Result<std::vector<std::string>> (*arguments)(const kube::Json& spec, const std::string& uid);
  /// In whose line it stands (line.h): what it loads.
  std::string (*queue)(const kube::Json& spec);
  const char* account;          ///< the ServiceAccount of its pod, in the object's namespace
  bool asks_frontend;           ///< the command has --frontend
  bool calls_cluster;           ///< its pod gets the account's token
  std::chrono::seconds ending;  ///< that it takes at most to set things back when told to end
};

std::span<const MeasurementKind> MeasurementKinds();

/// nullptr: the object is of another kind.
const MeasurementKind* FindMeasurement(const kube::Json& object);

/// Of its Job, and status.runId. Follows from name and uid, so no two objects have the same, and
/// whoever makes it again makes the same one.
std::string MeasurementJobName(const kube::Json& object);

}  // namespace twofold::benchmarks
