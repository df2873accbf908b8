#pragma once

#include <string>
#include <vector>

#include "kubernetes/api/fields.h"
#include "kubernetes/operator/runs.h"

/// What the status of an object of kube-perftest says of a run that is over. Pure.
namespace twofold::benchmarks {

/// Whether its status has room for more than headlines: not that of a set.
bool TellsOfItsJob(const kube::Json& object);

/// Fields of the status: headlines, and of its job numbers, the end of its log, and where it ran.
/// What is not known is not there.
kube::Json PerftestResults(const kube::Json& object, const Results& results);

/// A field that PerftestResults can fill: "results[]/bytes", "workerPods/*/podIp".
struct FilledField {
  std::string kind;
  std::string path;
  std::string type;  ///< of the definition: "integer", "number", "string", "int-or-string"
};
std::vector<FilledField> PerftestFilledFields();

inline constexpr int kMostRows = 64;      ///< of a table, in a status
inline constexpr int kMostEntries = 256;  ///< streams or pods, in a status

}  // namespace twofold::benchmarks
