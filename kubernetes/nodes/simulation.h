#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "kubernetes/api/connection.h"
#include "kubernetes/api/watch.h"
#include "kubernetes/nodes/model/fate.h"
#include "kubernetes/nodes/model/fleet.h"
#include "kubernetes/nodes/model/lives.h"
#include "kubernetes/nodes/model/node.h"
#include "kubernetes/nodes/model/order.h"
#include "lib/common/instant.h"
#include "lib/common/limited_log.h"
#include "lib/common/mutex.h"
#include "lib/common/result.h"
#include "lib/stats/histogram.h"

namespace twofold::nodes {

/// What is simulated.
struct SimulationPlan {
  NodeTemplate nodes;
  Habits habits;
  Losses losses;
};

/// What calls for nodes or for pods have come to, since the start.
struct LaneCounts {
  std::uint64_t calls = 0;
  std::map<std::string, std::uint64_t> errors;  ///< by reason or code
  std::uint64_t throttled = 0;                  ///< times that the server asked to wait
  /// From the planned instant to the server's answer, if it agreed; not of nodes that are made.
  stats::Histogram lateness;
  stats::Histogram times;  ///< from sending to the answer
};

enum class Lane : std::uint8_t { kNodes, kPods };
inline constexpr std::array<const char*, 2> kLaneNames = {"nodes", "pods"};

struct SimulationCounts {
  FleetCounts fleet;
  LifeCounts lives;
  std::array<LaneCounts, 2> lanes;  ///< by Lane
  kube::WatchCounts watch;
};

/// One device, and the pod that has it, if any.
struct GpuLoad {
  std::uint32_t node = 0;
  std::size_t device = 0;
  int utilisation = 0;  ///< percent
  std::optional<kube::ObjectName> pod;
  std::string container;  ///< the pod's first
};

/// The nodes of one run and the lives on them, carried out against an API server.
///
/// Nodes and pods have threads of their own, each with one connection, so that neither holds up
/// the other. A thread takes what is due, makes the call, tells the outcome, and waits for what is
/// due next: there is no queue. One more thread reads the watch of pods.
///
/// Threads  Safe.
class Simulation {
 public:
  /// `existing`: nodes of this run that are there. Starts at once.
  Simulation(const kube::Access& access, SimulationPlan settings,
             const std::vector<std::uint32_t>& existing, int connections,
             kube::WatchOptions watch = {});

  /// Stops.
  ~Simulation();

  /// Ends. Calls that are under way may finish for kGrace, so that what follows finds all that was
  /// made.
  void Stop();
  static constexpr Duration kGrace = std::chrono::seconds(5);

  SimulationCounts counts();

  /// All devices as they are now. A copy, so that nobody waits for who formats it.
  std::vector<GpuLoad> Gpus();

  [[nodiscard]] const NodeTemplate& nodes() const { return settings_.nodes; }

 private:
  using Threads = std::vector<std::thread>;

  void Add(Lane lane, const kube::Access& access);
  void Work(Lane lane, kube::Connection& connection);
  std::optional<Order> Await(Lane lane);
  void Tell(Lane lane, const Order& order, const Result<kube::Reply>& reply,
            std::uint64_t throttled);
  void Count(LaneCounts& counts, const Order& order, const Result<kube::Reply>& reply)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Take(const kube::WatchEvent& event);
  std::optional<Order> TakeDue(Lane lane, Instant now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::optional<Instant> NextDue(Lane lane) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Condition& ChangedOf(Lane lane) { return changed_[static_cast<std::size_t>(lane)]; }

  const SimulationPlan settings_;
  Mutex mutex_;
  std::array<Condition, 2> changed_;  // by lane: something else is due, or it ends
  Condition idle_;                    // a thread has ended
  Fleet fleet_ ABSL_GUARDED_BY(mutex_);
  Lives lives_ ABSL_GUARDED_BY(mutex_);
  std::array<LaneCounts, 2> lanes_ ABSL_GUARDED_BY(mutex_);
  std::size_t working_ ABSL_GUARDED_BY(mutex_) = 0;  // threads
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  LimitedLog log_;
  std::vector<std::unique_ptr<kube::Connection>> connections_;
  std::unique_ptr<kube::Watcher> watcher_;
  Threads threads_;
};

}  // namespace twofold::nodes
