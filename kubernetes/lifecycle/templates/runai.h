#pragma once

#include "kubernetes/lifecycle/moments/kind.h"
#include "kubernetes/lifecycle/templates/template.h"
#include "lib/common/result.h"

namespace twofold::lifecycle {

/// Whether workloads of this kind have fields of Run:ai in the place of a pod template.
bool IsOfRunai(const Kind& kind);

/// Labels, tolerations, placement and volume, where Run:ai's workloads have them. Each field is a
/// map `value`, or a map `items` of such, as Run:ai's documentation and its scale test tool write
/// them; no definition of these kinds is public.
///
/// Errors   kInvalidArgument: something else stands in such a field, or a node selector has no
///          field: nodeType stands for run.ai/type, nodePools for the label of node pools.
Status GiveRunaiFields(Object& own, const Workload& workload);

}  // namespace twofold::lifecycle
