#pragma once

#include <atomic>
#include <functional>

#include "kubernetes/api/connection.h"
#include "kubernetes/lifecycle/run.h"
#include "lib/common/program.h"
#include "lib/common/result.h"

/// What the commands of `twofold lifecycle` that send or watch have in common.
namespace twofold::lifecycle {

/// Logs, signals and descriptors of such a command. Make it first.
class Running {
 public:
  Running();

  /// Works on a thread of its own; each signal is counted, then `interrupt` is called.
  Status Work(const std::function<Status(const std::atomic<int>& signals)>& work,
              const std::function<void()>& interrupt);

 private:
  ShutdownSignals shutdown_;
};

/// --dry-run: prints what the server says to the objects of one workload.
Status PrintTrial(const kube::Access& access, const RunPlan& plan);

/// Says so if the server's flow control does not hold for us.
void WarnOfExemption(Run& run);

/// Each line of progress goes into the log.
void Log(const std::string& line);

/// Removes all objects of a run. A signal more than before the call gives it up; two do in any
/// case.
Status CleanAfter(const kube::Access& access, const kube::ObjectName& run, int connections,
                  const std::atomic<int>& signals);

}  // namespace twofold::lifecycle
