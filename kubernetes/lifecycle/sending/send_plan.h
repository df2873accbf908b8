#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kubernetes/lifecycle/moments/kind.h"
#include "kubernetes/lifecycle/sending/etcd_guard.h"
#include "kubernetes/lifecycle/sending/pace.h"
#include "kubernetes/lifecycle/templates/template.h"
#include "lib/common/result.h"

namespace twofold::lifecycle {

/// Workloads that are sent: what they are, how many, and at which pace.
struct SendPlan {
  const Kind* kind = nullptr;
  Workload each;          ///< its spec is that of all; name and index are each one's own
  std::string text = {};  ///< of the template
  EtcdLimits etcd = {};   ///< what they may fill
};

PaceSettings PaceOf(const v1::suites::LifecycleSpec& spec);

/// How many connections create workloads.
int ConnectionsOf(const v1::suites::LifecycleSpec& spec);

/// The workloads that fill the cluster before those of `plan`: RUN-fill-0, ..., with a label of
/// their own, as fast as the connections allow or at --fill-rate.
SendPlan FillingOf(const SendPlan& plan);

/// The objects of workload `index`, RUN-INDEX.
/// Errors   kInvalidArgument: what is wrong with the template or its fields.
Result<std::vector<Object>> RenderOne(const SendPlan& plan, std::uint32_t index);

/// The name of a run is part of the names of its workloads.
Status CheckRunName(const std::string& name);

}  // namespace twofold::lifecycle
