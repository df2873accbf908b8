#pragma once

#include <string>

#include "kubernetes/lifecycle/moments/kind.h"
#include "kubernetes/lifecycle/templates/template.h"
#include "lib/common/result.h"
#include "lib/yaml/node.h"
#include "suites/lifecycle/spec.pb.h"

/// The fields of templates, and what is filled in for them.
namespace twofold::lifecycle {

/// The queue in which workloads wait: the spec's, else the one that the kind usually has.
std::string QueueOf(const Kind& kind, const v1::suites::LifecycleSpec& spec);

/// The document with all fields filled in, as template.h says.
///
/// Errors   kInvalidArgument: names the field, and those that there are.
Result<Object> FillIn(const yaml::Node& document, const Kind& kind, const Workload& workload);

}  // namespace twofold::lifecycle
