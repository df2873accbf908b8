#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kubernetes/api/call.h"
#include "kubernetes/api/connection.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"

/// What runs have left in a namespace, found by their label alone: also what a killed one has left.
namespace twofold::lifecycle {

struct Remains {
  std::string run;
  std::string resource;  ///< "jobs.batch"
  std::uint64_t objects = 0;
  std::uint64_t ending = 0;  ///< of these, deleted already
};

/// By run and resource.
Result<std::vector<Remains>> FindRemains(kube::Connection& connection, const std::string& space);

struct Cleaning {
  Duration patience = std::chrono::minutes(2);
  int connections = 4;
  std::function<bool()> given_up = [] { return false; };  ///< asked between rounds
};

/// Deletes all objects with the label of the run, in rounds until none is left: workloads first,
/// then what their controllers leave, then the run's record. Returns how many were deleted.
///
/// Cost     A call for each, and a list of each resource a round.
/// Errors   kDeadlineExceeded: some are left after `patience`, with their resource.
///          kNotFound: there is nothing of this run. Those of the connection.
Result<std::uint64_t> CleanUp(const kube::Access& access, const std::string& space,
                              const std::string& run, const Cleaning& cleaning = {});

}  // namespace twofold::lifecycle
