#pragma once

#include <string>
#include <vector>

#include "kubernetes/api/call.h"
#include "kubernetes/lifecycle/journal/journal.h"
#include "kubernetes/lifecycle/moments/kind.h"
#include "kubernetes/lifecycle/sending/etcd_guard.h"
#include "kubernetes/lifecycle/sending/send_plan.h"
#include "lib/common/result.h"
#include "suites/lifecycle/spec.pb.h"

namespace twofold::lifecycle {

/// What a run does. It sends, watches, or both; most of the rest the spec says.
struct RunPlan {
  kube::ObjectName run;
  v1::suites::LifecycleSpec spec = {};  ///< of one that only watches: `until` and `settle` alone
  bool sends = true;                    ///< else another process does, or did
  bool watches = true;                  ///< else another process does
  std::string text = {};                ///< of the template; empty: the kind's own
  EtcdLimits etcd = {};
  JournalSettings journal = {};
  bool events = false;                  ///< watch them, to compare
  std::vector<std::string> audit = {};  ///< logs of the API server, to be read after the run
};

/// Errors   kInvalidArgument: there is no such kind.
Result<SendPlan> SendingOf(const RunPlan& plan);

/// Whether a workload that is ready need not be waited for.
/// Errors   kInvalidArgument: --until complete, but workloads of this kind never do.
Result<bool> IsUntilReady(const v1::suites::LifecycleSpec& spec, const Kind& kind);

}  // namespace twofold::lifecycle
