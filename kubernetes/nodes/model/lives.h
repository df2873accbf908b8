#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "kubernetes/nodes/model/fate.h"
#include "kubernetes/nodes/model/gpus.h"
#include "kubernetes/nodes/model/moment.h"
#include "kubernetes/nodes/model/node.h"
#include "kubernetes/nodes/model/order.h"
#include "kubernetes/nodes/model/pod.h"
#include "kubernetes/nodes/model/pod_status.h"
#include "kubernetes/nodes/model/timers.h"
#include "lib/common/instant.h"
#include "lib/common/random.h"
#include "lib/common/result.h"

namespace twofold::nodes {

/// What became of pods. All but the first two count up from the start.
struct LifeCounts {
  std::uint64_t waiting = 0;  ///< pods that are about to start, now
  std::uint64_t running = 0;  ///< pods, now
  std::uint64_t started = 0;
  std::uint64_t restarted = 0;
  std::array<std::uint64_t, 6> ended{};  ///< by Ending
  std::uint64_t removed = 0;             ///< after their deletion
  std::uint64_t replaced = 0;            ///< gone, or another pod had the name, when a call came
  std::uint64_t foreign = 0;             ///< pods that do not tolerate the taint: left alone
  std::uint64_t failures = 0;            ///< calls
};

/// The lives of the pods on the nodes of one run, as a state machine:
///
///   waiting → running → ended          deleted, in whatever state: → ended (if it has finalizers
///                ⟲ restarted                                            to wait for it) → removed
///
/// Kubernetes would take any order of phases, so the order is kept here: one call a pod is under
/// way at a time. All instants of a life are planned when the pod is first seen, and are not moved
/// by calls that are late. While a node is lost, whatever comes due on it waits for its return.
///
/// A pod that ran when first seen belongs to an `up` that was killed: it goes on by the plan that
/// is written on it.
///
/// Time     Callers pass `now`.
/// Threads  Not thread-safe.
/// Cost     O(log n) a call for n pods; about 1 KiB a pod that has not ended.
class Lives {
 public:
  using LostUntil = std::function<std::optional<Instant>(std::uint32_t node, Instant now)>;

  /// `lost_until` outlives the object's use.
  Lives(NodeTemplate nodes, Habits habits, Clocks clocks, LostUntil lost_until);

  /// A pod as it is now; those of other nodes do not count.
  void Seen(const Json& object, Instant now);

  /// A pod is gone.
  void Gone(const std::string& uid);

  /// A list begins: pods that are not Seen until Listed are gone.
  void Listing();
  void Listed();

  /// The next call that is due.
  std::optional<Order> Take(Instant now);

  /// When Take has something next; nullopt: nothing until something is seen or Done.
  [[nodiscard]] std::optional<Instant> NextDue() const { return timers_.Next(); }

  /// The outcome of an order. Returns what is wrong, which is tried again with back-off, but not
  /// for ever if the server calls it invalid; that a pod is gone is nothing wrong.
  Status Done(std::uint64_t ticket, const Status& outcome, Instant now);

  [[nodiscard]] const LifeCounts& counts() const { return counts_; }

  /// Pods of which anything is kept.
  [[nodiscard]] std::size_t kept() const { return lives_.size() + ended_.size(); }

  /// One device, and the pod that has it (nullptr: it is free).
  struct GpuUse {
    std::uint32_t node = 0;
    std::size_t device = 0;
    const Pod* pod = nullptr;
    int utilisation = 0;  ///< percent; 0 unless the pod runs
  };
  void ForEachGpu(const std::function<void(const GpuUse&)>& visit) const;

 private:
  enum class Stage : std::uint8_t { kWaiting, kRunning, kEnded, kForgotten };
  enum class Act : std::uint8_t { kStart, kRestart, kEnd, kRemove };
  struct Life {
    Pod pod;
    std::uint32_t node = 0;
    Stage stage = Stage::kWaiting;
    Fate fate;
    std::string message;  // why it cannot run
    Instant start;
    std::optional<Instant> end;
    std::optional<Instant> remove;  // it was deleted; here it has stopped
    Running running;
    bool is_under_way = false;  // a call, which does:
    Act act = Act::kStart;
    Instant planned;  // of the call that is due or under way
    int failures = 0;
    bool is_listed = true;
    bool is_shown_ended = false;  // by the watch
  };
  struct Next {
    Act act;
    Instant due;
  };
  using Key = Timers::Key;

  Life* Admit(const Json& object, std::uint32_t node, Instant now);
  void Destine(Life& life, Instant now);
  void TakeOver(Life& life, Instant now);
  [[nodiscard]] std::optional<std::size_t> SharedDevice(const Life& life) const;
  void NameGpu(Key key, Life& life) const;
  void Update(Life& life, const Pod& seen, Instant now);
  [[nodiscard]] static std::optional<Next> NextOf(const Life& life);
  void Arm(Key key, Life& life, Instant now);
  void Refuse(Life& life, Ending ending, const std::string& message, Instant now);
  bool Begin(Key key, Life& life, Instant now);
  [[nodiscard]] kube::Call CallOf(const Life& life) const;
  void GiveUp(Key key, Life& life);
  void Finish(Key key, Life& life);
  void RestartLife(Life& life) const;
  void Move(Key key, Life& life, Stage stage);
  void Forget(Key key);
  void ForgetEnded(Key key, bool is_shown);
  [[nodiscard]] std::string Address(Key key) const;

  const NodeTemplate nodes_;
  const Habits habits_;
  const Clocks clocks_;
  const LostUntil lost_until_;
  std::unordered_map<Key, Life> lives_;
  std::unordered_map<std::string, Key> by_uid_;
  std::unordered_set<std::string> foreign_;  // uids
  // Pods that have ended, until the watch shows that they have; uid, and whether the list that is
  // under way has it.
  std::unordered_map<std::string, bool> ended_;
  std::vector<Gpus> gpus_;  // by node
  Timers timers_;
  Random draws_;
  Key last_ = Gpus::kFree;
  LifeCounts counts_;
};

}  // namespace twofold::nodes
