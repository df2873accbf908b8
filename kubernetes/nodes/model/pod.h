#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kubernetes/api/call.h"
#include "lib/common/instant.h"
#include "lib/common/result.h"

namespace twofold::nodes {

using kube::Json;

/// Keeps pods away from a node that do not tolerate it.
struct Taint {
  std::string key;
  std::string value;
  std::string effect;  ///< NoSchedule, PreferNoSchedule or NoExecute

  friend bool operator==(const Taint&, const Taint&) = default;
};

/// KEY[=VALUE]:EFFECT. kInvalidArgument: anything else.
Result<Taint> ParseTaint(const std::string& text);

struct Container {
  std::string name;
  std::string image;
  bool is_sidecar = false;  ///< an init container that goes on running
};

enum class Restart : std::uint8_t { kAlways, kOnFailure, kNever };
enum class Phase : std::uint8_t { kPending, kRunning, kEnded };

/// What a simulated node needs to know of a pod. Whatever its object lacks is empty.
struct Pod {
  std::string uid;
  kube::ObjectName name;
  std::string node;
  std::vector<Container> init;
  std::vector<Container> containers;
  Restart restart = Restart::kAlways;
  std::map<std::string, std::string> wishes;  ///< annotations of names.h
  std::int64_t gpus = 0;
  bool reserves_gpu = false;  ///< it holds a device that other pods share (names.h)
  Phase phase = Phase::kPending;
  bool is_deleted = false;  ///< it has a deletionTimestamp
  Duration grace{};         ///< seconds that it may take to stop
  bool has_finalizers = false;
};

Pod ReadPod(const Json& object);

/// Whether the pod may run beside this taint.
bool Tolerates(const Json& pod, const Taint& taint);

/// Whether a pod on a node with this taint of ours is meant to be there: it tolerates the taint, or
/// reserves a GPU. KAI puts such a pod where it has put the pod that asked for a share, and before
/// v0.17 without its tolerations.
bool IsMeantFor(const Json& pod, const Taint& taint);

}  // namespace twofold::nodes
