#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "cli/command/command.h"
#include "kubernetes/api/connection.h"
#include "kubernetes/lifecycle/outcome.h"
#include "kubernetes/lifecycle/settings.h"
#include "kubernetes/lifecycle/times/threshold.h"
#include "lib/common/program.h"
#include "lib/common/result.h"

/// What the commands of `twofold lifecycle` that send or watch have in common.
namespace twofold::cli {

/// --dry-run: prints what the server says to the objects of one workload.
Status PrintTrial(const kube::Access& access, const lifecycle::RunSettings& settings);

/// Says so if the server's flow control does not hold for us.
void WarnOfExemption(bool exempt);

/// Prints the report, writes the files, checks that there is data, and the thresholds. What the
/// first of these that failed says, `ended` among them; the others are carried out all the same.
Status Conclude(const lifecycle::EndOptions& options, const Globals& globals,
                const std::vector<lifecycle::Threshold>& thresholds, const Status& ended,
                const lifecycle::Outcome& outcome);

/// Removes all objects of a run. A signal more than before the call gives it up; two do in any
/// case.
Status CleanAfter(const kube::Access& access, const kube::ObjectName& run, int connections,
                  const std::atomic<int>& signals);

/// Works on a thread of its own; each signal is counted, then `interrupt` is called.
Status WorkWithSignals(ShutdownSignals& shutdown,
                       const std::function<Status(const std::atomic<int>& signals)>& work,
                       const std::function<void()>& interrupt);

}  // namespace twofold::cli
