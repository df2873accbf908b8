#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kubernetes/api/call.h"
#include "kubernetes/nodes/model/moment.h"
#include "kubernetes/nodes/model/node.h"
#include "kubernetes/nodes/model/order.h"
#include "kubernetes/nodes/model/timers.h"
#include "lib/common/instant.h"
#include "lib/common/random.h"
#include "lib/common/result.h"
#include "lib/common/distribution.h"

namespace twofold::nodes {

/// `count` nodes are lost `at` this time after the start, `time` long.
struct PlannedLoss {
  std::uint32_t count = 1;
  Duration at{};
  Duration time{};
};

/// COUNT@AT+TIME, such as 5@60s+2m. kInvalidArgument: anything else.
Result<PlannedLoss> ParseLoss(const std::string& text);

/// How nodes are lost: their network is gone, so nothing that they do reaches the server until
/// they are back.
struct Losses {
  std::uint64_t seed = 1;
  std::optional<Distribution> after;  ///< of each node, from being up; nullopt: never
  Distribution time{std::chrono::minutes(2)};  ///< until such a node is back
  std::vector<PlannedLoss> planned;
};

struct FleetCounts {
  std::uint64_t up = 0;    ///< nodes, now
  std::uint64_t lost = 0;  ///< nodes, now
  std::uint64_t seen = 0;  ///< nodes that have been up once, or are gone without
  std::uint64_t gone = 0;  ///< nodes that somebody has deleted
  std::uint64_t losses = 0;
  std::uint64_t renewals = 0;
  std::uint64_t failures = 0;  ///< calls
};

/// The nodes of one run and their leases, as a state machine: makes them, renews leases spread
/// evenly over the period, loses nodes and brings them back. A node that somebody deletes, such as
/// an autoscaler, stays away.
///
///   missing → no lease → tainted → up → lost → refreshing → no lease → ...
///   finding, an existing one → refreshing
///   up, but its lease is gone → checking → refreshing, or gone
///
/// Tainted: the API server makes each node with the taint of one that is not ready, and the
/// controller manager takes it off, with default limits 4 to 20 nodes a second. So we do.
///
/// Time     Callers pass `now`.
/// Threads  Not thread-safe.
/// Cost     O(log n) a call for n nodes.
class Fleet {
 public:
  /// `existing`: nodes of this run that a killed `up` left behind, by index.
  Fleet(NodeTemplate nodes, Losses losses, Clocks clocks,
        const std::vector<std::uint32_t>& existing, Instant now);

  /// The next call that is due. One call a node at a time.
  std::optional<Order> Take(Instant now);

  /// When Take has something next; nullopt: nothing until something is Done.
  [[nodiscard]] std::optional<Instant> NextDue() const { return timers_.Next(); }

  /// The outcome of an order: the object, or the error. Returns what is wrong, which is tried again
  /// with back-off.
  Status Done(std::uint64_t ticket, const Result<Json>& outcome, Instant now);

  /// Until when nothing of the node reaches the server; nullopt: it is not lost.
  [[nodiscard]] std::optional<Instant> LostUntil(std::uint32_t index, Instant now) const;

  [[nodiscard]] const NodeTemplate& nodes() const { return nodes_; }
  [[nodiscard]] const FleetCounts& counts() const { return counts_; }

 private:
  enum class State : std::uint8_t {
    kMissing,
    kFinding,
    kRefreshing,
    kNoLease,
    kTainted,
    kUp,
    kLost,
    kChecking,
    kGone
  };
  struct Node {
    State state = State::kMissing;
    std::string uid;
    std::optional<std::size_t> not_ready;  // which of its taints says so
    Instant planned;                       // of the call that is due or under way
    Instant lost_at = Instant::max();
    Instant back_at;
    int failures = 0;
    bool is_seen = false;  // counts as such
  };

  void Plan(std::uint32_t index, State state, Instant due);
  void Arm(std::uint32_t index, Instant due);
  [[nodiscard]] Instant NextRenewal(std::uint32_t index, Instant now) const;
  [[nodiscard]] kube::Call CallOf(std::uint32_t index, Instant now) const;
  void Lose(std::uint32_t index, Duration time, Instant now);
  void LoseSome(const PlannedLoss& loss, Instant now);
  Status Advance(std::uint32_t index, const Json& object, Instant now);
  Status Found(std::uint32_t index, const Json& object, Instant now);
  bool Redirect(std::uint32_t index, const Status& status, Instant now);
  void Retry(std::uint32_t index, Instant now);
  void Leased(std::uint32_t index, Instant now);
  void GoUp(std::uint32_t index, Instant now);
  void CountSeen(Node& node);

  const NodeTemplate nodes_;
  const Losses losses_;
  const Clocks clocks_;
  const Instant begun_;
  Random draws_;
  std::vector<Node> all_;
  Timers timers_;  // nodes by index; behind them the planned losses
  FleetCounts counts_;
};

}  // namespace twofold::nodes
