#pragma once

#include <string>

#include "kubernetes/lifecycle/templates/template.h"

/// Parts of objects that pods of Kubernetes and workloads of Run:ai both get.
namespace twofold::lifecycle {

inline constexpr const char* kVolumePath = "/twofold";  ///< where the volume is mounted

/// The map under `key`, made if there is none; nullptr: something else is there.
Object* MapAt(Object& object, const char* key);

/// The list under `key`, made if there is none; nullptr: something else is there.
Object* ListAt(Object& object, const char* key);

/// The labels by which the workload and its run are found again.
Object LabelsOf(const Workload& workload);

/// "KEY[=VALUE][:EFFECT]": lets pods onto nodes with such a taint.
Object TolerationOf(const std::string& text);

}  // namespace twofold::lifecycle
