#pragma once

#include <optional>
#include <string>

#include "kubernetes/api/call.h"
#include "kubernetes/nodes/model/fate.h"
#include "kubernetes/nodes/model/moment.h"
#include "kubernetes/nodes/model/pod.h"

/// What a node writes into the status of its pods. All patches name the uid, so that they are
/// refused (422) when another pod has taken the name.
namespace twofold::nodes {

/// The instants of a pod's life as planned when it was seen.
struct Planned {
  Moment seen;
  Moment start;
  std::optional<Moment> end;
};

/// As the annotation kPlanned has it, to the nanosecond.
std::string ToText(const Planned& planned);
std::optional<Planned> ReadPlanned(const std::string& text);

struct Running {
  Planned planned;
  Moment since;       ///< when the present containers started
  std::string ip;     ///< of the pod
  std::string gpu;    ///< UUID of the device that the pod reserves for others; empty: none
  int restarts = 0;   ///< of its containers
  int exit_code = 0;  ///< with which the ones before ended
  Moment before;      ///< when they had started
  Moment failed;      ///< when they ended
};

/// The pod runs and is ready: its first patch, and that after each restart.
kube::Call RunningPatch(const Pod& pod, const Running& running);

/// The last patch. `running` is nullopt if it never ran; `message` explains kInvalid and kRefused.
kube::Call EndedPatch(const Pod& pod, const Fate& fate, const std::optional<Running>& running,
                      const std::string& message, Moment now);

/// The pod has stopped: takes its object away.
kube::Call RemovePod(const Pod& pod);

}  // namespace twofold::nodes
