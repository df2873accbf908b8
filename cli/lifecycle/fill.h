#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "cli/lifecycle/settings.h"
#include "cli/lifecycle/times/saturation.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"
#include "lib/kube/call.h"
#include "lib/kube/connection.h"
#include "lib/kube/watch.h"

namespace twofold::lifecycle {

/// What it takes to carry out a phase.
struct PhaseParts {
  const kube::Access& access;
  const RunSettings& settings;                     ///< of the run
  const std::vector<kube::Resource>& resources;    ///< of the objects of a workload
  const std::vector<kube::Selection>& selections;  ///< what the run watches
  const kube::WatchOptions& watch;
  std::function<bool(Instant until)> pause;  ///< false: interrupted
  std::function<void(const std::string& line)> progress;
};

/// `selections` without the objects of the phase that fills, or with these only. What has no labels
/// of ours is in both: an observer tells it by its owners.
std::vector<kube::Selection> InPhase(std::vector<kube::Selection> selections, bool fills);

/// The settings of the workloads that fill: NAME-fill-0, ..., with their own label, as fast as the
/// connections allow or at --fill-rate.
RunSettings FillSettings(const RunSettings& settings);

/// Creates the workloads that fill the cluster, and waits until all are ready or over, for --settle
/// at most. Nothing of it is in what is measured afterwards: it has watches of its own, which end
/// with it.
///
/// Errors   kCancelled: interrupted. kResourceExhausted: the server's store is full. Those of the
///          watches.
Result<Saturation> Fill(const PhaseParts& parts);

}  // namespace twofold::lifecycle
