#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "kubernetes/api/call.h"

/// Who starts the pods of a group all or none: what each of them wants to be told. Pure.
namespace twofold::benchmarks {

/// A group of pods.
struct Gang {
  std::string name;
  std::int64_t members = 0;
  std::string queue = {};  ///< of the scheduler; empty: none is named
};

struct GangScheduler {
  std::string_view name;  ///< as specs have it: "volcano"
  kube::Resource group;   ///< an object that has to be there; without a kind: none
  bool needs_queue = false;
  /// The spec of that object.
  kube::Json (*spec)(const Gang& gang) = nullptr;
  /// Says in a template of pods that they belong to the group.
  void (*mark)(const Gang& gang, kube::Json& pods) = nullptr;
};

std::span<const GangScheduler> GangSchedulers();

/// nullptr: there is none of this name.
const GangScheduler* FindGangScheduler(std::string_view name);

}  // namespace twofold::benchmarks
