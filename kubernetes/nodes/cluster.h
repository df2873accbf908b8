#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kubernetes/api/connection.h"
#include "kubernetes/nodes/model/node.h"
#include "lib/common/result.h"
#include "lib/show/table.h"

/// What is in a cluster of simulated nodes, whoever made them.
namespace twofold::nodes {

/// Pods that have a node.
kube::Selection BoundPods();

/// Looks whether a run can begin: returns the nodes of its name that a killed one left, by index.
///
/// Errors   kFailedPrecondition: a node of its names is somebody else's, a left one is beyond the
///          count, or a pod on these nodes does not tolerate their taint; says what to do. Those of
///          the connection.
Result<std::vector<std::uint32_t>> Examine(kube::Connection& connection, const NodeTemplate& nodes);

struct Cleaned {
  std::uint64_t pods = 0;
  std::uint64_t nodes = 0;
};

/// Deletes the pods on the nodes of a run, the nodes, pods that came meanwhile, and leases of the
/// run that have not gone with their nodes; who may not delete leases leaves these to the cluster.
///
/// Cost     A call for each, over `connections` connections.
/// Errors   Those of the first call that failed, when nothing else could be deleted either.
Result<Cleaned> CleanUp(const kube::Access& access, const std::string& run, int connections = 4);

/// The simulated nodes of the cluster, a row for each run, with the pods on them by phase.
Result<show::Json> StatusOf(kube::Connection& connection);

}  // namespace twofold::nodes
