#pragma once

#include <functional>
#include <string>

#include "kubernetes/api/connection.h"
#include "kubernetes/api/watch.h"
#include "kubernetes/lifecycle/interruption.h"
#include "kubernetes/lifecycle/record.h"
#include "kubernetes/lifecycle/settings.h"
#include "kubernetes/lifecycle/times/saturation.h"
#include "lib/common/result.h"

namespace twofold::lifecycle {

/// What it takes to fill the cluster before a run.
struct FillParts {
  const kube::Access& access;
  const RunSettings& settings;  ///< of the run
  const Record& record;         ///< its record, which is there already
  const kube::WatchOptions& watch;
  Interruption& interruption;
  std::function<void(const std::string& line)> progress;
};

/// The settings of the workloads that fill: NAME-fill-0, ..., with their own label, as fast as the
/// connections allow or at --fill-rate.
RunSettings FillSettings(const RunSettings& settings);

/// Creates the workloads that fill the cluster, and waits until all are ready or over, for --settle
/// at most. Nothing of it is in what is measured afterwards: it has watches of its own, which end
/// with it.
///
/// Errors   kCancelled: interrupted. kResourceExhausted: the server's store is full. Those of the
///          watches.
Result<Saturation> Fill(kube::Connection& connection, const FillParts& parts);

}  // namespace twofold::lifecycle
