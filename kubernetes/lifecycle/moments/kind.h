#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kubernetes/api/call.h"
#include "kubernetes/lifecycle/moments/moment.h"
#include "lib/common/result.h"

namespace twofold::lifecycle {

/// An object as the API server sends it.
using Object = nlohmann::json;

using kube::At;
using kube::FindCondition;
using kube::IsTrue;
using kube::LabelOf;
using kube::SecondAt;
using kube::SecondOf;
using kube::TextAt;

/// Labels that we put on every object and pod template that we create.
inline constexpr std::string_view kRunLabel = "twofold/run";
inline constexpr std::string_view kWorkloadLabel = "twofold/workload";

/// Beside them on what is created to fill the cluster before the measured workloads; these have
/// none.
inline constexpr std::string_view kPhaseLabel = "twofold/phase";
inline constexpr std::string_view kFillPhase = "fill";

/// The kind of the objects by which KAI says which node it chose for a pod.
inline constexpr std::string_view kDecisionKind = "BindRequest";

/// Pods of one workload, at most.
inline constexpr std::uint32_t kMostSlots = 10'001;

/// What in an object says that it has come to a moment.
struct Sign {
  enum class By : std::uint8_t {
    kExists,     ///< the object is there; Kubernetes' second is its creationTimestamp
    kCondition,  ///< the condition `what` is True; its lastTransitionTime
    kField,      ///< `what` is "/path=one|another": the field has one of these values
  };
  std::string_view object;  ///< kind of the object: "Job"
  By by = By::kExists;
  std::string_view what;
  std::string_view since = {};  ///< path of Kubernetes' second of a kField; empty: it has none
};

struct MomentSign {
  Moment moment;
  Sign sign;
};

/// A resource in all versions that it is served in, the newest first: the first that a server has
/// is the one to use. Never empty.
using Versions = std::vector<kube::Resource>;

/// One kind of workload that can be measured: a row of the table of kinds.
struct Kind {
  std::string_view name;  ///< on the command line: "indexed-job"
  std::string_view help;
  kube::Resource own;                 ///< of the object that we create
  std::vector<Versions> beside = {};  ///< of objects that controllers add; watch them, and pods
  std::vector<std::string_view> pod_labels = {};  ///< labels of pods that have the workload's name
  std::vector<std::string_view> slot_labels =
      {};  ///< labels that tell the pods of one workload apart
  /// The value of the first slot label that one pod alone has, beside the workers: it needs no
  /// further labels, and `--workers` does not count it. Empty: there is no such pod.
  std::string_view leader = {};
  std::vector<MomentSign> signs =
      {};  ///< of own and beside objects; those of pods are the same for all
  /// Moments on the way of others (IsOnTheWay) that come here in no certain order: no step begins
  /// or ends with them, else it would often be negative.
  std::vector<Moment> aside = {};
  std::optional<Sign> held = {};       ///< as long as it shows, the workload waits for quota
  std::optional<Sign> evicted = {};    ///< each time it begins to show, the workload was evicted
  bool has_decisions = false;          ///< BindRequests say when a node was chosen
  std::string_view queue = "default";  ///< ${queue}, if nobody names another one
  std::string_view scheduler = "default-scheduler";         ///< ${scheduler}, likewise
  std::string_view controller = "kube-controller-manager";  ///< makes the pods and ends workloads
  /// What controllers add to a workload's name, at most: '#' is the highest number of a pod. Name
  /// and tail together must fit into a DNS label.
  std::string_view tail = {};
  bool letter_first = false;  ///< names begin with a letter, as those of Services (RFC 1035)
  bool one_pod = false;       ///< the built-in template makes one, however many are asked for
  /// The kind whose objects wait in a LocalQueue of Kueue here; empty: Kueue has no part in it.
  std::string_view queued = {};

  [[nodiscard]] bool IsPod() const { return own.kind == "Pod"; }

  /// The moments that a workload of this kind can have, in their order; without a gang not those of
  /// its first pod and its last one apart, without volumes not those of claims.
  [[nodiscard]] std::vector<Moment> Moments(bool gang = true, bool volumes = false) const;
};

const std::vector<Kind>& Kinds();

/// Errors  kInvalidArgument with the names that there are.
Result<const Kind*> FindKind(std::string_view name);

/// Whether `object` shows `sign`, and Kubernetes' own second of it where there is one.
struct Shown {
  std::optional<std::int64_t> second;
};
std::optional<Shown> Look(const Sign& sign, const Object& object);

}  // namespace twofold::lifecycle
