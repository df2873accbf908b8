#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kubernetes/api/fields.h"
#include "lib/common/instant.h"

/// Which pods of a WorkerPool come, are drained and go. Pure.
namespace twofold::pools {

/// What a pool shall be.
struct PoolSpec {
  std::size_t replicas = 0;
  std::string queue;
  std::string hash;                        ///< of the template: pods with another one are outdated
  Duration drain = std::chrono::hours(1);  ///< a pod that is to go goes after it in any case
  std::size_t surge = 0;                   ///< pods beyond `replicas` while outdated ones are there
  std::size_t unavailable = 1;             ///< ready pods that may lack for that
};

/// A pod of it, as the cluster shows it.
struct PodSeen {
  std::string name;
  std::string node;  ///< empty: it has none, so none of its programs has begun
  std::string hash;
  kube::UnixTime made{};
  std::optional<kube::UnixTime> leaving{};  ///< since when it is to go
  bool ready = false;
  bool ended = false;           ///< all of its programs have
  bool deleted = false;         ///< it is being deleted
  std::string unschedulable{};  ///< why no node takes it
  std::string waiting{};        ///< why a program of it does not run: "ImagePullBackOff"
  std::string version{};        ///< metadata.resourceVersion
  std::string uid{};
};

/// The workers of a pod, as the frontend shows them.
struct WorkerSeen {
  std::size_t busy = 0;               ///< jobs that they have
  bool draining = true;               ///< all of them get no more jobs
  std::optional<Duration> done_in{};  ///< until the last of these jobs ends, as far as is known
};
using WorkersSeen = std::map<std::string, WorkerSeen>;  ///< by the pod's name

/// What is there at one moment.
struct Scene {
  std::vector<PodSeen> pods;
  /// nullopt: the frontend does not say. Then nobody is sent home who could have a job.
  std::optional<WorkersSeen> workers;
  /// Of pods whose worker the frontend does not know although it answers: for how long.
  std::map<std::string, Duration> unknown_for{};
  std::size_t expected = 0;  ///< pods that were made and are not among `pods` yet
  kube::UnixTime now{};
};

/// What to do, as indices of Scene::pods.
struct Plan {
  std::size_t create = 0;
  std::vector<std::size_t> mark;    ///< to be marked as leaving
  std::vector<std::size_t> drain;   ///< marked ones, whose workers the frontend has to be told of
  std::vector<std::size_t> remove;  ///< to be deleted
};

/// A worker that the frontend does not know for so long is not at work: one that has lost its
/// frontend is back within seconds.
inline constexpr Duration kUnknownLong = std::chrono::seconds(30);
/// A pod whose program ends by itself is replaced so long after it was made, and not before: one
/// that ends at once must not make pods without end.
inline constexpr Duration kShortestLife = std::chrono::seconds(30);

/// Marks of one plan; the next one has the others.
inline constexpr std::size_t kMostMarks = 100;

/// A pod leaves in three steps, each of which is seen before the next one: it is marked; its worker
/// is drained, which ends what it has and gets no more; it is deleted when the worker has ended, or
/// never began, or when the grace is over. A mark stays.
///
/// Who leaves: pods without a program that runs, then drained workers, idle ones, and those that
/// are done soonest; of equals one of the node with the most pods, then the newest. Jobs that end
/// within 1, 2, 4, 8... seconds count as equal.
///
/// Outdated pods leave as well, at most surge + unavailable of them at a time, and only while
/// enough others are ready. One whose deletion does not end, as its node is gone, does not count.
///
/// Cost     O(pods * (1 + marks)).
Plan MakePlan(const PoolSpec& spec, const Scene& scene);

/// Whether a plan may choose among workers at work, for which it has to know WorkerSeen::done_in.
bool WillShrink(const PoolSpec& spec, const Scene& scene);

struct NodeCount {
  std::string node;
  std::size_t pods = 0;
  std::size_t ready = 0;
  std::size_t busy = 0;
  std::size_t draining = 0;
};

/// What a status says.
struct PoolCounts {
  std::size_t replicas = 0;  ///< that stay
  std::size_t ready = 0;     ///< of these
  std::size_t updated = 0;   ///< of these: made of the template as it is
  std::size_t busy = 0;      ///< pods with a job, leaving ones too
  std::size_t draining = 0;  ///< pods that are to go and are not gone
  std::size_t unschedulable = 0;
  std::size_t unknown = 0;          ///< ready ones that no worker of the queue is named after
  std::string unschedulable_why{};  ///< of one of them
  std::string waiting_why{};        ///< "pod x: ImagePullBackOff", of one that is not ready
  std::string unknown_pod{};        ///< one of them
  std::vector<NodeCount> nodes;     ///< by name
};

PoolCounts CountsOf(const PoolSpec& spec, const Scene& scene);

}  // namespace twofold::pools
