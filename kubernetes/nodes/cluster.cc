#include "kubernetes/nodes/cluster.h"

#include <absl/strings/str_cat.h>

#include <map>
#include <set>
#include <utility>

#include "kubernetes/api/deletions.h"
#include "kubernetes/api/list.h"
#include "kubernetes/nodes/model/names.h"
#include "kubernetes/nodes/model/pod.h"
#include "kubernetes/nodes/model/pod_status.h"

namespace twofold::nodes {
namespace {

constexpr int kRounds = 5;  // of deleting what others make meanwhile

kube::Selection NodesWith(const std::string& labels) { return {kube::kNodes, "", labels}; }

// Whether a node that is there may stay beside those of the run, or as one of them.
Status CheckNode(const NodeTemplate& nodes, const kube::Json& node) {
  const std::string name = kube::NameOf(node).name;
  const auto index = nodes.IndexOf(name);
  const bool is_ours = RunOf(node) == nodes.run;
  if (index && !is_ours) {
    return absl::FailedPreconditionError(absl::StrCat(
        "node ", name, " exists and is not a simulated one of this name; choose another --run"));
  }
  if (index && !HasTaintsOf(nodes, node)) {
    return absl::FailedPreconditionError(
        absl::StrCat("node ", name,
                     " was left by an `up` with other taints; first `twofold nodes "
                     "down --run ",
                     nodes.run, "`, or give the same --taint"));
  }
  if (is_ours && !index) {
    return absl::FailedPreconditionError(absl::StrCat(
        "node ", name, " was left by an `up` with more nodes; first `twofold nodes down --run ",
        nodes.run, "`, or take a larger --count"));
  }
  return absl::OkStatus();
}

Status CheckPods(kube::Connection& connection, const NodeTemplate& nodes) {
  Status foreign;
  const auto look = [&](const kube::Json& pod) {
    const std::string node = kube::TextAt(pod, "/spec/nodeName");
    if (!nodes.IndexOf(node) || IsMeantFor(pod, nodes.own_taint())) return;
    const kube::ObjectName name = kube::NameOf(pod);
    foreign = absl::FailedPreconditionError(
        absl::StrCat("pod ", name.space, "/", name.name, " is on node ", node,
                     " and does not tolerate ", kTaintKey,
                     ": its life would be simulated; delete it, give it the toleration, or "
                     "choose another --run"));
  };
  const Status listed = kube::ForEach(connection, BoundPods(), look, [] {});
  return listed.ok() ? foreign : listed;
}

/// What there is to delete.
struct Remains {
  std::vector<kube::Call> pods;
  std::vector<kube::Call> nodes;
};

// `names` are nodes of the run, also those that were deleted before.
Result<Remains> Find(kube::Connection& connection, const std::string& run,
                     std::set<std::string>& names) {
  Remains remains;
  const auto note = [&](const kube::Json& node) {
    const kube::ObjectName name = kube::NameOf(node);
    names.insert(name.name);
    kube::DeleteOptions options;
    options.uid = kube::TextAt(node, "/metadata/uid");
    remains.nodes.push_back(kube::Delete(kube::kNodes, name, options));
  };
  const Status listed = kube::ForEach(connection, NodesWith(absl::StrCat(kRunLabel, "=", run)),
                                      note, [&] { remains.nodes.clear(); });
  if (!listed.ok()) return listed;
  const auto add = [&](const kube::Json& pod) {
    if (!names.contains(kube::TextAt(pod, "/spec/nodeName"))) return;
    // What has been deleted already is held back by others' finalizers.
    const Pod read = ReadPod(pod);
    if (read.is_deleted && read.grace == Duration::zero()) return;
    remains.pods.push_back(RemovePod(read));
  };
  const Status pods = kube::ForEach(connection, BoundPods(), add, [&] { remains.pods.clear(); });
  if (!pods.ok()) return pods;
  return remains;
}

// Those that are left: the cluster removes a lease after its node, in its own time. Who may not
// leaves them to it.
Status RemoveLeases(const kube::Access& access, kube::Connection& connection,
                    const std::string& run, int connections) {
  std::vector<kube::Call> calls;
  const Status listed = kube::ForEach(
      connection, LeasesOf(run),
      [&](const kube::Json& lease) {
        kube::DeleteOptions options;
        options.uid = kube::TextAt(lease, "/metadata/uid");
        calls.push_back(kube::Delete(kube::kLeases, kube::NameOf(lease), options));
      },
      [&] { calls.clear(); });
  const Status status = listed.ok() ? kube::CarryOut(access, calls, connections) : listed;
  return absl::IsPermissionDenied(status) ? absl::OkStatus() : status;
}

}  // namespace

kube::Selection BoundPods() { return {kube::kPods, "", "", "spec.nodeName!="}; }

Result<std::vector<std::uint32_t>> Examine(kube::Connection& connection,
                                           const NodeTemplate& nodes) {
  std::vector<std::uint32_t> existing;
  Status wrong;
  const auto look = [&](const kube::Json& node) {
    const auto index = nodes.IndexOf(kube::NameOf(node).name);
    wrong.Update(CheckNode(nodes, node));
    if (index && RunOf(node) == nodes.run) existing.push_back(*index);
  };
  Status listed = kube::ForEach(connection, NodesWith(""), look, [&] { existing.clear(); });
  listed.Update(wrong);
  if (!listed.ok()) return listed;
  const Status pods = CheckPods(connection, nodes);
  if (!pods.ok()) return pods;
  return existing;
}

// Pods first, so that their owners see them go; then the nodes, so that no new ones come; then the
// pods that came in between.
Result<Cleaned> CleanUp(const kube::Access& access, const std::string& run, int connections) {
  kube::Connection connection(access);
  std::set<std::string> names;
  Cleaned cleaned;
  for (int round = 0; round < kRounds; ++round) {
    const auto remains = Find(connection, run, names);
    if (!remains.ok()) return remains.status();
    if (remains->pods.empty() && remains->nodes.empty()) {
      const Status leases = RemoveLeases(access, connection, run, connections);
      return leases.ok() ? Result<Cleaned>(cleaned) : leases;
    }
    for (const auto* calls : {&remains->pods, &remains->nodes}) {
      if (const Status status = kube::CarryOut(access, *calls, connections); !status.ok())
        return status;
    }
    cleaned.pods += remains->pods.size();
    cleaned.nodes += remains->nodes.size();
  }
  return absl::FailedPreconditionError(absl::StrCat("somebody goes on making nodes or pods of run ",
                                                    run, "; is its `up` still running?"));
}

Result<show::Json> StatusOf(kube::Connection& connection) {
  std::map<std::string, std::string> run_of;
  std::map<std::string, show::Json> runs;
  const auto add = [&](const kube::Json& node) {
    const std::string run = RunOf(node);
    run_of[kube::NameOf(node).name] = run;
    show::Json& row = runs[run];
    if (row.is_null()) {
      row = {{"run", run}, {"nodes", 0}, {"ready", 0}, {"pods", show::Json::object()}};
    }
    row["nodes"] = row["nodes"].get<int>() + 1;
    if (IsReady(node)) row["ready"] = row["ready"].get<int>() + 1;
  };
  const Status listed = kube::ForEach(connection, NodesWith(kRunLabel), add, [&] { runs.clear(); });
  if (!listed.ok()) return listed;
  std::map<std::string, std::map<std::string, int>> phases;
  const auto count = [&](const kube::Json& pod) {
    const auto found = run_of.find(kube::TextAt(pod, "/spec/nodeName"));
    if (found != run_of.end()) ++phases[found->second][kube::TextAt(pod, "/status/phase")];
  };
  const Status pods = kube::ForEach(connection, BoundPods(), count, [&] { phases.clear(); });
  if (!pods.ok()) return pods;
  show::Json rows = show::Json::array();
  for (auto& [run, row] : runs) {
    for (const char* phase : {"Pending", "Running", "Succeeded", "Failed"}) {
      row["pods"][phase] = phases[run][phase];
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace twofold::nodes
